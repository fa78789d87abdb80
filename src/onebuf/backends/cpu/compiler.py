"""The compiler: from LLVM IR to a program that can be called.

A program's code lives as long as the program, or its ``call``. Equal IR is compiled once while the
program lives.
"""

from __future__ import annotations

from time import perf_counter
from weakref import WeakValueDictionary

from onebuf.backends.cpu.float16 import conversions_of
from onebuf.backends.cpu.loader import Code, load, lock
from onebuf.backends.cpu.native_call import NativeCall, as_call
from onebuf.backends.cpu.object_code import Object, failure, key_of, make_object
from onebuf.backends.cpu.target import Target, host
from onebuf.backends.cpu.uninterrupted import uninterrupted
from onebuf.events import Compiled, listeners, tell


class Program:
    """A compiled kernel: ``program.call(args_address, begin, end)`` runs it.

    ``program.quick`` does too, for kernels that take no more than some microseconds: it does not
    release the GIL, which saves the time of acquiring it again.
    The kernel has the C signature ``void name(const int64_t *args, int64_t begin, int64_t end)``.
    """

    __slots__ = ("name", "address", "call", "quick", "__weakref__")

    name: str
    address: int
    call: NativeCall
    quick: NativeCall

    def __init__(self, name: str, code: Code) -> None:
        self.name = name
        self.address = code.address(name)
        self.call = as_call(self.address, code)
        self.quick = as_call(self.address, code, release=False)

    def __repr__(self) -> str:
        return f"<Program {self.name}>"


_programs: WeakValueDictionary[tuple[bytes, str], Program] = WeakValueDictionary()
"""Every program that lives."""


def compile(ir: str, name: str, target: Target | None = None) -> Program:  # noqa: A001
    """The program of the function ``name`` that ``ir`` defines.

    ``target`` is a processor whose code this one can run; None: this one.
    """
    target = host() if target is None else target
    key = key_of(ir, target)
    known = _programs.get((key, name))
    if known is not None:
        return known
    program, made, start, seconds = _made(ir, name, target, key)
    if made is None:
        return program
    if listeners():
        tell(Compiled(name, seconds, made.from_disk, start))
    return program


@uninterrupted
def _made(
    ir: str, name: str, target: Target, key: bytes
) -> tuple[Program, Object | None, float, float]:
    """The program; its object code if it was loaded now; when that began and how long it took."""
    with lock:
        start = perf_counter()
        program = _programs.get((key, name))
        if program is not None:
            return program, None, start, 0.0
        made = make_object(ir, name, target, key)
        try:
            code = load(made.content, [name], conversions_of(made.content))
        except RuntimeError as error:
            raise failure(name, ir, str(error)) from None
        seconds = perf_counter() - start
        program = _programs[key, name] = Program(name, code)
        return program, made, start, seconds
