"""The CPU backend: LLVM IR is compiled to programs that run on all cores.

Input is IR text, whatever it computes. Importing this package imports llvmlite.
"""

from onebuf.backends.cpu.cache import digest, here
from onebuf.backends.cpu.compiler import Program, compile
from onebuf.backends.cpu.object_code import assembly, key_of
from onebuf.backends.cpu.parallel_for import cores, run, shared
from onebuf.backends.cpu.target import Target, host

# fmt: off
__all__ = [
    "Program", "Target", "assembly", "compile", "cores", "digest", "here", "host", "key_of", "run",
    "shared",
]
