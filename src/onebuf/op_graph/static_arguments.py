"""Static arguments of operations: what each may be, checked, and as JSON.

An argument is either *canonical* (integers, tuples, dtypes, NumPy's scalars: values that can be
compared and hashed) or *JSON*. `Argument.parse` takes what a program or a text gives and returns
the canonical form or raises; nothing that a text says is looked up anywhere but in tables.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isfinite
from operator import index as as_int
from typing import Any

import numpy as np

from onebuf.dtypes import BY_NAME, as_dtype
from onebuf.errors import OnebufError, OpGraphError
from onebuf.op_graph.exact_scalars import decode_scalar, encode_scalar

_WIDE = 1 << 63
_WORD = 1 << 64
MOST_AXES = 64
"""As many axes as NumPy's arrays can have."""
REQUIRED: Any = object()
"""The default of an argument that has none."""


@dataclass(frozen=True, slots=True)
class Argument:
    """One static argument: how it is read, how it is written, and its default."""

    needs: str
    """What it has to be, for people."""
    read: Callable[[Any], Any]
    """The canonical form; TypeError or ValueError for anything else."""
    encode: Callable[[Any], Any]
    """The canonical form as JSON."""
    default: Any = REQUIRED

    def parse(self, operation: str, name: str, value: Any) -> Any:
        """The canonical form of ``value``, or an error that says what the argument needs."""
        try:
            return self.read(value)
        except OnebufError as error:
            raise OpGraphError(f"{operation}: {name}: {error}") from error
        except (TypeError, ValueError, OverflowError):
            raise OpGraphError(
                f"{operation} needs {self.needs} as {name}, got {shorten(value)}"
            ) from None

    def with_default(self, default: Any) -> Argument:
        """The same, for callers that leave it out."""
        return Argument(self.needs, self.read, self.encode, default)


def shorten(value: Any) -> str:
    """The beginning of a value of unknown size, for messages.

    >>> shorten("x" * 100)
    "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx..."
    """
    if isinstance(value, str):
        text = repr(value[:80])
    elif isinstance(value, int) and abs(value) >> 200:
        text = "an integer of more than 200 bits"
    elif isinstance(value, list | tuple | dict) and len(value) > 20:
        text = f"{type(value).__name__} of {len(value)} items"
    elif isinstance(value, list | tuple | dict):
        text = f"{type(value).__name__} of {len(value)} items" if _is_deep(value) else repr(value)
    else:
        text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _is_deep(value: Any) -> bool:
    """Whether a list holds others, of unknown depth."""
    items = value.values() if isinstance(value, dict) else value
    return any(isinstance(item, list | tuple | dict) and len(item) for item in items)


def _integer(value: Any) -> int:
    if isinstance(value, bool | np.bool):
        raise TypeError
    found = as_int(value)
    if not -_WIDE <= found < _WIDE:
        raise ValueError
    return found


def _integers(value: Any) -> tuple[int, ...]:
    if isinstance(value, str | bytes | dict) or len(value) > MOST_AXES:
        raise ValueError
    return tuple([_integer(item) for item in value])


def _natural(value: Any) -> int:
    found = _integer(value)
    if found < 0:
        raise ValueError
    return found


def _word(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < _WORD:
        raise ValueError
    return value


def _key(value: Any) -> tuple[int, int]:
    one, two = [_word(item) for item in value]
    if max(one, two) >> 32:
        raise ValueError
    return one, two


def _boolean(value: Any) -> bool:
    if not isinstance(value, bool | np.bool):
        raise TypeError
    return bool(value)


def _axes(value: Any) -> tuple[int, ...] | None:
    if value is None:
        return None
    return _integers(value) if isinstance(value, Sequence) else (_integer(value),)


def _shape(value: Any) -> tuple[int, ...]:
    found = _integers(value)
    if min(found, default=0) < 0:
        raise ValueError
    return found


def _dtype(value: Any) -> np.dtype[Any]:
    if isinstance(value, str):
        if value not in BY_NAME:  # NumPy's parser of dtypes is not for texts of strangers
            raise ValueError
        return BY_NAME[value]
    return as_dtype(value)


def _pairs(value: Any) -> tuple[tuple[int, int], ...]:
    if len(value) > MOST_AXES:
        raise ValueError
    return tuple([(_integer(before), _integer(after)) for before, after in value])


Slice = tuple[int | None, int | None, int | None]


def _selection(value: Any) -> tuple[int | Slice, ...]:
    if isinstance(value, str | bytes | dict):
        raise TypeError
    items = value if isinstance(value, list | tuple) else (value,)
    if len(items) > MOST_AXES:
        raise ValueError
    return tuple([_one_selection(item) for item in items])


def _one_selection(item: Any) -> int | Slice:
    if isinstance(item, slice):
        item = (item.start, item.stop, item.step)
    if not isinstance(item, list | tuple):
        return _integer(item)
    start, stop, step = [None if one is None else _integer(one) for one in item]
    if step == 0:
        raise ValueError
    return start, stop, step


def _scalar(value: Any) -> Any:
    """A value with its dtype: NumPy's scalar, Python's number, or {dtype: value} in JSON."""
    if isinstance(value, np.generic):
        return np.asarray(value, as_dtype(value.dtype))[()]
    if isinstance(value, dict) and len(value) == 1:
        ((name, one),) = value.items()
        return decode_scalar(one, _dtype(name))
    if isinstance(value, bool | int | float | complex):
        found = np.asarray(value)
        if found.dtype == object:  # an integer beyond 64 bits
            raise ValueError
        return found[()]
    raise TypeError


def _encode_value(value: np.generic) -> Any:
    return {value.dtype.name: encode_scalar(value)}


def _real(value: Any) -> int | float:
    """A real number that is finite; a float is text in JSON, as it has to be exact."""
    if isinstance(value, str):
        value = float(decode_scalar(value, BY_NAME["float64"]))
    if isinstance(value, float | np.floating):
        if not isfinite(value):
            raise ValueError
        return float(value)
    return _integer(value)


def _encode_real(value: int | float) -> Any:
    return value.hex() if isinstance(value, float) else value


def _same(value: Any) -> Any:
    return value


def _lists(value: Any) -> Any:
    """Tuples as lists."""
    return [_lists(item) for item in value] if isinstance(value, tuple) else value


INTEGER = Argument("an integer", _integer, _same)
NATURAL = Argument("an integer that is 0 or more", _natural, _same)
WORD = Argument("an integer of 64 bits", _word, _same)
KEY = Argument("two integers of 32 bits", _key, _lists)
BOOLEAN = Argument("True or False", _boolean, _same)
INTEGERS = Argument("a sequence of integers", _integers, _lists)
AXES = Argument("an integer, a sequence of them, or None", _axes, _lists)
SHAPE = Argument("a sequence of integers that are 0 or more", _shape, _lists)
DTYPE = Argument(f"one of the dtypes {', '.join(BY_NAME)}", _dtype, lambda dtype: dtype.name)
PAIRS = Argument("a sequence of pairs of integers", _pairs, _lists)
SELECTION = Argument("a sequence of integers and of slices (start, stop, step)", _selection, _lists)
SCALAR = Argument("one number", _scalar, _encode_value)
REAL = Argument("a finite real number", _real, _encode_real)
