"""What is measured: one task, how each library is told to do it, and what it has to answer.

A program is text, because it is shown as well as run. Its last line is the answer. The inputs have
their own names in it; ``o`` and ``t`` are memory of the shape of the answer that the library was
given beforehand, so a program that names ``o`` has a preallocated output.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Inputs = dict[str, Array]
Size = tuple[int, ...]

SCRATCH = ("o", "t")
"""Names in a program for memory of the shape of the answer."""


class Uncompiled(str):
    """A program that its library cannot compile as a whole, and so runs line by line."""


@dataclass(frozen=True)
class Workload:
    """One task, in all libraries."""

    name: str
    group: str
    sizes: Mapping[str, Size]
    """By "full" and "quick"."""
    make: Callable[[np.random.Generator, Size], Inputs]
    reference: Callable[..., Any]
    """The answer, from the inputs by name, floating ones in float64."""
    programs: Mapping[str, str]
    """The program of each library."""
    rtol: float = 1e-5
    atol: float = 1e-5
    read: Callable[[Inputs, Array], int] | None = None
    """The least bytes to read, from inputs and answer; None: each input once."""
    flops: Callable[[Inputs], int] | None = None
    """Operations on floats, where these are the limit and not memory."""
    calls: int = 1
    """How often a sample runs the program."""
    steps: int = 1
    """Into how many equal steps the time of one call is divided."""
    is_bounded: bool = True
    """Whether the speed of memory or arithmetic is what limits it."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """For `onebuf.config`."""

    @property
    def unit(self) -> str:
        """What times are written in."""
        return "ms" if self.is_bounded else "us"

    def inputs(self, size: str) -> Inputs:
        """The same inputs in every process."""
        made = self.make(np.random.default_rng(0), self.sizes[size])
        return {name: aligned(array) for name, array in made.items()}

    def answer(self, inputs: Inputs) -> Array:
        """What NumPy says in float64."""
        exact = {k: v.astype(np.float64) if v.dtype.kind == "f" else v for k, v in inputs.items()}
        return np.asarray(self.reference(**exact))

    def traffic(self, inputs: Inputs, answer: Array) -> tuple[int, int]:
        """The least bytes to read and to write; the answer is float32."""
        least = sum(array.nbytes for array in inputs.values())
        return (self.read(inputs, answer) if self.read else least), 4 * answer.size


def aligned(array: Array) -> Array:
    """A copy that begins at a multiple of 64 bytes, so that no library has to move it."""
    memory = np.empty(array.nbytes + 64, np.uint8)
    start = -memory.ctypes.data % 64
    copy = memory[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


def distance(found: Array, answer: Array, rtol: float, atol: float) -> float:
    """How far ``found`` is from ``answer``: at most 1 where it is within the tolerance.

    >>> distance(np.array([1.0, 2.0]), np.array([1.0, 1.0]), 0.5, 0.5)
    1.0
    """
    if found.shape != answer.shape:
        return float("inf")
    if not answer.size:
        return 0.0
    off = np.abs(found - answer) / (atol + rtol * np.abs(answer))
    return float("inf") if np.isnan(off).any() else float(off.max())


def normal(*names: str) -> Callable[[np.random.Generator, Size], Inputs]:
    """Inputs of one shape, normally distributed."""

    def make(numbers: np.random.Generator, size: Size) -> Inputs:
        return {name: numbers.standard_normal(size, np.float32) for name in names}

    return make


def uniform(*names: str) -> Callable[[np.random.Generator, Size], Inputs]:
    """Inputs of one shape, spread evenly over [0, 1)."""

    def make(numbers: np.random.Generator, size: Size) -> Inputs:
        return {name: numbers.random(size, np.float32) for name in names}

    return make
