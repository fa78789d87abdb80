"""Containers and objects: how the walk over a function's state takes them apart."""

from __future__ import annotations

import functools
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Iterable, Iterator
from types import MappingProxyType, MemberDescriptorType
from typing import Any

from onebuf.capture.reads.bytecode import Use
from onebuf.native import FUNCTIONS

_COUNTED = frozenset({int, float, complex, str, bytes, bool})
_GROWN = frozenset({list, dict, set, deque, Counter, defaultdict, OrderedDict})


DESCRIPTORS: dict[type, tuple[str, ...]] = {
    classmethod: ("__func__",),
    staticmethod: ("__func__",),
    property: ("fget", "fset"),
    functools.cached_property: ("func",),
    functools.partialmethod: ("func", "args", "keywords"),
    functools.singledispatchmethod: ("func", "dispatcher"),
    **dict.fromkeys(FUNCTIONS, ("__wrapped__",)),
}
"""Entries of classes that wrap functions, and the attributes that have those."""


def harmless(value: Any, uses: Iterable[Use]) -> bool:
    """Whether nothing depends on ``value`` if code uses it in these ways alone.

    >>> harmless(3, [Use.ADD]), harmless(3, [Use.ADD, Use.READ]), harmless([], [Use.GROW])
    (True, False, True)
    """
    kind = value.__class__
    return all(
        kind in _COUNTED if use is Use.ADD else kind in _GROWN if use is Use.GROW else False
        for use in uses
    )


def items_of(value: Any) -> Iterator[tuple[Any, Any]]:
    """The elements of a container that an index or a key leads to, with those.

    >>> list(items_of({"a": 1})), list(items_of([5]))
    ([('a', 1)], [(0, 5)])
    """
    if isinstance(value, dict | MappingProxyType):
        yield from value.items()
    elif isinstance(value, tuple | list | deque):
        yield from enumerate(value)


def dict_of(value: Any) -> dict[str, Any]:
    """The attributes of an object that are kept in a dict, without running any of its code."""
    return object.__getattribute__(value, "__dict__") if value.__class__.__dictoffset__ else {}


def slots_of(kind: type) -> list[str]:
    """The attributes of instances of ``kind`` that are not kept in a dict.

    >>> class Point:
    ...     __slots__ = ("x", "y")
    >>> slots_of(Point)
    ['x', 'y']
    """
    members = [vars(base).items() for base in kind.__mro__[:-1]]
    return [
        name
        for entries in members
        for name, value in entries
        if isinstance(value, MemberDescriptorType)
    ]
