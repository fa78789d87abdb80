"""Dialects: what differs between languages that look like C.

Kernels are written in what these have in common: declarations, assignments, ``if``, ``for``,
``?:``, arithmetic, and functions of numbers. A dialect says how all else is spelled: types,
literals, casts, the names of functions, indices of work-items, memory, barriers, and the frame that
a kernel's text stands in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

DT = np.dtype[Any]

NARROW = ("float16", "bfloat16")
"""Floats that are computed with in float32, and rounded after each step."""


@dataclass(frozen=True, slots=True)
class Memory:
    """A parameter: the memory of slot ``slot``."""

    slot: int
    dtype: DT
    is_output: bool

    @property
    def name(self) -> str:
        """What it is called in the text."""
        return f"m{self.slot}"


@dataclass(frozen=True, slots=True)
class Scalar:
    """A parameter: scalar ``number`` of the nest, whose value comes with each call."""

    number: int
    dtype: DT

    @property
    def name(self) -> str:
        """What it is called in the text."""
        return f"s{self.number}"


@dataclass(frozen=True, slots=True)
class Whole:
    """A parameter: a number that sizes decide, the same in every call of a kernel."""

    name: str
    value: int


@dataclass(frozen=True, slots=True)
class Flags:
    """A parameter: memory of int64 in which a kernel leaves what it found wrong.

    Check ``n`` leaves 1 at ``2*n`` and the number that it was wrong about at ``2*n + 1``.
    """

    count: int
    name: str = "flags"


Parameter = Memory | Scalar | Whole | Flags


@dataclass(frozen=True, slots=True)
class Text:
    """The pieces of a kernel."""

    name: str
    parameters: Sequence[Parameter]
    functions: Sequence[str]
    shared: Sequence[str]
    """Declarations of the memory of a work-group."""
    body: Sequence[str]
    local_size: tuple[int, ...]
    """Work-items in a group, if the text says so; empty: whoever runs it may choose."""


class Dialect:
    """How a language spells things; what is here suits most of them."""

    has_float64 = True
    """Without it, float64 accumulators are float32, and nothing else may be float64."""
    splits_bounds = False
    """Whether groups of which no work-item is beyond the last index get code of their own, without
    a condition that processors with vectors would stumble over."""
    types: ClassVar[Mapping[str, str]]
    """The type of a value, by the name of its dtype."""
    memory_types: ClassVar[Mapping[str, str]]
    """The type of an element in memory, where it is another."""
    functions: ClassVar[Mapping[str, str]] = {}
    """Functions of floats that are called something else here."""

    def type(self, dtype: DT) -> str:
        """The type of a value."""
        return self.types[dtype.name]

    def memory_type(self, dtype: DT) -> str:
        """The type of an element in memory."""
        return self.memory_types.get(dtype.name) or self.types[dtype.name]

    def function(self, name: str) -> str:
        """What a function of floats is called."""
        return self.functions.get(name, name)

    def cast(self, type_: str, text: str) -> str:
        """A conversion, which wraps whole numbers and rounds floats."""
        return f"({type_})({text})"

    def widen(self, text: str) -> str:
        """A signed integer of at most 32 bits as one of 64."""
        return self.cast(self.types["int64"], text)

    def pair(self, dtype: DT, x: str, y: str) -> str:
        """A complex number, of its parts: a pair with the members ``x`` and ``y``."""
        return self.cast(self.types[dtype.name], f"{x}, {y}")

    def literal(self, dtype: DT, value: Any) -> str:
        """A number."""
        raise NotImplementedError

    def bits(self, dtype: DT, text: str) -> str:
        """The bits of a float32 or float64, as an unsigned whole number."""
        raise NotImplementedError

    def of_bits(self, dtype: DT, text: str) -> str:
        """The float32 or float64 of some bits."""
        raise NotImplementedError

    def global_id(self, dimension: int) -> str:
        """The index of a work-item among all; dimension 0 is the one that neighbours differ in."""
        raise NotImplementedError

    def group_id(self, dimension: int) -> str:
        """The index of a work-group."""
        raise NotImplementedError

    def local_id(self, dimension: int) -> str:
        """The index of a work-item in its group."""
        raise NotImplementedError

    def is_whole(self, dimension: int, bound: str) -> str:
        """Whether all of this work-item's group is below a bound; for ``splits_bounds``."""
        raise NotImplementedError

    def barrier(self) -> str:
        """Where all work-items of a group wait for one another."""
        raise NotImplementedError

    def element(self, memory: str, place: str) -> str:
        """An element of global or shared memory, to be read."""
        return f"{memory}[{place}]"

    def assign(self, memory: str, place: str, value: str) -> str:
        """The statement that writes an element of global or shared memory."""
        return f"{self.element(memory, place)} = {value};"

    def shared(self, dtype: DT, name: str, size: int) -> str:
        """The declaration of memory that a work-group shares."""
        raise NotImplementedError

    def assemble(self, text: Text) -> str:
        """The whole text."""
        raise NotImplementedError
