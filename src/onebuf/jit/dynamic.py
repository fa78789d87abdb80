"""Dynamic captures: one capture of a function serves many lengths.

The function is called for the real lengths, and for others that no buffer has: it is traced, so
there are no elements. If its graphs have one pattern (`onebuf.jit.pattern`), that is a `Family`: it
gives a capture for any lengths between the smallest and the largest that were tried, in which the
function would have made the same decisions (`onebuf.jit.extent`). Other lengths are a family of
their own. Since the lengths that were tried are the ends of that range, what the package itself
decides by a length, such as where a slice is cut off, would show in the pattern.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from onebuf import pytree
from onebuf.buffer import Buffer
from onebuf.dtypes import Array
from onebuf.errors import ArgumentError, ArgumentTypeError
from onebuf.graph import Node
from onebuf.jit.call import Call
from onebuf.jit.capture import Capture, Draws, Recorded, recorded
from onebuf.jit.capture_trace import CaptureTrace
from onebuf.jit.extent import Decision, Lengths
from onebuf.jit.fit import Misfit
from onebuf.jit.guards import Guard
from onebuf.jit.pattern import Pattern
from onebuf.jit.program import blank
from onebuf.jit.state import is_buffer

MOST_FAMILIES = 16
"""A function has so many families at most; a new one replaces the oldest."""
MOST_FAILURES = 4
"""After so many calls in a row that had no family, none is looked for."""
MOST_LENGTHS = 3
"""So many lengths can vary at once."""
MOST_SAMPLES = 24
"""So many calls are made at most to find a family."""
_FAR = 1021
"""The largest length that is tried first is beyond this, and beyond four times the real one."""
_NEAR = 64
"""Small lengths that satisfy all decisions are looked for up to here."""

Axes = dict[str, tuple[int, ...]] | tuple[int, ...]
Point = tuple[int, ...]


class NotDynamic(Exception):
    """A call that has no family; the text says why."""


class Place(NamedTuple):
    """A buffer whose extents may vary: its shape, and the number of the length of each axis."""

    shape: tuple[int, ...]
    lengths: tuple[int | None, ...]


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


class LengthTrace(CaptureTrace):
    """The trace of a function whose lengths may vary: there is nothing to read."""

    def read(self, node: Node) -> Array:
        """Refuse, since a value may decide what comes next, and there is one for real only."""
        super().read(node)
        raise NotDynamic(f"it reads a value at {self.reads[-1].line}")


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
            for name, low, high in zip("nmk", self.low, self.high, strict=False)
        ]
        decided = [f"{decision} ({line})" for decision, line in self.decisions.items()]
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
            search = _Search(run, given, [numbers.get(id(one)) for one in bound], real)
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


class _Search:
    """The search for lengths for which a function has one pattern."""

    def __init__(
        self,
        run: Callable[[], Any],
        given: Sequence[Buffer],
        places: Sequence[Place | None],
        real: Point,
    ) -> None:
        self._run = run
        self._given = given
        self._places = places
        self._real = real
        self._samples: dict[Point, Recorded | Exception] = {}
        self._decisions: dict[Point, dict[Decision, str]] = {}

    def found(self) -> tuple[Pattern, list[Point], dict[Decision, str]]:
        """The pattern, the lengths that were tried for it, and the decisions on the way."""
        real = self._sample(self._real)
        if isinstance(real, Exception):
            raise NotDynamic(str(real))
        reason = ""
        tried = [list(self._triples(place)) for place in range(len(self._real))]
        for triples in zip(*tried, strict=False):
            points = _points(self._real, triples)
            if len(self._samples) + len(points) > MOST_SAMPLES:
                break
            try:
                return self._pattern(points)
            except Misfit as error:
                reason = reason or str(error)
        raise NotDynamic(reason or "no other lengths satisfy what it decides by lengths")

    def _pattern(self, points: list[Point]) -> tuple[Pattern, list[Point], dict[Decision, str]]:
        samples = []
        decisions: dict[Decision, str] = {}
        for point in points:
            sample = self._sample(point)
            if isinstance(sample, Exception):
                raise Misfit(f"{type(sample).__name__} for lengths {point}: {sample}")
            samples.append(sample)
            decisions.update(self._decisions[point])
        for decision, line in decisions.items():
            if not all(decision.holds(point) for point in points):
                raise Misfit(f"another outcome of {decision} at {line}")
        return Pattern(samples, points), points, decisions

    def _triples(self, place: int) -> Iterator[tuple[int, int, int]]:
        """Three other values of a length, the best ones first: at the ends of a wide range, then
        of ever smaller ones."""
        real = self._real[place]
        small = self._allowed(place, range(1, _NEAR))
        end = 4 * real + _FAR
        far = self._allowed(place, range(end, end + _NEAR))[:1]
        far = far or self._allowed(place, range(end, real, -1))[:1]
        twice = self._allowed(place, range(2 * real + 1, 2 * real + _NEAR))[:1]
        above = self._allowed(place, range(real + 1, real + _NEAR))[:2]
        below = self._allowed(place, range(real - 1, max(real // 2, 0), -1))
        ends = [*below[:1], *below[-1:]]
        choices = [
            [*small[:2], *far],
            [*small[1:3], *far],
            [*small[1:3], *twice],
            [*ends, *far],
            [*above, *far],
            [*small[1:2], *ends[:1], *above[:1]],
            [*ends, *above[:1]],
        ]
        for choice in choices:
            if len(set(choice)) == 3:
                one, two, three = choice
                yield one, two, three

    def _allowed(self, place: int, values: Sequence[int]) -> list[int]:
        """The values of a length for which all that was decided for the real lengths holds."""
        decisions = self._decisions[self._real]
        found = []
        for value in values:
            point = _changed(self._real, {place: value})
            if value != self._real[place] and all(one.holds(point) for one in decisions):
                found.append(value)
        return found

    def _sample(self, point: Point) -> Recorded | Exception:
        """What the function does for some lengths, or why that is not known."""
        if point not in self._samples:
            self._samples[point] = self._traced(point)
        return self._samples[point]

    def _traced(self, point: Point) -> Recorded | Exception:
        lengths = Lengths(point)
        trace = LengthTrace()
        nodes = [trace.input(buffer._node) for buffer in self._given]
        for node, place in zip(nodes, self._places, strict=True):
            if place is not None:
                node.shape = tuple(
                    [
                        extent if number is None else lengths.extent(number)
                        for extent, number in zip(place.shape, place.lengths, strict=True)
                    ]
                )
        draws: Draws = []
        try:
            found = recorded(self._run, self._given, trace, nodes, draws)
        except Exception as error:
            return error
        finally:
            lengths.is_open = False
            for bits, draw in reversed(draws):
                bits.state = draw.key, draw.stream
        self._decisions[point] = lengths.decisions
        if trace.reads:
            return NotDynamic(f"it reads a value at {trace.reads[0].line}")
        return NotDynamic(lengths.opaque) if lengths.opaque else found


def _points(real: Point, triples: Sequence[tuple[int, int, int]]) -> list[Point]:
    """The lengths to try: the real ones, each of them changed alone, and pairs of them together.

    >>> _points((9,), [(1, 2, 99)])
    [(9,), (1,), (2,), (99,)]
    """
    points = [real]
    for place, triple in enumerate(triples):
        points += [_changed(real, {place: value}) for value in triple]
    for one, two in combinations(range(len(real)), 2):
        for end in (0, -1):
            points.append(_changed(real, {one: triples[one][end], two: triples[two][end]}))
    return points


def _changed(real: Point, values: dict[int, int]) -> Point:
    return tuple([values.get(place, length) for place, length in enumerate(real)])
