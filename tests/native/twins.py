"""The native core next to its Python twins: one call, done in both ways in one process.

`long_way` closes the short way, so that everything that the core would do is done by the twins.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import onebuf
from onebuf.native import core

needs_core = pytest.mark.skipif(core is None, reason="the native core is not built, or is off")


@contextmanager
def long_way() -> Iterator[None]:
    """Let the twins do everything."""
    if core is None:
        yield
        return
    core.set_halted(True)
    try:
        yield
    finally:
        core.set_halted(False)


def outcome(call: Callable[[], Any]) -> tuple[Any, ...]:
    """All that can be seen of a result: its class, dtype, shape, strides, bytes; or of an error."""
    try:
        result = call()
    except Exception as error:
        return ("raised", type(error), re.sub(r"0x[0-9a-f]+", "0x", str(error)))
    return seen(result)


def seen(result: Any) -> tuple[Any, ...]:
    """What can be seen of a value."""
    if isinstance(result, onebuf.Buffer):
        array = np.asarray(result)
        kind = "number" if result._is_number else "buffer"
        facts = (kind, result.dtype, result.shape, result.stride, result.is_view)
        return (type(result), *facts, canonical(array).tobytes())
    if isinstance(result, tuple):
        return tuple(seen(part) for part in result)
    return (type(result), repr(result))


def canonical(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """``array`` with one bit pattern for all NaNs, whose bits are no promise."""
    if array.dtype.kind != "f":
        return array
    return np.where(np.isnan(array), array.dtype.type(np.nan), array)


def check(make: Callable[[], tuple[Any, ...]], call: Callable[..., Any]) -> None:
    """Hold the core and the twins to one outcome, each with operands of its own."""
    ours = make()
    theirs = make()
    quick = outcome(lambda: call(*ours))
    with long_way():
        slow = outcome(lambda: call(*theirs))
    assert quick == slow
    for one, two in zip(ours, theirs, strict=True):  # and to what is left of the operands
        assert seen(one) == seen(two)
