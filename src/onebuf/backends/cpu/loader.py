"""The loader: object code becomes functions at addresses of this process.

Each object is a library of its own, so that names never clash, and is unloaded after its `Code` is
gone. LLVM is used under one lock, which a fork waits for: the child finds LLVM idle. And it is only
used by work that no signal can interrupt (`onebuf.backends.cpu.uninterrupted`).
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import count
from threading import RLock
from typing import Any

import llvmlite.binding as llvm

from onebuf.backends.cpu.target import JIT_LINK, host, machine
from onebuf.backends.cpu.uninterrupted import uninterrupted

lock = RLock()
"""Held while LLVM is used."""
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release
    )

GENERATION = 256
"""How many libraries share a linker, which lives as long as they do."""
_numbers = count()
_dead: list[Any] = []
"""Libraries without references, to be unloaded under the lock by the next load."""


class Code:
    """A loaded library. Its addresses are valid as long as it lives."""

    __slots__ = ("_library",)

    def __init__(self, library: Any) -> None:
        self._library = library

    def address(self, name: str) -> int:
        """The address of the exported function ``name``."""
        return int(self._library[name])

    def __del__(self, _dead: list[Any] = _dead) -> None:
        # A finaliser may run anywhere, so it takes no lock.
        _dead.append(self._library)


@lru_cache(1)
def _linker(generation: int) -> Any:
    # A library leaks memory that is freed with its linker, so linkers are replaced now and then.
    return llvm.create_lljit_compiler(machine(host()), use_jit_link=JIT_LINK)


@uninterrupted
def load(object_: bytes, names: Sequence[str], imports: Mapping[str, int] | None = None) -> Code:
    """Load an object and find its functions ``names``.

    It may call functions of this process, such as those of the C library, and ``imports``, which
    are functions by address. RuntimeError if it needs others.
    """
    with lock:
        while _dead:
            _dead.pop().close()
        library = llvm.JITLibraryBuilder().add_object_img(object_).add_current_process()
        for name, address in (imports or {}).items():
            library.import_symbol(name, address)
        for name in names:
            library.export_symbol(name)
        number = next(_numbers)
        linker = _linker(number // GENERATION)
        loaded = library.link(linker, f"onebuf{number}")
        loaded.linker = linker
        return Code(loaded)
