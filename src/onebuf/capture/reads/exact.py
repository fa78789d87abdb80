"""Exact values: whether code can tell two values apart.

``==`` is too weak for that: ``1 == True`` and ``0.0 == -0.0``; and too strict: a NaN differs from
itself. Two values are the same here if their classes are, and their values: NaN is the same as NaN.
"""

from __future__ import annotations

import os
import random
from array import array
from types import EllipsisType, NoneType, NotImplementedType
from typing import Any

import numpy as np

_SIMPLE = frozenset(
    {
        *(NoneType, bool, int, float, complex, str, bytes),
        *(range, slice, EllipsisType, NotImplementedType),
    }
)


def is_value(value: Any) -> bool:
    """Whether ``value`` is immutable and can be compared: a number, a text, a dtype and the like.

    >>> is_value(2.0), is_value("a"), is_value([2.0])
    (True, True, False)
    """
    kind = value.__class__
    if kind is slice:
        return is_value(value.start) and is_value(value.stop) and is_value(value.step)
    if kind is frozenset:
        return all(is_value(one) for one in value)
    return kind in _SIMPLE or isinstance(value, np.dtype | np.generic)


def is_same(one: Any, other: Any) -> bool:
    """Whether code cannot tell two values apart, by their classes and values.

    >>> is_same(0.0, -0.0), is_same(1, True), is_same(float("nan"), float("nan"))
    (False, False, True)
    """
    kind = one.__class__
    if kind is not other.__class__:
        return False
    if kind is float or kind is complex:
        return repr(one) == repr(other)
    if kind is slice or kind is range:
        mine = (one.start, one.stop, one.step)
        return all(map(is_same, mine, (other.start, other.stop, other.step)))
    if isinstance(one, np.generic):
        return bool(one.dtype == other.dtype) and one.tobytes() == other.tobytes()
    if kind is frozenset:
        return exact_set(one) == exact_set(other)
    return bool(one == other)


def exact_set(values: Any) -> frozenset[tuple[type, Any]]:
    """The values of a set, such that two are equal if and only if they are the same."""
    return frozenset([(one.__class__, _key(one)) for one in values])


def exact_keys(keys: Any) -> list[tuple[type, Any]]:
    """The keys of a dict in their order, such that two are equal if and only if they are the same.

    >>> exact_keys({1: "a"}) == exact_keys({True: "a"})
    False
    """
    return [(one.__class__, _key(one)) for one in keys]


def _key(value: Any) -> Any:
    kind = value.__class__
    if kind is tuple:
        return tuple(exact_keys(value))
    if kind is frozenset:
        return exact_set(value)
    if kind is float or kind is complex:
        return repr(value)
    return value.tobytes() if isinstance(value, np.generic) else value


def content(value: Any) -> Any:
    """The present content of an array, a byte array, a random generator or the environment.

    Two contents are equal if the elements, or all random numbers to come, are.
    """
    if isinstance(value, np.ndarray):
        return value.shape, value.dtype, value.tobytes()
    if isinstance(value, np.random.Generator):
        return repr(value.bit_generator.state)
    if isinstance(value, np.random.RandomState):
        return repr(value.get_state())
    if isinstance(value, random.Random):
        return value.getstate()
    return dict(value) if isinstance(value, _Environment) else bytes(value)


_Environment = type(os.environ)
CONTENTS = (
    *(np.ndarray, np.random.Generator, np.random.RandomState, random.Random),
    *(bytearray, array, _Environment),
)
"""Classes of mutable objects that are compared by their content."""
