"""Traces: the graph of a call of a Python function, recorded by calling it without elements."""

from onebuf.tracing.rebuild import Rebuild
from onebuf.tracing.trace import Parameter, Trace, current

__all__ = ["Parameter", "Rebuild", "Trace", "current"]
