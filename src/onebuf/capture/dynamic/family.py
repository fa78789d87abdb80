"""Dynamic captures: one capture of a function serves many lengths.

The function is called for the real lengths, and for others that no buffer has: it is traced, so
there are no elements. If its graphs have one pattern (`onebuf.capture.dynamic.pattern`), that is a
`Family`: it gives a capture for any lengths between the smallest and the largest that were tried,
in which the function would have made the same decisions (`onebuf.capture.dynamic.extent`). Other
lengths are a family of their own. Since the lengths that were tried are the ends of that range,
what the package itself decides by a length, such as where a slice is cut off, would show in the
pattern.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from onebuf import pytree
from onebuf.buffer import Buffer
from onebuf.capture.capture import Capture
from onebuf.capture.dynamic.extent import Decision
from onebuf.capture.dynamic.fit import Misfit
from onebuf.capture.dynamic.pattern import Pattern
from onebuf.capture.dynamic.polynomial import NAMES
from onebuf.capture.dynamic.search import NotDynamic, Place, Point, Search
from onebuf.capture.guard.call import Call
from onebuf.capture.guard.guards import Guard
from onebuf.capture.guard.state import is_buffer
from onebuf.capture.program import blank
from onebuf.errors import ArgumentError, ArgumentTypeError

MOST_FAMILIES = 16
"""A function has so many families at most; a new one replaces the oldest."""
MOST_FAILURES = 4
"""After so many calls in a row that had no family, none is looked for."""
MOST_SHOWN = 8
"""So many decisions of a family are shown."""
MOST_LENGTHS = 3
"""So many lengths can vary at once."""

Axes = dict[str, tuple[int, ...]] | tuple[int, ...]


def axes_of(dynamic: Any, call: Call) -> Axes | None:
    """The axes that ``jit(f, dynamic=...)`` names; None if there are none.

    >>> call = Call(lambda x, mask: x)
    >>> axes_of(True, call), axes_of(1, call), axes_of({"mask": (0, 1)}, call)
    ((0,), (1,), {'mask': (0, 1)})
    """
    if dynamic is None or dynamic is False:
        return None
    if not isinstance(dynamic, dict):
        return _axes(dynamic)
    unknown = [name for name in dynamic if name not in call.names]
    if unknown:
        raise ArgumentError(
            f"dynamic needs names of parameters, got {unknown[0]!r}; the function has "
            f"{', '.join(call.names) or 'none'}"
        )
    return {name: _axes(axes) for name, axes in dynamic.items()}


def _axes(axes: Any) -> tuple[int, ...]:
    if axes is True:
        return (0,)
    found = tuple(axes) if isinstance(axes, tuple | list) else (axes,)
    if any(type(axis) is not int for axis in found):
        raise ArgumentTypeError(
            f"dynamic needs True, an axis, a tuple of axes, or a dict of these by the names of "
            f"parameters; got {axes!r}"
        )
    return found


class Family:
    """Calls that differ in lengths alone, and what the function does in them."""

    def __init__(
        self,
        guard: Guard,
        places: Sequence[Place],
        pattern: Pattern,
        points: Sequence[Point],
        decisions: dict[Decision, str],
    ) -> None:
        self.guard = guard
        self.places = places
        self.pattern = pattern
        self.low = tuple([min(column) for column in zip(*points, strict=True)])
        self.high = tuple([max(column) for column in zip(*points, strict=True)])
        self.decisions = decisions

    def lengths(self, leaves: Sequence[Any], args: Any, kwargs: Any) -> Point | None:
        """The lengths of a call that differs from the first one in lengths alone; else None.

        ``leaves`` are its buffers whose extents may vary.
        """
        if len(leaves) != len(self.places):
            return None
        found: dict[int, int] = {}
        for leaf, place in zip(leaves, self.places, strict=True):
            if len(leaf.shape) != len(place.shape):
                return None
            for extent, was, number in zip(leaf.shape, place.shape, place.lengths, strict=True):
                if (was if number is None else found.setdefault(number, extent)) != extent:
                    return None
        lengths = tuple([found[number] for number in range(len(self.low))])
        if not all(a <= n <= b for a, n, b in zip(self.low, lengths, self.high, strict=True)):
            return None
        if not all(decision.holds(lengths) for decision in self.decisions):
            return None
        pairs = zip(leaves, self.places, strict=True)
        like = {id(leaf): _like(leaf, place.shape) for leaf, place in pairs}
        args, kwargs = pytree.map(lambda leaf: like.get(id(leaf), leaf), (args, kwargs))
        return None if self.guard.bind(args, kwargs) is None else lengths

    def explain(self) -> str:
        """The lengths that it serves, in words."""
        ranges = [
            f"{low} <= {name} <= {high}"
            for name, low, high in zip(NAMES, self.low, self.high, strict=False)
        ]
        decided = [f"{decision} ({line})" for decision, line in self.decisions.items()]
        if len(decided) > MOST_SHOWN:
            decided[MOST_SHOWN:] = [f"and {len(decided) - MOST_SHOWN} other decisions"]
        return f"dynamic: {', '.join([*ranges, *decided])}"


class Dynamic:
    """The families of one function."""

    def __init__(self, axes: Axes) -> None:
        self._axes = axes
        self._families: list[Family] = []
        self._failures = 0
        self._reason = ""

    def marked(self, call: Call, args: Any, kwargs: Any) -> list[tuple[Any, tuple[int, ...]]]:
        """The buffers of a call whose extents may vary, each once, and the axes of these."""
        found: dict[int, tuple[Any, tuple[int, ...]]] = {}
        for name, value in zip(call.names, call.normalise(*args, **kwargs), strict=True):
            axes = self._axes.get(name, ()) if isinstance(self._axes, dict) else self._axes
            for leaf in pytree.flatten(value)[0]:
                if not is_buffer(leaf) and leaf.__class__ is not np.ndarray:
                    continue
                ndim = len(leaf.shape)
                mine = tuple([axis % ndim for axis in axes if -ndim <= axis < ndim])
                if mine and id(leaf) not in found and _is_plain(leaf):
                    found[id(leaf)] = leaf, mine
        return list(found.values())

    def known(self, call: Call, args: Any, kwargs: Any, given: Sequence[Buffer]) -> Capture | None:
        """A capture of a call like one that there is a family of, for its own lengths."""
        leaves = [leaf for leaf, _ in self.marked(call, args, kwargs)]
        for family in self._families:
            lengths = family.lengths(leaves, args, kwargs)
            if lengths is not None:
                nodes = [buffer._node for buffer in given]
                try:
                    return Capture(family.pattern.at(lengths, nodes), nodes)
                except Misfit as error:
                    self._reason = str(error)
        return None

    def captured(
        self,
        call: Call,
        args: Any,
        kwargs: Any,
        guard: Guard,
        run: Callable[[], Any],
        given: Sequence[Buffer],
        bound: Sequence[Any],
    ) -> Capture | None:
        """A capture of a call, which ``run`` makes, and a family of it; None if it has none.

        ``bound`` are the arguments that the buffers ``given`` are, or are on.
        """
        if self._failures > MOST_FAILURES:
            return None
        try:
            marked = self.marked(call, args, kwargs)
            places, numbers, real = _places(marked, bound)
            search = Search(run, given, [numbers.get(id(one)) for one in bound], real)
            pattern, points, decisions = search.found()
            if guard.bind(args, kwargs) is None:
                raise NotDynamic(f"it changes what it depends on: {guard.why_not(args, kwargs)}")
            nodes = [buffer._node for buffer in given]
            capture = Capture(pattern.at(real, nodes), nodes)
        except (NotDynamic, Misfit) as error:
            self._reason = str(error)
            self._failures += 1
            return None
        self._failures = 0
        self._families.insert(0, Family(guard, places, pattern, points, decisions))
        del self._families[MOST_FAMILIES:]
        return capture

    def explain(self) -> list[str]:
        """Which lengths are served, and why others are not."""
        lines = [family.explain() for family in self._families]
        return [*lines, f"not dynamic: {self._reason}"] if self._reason else lines


def _is_plain(leaf: Any) -> bool:
    """Whether a buffer or an array is in host memory, row by row and without gaps."""
    array = leaf if isinstance(leaf, np.ndarray) else leaf._node.array
    return array is not None and bool(array.flags.c_contiguous)


def _like(leaf: Any, shape: tuple[int, ...]) -> Any:
    """What a guard takes for ``leaf`` if that had another shape; its elements do not exist."""
    if isinstance(leaf, np.ndarray):
        return np.empty(shape, leaf.dtype)
    return type(leaf)._place(blank(shape, leaf._node.dtype))


def _places(
    marked: Sequence[tuple[Any, tuple[int, ...]]], bound: Sequence[Any]
) -> tuple[list[Place], dict[int, Place], Point]:
    """How the extents of marked buffers may vary: in order, by id, and the lengths now.

    Extents that are equal are one length.
    """
    numbers: dict[int, int] = {}
    places = []
    by_id = {}
    for leaf, axes in marked:
        shape = tuple(leaf.shape)
        lengths = [
            numbers.setdefault(extent, len(numbers)) if axis in axes else None
            for axis, extent in enumerate(shape)
        ]
        places.append(Place(shape, tuple(lengths)))
        by_id[id(leaf)] = places[-1]
    if not numbers:
        raise NotDynamic("no argument is a buffer without gaps that has such an axis")
    if len(numbers) > MOST_LENGTHS:
        raise NotDynamic(f"{len(numbers)} different lengths, where {MOST_LENGTHS} can vary at once")
    if not {id(leaf) for leaf, _ in marked} <= {id(one) for one in bound}:
        raise NotDynamic("a buffer of the arguments is no leaf of them")
    return places, by_id, tuple(numbers)
