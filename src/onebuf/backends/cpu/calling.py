"""Calling: an address becomes something that Python can call."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import CFUNCTYPE, c_int64, c_void_p
from typing import TypeAlias

from onebuf.backends.cpu.loading import Code

Call: TypeAlias = Callable[[int, int, int], None]
"""``call(args_address, begin, end)``"""

_PROTOTYPE = CFUNCTYPE(None, c_void_p, c_int64, c_int64)


def as_call(address: int, code: Code) -> Call:
    """A callable for the kernel at ``address``."""
    call = _PROTOTYPE(address)
    call.code = code  # type: ignore[attr-defined]
    return call
