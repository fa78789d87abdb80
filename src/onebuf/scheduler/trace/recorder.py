"""Recorder: the steps of a nest under construction, with their memory operands and scalars.

A scalar's value is not part of the nest, so another value needs no other code. Where the value
comes from is recorded (`Giver`), so a plan made for one graph finds the values of another.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple

import numpy as np

from onebuf.dtypes import DT, int64, uint64
from onebuf.graph import BINARY, CAST, COMPLEX, RANDOM_WORDS, Node, Op
from onebuf.kernel import INDEX, SCALAR, STORE, Step
from onebuf.layout import View

Read = Callable[[Any], np.generic]
"""A scalar out of the argument of a node."""

all_of_it: Read = itemgetter(())
real_part: Read = attrgetter("real")
imaginary_part: Read = attrgetter("imag")


def random_key(arg: Any) -> np.generic:
    """The key of random bits, both halves in one word."""
    low, high = arg[0]
    return np.uint64(low | high << 32)


def random_stream(arg: Any) -> np.generic:
    """The number of the stream that random bits are taken from."""
    return np.uint64(arg[1])


def random_first(arg: Any) -> np.generic:
    """Where in their stream random bits begin."""
    return np.int64(arg[2])


class Giver(NamedTuple):
    """The node that a scalar comes from, and how it is read from the node's argument."""

    node: Node
    read: Read = all_of_it


@dataclass(frozen=True, slots=True)
class Reach:
    """Memory that a nest reaches: of which node, and through which view of the iteration space."""

    node: Node
    view: View
    is_index: bool = False


@dataclass(slots=True)
class Steps:
    """Steps, each found again if it is asked for twice."""

    reaches: list[Reach] = field(init=False, default_factory=list)
    steps: list[Step] = field(init=False, default_factory=list)
    scalars: list[np.generic] = field(init=False, default_factory=list)
    givers: list[Giver | None] = field(init=False, default_factory=list)
    """The constants that the scalars are the values of; None for a scalar that no node holds."""
    _seen: dict[Any, int] = field(init=False, default_factory=dict)

    def _add(self, op: Op, args: tuple[int, ...], dtype: DT, arg: Any = None) -> int:
        step = Step(op, args, dtype, arg)
        key = (op, args, dtype, arg)
        if op is not SCALAR and op is not STORE and key in self._seen:
            return self._seen[key]
        self.steps.append(step)
        self._seen[key] = len(self.steps) - 1
        return len(self.steps) - 1

    def _reach(self, reach: Reach) -> int:
        self.reaches.append(reach)
        return len(self.reaches) - 1

    def _cast(self, number: int, dtype: DT) -> int:
        if self.steps[number].dtype == dtype:
            return number
        return self._add(CAST, (number,), dtype)

    def _scalar(self, value: np.generic, dtype: DT, giver: Giver | None = None) -> int:
        self.scalars.append(value)
        self.givers.append(giver)
        return self._add(SCALAR, (), dtype, len(self.scalars) - 1)

    def _constant(self, value: np.generic, dtype: DT, node: Node | None = None) -> int:
        """A value that comes with the call: that of ``node``, if one holds it."""
        if dtype.kind != "c":
            return self._scalar(value, dtype, None if node is None else Giver(node))
        parts = []
        for read in (real_part, imaginary_part):
            giver = None if node is None else Giver(node, read)
            parts.append(self._scalar(read(value), read(value).dtype, giver))
        return self._add(COMPLEX, tuple(parts), dtype)

    def _whole(self, value: np.generic) -> int:
        return self._scalar(value, int64)

    def _range(self, node: Node, view: View) -> int:
        start, _, step = node.arg
        slot = self._reach(Reach(node, view, is_index=True))
        place = self._add(INDEX, (), int64, slot)
        for op, number in ((BINARY["multiply"], step), (BINARY["add"], start)):
            place = self._add(op, (place, self._scalar(np.int64(number), int64)), int64)
        return self._cast(place, node.dtype)

    def _random(self, node: Node, view: View) -> int:
        slot = self._reach(Reach(node, view, is_index=True))
        place = self._add(INDEX, (), int64, slot)
        values = {read: read(node.arg) for read in (random_key, random_stream, random_first)}
        key, stream, first = [
            self._scalar(value, value.dtype, Giver(node, read)) for read, value in values.items()
        ]
        place = self._add(BINARY["add"], (place, first), int64)
        bits = 8 * node.dtype.itemsize
        op = next(op for op, width in RANDOM_WORDS.items() if width == bits)
        return self._add(op, (self._cast(place, uint64), key, stream), node.dtype)
