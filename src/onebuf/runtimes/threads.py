"""Places that are parts of this process: the runtime that needs nothing else.

All elements lie in one array, of which each place holds its boxes. So nothing is copied between
places; what would have to move elsewhere is told all the same (`onebuf.events.Moved`). Kernels use
all threads of the process themselves, so places compute one after another, except where a recipe
waits for something else: for functions of Python, and for files.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from math import prod
from threading import Lock
from typing import Any, Literal, NamedTuple

import numpy as np

from onebuf.dtypes import DT, Array
from onebuf.errors import ArgumentError, OnebufError, RuntimeClosed
from onebuf.events import Moved, listeners, tell
from onebuf.memory import POOL, Block
from onebuf.placement import Box, Partition, intersection, is_empty, numel_of
from onebuf.placement.box import shape_of
from onebuf.runtimes.protocols import Elements, Recipe

MOST_PLACES = 1 << 16


class Memory(NamedTuple):
    """The elements of all places, and what keeps their memory."""

    array: Array
    block: Block


class Threads:
    """``places`` parts of this process.

    >>> from onebuf import runtime
    >>> with runtime("threads", places=3) as three:
    ...     three.places, three.mode
    (3, 'driver')
    """

    name = "threads"
    mode: Literal["driver", "spmd"] = "driver"
    here: int | None = None

    def __init__(self, places: int = 1) -> None:
        if type(places) is not int or not 1 <= places <= MOST_PLACES:
            raise ArgumentError(
                f"a runtime of threads needs 1 to {MOST_PLACES} places, got {places!r}"
            )
        self.places = places
        self._is_closed = False
        self._adding = Lock()

    def __repr__(self) -> str:
        return f"Threads(places={self.places})"

    # -- computing ---------------------------------------------------------------------------------

    def run(self, recipe: Recipe, partition: Partition, inputs: Sequence[Elements]) -> Elements:
        """New elements, made place by place."""
        self._check_open()
        if partition.places != self.places:
            raise ArgumentError(
                f"a runtime of {self.places} places needs a partition over as many, got one over "
                f"{partition.places}"
            )
        memory = _memory(partition.shape, recipe.dtype)
        self._make(recipe, partition, None, inputs, lambda box: memory.array[_index(box)])
        return Elements(partition, recipe.dtype, self, memory)

    def update(
        self, elements: Elements, recipe: Recipe, region: Box, inputs: Sequence[Elements]
    ) -> None:
        """Make anew what lies in ``region``, then write it."""
        self._check_open()
        made: list[tuple[Box, Array]] = []

        def fresh(box: Box) -> Array:
            made.append((box, np.empty(shape_of(box), elements.dtype)))
            return made[-1][1]

        self._make(recipe, elements.partition, region, inputs, fresh)
        for box, new in made:
            elements.memory.array[_index(box)] = new

    def _make(
        self,
        recipe: Recipe,
        partition: Partition,
        region: Box | None,
        inputs: Sequence[Elements],
        out_of: Callable[[Box], Array],
    ) -> None:
        """Compute all boxes, or what is in ``region`` of them."""
        work: list[tuple[int, Box, Array]] = []
        for place in range(1 if partition.is_everywhere else self.places):
            for held in partition.boxes(place):
                box = held if region is None else intersection(held, region)
                if not is_empty(box):
                    work.append((place, box, out_of(box)))
        if partition.is_everywhere and listeners():
            self._tell_copies(recipe, work, inputs)

        def step(place: int, box: Box, out: Array) -> None:
            def fetch(number: int, part: Box) -> Array:
                _tell_moves(recipe.name, inputs[number], part, place)
                return _seen(inputs[number], part)

            recipe.compute(box, fetch, out)

        if len(work) > 1 and getattr(recipe, "waits", False):
            _at_once([partial(step, *one) for one in work], self.places)
            return
        for one in work:
            step(*one)

    def _tell_copies(
        self, recipe: Recipe, work: Sequence[tuple[int, Box, Array]], inputs: Sequence[Elements]
    ) -> None:
        """Tell what the other places would read: one makes here what all of them hold."""
        for place in range(1, self.places):
            for _, box, _ in work:
                for number, part in recipe.needs(box):
                    _tell_moves(recipe.name, inputs[number], part, place)

    # -- elements ----------------------------------------------------------------------------------

    def fetch(self, elements: Elements, box: Box) -> Array:
        """A box of elements: the memory itself, read-only."""
        self._check_open()
        _tell_moves("fetch", elements, box, None)
        return _seen(elements, box)

    def fetch_later(self, elements: Elements, box: Box) -> Future[Array]:
        """The same: it is here already."""
        future: Future[Array] = Future()
        try:
            future.set_result(self.fetch(elements, box).copy())
        except OnebufError as error:
            future.set_exception(error)
        return future

    def store(self, elements: Elements, box: Box, array: Array) -> None:
        """Write ``array`` to a box."""
        self._check_open()
        elements.memory.array[_index(box)] = array

    def accumulate(self, elements: Elements, box: Box, array: Array) -> None:
        """Add ``array`` to a box."""
        self._check_open()
        with self._adding:
            target = elements.memory.array[_index(box)]
            np.add(target, array, out=target, casting="unsafe")

    def here_boxes(self, elements: Elements) -> list[tuple[Box, Array]]:
        """Everything: all places are in this process."""
        self._check_open()
        whole = tuple([(0, extent) for extent in elements.shape])
        array, block = elements.memory
        return [(whole, block.held(array))]

    # -- waiting -----------------------------------------------------------------------------------

    def wait(self, elements: Elements, timeout: float | None = None) -> None:
        """Nothing to wait for: elements are there when `run` returns."""
        self._check_open()

    def barrier(self, timeout: float | None = None) -> None:
        """Nothing to wait for."""
        self._check_open()

    def memory_in_use(self) -> list[int]:
        """Bytes of the process, as place 0 has them all."""
        return [POOL.stats().in_use, *[0] * (self.places - 1)]

    def close(self) -> None:
        """Let nothing be done here any more."""
        self._is_closed = True

    def _check_open(self) -> None:
        if self._is_closed:
            raise RuntimeClosed(
                "the runtime of threads that held these elements was closed; work with them inside "
                "of its with block, or take them out with to_local() before it ends"
            )


def _memory(shape: tuple[int, ...], dtype: DT) -> Memory:
    block = POOL.allocate(prod(shape) * dtype.itemsize)
    return Memory(block.array(shape, dtype), block)


def _index(box: Box) -> tuple[slice, ...] | Any:
    return tuple([slice(low, high) for low, high in box]) or ...


def _seen(elements: Elements, box: Box) -> Array:
    """A box of elements in their memory, which cannot be written through it."""
    array, block = elements.memory
    found: Array = array[_index(box)]
    found = block.held(found)
    found.flags.writeable = False
    return found


def _tell_moves(name: str, elements: Elements, box: Box, target: int | None) -> None:
    """Tell what would go from place to place, were they apart."""
    if not listeners():
        return
    for source, piece in elements.partition.pieces(box, target):
        if source != target:
            tell(Moved(name, source, target, numel_of(piece) * elements.dtype.itemsize))


def _at_once(steps: Sequence[Callable[[], None]], most: int) -> None:
    """Run steps in threads; the first error, after all of them have ended."""
    with ThreadPoolExecutor(min(most, len(steps), 32), "onebuf-place") as pool:
        futures = [pool.submit(copy_context().run, step) for step in steps]
    for future in futures:
        future.result()
