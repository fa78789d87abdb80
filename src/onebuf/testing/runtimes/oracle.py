"""The oracle of the suite of runtimes: what elements, errors, memory and moves have to be."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import sleep

import numpy as np

from onebuf.dtypes import Array, as_dtype
from onebuf.errors import PlaceError
from onebuf.events import Event, Moved, listening
from onebuf.placement import Partition
from onebuf.runtimes.protocols import Elements, Recipe, Runtime
from onebuf.shapes import Tiled
from onebuf.testing.comparison import assert_same
from onebuf.testing.runtimes.cases import index, random_partition
from onebuf.testing.runtimes.recipes import ON_PURPOSE, Failing, IndexFunction, whole

INT = as_dtype("int64")
TRIES = 100
"""How often memory is looked at before it counts as lost: a count, as clocks of places differ."""


def numbered(
    runtime: Runtime, partition: Partition, dtype: str = "int64", seed: int = 0
) -> tuple[Elements, Array]:
    """Elements, and the array that they have to be equal to."""
    recipe = IndexFunction(partition.shape, as_dtype(dtype), seed)
    return runtime.run(recipe, partition, []), recipe.array()


def random_elements(
    rng: np.random.Generator,
    runtime: Runtime,
    shape: tuple[int, ...],
    dtype: str = "int64",
    seed: int = 0,
) -> tuple[Elements, Array]:
    """The same, with any partition of a shape."""
    return numbered(runtime, random_partition(rng, shape, runtime.places), dtype, seed)


def check(runtime: Runtime, elements: Elements, wanted: Array, what: str) -> None:
    """Raise unless all elements are as wanted, to the bit."""
    assert_same(runtime.fetch(elements, whole(elements.shape)), wanted, what)


def rows_of(runtime: Runtime, extent: int) -> Partition:
    """One axis in tiles of two elements, in runs over all places."""
    return Partition(Tiled.regular((extent,), (2,)), runtime.places)


def with_neighbours(array: Array) -> Array:
    """Each element with all of its neighbours added: one axis after the other."""
    for axis in range(array.ndim):
        inner = np.moveaxis(array, axis, 0)
        total = inner.copy()
        total[1:] += inner[:-1]
        total[:-1] += inner[1:]
        array = np.moveaxis(total, 0, axis)
    return array


def random_failure(rng: np.random.Generator, places: int) -> tuple[Failing, Partition, int]:
    """A recipe that fails at one place of a partition, and the number of that place."""
    shape = tuple(rng.integers(1, 10, int(rng.integers(1, 4))).tolist())
    partition = random_partition(rng, shape, places, everywhere=False)
    at = tuple([int(rng.integers(extent)) for extent in shape])
    [(place, _)] = partition.pieces(tuple([(i, i + 1) for i in at]))
    return Failing(at, INT), partition, place


def run_all(runtime: Runtime, partition: Partition, recipe: Recipe) -> None:
    """Make elements, wait for them and drop them."""
    runtime.wait(runtime.run(recipe, partition, []))


def update_all(runtime: Runtime, elements: Elements, recipe: Recipe) -> None:
    """Make all elements anew, and wait for them."""
    runtime.update(elements, recipe, whole(elements.shape), [])
    runtime.wait(elements)


def assert_fails(
    runtime: Runtime, place: int, call: Callable[..., None], *arguments: object
) -> None:
    """Raise unless ``call`` fails as it has to if a recipe fails at ``place``.

    A driver and the place itself get the error of the recipe, and other places a `PlaceError`.
    """
    try:
        call(runtime, *arguments)
    except ValueError as error:
        if ON_PURPOSE not in str(error):
            raise
        if runtime.here not in (None, place):
            raise AssertionError(f"needed a PlaceError away from place {place}") from error
    except PlaceError as error:
        if runtime.here in (None, place):
            raise AssertionError("needed the error of the recipe, a ValueError") from error
        if error.place not in (None, place):
            raise AssertionError(f"needed place {place} to be blamed, got {error.place}") from error
    else:
        raise AssertionError(f"needed an error, as a recipe failed at place {place}; got none")


def memory_in_use(runtime: Runtime) -> list[int]:
    """Bytes at each place, once they do not change any more. Collective."""
    gc.collect()
    runtime.barrier()
    last = runtime.memory_in_use()
    for _ in range(TRIES):
        sleep(0.01)
        now = runtime.memory_in_use()
        if now == last:
            break
        last = now
    return last


def assert_memory(runtime: Runtime, wanted: list[int]) -> None:
    """Raise unless so many bytes are in use at each place, at once or a little later. Collective.

    All places see the same numbers, so that all of them look equally often.
    """
    gc.collect()
    runtime.barrier()
    for _ in range(TRIES):
        found = runtime.memory_in_use()
        if found == wanted:
            return
        sleep(0.05)
    raise AssertionError(f"needed {wanted} bytes in use at the places, got {found}")


@contextmanager
def hearing(runtime: Runtime) -> Iterator[list[Moved]]:
    """The moves that are told in a block of code."""
    moves: list[Moved] = []

    def hear(event: Event) -> None:
        if isinstance(event, Moved):
            moves.append(event)

    runtime.barrier()
    with listening(hear):
        yield moves


def moved_to(place: int, before: Partition, after: Partition) -> int:
    """How many elements ``place`` is to hold that it did not hold before."""
    return int((_held(after, place) & ~_held(before, place)).sum())


def _held(partition: Partition, place: int) -> Array:
    """Which elements a place holds."""
    found = np.zeros(partition.shape, np.bool)
    for box in partition.boxes(place):
        found[index(box)] = True
    return found
