"""The functions that run on the workers of Dask, and what they are told.

A place holds its elements as one *shard*: a list of arrays, one for each of its boxes, that nobody
writes to again. A change makes a new shard, which shares the arrays that stay the same; so what
Dask has to compute anew after a worker was lost is what it was before.

Nothing here knows Dask: tasks take shards and give shards.
"""

from __future__ import annotations

import pickle
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from traceback import format_exception
from typing import TypeAlias, TypeVar

import numpy as np

from onebuf.dtypes import DT, Array
from onebuf.errors import ArgumentError, OutOfMemory
from onebuf.options import config
from onebuf.placement import Box, Partition, intersection, is_empty
from onebuf.placement.box import shape_of, within
from onebuf.runtimes.protocols import Recipe

Shard: TypeAlias = list[Array]
T = TypeVar("T")
Error = TypeVar("Error", bound=BaseException)


@dataclass(frozen=True, slots=True)
class Source:
    """What a task is handed of an input: boxes that a place holds, or None for all of its shard."""

    number: int
    place: int
    boxes: tuple[Box, ...] | None


@dataclass(frozen=True, slots=True)
class Make:
    """What `make` is to do: all boxes of a place, or what is in ``region`` of them.

    ``recipe`` is pickled; where it is None, the first ``parts`` dependencies are its bytes.
    """

    recipe: bytes | None
    parts: int
    dtype: DT
    partition: Partition
    place: int
    region: Box | None
    threads: int
    inputs: tuple[tuple[Partition, DT], ...]
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class Write:
    """What `write` is to do: put arrays into ``boxes`` of a shard, or add them."""

    partition: Partition
    place: int
    boxes: tuple[Box, ...]
    adds: bool


# -- tasks -----------------------------------------------------------------------------------------


def make(todo: Make, *dependencies: Shard | bytes) -> Shard:
    """The boxes that a recipe makes at a place."""
    packed = todo.recipe
    if packed is None:
        packed = b"".join([part for part in dependencies[: todo.parts] if isinstance(part, bytes)])
    recipe: Recipe = pickle.loads(packed)
    found = [Pieces(partition, dtype, todo.place) for partition, dtype in todo.inputs]
    shards = [shard for shard in dependencies[todo.parts :] if not isinstance(shard, bytes)]
    for source, shard in zip(todo.sources, shards, strict=True):
        found[source.number].add(source.place, source.boxes, shard)

    def fetch(number: int, box: Box) -> Array:
        try:
            return found[number].array(box)
        except LookupError as error:
            raise ArgumentError(
                f"the recipe {recipe.name!r} may fetch boxes that its needs() names, and boxes "
                f"inside of these; it fetched {box} of input {number}"
            ) from error

    made = []
    for box in boxes_to_make(todo.partition, todo.place, todo.region):
        failure: Exception | None = None
        try:
            out = _empty(box, todo.dtype, todo.place)
            with config(threads=todo.threads):
                recipe.compute(box, fetch, out)
        except Exception as error:
            error.add_note(f"at place {todo.place}, where {recipe.name!r} made the box {box}")
            failure = portable(error)
        if failure is not None:  # raised here, where no other error is its context
            raise failure
        made.append(_sealed(out))
    return made


def cut(partition: Partition, dtype: DT, place: int, boxes: Sequence[Box], shard: Shard) -> Shard:
    """Boxes of a shard, as arrays of their own: only these have to move."""
    held = Pieces(partition, dtype, place)
    held.add(place, None, shard)
    return [_apart(held.array(box)) for box in boxes]


def write(todo: Write, shard: Shard, *parts: Shard) -> Shard:
    """A shard with other elements in some boxes. Arrays in which nothing changes are shared.

    An array may have an extent of 1 where its box has more: it is repeated along that axis.
    """
    held = Held(todo.partition, todo.place)
    result = list(shard)
    copied = set()
    for box, array in zip(todo.boxes, [one for part in parts for one in part], strict=True):
        number = held.around(box)
        if number not in copied:
            copied.add(number)
            result[number] = result[number].copy()
        target = result[number][within(box, held.boxes[number]) or ...]
        if todo.adds:
            np.add(target, array, out=target, casting="unsafe")
        else:
            target[...] = array
    for number in copied:
        result[number].flags.writeable = False
    return result


def bring(value: T) -> T:
    """What it is given: it travels inside of the task, and is then held by a worker."""
    return value


def tile(number: int, index: tuple[slice, ...], shard: Shard) -> Array:
    """A tile of a shard: a view of one of its arrays."""
    return _sealed(shard[number][index or ...])


def blank(shape: tuple[int, ...], dtype: DT) -> Array:
    """An array without elements."""
    return np.empty(shape, dtype)


def join(partition: Partition, place: int, dtype: DT, *blocks: Array) -> Shard:
    """The shard of a place out of its tiles. A tile that is a whole box is not copied."""
    tiles = list(partition.tiles(place))
    boxes = partition.boxes(place)
    if list(boxes) == tiles:
        return [_sealed(np.asarray(block, dtype)) for block in blocks]
    held = Held(partition, place)
    shard = [_empty(box, dtype, place) for box in boxes]
    for box, block in zip(tiles, blocks, strict=True):
        number = held.around(box)
        shard[number][within(box, boxes[number])] = block
    return [_sealed(array) for array in shard]


# -- boxes -----------------------------------------------------------------------------------------


def boxes_to_make(partition: Partition, place: int, region: Box | None) -> list[Box]:
    """The boxes of a place that have elements, or what is in ``region`` of them."""
    held = partition.boxes(place)
    if region is not None:
        held = tuple([intersection(box, region) for box in held])
    return [box for box in held if not is_empty(box)]


class Held:
    """The boxes that a place holds, to be asked which of them a smaller box lies in.

    Boxes are runs of tiles in row-major order, so it takes a bisection.
    """

    def __init__(self, partition: Partition, place: int) -> None:
        self.boxes = partition.boxes(place)
        self._tiling = partition.tiling
        self._firsts = [self._number(box) for box in self.boxes]

    def around(self, part: Box) -> int:
        """The number of the box that has all of ``part``."""
        number = bisect_right(self._firsts, self._number(part)) - 1
        if number >= 0 and _has(self.boxes[number], part):
            return number
        raise LookupError(f"{part} is in none of the boxes held")

    def _number(self, box: Box) -> int:
        """The number of the first tile of a box."""
        number = 0
        at = self._tiling.tile_of([low for low, _ in box])
        for one, count in zip(at, self._tiling.grid, strict=True):
            number = number * count + one
        return number


class Pieces:
    """What is known of an input at the place ``near``: arrays with their boxes."""

    def __init__(self, partition: Partition, dtype: DT, near: int) -> None:
        self._partition = partition
        self._dtype = dtype
        self._near = near
        self._held: dict[int, Held] = {}
        self._exact: dict[Box, Array] = {}
        self._inside: dict[tuple[int, int], list[tuple[Box, Array]]] = defaultdict(list)

    def add(self, place: int, boxes: Sequence[Box] | None, shard: Shard) -> None:
        """Take a shard of ``place``, or arrays for some boxes of it."""
        held = self._held_by(place)
        for box, array in zip(held.boxes if boxes is None else boxes, shard, strict=True):
            seen = _sealed(array)
            self._exact[box] = seen
            self._inside[self._source(place), held.around(box)].append((box, seen))

    def array(self, box: Box) -> Array:
        """A box, read-only: a view where one array has all of it, else a copy of its pieces."""
        if box in self._exact:
            return self._exact[box]
        pieces = self._partition.pieces(box, self._near)
        if len(pieces) == 1:
            return self._piece(*pieces[0])
        arrays = [(part, self._piece(place, part)) for place, part in pieces]
        return assemble(box, self._dtype, arrays)

    def _piece(self, place: int, part: Box) -> Array:
        """What one place holds of a box."""
        number = self._held_by(place).around(part)
        for box, array in self._inside[self._source(place), number]:
            if _has(box, part):
                return array[within(part, box) or ...]
        raise LookupError(f"nothing has all of {part}")

    def _held_by(self, place: int) -> Held:
        source = self._source(place)
        if source not in self._held:
            self._held[source] = Held(self._partition, source)
        return self._held[source]

    def _source(self, place: int) -> int:
        """The place whose shard it is: what is everywhere has one shard."""
        return 0 if self._partition.is_everywhere else place


def assemble(box: Box, dtype: DT, arrays: Sequence[tuple[Box, Array]]) -> Array:
    """A box out of pieces that cover it, read-only."""
    result: Array = np.empty(shape_of(box), dtype)
    for part, array in arrays:
        result[within(part, box) or ...] = array
    return _sealed(result)


def _has(box: Box, part: Box) -> bool:
    return all([a <= c and d <= b for (a, b), (c, d) in zip(box, part, strict=True)])


# -- arrays ----------------------------------------------------------------------------------------


def _sealed(array: Array) -> Array:
    """The same memory as an array that cannot be written through."""
    seen = array.view()
    seen.flags.writeable = False
    return seen


def _apart(array: Array) -> Array:
    """An array that keeps no more memory alive than it shows; itself, if it is all there is."""
    base = array.base
    if isinstance(base, np.ndarray) and base.nbytes > array.nbytes:
        return _sealed(array.copy())
    return array


def _empty(box: Box, dtype: DT, place: int) -> Array:
    try:
        return np.empty(shape_of(box), dtype)
    except (MemoryError, ValueError) as error:  # the latter where no address space is so large
        raise OutOfMemory(
            f"place {place} has no memory for a box of the shape {shape_of(box)} and the type "
            f"{dtype}; use more places, or workers with more memory"
        ) from error


# -- errors ----------------------------------------------------------------------------------------


class Carried(Exception):
    """An error that Dask could not send as it is: what it says, and how to make it again."""

    def __init__(self, text: str, packed: bytes) -> None:
        super().__init__(text, packed)

    def __str__(self) -> str:
        return str(self.args[0])


def portable(error: Exception) -> Exception:
    """The error as one that can be sent to another process.

    Dask makes an error of its class and its arguments, and those that led to it as well. Where
    that cannot be done, it would arrive without its type, or without what it says.
    """
    link: BaseException | None = error
    while link is not None:
        if not _is_args(link):
            break
        link = link.__cause__ or link.__context__
    else:
        return error
    try:
        packed = pickle.dumps(error.__reduce__())
        pickle.loads(packed)
    except Exception:
        return error  # of a class that only Dask knows to send
    text = "".join(format_exception(error))
    return Carried(text, packed).with_traceback(error.__traceback__)


def received(error: Exception) -> Exception:
    """An error that was sent, as one that may be raised.

    The one that was sent stays where Dask keeps it. It must not be raised itself: the traceback of
    a raised error refers to what its callers hold, and that would never be released.
    """
    if isinstance(error, Carried):
        kind, arguments, *state = pickle.loads(error.args[1])
        try:
            found: Exception = kind(*arguments)
        except TypeError:  # it takes other arguments than it keeps
            found = kind.__new__(kind, *arguments)
        if state and state[0]:
            found.__setstate__(state[0])
        return found
    found = _again(error)
    found.__cause__ = error.__cause__
    found.__context__ = error.__context__
    found.__suppress_context__ = error.__suppress_context__
    return found


def _again(error: Error) -> Error:
    """An error of the same class, arguments and attributes, made without its ``__init__``."""
    kind = type(error)
    found = kind.__new__(kind, *error.args)
    found.__dict__.update(error.__dict__)
    return found


def _is_args(error: BaseException) -> bool:
    """Whether the arguments and attributes of an error are all there is to it."""
    try:
        return str(_again(error)) == str(error)
    except Exception:
        return False
