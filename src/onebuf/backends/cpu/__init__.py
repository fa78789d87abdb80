"""The CPU: LLVM IR becomes programs that run on all cores.

Input is IR text; what it computes is not known here. Importing this package imports llvmlite.
"""

from onebuf.backends.cpu.compiling import Program, compile
from onebuf.backends.cpu.objects import assembly
from onebuf.backends.cpu.target import Target, host
from onebuf.backends.cpu.threads import cores, run, shared

__all__ = ["Program", "Target", "assembly", "compile", "cores", "host", "run", "shared"]
