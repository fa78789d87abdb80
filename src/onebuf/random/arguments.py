"""What callers say about a draw: how many numbers, and with which parameters."""

from __future__ import annotations

from operator import index
from typing import Any

import numpy as np

from onebuf import ops
from onebuf.errors import ArgumentError, ArgumentTypeError

Shape = tuple[int, ...]
_NUMBERS = (int, float, np.integer, np.floating)
_COMMON = frozenset((int, float))


def is_number(x: Any) -> bool:
    """Whether ``x`` is one number, and not an array of them."""
    return type(x) in _COMMON or isinstance(x, _NUMBERS)


def is_shape(x: Any) -> bool:
    """Whether ``x`` is a tuple of integers.

    >>> is_shape((2, 3)), is_shape((0.5, 1)), is_shape([2, 3])
    (True, False, False)
    """
    return isinstance(x, tuple) and all(isinstance(n, int | np.integer) for n in x)


def asked_shape(name: str, size: Any, shape: Any) -> Shape | None:
    """The shape from ``size``, NumPy's name for it, or ``shape``, ours; None for one number."""
    if shape is None:
        if size is None:
            return None
        if type(size) is int and size >= 0:
            return (size,)
    elif size is not None:
        raise ArgumentTypeError(
            f"{name} needs size or shape, which mean the same, and got both: "
            f"size={size!r} and shape={shape!r}"
        )
    return ops.as_shape(size if shape is None else shape)


def check_one_meaning(name: str, parameter: str, first: Any, then: Any, size: Any) -> None:
    """Refuse a tuple of integers before one or two further numbers.

    It could be a shape with parameters after it, or the parameter that NumPy has in this place.
    """
    if is_shape(first) and is_number(then) and (size is None or is_number(size)):
        raise ArgumentTypeError(
            f"{name}({first!r}, {then!r}, ...) could mean two things; write size={first!r} if that "
            f"is the shape, or {parameter}={list(first)!r} if it is the parameter"
        )


def checked_seed(seed: Any) -> int | None:
    """A seed as an integer of 64 bits; a sequence of numbers is mixed into one."""
    if seed is None:
        return None
    try:
        number = index(seed)
    except TypeError:
        number = _mixed(seed)
    if not 0 <= number < 2**64:
        raise ArgumentError(f"a seed needs to be in 0..2**64-1, got {seed}")
    return number


def _mixed(seed: Any) -> int:
    array = None if isinstance(seed, float | complex | str | bytes) else np.asarray(seed)
    if array is None or array.ndim == 0 or array.dtype.kind not in "iu":
        raise ArgumentTypeError(
            f"a seed needs to be an integer, a sequence of them or None, got {seed!r}"
        )
    if array.size and array.min() < 0:
        raise ArgumentError(f"a seed needs numbers of at least 0, got {seed!r}")
    return int(np.random.SeedSequence(array.tolist()).generate_state(1, np.uint64)[0])
