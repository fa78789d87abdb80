"""Checks that any runtime has to pass, under a driver and under SPMD: functions of a runtime.

Under SPMD every place runs them, and every place looks at the results.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from recipes import (
    Copy,
    Failing,
    Index,
    Product,
    Stencil,
    Transpose,
    counted,
    neighbour_sums,
    whole,
)

from onebuf.dtypes import Array, float64
from onebuf.errors import PlaceError
from onebuf.events import Moved, listening
from onebuf.placement import Box, Cyclic, Everywhere, Partition, numel_of, tiles_of
from onebuf.runtimes.protocols import Elements, Runtime

DTYPES = [
    np.dtype(name)
    for name in ("bool", "int8", "uint16", "int64", "float16", "float32", "complex64", "complex128")
] + [np.dtype(ml_dtypes.bfloat16), np.dtype(ml_dtypes.float8_e5m2)]


def placed(
    runtime: Runtime, shape: tuple[int, ...], tiles: Any = None, how: Any = None
) -> Partition:
    """A partition over all places."""
    tiling = tiles_of(shape, tiles)
    return (
        Partition(tiling, runtime.places) if how is None else Partition(tiling, runtime.places, how)
    )


def made(
    runtime: Runtime,
    shape: tuple[int, ...],
    tiles: Any = None,
    how: Any = None,
    dtype: np.dtype[Any] = float64,
) -> Elements:
    """Elements that are `counted`."""
    return runtime.run(Index(shape, dtype), placed(runtime, shape, tiles, how), [])


def same(runtime: Runtime, elements: Elements, expected: Array) -> None:
    """Look at all elements, and at some boxes of them."""
    shape = elements.shape
    found = runtime.fetch(elements, whole(shape))
    assert found.dtype == expected.dtype == elements.dtype
    assert found.shape == expected.shape
    np.testing.assert_array_equal(found, expected)
    for at in range(4):
        box = tuple([(n * at // 5, n * (at + 2) // 5) for n in shape])
        index: Any = (*[slice(low, high) for low, high in box], ...)
        np.testing.assert_array_equal(runtime.fetch(elements, box), expected[index])
    for box, array in runtime.here_boxes(elements):
        index = (*[slice(low, high) for low, high in box], ...)
        np.testing.assert_array_equal(array, expected[index])


def check_shapes(runtime: Runtime) -> None:
    for shape in ((), (1,), (7,), (3, 4), (5, 1, 6), (2, 3, 2, 3), (0,), (4, 0), (0, 3, 2)):
        same(runtime, made(runtime, shape), counted(shape, float64))


def check_dtypes(runtime: Runtime) -> None:
    for dtype in DTYPES:
        rows = made(runtime, (13, 5), (2, None), dtype=dtype)
        same(runtime, rows, counted((13, 5), dtype))
        columns = runtime.run(Transpose(dtype), placed(runtime, (5, 13), (2, 3)), [rows])
        same(runtime, columns, counted((13, 5), dtype).T)


def check_tilings(runtime: Runtime) -> None:
    shape, expected = (12, 17), counted((12, 17), float64)
    tilings = [(None, None), (1, None), (None, 1), (5, 4), ((1, 11), (2, 3, 12)), (3, 17)]
    for tiles in tilings:
        one = made(runtime, shape, tiles)
        for others in tilings:
            again = runtime.run(Copy(), placed(runtime, shape, others), [one])
            same(runtime, again, expected)
        turned = runtime.run(Transpose(), placed(runtime, shape[::-1], (4, 5)), [one])
        same(runtime, turned, expected.T)


def check_cyclic(runtime: Runtime) -> None:
    shape, expected = (19, 23), counted((19, 23), float64)
    for grid in ((runtime.places, 1), (1, runtime.places)):
        cyclic = made(runtime, shape, (2, 3), Cyclic(grid))
        same(runtime, cyclic, expected)
        rows = runtime.run(Copy(more=1), placed(runtime, shape), [cyclic])
        same(runtime, rows, expected + 1)
        back = runtime.run(Copy(), placed(runtime, shape, 4, Cyclic(grid[::-1])), [rows])
        same(runtime, back, expected + 1)


def check_everywhere(runtime: Runtime) -> None:
    shape, expected = (6, 7), counted((6, 7), float64)
    all_over = made(runtime, shape, None, Everywhere())
    same(runtime, all_over, expected)
    rows = runtime.run(Transpose(), placed(runtime, shape[::-1]), [all_over])
    same(runtime, rows, expected.T)
    again = runtime.run(Transpose(), placed(runtime, shape, None, Everywhere()), [rows])
    same(runtime, again, expected)
    runtime.update(again, Copy(more=1), ((1, 3), (0, 7)), [all_over])
    expected = expected.copy()
    expected[1:3] += 1
    same(runtime, again, expected)


def check_stencils(runtime: Runtime) -> None:
    for shape, tiles in (
        ((40,), None),
        ((17, 12), None),
        ((9, 10), (4, 3)),
        ((5, 6, 7), (2, 3, 4)),
    ):
        expected = counted(shape, float64)
        elements = made(runtime, shape, tiles)
        for _ in range(3):
            elements = runtime.run(Stencil(shape), elements.partition, [elements])
            expected = neighbour_sums(np.pad(expected, 1))
        same(runtime, elements, expected)


def check_products(runtime: Runtime) -> None:
    a, b = made(runtime, (11, 8), (3, None)), made(runtime, (8, 9), (None, 2))
    product = runtime.run(Product(8), placed(runtime, (11, 9), (4, 4)), [a, b])
    same(runtime, product, counted((11, 8), float64) @ counted((8, 9), float64))


def check_updates(runtime: Runtime) -> None:
    shape = (15, 8)
    elements, expected = made(runtime, shape), counted(shape, float64).copy()
    for region in (((3, 11), (2, 5)), ((0, 15), (0, 8)), ((4, 4), (0, 8)), ((14, 15), (7, 8))):
        runtime.update(elements, Stencil(shape), region, [elements])
        index = tuple([slice(low, high) for low, high in region])
        expected[index] = neighbour_sums(np.pad(expected, 1))[index]
        same(runtime, elements, expected)
    scalar = made(runtime, ())
    runtime.update(scalar, Copy(more=5), (), [scalar])
    same(runtime, scalar, np.array(5.0))


def check_failures(runtime: Runtime) -> None:
    """A recipe that fails in one box fails everywhere, and leaves nothing."""
    shape = (24, 3)
    kept = made(runtime, shape)
    before = runtime.memory_in_use()
    last: Callable[[Box], bool] = lambda box: box[0][1] == 24  # noqa: E731
    holder = kept.partition.pieces(((23, 24), (0, 1)))[0][0]
    new = placed(runtime, shape)
    calls = (
        lambda: runtime.wait(runtime.run(Failing(last), new, [])),
        lambda: runtime.update(kept, Failing(last), whole(shape), []),
    )
    for call in calls:
        with pytest.raises((ValueError, PlaceError)) as caught:
            call()
        if runtime.mode == "spmd" and runtime.here != holder:
            error = caught.value
            assert isinstance(error, PlaceError)
            assert error.place == holder
            assert str(error).startswith(f"place {holder} failed: ValueError: no ((")
        else:
            assert isinstance(caught.value, ValueError)
        del caught
        same(runtime, kept, counted(shape, float64))
        assert runtime.memory_in_use() == before


def check_one_sided(runtime: Runtime) -> None:
    """One place alone reads, writes and adds."""
    shape = (16, 9)
    alone = runtime.here in (None, runtime.places - 1)
    for dtype in (np.dtype("int32"), np.dtype("uint8"), float64, np.dtype("complex64")):
        for tiles in ((3, None), (None, 2)):
            elements = made(runtime, shape, tiles, dtype=dtype)
            expected = counted(shape, dtype).copy()
            if alone:
                box = ((2, 15), (1, 8))
                np.testing.assert_array_equal(runtime.fetch(elements, box), expected[2:15, 1:8])
                runtime.store(elements, box, np.ones((13, 7), dtype))
                runtime.accumulate(elements, ((1, 4), (0, 9)), np.full((3, 9), 2, dtype))
                runtime.accumulate(elements, ((0, 16), (8, 9)), np.full((16, 1), 3, dtype))
            expected[2:15, 1:8] = 1
            expected[1:4] += dtype.type(2)
            expected[:, 8:] += dtype.type(3)
            runtime.barrier()
            same(runtime, elements, expected)
    total = made(runtime, (), dtype=np.dtype("int64"))
    for _ in range(50):
        runtime.accumulate(total, (), np.array(1, "int64"))
    runtime.barrier()
    same(runtime, total, np.array(50 * (1 if runtime.here is None else runtime.places)))
    copies = made(runtime, (4,), None, Everywhere())
    if alone:
        runtime.store(copies, ((1, 3),), np.full(2, 9.0))
    runtime.barrier()
    same(runtime, copies, np.array([0.0, 9, 9, 3]))


def check_later(runtime: Runtime) -> None:
    elements = made(runtime, (20, 30), (4, 5))
    expected = counted((20, 30), float64)
    boxes = [((0, 20), (0, 30)), ((3, 4), (5, 6)), ((0, 20), (7, 9)), ((2, 2), (0, 30))]
    futures = [runtime.fetch_later(elements, box) for box in boxes]
    for box, future in zip(boxes, futures, strict=True):
        index = tuple([slice(low, high) for low, high in box])
        np.testing.assert_array_equal(future.result(timeout=30), expected[index])
        assert future.done()
    runtime.barrier()


def check_memory(runtime: Runtime) -> None:
    """What is dropped is given back, also if arrays on it were looked at for longer."""
    before = runtime.memory_in_use()
    elements = made(runtime, (64, 8))
    assert sum(runtime.memory_in_use()) >= sum(before) + 64 * 8 * 8
    views = runtime.here_boxes(elements)
    del elements
    for _ in range(5):
        made(runtime, (64, 8), (None, 1))
    for box, view in views:
        np.testing.assert_array_equal(view, counted((64, 8), float64)[slice(*box[0])])
    if views:
        del box, view
    del views
    assert runtime.memory_in_use() == before


def check_moves(runtime: Runtime) -> None:
    """Who listens is told what comes from elsewhere; for SPMD, to this place."""
    heard: list[Moved] = []
    rows = made(runtime, (12, 12), (1, None))
    with listening(lambda event: heard.append(event) if isinstance(event, Moved) else None):
        columns = runtime.run(Copy(), placed(runtime, (12, 12), (None, 1)), [rows])
    moved = sum(event.nbytes for event in heard)
    assert all(event.name == "copy" and event.source != event.target for event in heard)
    expected = 0
    for place in range(runtime.places) if runtime.here is None else [runtime.here]:
        for box in columns.partition.boxes(place):
            for source, piece in rows.partition.pieces(box, place):
                expected += 8 * numel_of(piece) * (source != place)
    assert moved == expected
    assert expected > 0 or runtime.places == 1


CHECKS = [check for name, check in list(globals().items()) if name.startswith("check_")]


def check_all(runtime: Runtime) -> None:
    for check in CHECKS:
        check(runtime)
