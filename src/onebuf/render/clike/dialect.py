"""Dialects: the differences between C-like languages.

Kernels are written in what these languages have in common: declarations, assignments, ``if``,
``for``, ``?:``, arithmetic and function calls. A dialect gives the rest: types, literals, casts,
names of functions, indices of work-items, memory, barriers, and the text around a kernel's body.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from onebuf.dtypes import DT

NARROW = ("float16", "bfloat16")
"""Floats that are computed in float32 and rounded after each operation."""


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
class Size:
    """A parameter: an integer that depends on sizes alone, the same in every call of a kernel."""

    name: str
    value: int


@dataclass(frozen=True, slots=True)
class Flags:
    """A parameter: memory of int64 in which a kernel reports invalid operands.

    A failed check ``n`` stores 1 at ``2*n``, and the operand at ``2*n + 1``.
    """

    count: int
    name: str = "flags"


Parameter = Memory | Scalar | Size | Flags


@dataclass(frozen=True, slots=True)
class KernelText:
    """The parts of a kernel's text."""

    name: str
    parameters: Sequence[Parameter]
    functions: Sequence[str]
    shared: Sequence[str]
    """Declarations of the memory of a work-group."""
    body: Sequence[str]
    local_size: tuple[int, ...]
    """Work-items in a group if the text fixes them; empty if each launch may choose."""


class Dialect:
    """The syntax of a language, with defaults that suit most."""

    has_float64 = True
    """If not, float64 accumulators are float32, and nothing else may be float64."""
    splits_bounds = False
    """Whether work-groups that are entirely in bounds get code of their own without bounds tests,
    which processors with SIMD can vectorise."""
    types: ClassVar[Mapping[str, str]]
    """The type of a value, by the name of its dtype."""
    memory_types: ClassVar[Mapping[str, str]]
    """The type of an element in memory, where it is another."""
    functions: ClassVar[Mapping[str, str]] = {}
    """Functions of floats that have another name in this language."""

    def type(self, dtype: DT) -> str:
        """The type of a value."""
        return self.types[dtype.name]

    def memory_type(self, dtype: DT) -> str:
        """The type of an element in memory."""
        return self.memory_types.get(dtype.name) or self.types[dtype.name]

    def function(self, name: str) -> str:
        """The name of a function of floats."""
        return self.functions.get(name, name)

    def cast(self, type_: str, text: str) -> str:
        """A conversion, which wraps integers and rounds floats."""
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
        """The bits of a float32 or float64, as an unsigned integer."""
        raise NotImplementedError

    def of_bits(self, dtype: DT, text: str) -> str:
        """The float32 or float64 with these bits."""
        raise NotImplementedError

    def global_id(self, dimension: int) -> str:
        """The global index of a work-item; neighbours differ in dimension 0."""
        raise NotImplementedError

    def group_id(self, dimension: int) -> str:
        """The index of a work-group."""
        raise NotImplementedError

    def local_id(self, dimension: int) -> str:
        """The index of a work-item in its group."""
        raise NotImplementedError

    def is_whole(self, dimension: int, bound: str) -> str:
        """Whether all of a work-item's group is below a bound; for ``splits_bounds``."""
        raise NotImplementedError

    def barrier(self) -> str:
        """A barrier of a work-group."""
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

    def assemble(self, text: KernelText) -> str:
        """The whole text."""
        raise NotImplementedError
