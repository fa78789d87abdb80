"""Steps of a distributed computation, before and after they ran."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from onebuf.dtypes import DT
from onebuf.graph import Node
from onebuf.placement import Partition, numel_of
from onebuf.runtimes.protocols import Elements, Recipe


@dataclass(eq=False, slots=True)
class Value:
    """Elements of a runtime: there, or to be made by a step."""

    partition: Partition
    dtype: DT
    elements: Elements | None = None


@dataclass(eq=False, slots=True)
class Step:
    """A recipe for a value, and the values that it reads.

    ``node`` is the node whose elements the value is, if there is one.
    """

    recipe: Recipe
    inputs: tuple[Value, ...]
    result: Value
    node: Node | None = None
    reason: str = ""
    _moves: Counter[tuple[int, int]] | None = field(default=None, repr=False)

    def moves(self) -> Counter[tuple[int, int]]:
        """Bytes that go from one place to another, by (source, target)."""
        if self._moves is None:
            self._moves = moved_bytes(self.recipe, self.result.partition, self.inputs)
        return self._moves


def moved_bytes(
    recipe: Recipe, partition: Partition, inputs: tuple[Value, ...]
) -> Counter[tuple[int, int]]:
    """What a step would move. Pure: nothing is computed."""
    found: Counter[tuple[int, int]] = Counter()
    for place in range(partition.places):
        for box in partition.boxes(place):
            for number, need in recipe.needs(box):
                value = inputs[number]
                for source, piece in value.partition.pieces(need, place):
                    if source != place:
                        found[source, place] += numel_of(piece) * value.dtype.itemsize
    return found
