"""The search for lengths for which a function has one pattern.

The function is traced for the real lengths first. What it decided by them says which other lengths
can be tried: those for which it decides the same. The best ones are at the ends of a wide range.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from onebuf.buffer import Buffer
from onebuf.capture.capture import Draws, Recorded, recorded
from onebuf.capture.capture_trace import CaptureTrace
from onebuf.capture.dynamic.extent import Decision, Extent, Lengths, plain
from onebuf.capture.dynamic.fit import Misfit
from onebuf.capture.dynamic.pattern import Pattern
from onebuf.dtypes import Array
from onebuf.graph import Node, Op

MOST_SAMPLES = 24
"""So many calls are made at most to find a family."""
_FAR = 1021
"""The largest length that is tried first is beyond this, and beyond four times the real one."""
_NEAR = 64
"""Small lengths that satisfy all decisions are looked for up to here."""

Point = tuple[int, ...]
"""A value for each length."""


class NotDynamic(Exception):
    """A call that has no family; the text says why."""


class Place(NamedTuple):
    """A buffer whose extents may vary: its shape, and the number of the length of each axis."""

    shape: tuple[int, ...]
    lengths: tuple[int | None, ...]


class LengthTrace(CaptureTrace):
    """The trace of a function whose lengths may vary: there is nothing to read."""

    def __init__(self) -> None:
        super().__init__()
        self.nodes: list[Node] = []
        """All that were made, since the function may have looked at the shape of any."""

    def made(self, node: Node) -> None:
        """Keep a node."""
        self.nodes.append(node)

    def read(self, node: Node) -> Array:
        """Refuse, since a value may decide what comes next, and there is one for real only."""
        super().read(node)
        raise NotDynamic(f"it reads a value at {self.reads[-1].line}")


class Search:
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
        self._nodes: dict[Point, list[Node]] = {}

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
        _check_followed([self._nodes[point] for point in points])
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
            [*small[:2], *ends[:1]],
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
        self._nodes[point] = trace.nodes
        if trace.reads:
            return NotDynamic(f"it reads a value at {trace.reads[0].line}")
        return NotDynamic(lengths.opaque) if lengths.opaque else found


def _check_followed(samples: Sequence[list[Node]]) -> None:
    """Raise if a shape that the function may have looked at has an extent that varies, and is not
    followed: what it decided by that one is not known.

    Samples in which the function made the same nodes are compared. Short ones may differ from the
    others, since a view of all elements is none.
    """
    alike: dict[tuple[Op, ...], list[list[Node]]] = {}
    for nodes in samples:
        alike.setdefault(tuple([node.op for node in nodes]), []).append(nodes)
    group = max(alike.values(), key=len)
    if len(group) < 2:
        raise Misfit("other operations for each length")
    for alikes in zip(*group, strict=True):
        for column in zip(*[node.shape for node in alikes], strict=False):
            if len({plain(extent) for extent in column}) == 1:
                continue
            followed = {one.polynomial for one in column if type(one) is Extent}
            # Broadcasting gives a plain 1 where the length is 1.
            if len(followed) > 1 or any(type(one) is int and one != 1 for one in column):
                extents = [plain(extent) for extent in column]
                raise Misfit(f"the extents {extents} of {alikes[0]}, made at {alikes[0].origin}")


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
