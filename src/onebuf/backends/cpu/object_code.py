"""Object code: LLVM IR compiled to machine code, or taken from the disk cache.

There are no optimiser passes: the renderer writes vector code already, and passes would take longer
than they save.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import llvmlite.binding as llvm

from onebuf.backends.cpu.cache import digest, here
from onebuf.backends.cpu.emulated_fma import emulated, lacks_fma
from onebuf.backends.cpu.loader import lock
from onebuf.backends.cpu.target import OPTIONS, VERSIONS, Target, machine
from onebuf.backends.cpu.uninterrupted import uninterrupted
from onebuf.errors import CompileError


class Object(NamedTuple):
    """Machine code, and whether it came from the disk."""

    content: bytes
    from_disk: bool


def key_of(ir: str, target: Target) -> bytes:
    """The hash of everything that determines the machine code."""
    fma = "emulated fma" if lacks_fma(target) else ""
    return digest(ir, target.triple, target.cpu, target.features, VERSIONS, OPTIONS + fma)


def make_object(ir: str, name: str, target: Target, key: bytes) -> Object:
    """The machine code of ``ir``, which defines the function ``name``."""
    cache = here()
    kept = cache.get(key)
    if kept is not None:
        return Object(kept, True)
    content = generate(ir, name, target)
    cache.put(key, content)
    return Object(content, False)


@uninterrupted
def generate(ir: str, name: str, target: Target) -> bytes:
    """Run LLVM on ``ir``."""
    text = emulated(ir) if lacks_fma(target) else ir
    with lock, _parsed(text, name, target) as module:
        return bytes(machine(target).emit_object(module))


@uninterrupted
def assembly(ir: str, name: str, target: Target) -> str:
    """The code of ``ir`` as text, also for processors other than this one."""
    with lock, _parsed(ir, name, target) as module:
        return str(machine(target).emit_assembly(module))


@contextmanager
def _parsed(ir: str, name: str, target: Target) -> Iterator[Any]:
    # Modules and contexts are closed here, in this order: the garbage collector would do it in any,
    # and a module whose context is gone ends the process.
    with llvm.create_context() as context:
        try:
            module = llvm.parse_assembly(target.header() + ir, context)
        except RuntimeError as error:
            raise failure(name, ir, str(error)) from None
        with module:
            try:
                module.verify()
            except RuntimeError as error:
                raise failure(name, ir, str(error)) from None
            if name not in [each.name for each in module.functions if not each.is_declaration]:
                raise failure(name, ir, f"it does not define a function {name!r}")
            yield module


def failure(name: str, ir: str, reason: str) -> CompileError:
    """The error for IR that cannot be compiled."""
    numbered = "\n".join(f"{i:4} {line}" for i, line in enumerate(ir.splitlines(), 1))
    return CompileError(
        f"LLVM needs valid IR for the kernel {name!r}, and this is not: {reason.strip()}\n"
        f"This is a mistake in onebuf, not in your program; please report it with this text. "
        f"onebuf.config(tier='interpret') works around it.\n{numbered}"
    )
