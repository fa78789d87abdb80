"""The CPU: LLVM IR becomes programs that run on all cores.

Input is IR text; what it computes is not known here. Importing this package imports llvmlite.
"""

from onebuf.backends.cpu.compiling import Program, compile
from onebuf.backends.cpu.target import Target, host

__all__ = ["Program", "Target", "compile", "host"]
