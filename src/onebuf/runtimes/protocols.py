"""What a runtime is, and what it is asked to do.

A runtime has places that hold elements and compute. It knows nothing of operations: it is handed a
`Recipe`, which makes a box of elements out of boxes of others, and the `Partition` that says which
place makes which boxes. Everything that is distributed is that: element-wise expressions, slices,
transposes and stencils, partial sums and their combination, products of matrices, new tilings.

There are two modes. Under a *driver* one program tells all places what to do (threads, Dask). Under
*SPMD* every place runs the same program and does its own part (MPI); there, calls that compute or
write are collective: every place has to make them, in the same order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

from onebuf.dtypes import DT, Array
from onebuf.placement import Box, Partition

Fetch: TypeAlias = Callable[[int, Box], Array]
"""Gives a box of an input, by the number of the input: to be looked at, never to be written."""
Need: TypeAlias = tuple[int, Box]
"""A box of an input, by the number of the input."""


@runtime_checkable
class Recipe(Protocol):
    """How to make any box of some elements. A value: it can be pickled, and has no state."""

    @property
    def name(self) -> str:
        """What it does, for people."""

    @property
    def dtype(self) -> DT:
        """The type of the elements that it makes."""

    def needs(self, box: Box) -> list[Need]:
        """The boxes of inputs that making ``box`` reads. Pure, and computes nothing.

        Every `Fetch` that `compute` makes for the same box asks for one of these, or for a box
        inside of one.
        """

    def compute(self, box: Box, fetch: Fetch, out: Array) -> None:
        """Write the elements of ``box`` to ``out``, an array of its shape.

        ``out`` has undefined content, and is never memory of an input.
        """


def narrowed_to(recipe: Recipe, boxes: Sequence[Box]) -> Recipe:
    """A recipe for ``boxes`` alone, which may be smaller: to be sent to another process.

    A recipe may have a method ``narrowed(boxes)`` for that. If that gives the recipe itself for no
    boxes, it does so for any.
    """
    narrowed = getattr(recipe, "narrowed", None)
    found: Recipe = recipe if narrowed is None else narrowed(boxes)
    return found


@dataclass(eq=False, slots=True, weakref_slot=True)
class Elements:
    """Stored elements of a runtime. They are released when nothing refers to them any more.

    ``memory`` is the runtime's own: what it needs to find them.
    """

    partition: Partition
    dtype: DT
    runtime: Runtime
    memory: Any = field(repr=False)

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents of all elements together."""
        return self.partition.shape


@runtime_checkable
class Runtime(Protocol):
    """Places that hold elements and compute."""

    @property
    def name(self) -> str:
        """threads, mpi, dask, or that of a plug-in."""

    @property
    def mode(self) -> Literal["driver", "spmd"]:
        """Who runs the program: one driver, or every place."""

    @property
    def places(self) -> int:
        """How many places there are."""

    @property
    def here(self) -> int | None:
        """The place of this process; None for a driver, which is at none."""

    def run(self, recipe: Recipe, partition: Partition, inputs: Sequence[Elements]) -> Elements:
        """New elements: every place makes the boxes that it is to hold.

        Collective. If it fails at any place it fails everywhere, with the error of the first place
        that failed, and nothing is left of it. Under a driver it may return before it is done, and
        then an error comes when the elements are waited for or fetched.
        """

    def update(
        self, elements: Elements, recipe: Recipe, region: Box, inputs: Sequence[Elements]
    ) -> None:
        """Write in place: every place makes anew what it holds of the box ``region``.

        The recipe makes boxes of ``elements``, inside of ``region``; ``elements`` may be one of the
        inputs. All new elements are made before the first one is written: if any place fails,
        nothing has changed. Collective.
        """

    def fetch(self, elements: Elements, box: Box) -> Array:
        """A box of elements, copied to the caller unless it is here: to be looked at alone.

        Not collective: just the elements of the box move.
        """

    def fetch_later(self, elements: Elements, box: Box) -> Future[Array]:
        """The same, begun now; the result may be waited for."""

    def store(self, elements: Elements, box: Box, array: Array) -> None:
        """Write ``array`` to a box, from the caller alone. Not collective."""

    def accumulate(self, elements: Elements, box: Box, array: Array) -> None:
        """Add ``array`` to a box, each element at once: of two callers' additions none is lost."""

    def here_boxes(self, elements: Elements) -> list[tuple[Box, Array]]:
        """What of ``elements`` is in the memory of this process: boxes and the arrays themselves,
        which may be written. A driver whose places are other processes has none."""

    def wait(self, elements: Elements, timeout: float | None = None) -> None:
        """Return when the elements are there, or raise the error that kept them from it."""

    def barrier(self, timeout: float | None = None) -> None:
        """Return when everything that was asked for is done, at every place."""

    def memory_in_use(self) -> list[int]:
        """Bytes of elements at each place."""

    def close(self) -> None:
        """Give everything back. Elements of a closed runtime cannot be used any more."""
