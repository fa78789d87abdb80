"""Objects: machine code of LLVM IR, from the disk if it was made before.

IR becomes code as it is, without optimiser passes: whoever writes it writes good vector code, and
passes would take longer than they save.
"""

from __future__ import annotations

from typing import NamedTuple

import llvmlite.binding as llvm

from onebuf.backends.cpu.cache import digest, here
from onebuf.backends.cpu.loading import lock
from onebuf.backends.cpu.target import OPTIONS, VERSIONS, Target, machine
from onebuf.errors import CompileError


class Object(NamedTuple):
    """Machine code, and if it came from the disk."""

    content: bytes
    from_disk: bool


def key_of(ir: str, target: Target) -> bytes:
    """What decides about the machine code, as one short key."""
    return digest(ir, target.triple, target.cpu, target.features, VERSIONS, OPTIONS)


def make_object(ir: str, name: str, target: Target, key: bytes) -> Object:
    """The machine code of ``ir``, which defines the function ``name``."""
    cache = here()
    kept = cache.get(key)
    if kept is not None:
        return Object(kept, True)
    content = generate(ir, name, target)
    cache.put(key, content)
    return Object(content, False)


def generate(ir: str, name: str, target: Target) -> bytes:
    """Run LLVM on ``ir``."""
    with lock:
        module = _parse(ir, name, target)
        return bytes(machine(target).emit_object(module))


def assembly(ir: str, name: str, target: Target) -> str:
    """The code of ``ir`` as text, also for processors other than this one."""
    with lock:
        return str(machine(target).emit_assembly(_parse(ir, name, target)))


def _parse(ir: str, name: str, target: Target) -> llvm.ModuleRef:
    try:
        # Each module has a context of its own, which dies with it.
        module = llvm.parse_assembly(target.header() + ir, context=llvm.create_context())
        module.verify()
    except RuntimeError as error:
        raise failure(name, ir, str(error)) from None
    try:
        defined = not module.get_function(name).is_declaration
    except NameError:
        defined = False
    if not defined:
        raise failure(name, ir, f"it does not define a function {name!r}")
    return module


def failure(name: str, ir: str, reason: str) -> CompileError:
    """The error for IR that cannot be compiled."""
    numbered = "\n".join(f"{i:4} {line}" for i, line in enumerate(ir.splitlines(), 1))
    return CompileError(
        f"LLVM needs valid IR for the kernel {name!r}, and this is not: {reason.strip()}\n"
        f"This is a mistake in onebuf, not in your program; please report it with this text. "
        f"onebuf.config(tier='interpret') works around it.\n{numbered}"
    )
