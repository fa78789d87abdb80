"""Loading: objects with machine code become functions at addresses of this process.

Each object is a library of its own, so names never clash, and is unloaded after its `Code` is gone.
LLVM's state is touched under one lock, which a fork waits for: the child finds LLVM at rest. And it
is only touched by work that no interrupt ends half-way (`onebuf.backends.cpu.uninterrupted`).
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
from onebuf.backends.cpu.uninterrupted import sheltered

lock = RLock()
"""Held by whoever uses LLVM."""
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release
    )

GENERATION = 256
"""How many libraries share a linker, which lives as long as they do."""
_numbers = count()
_dead: list[Any] = []
"""Libraries that nobody holds, to be unloaded by whoever takes the lock next."""


class Code:
    """A loaded library. Its addresses are valid as long as it lives."""

    __slots__ = ("_library",)

    def __init__(self, library: Any) -> None:
        self._library = library

    def address(self, name: str) -> int:
        """Where the exported function ``name`` is."""
        return int(self._library[name])

    def __del__(self, _dead: list[Any] = _dead) -> None:
        # A finaliser may run anywhere, so it takes no lock.
        _dead.append(self._library)


@lru_cache(1)
def _linker(generation: int) -> Any:
    # What a library leaves behind goes with its linker, so linkers change now and then.
    return llvm.create_lljit_compiler(machine(host()), use_jit_link=JIT_LINK)


@sheltered
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
