"""What every runtime has to do, with NumPy as the oracle.

The same methods run under a driver and at every place under SPMD. So they never ask for the place
around a collective call; what is compared is read with one-sided fetches, by every caller.
"""

from __future__ import annotations

import gc
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from onebuf.dtypes import as_dtype
from onebuf.errors import ArgumentError
from onebuf.placement import Partition, numel_of
from onebuf.placement.box import shape_of
from onebuf.runtimes.protocols import Runtime
from onebuf.shapes import Tiled
from onebuf.testing.comparison import assert_same
from onebuf.testing.runtimes.cases import (
    DTYPES,
    REFUSABLE,
    index,
    random_box,
    random_partition,
    random_shape,
)
from onebuf.testing.runtimes.oracle import (
    INT,
    assert_fails,
    assert_memory,
    check,
    hearing,
    memory_in_use,
    moved_to,
    numbered,
    random_elements,
    random_failure,
    rows_of,
    run_all,
    update_all,
    with_neighbours,
)
from onebuf.testing.runtimes.recipes import (
    Constant,
    Copy,
    PartialSums,
    Stencil,
    Sum,
    Transposition,
    whole,
)

TIMEOUT = 60.0
"""Seconds after which what has to return at once counts as lost."""


class RuntimeContract:
    """Tests that a runtime has to pass. A subclass has a fixture ``runtime``."""

    # -- computing ---------------------------------------------------------------------------------

    def test_it_says_what_it_is(self, runtime: Runtime) -> None:
        assert isinstance(runtime, Runtime)
        assert runtime.name
        assert runtime.places >= 1
        if runtime.mode == "spmd":
            assert runtime.here in range(runtime.places)
        else:
            assert (runtime.mode, runtime.here) == ("driver", None)

    def test_elements_of_any_shape_and_partition(self, runtime: Runtime) -> None:
        rng = np.random.default_rng(1)
        for case in range(20):
            partition = random_partition(rng, random_shape(rng), runtime.places)
            elements, wanted = numbered(runtime, partition, seed=case)
            assert (elements.partition, elements.dtype) == (partition, INT)
            assert elements.runtime is runtime
            check(runtime, elements, wanted, f"{partition}")

    def test_every_dtype(self, runtime: Runtime) -> None:
        rng = np.random.default_rng(2)
        for name in DTYPES:
            shape = random_shape(rng, 1)
            first, second = [random_partition(rng, shape, runtime.places) for _ in range(2)]
            elements, wanted = numbered(runtime, first, name)
            moved = runtime.run(Copy(elements.dtype), second, [elements])
            check(runtime, moved, wanted, f"{name} from {first} to {second}")

    def test_redistribution(self, runtime: Runtime) -> None:
        rng = np.random.default_rng(3)
        for case in range(8):
            shape = random_shape(rng)
            elements, wanted = random_elements(rng, runtime, shape, "float64", case)
            for _ in range(2):
                partition = random_partition(rng, shape, runtime.places)
                elements = runtime.run(Copy(elements.dtype), partition, [elements])
            check(runtime, elements, wanted, f"{elements.partition}")

    def test_transposition(self, runtime: Runtime) -> None:
        rng = np.random.default_rng(4)
        for case in range(8):
            shape = random_shape(rng, 1)
            elements, array = random_elements(rng, runtime, shape, "float32", case)
            partition = random_partition(rng, shape[::-1], runtime.places)
            turned = runtime.run(Transposition(elements.dtype), partition, [elements])
            check(runtime, turned, array.T, f"{partition}")

    def test_a_stencil_reads_beyond_its_box(self, runtime: Runtime) -> None:
        rng = np.random.default_rng(5)
        for case in range(8):
            shape = random_shape(rng, 1, 3)
            elements, array = random_elements(rng, runtime, shape, seed=case)
            partition = random_partition(rng, shape, runtime.places)
            found = runtime.run(Stencil(shape, INT), partition, [elements])
            check(runtime, found, with_neighbours(array), f"{partition}")

    def test_two_inputs_with_partitions_of_their_own(self, runtime: Runtime) -> None:
        rng = np.random.default_rng(6)
        for case in range(6):
            shape = random_shape(rng)
            first, second, third = [random_partition(rng, shape, runtime.places) for _ in range(3)]
            x, a = numbered(runtime, first, seed=case)
            y, b = numbered(runtime, second, seed=case + 100)
            check(runtime, runtime.run(Sum(INT, len(shape)), third, [x, y]), a + b, f"{third}")
            check(runtime, runtime.run(Sum(INT, len(shape)), first, [x, x]), a + a, "twice")

    def test_a_row_is_broadcast(self, runtime: Runtime) -> None:
        rng = np.random.default_rng(7)
        for case in range(6):
            shape = random_shape(rng, 2, 3)
            first, third = [random_partition(rng, shape, runtime.places) for _ in range(2)]
            x, a = numbered(runtime, first, seed=case)
            row, b = random_elements(rng, runtime, shape[1:], seed=9)
            found = runtime.run(Sum(INT, len(shape) - 1), third, [x, row])
            check(runtime, found, a + b, f"{third}")

    def test_partial_sums_and_their_combination(self, runtime: Runtime) -> None:
        rng = np.random.default_rng(8)
        for case in range(6):
            rows, *rest = random_shape(rng, 1, 3)
            shape = (rows + 1, *rest)
            x, a = random_elements(rng, runtime, shape, seed=case)
            bounds = tuple(sorted({0, *rng.integers(0, shape[0], 4).tolist(), shape[0]}))
            groups = len(bounds) - 1
            partition = random_partition(rng, (groups, *rest), runtime.places)
            parts = runtime.run(PartialSums(bounds, INT), partition, [x])
            check(runtime, parts, np.add.reduceat(a, bounds[:-1]), f"{bounds}")
            partition = random_partition(rng, (1, *rest), runtime.places)
            total = runtime.run(PartialSums((0, groups), INT), partition, [parts])
            check(runtime, total, a.sum(axis=0, keepdims=True), "all")

    def test_a_partition_over_other_places_is_refused(self, runtime: Runtime) -> None:
        partition = Partition(Tiled((2, 2)), runtime.places + 1)
        try:
            runtime.run(Constant(1, INT), partition, [])
        except ArgumentError:
            return
        raise AssertionError(f"needed an ArgumentError for {partition} at {runtime.places} places")

    # -- reading and writing -----------------------------------------------------------------------

    def test_any_box_is_fetched(self, runtime: Runtime) -> None:
        rng = np.random.default_rng(9)
        for case in range(8):
            shape = random_shape(rng)
            elements, array = random_elements(rng, runtime, shape, "float32", case)
            boxes = [random_box(rng, shape) for _ in range(6)]
            later = [runtime.fetch_later(elements, box) for box in boxes]
            for box, future in zip(boxes, later, strict=True):
                assert_same(runtime.fetch(elements, box), array[index(box)], f"{box}")
                assert_same(future.result(TIMEOUT), array[index(box)], f"{box}, later")

    def test_fetched_arrays_cannot_change_the_elements(self, runtime: Runtime) -> None:
        rng = np.random.default_rng(10)
        for _ in range(4):
            partition = random_partition(rng, random_shape(rng), runtime.places)
            elements, wanted = numbered(runtime, partition)
            boxes = [whole(partition.shape), *partition.boxes(0)[:1]]
            for box in boxes:
                later = runtime.fetch_later(elements, box).result(TIMEOUT)
                for found in (runtime.fetch(elements, box), later):
                    if found.flags.writeable:
                        found[...] = -1
            check(runtime, elements, wanted, "after a write to what was fetched")

    def test_what_was_fetched_outlives_its_elements(self, runtime: Runtime) -> None:
        rng = np.random.default_rng(11)
        for case in range(3):
            partition = random_partition(rng, random_shape(rng, 1), runtime.places)
            elements, wanted = numbered(runtime, partition, seed=case)
            boxes = [box for place in range(runtime.places) for box in partition.boxes(place)]
            found = [(box, runtime.fetch(elements, box)) for box in boxes]
            runtime.barrier()  # so that nobody reads any more when the first one lets go
            del elements
            gc.collect()
            others = [runtime.run(Constant(-1, INT), partition, []) for _ in range(3)]
            runtime.barrier()
            for box, array in found:
                assert_same(array, wanted[index(box)], f"{box} of {partition}")
            del others

    def test_stores_reach_every_place(self, runtime: Runtime) -> None:
        rng = np.random.default_rng(12)
        for case in range(6):
            shape = random_shape(rng)
            elements, wanted = random_elements(rng, runtime, shape, seed=case)
            for turn in range(3):
                box = random_box(rng, shape)
                new = np.asarray(rng.integers(0, 1000, shape_of(box)))
                runtime.barrier()  # before it, others may still be reading
                if runtime.here in (None, (case + turn) % runtime.places):
                    runtime.store(elements, box, new)
                    assert_same(runtime.fetch(elements, box), new, "what this caller has stored")
                runtime.barrier()
                wanted[index(box)] = new
                check(runtime, elements, wanted, f"{box} of {elements.partition}")
            other = random_partition(rng, shape, runtime.places)
            check(runtime, runtime.run(Copy(INT), other, [elements]), wanted, "at other places")

    def test_no_addition_is_lost(self, runtime: Runtime) -> None:
        rng = np.random.default_rng(13)
        for name in ("int8", "int64", "float32", "complex128", *REFUSABLE):
            dtype = as_dtype(name)
            shape = random_shape(rng)
            partition = random_partition(rng, shape, runtime.places)
            elements = runtime.run(Constant(1, dtype), partition, [])
            wanted = np.ones(shape, dtype)
            callers = runtime.places if runtime.mode == "spmd" else 1
            for _ in range(3):
                box = random_box(rng, shape)
                more = np.asarray(rng.integers(0, 3, shape_of(box))).astype(dtype)
                try:
                    runtime.accumulate(elements, box, more)
                except ArgumentError:
                    if name in REFUSABLE:
                        continue
                    raise
                for _ in range(callers):
                    wanted[index(box)] += more
            runtime.barrier()
            check(runtime, elements, wanted, f"{name} of {partition}")

    def test_threads_of_a_driver_may_add_at_the_same_time(self, runtime: Runtime) -> None:
        elements = runtime.run(Constant(0, INT), rows_of(runtime, 12), [])
        if runtime.mode == "driver":
            box, more = ((2, 11),), np.arange(9)

            def add(_: int) -> None:
                runtime.accumulate(elements, box, more)

            with ThreadPoolExecutor(3) as pool:
                list(pool.map(add, range(12)))
            wanted = np.zeros(12, INT)
            wanted[2:11] = 12 * more
            check(runtime, elements, wanted, "12 additions")

    def test_what_is_here_is_what_the_partition_says(self, runtime: Runtime) -> None:
        rng = np.random.default_rng(14)
        for case in range(6):
            partition = random_partition(rng, random_shape(rng), runtime.places)
            elements, array = numbered(runtime, partition, seed=case)
            runtime.wait(elements)
            held = runtime.here_boxes(elements)
            if runtime.here is not None:
                assert [box for box, _ in held] == list(partition.boxes(runtime.here))
            count = np.zeros(partition.shape, INT)
            for box, part in held:
                assert_same(part, array[index(box)], f"{box} of {partition}")
                count[index(box)] += 1
            assert (count <= 1).all(), f"boxes that are here overlap: {held}"
            runtime.barrier()
            for _, part in held:
                part[...] = part + 1000
            runtime.barrier()
            written = array + 1000 * count if runtime.mode == "driver" else array + 1000
            check(runtime, elements, written, f"{partition} after a write to what is here")

    def test_waiting_ends(self, runtime: Runtime) -> None:
        elements, wanted = numbered(runtime, rows_of(runtime, 9))
        runtime.wait(elements)
        runtime.wait(elements, TIMEOUT)
        runtime.barrier()
        runtime.barrier(TIMEOUT)
        check(runtime, elements, wanted, "after waiting")

    # -- updates -----------------------------------------------------------------------------------

    def test_an_update_writes_a_region_alone(self, runtime: Runtime) -> None:
        rng = np.random.default_rng(15)
        for case in range(8):
            shape = random_shape(rng)
            partition, other = [random_partition(rng, shape, runtime.places) for _ in range(2)]
            elements, wanted = numbered(runtime, partition, seed=case)
            source, new = numbered(runtime, other, seed=case + 50)
            region = random_box(rng, shape)
            runtime.update(elements, Copy(INT), region, [source])
            wanted[index(region)] = new[index(region)]
            check(runtime, elements, wanted, f"{region} of {partition}")
            check(runtime, source, new, "the input of an update")

    def test_an_update_of_nothing_changes_nothing(self, runtime: Runtime) -> None:
        elements, wanted = numbered(runtime, rows_of(runtime, 7))
        runtime.update(elements, Constant(-1, INT), ((3, 3),), [])
        check(runtime, elements, wanted, "an empty region")

    def test_an_update_may_read_what_it_writes(self, runtime: Runtime) -> None:
        rng = np.random.default_rng(16)
        for case in range(4):
            shape = (int(rng.integers(1, 12)),) * 2
            elements, wanted = random_elements(rng, runtime, shape, seed=case)
            runtime.update(elements, Transposition(INT), whole(shape), [elements])
            wanted = wanted.T.copy()
            check(runtime, elements, wanted, f"{elements.partition} transposed in place")
            region = random_box(rng, shape)
            runtime.update(elements, Stencil(shape, INT), region, [elements])
            wanted[index(region)] = with_neighbours(wanted)[index(region)]
            check(runtime, elements, wanted, f"{region} of {elements.partition}")

    def test_an_update_that_fails_changes_nothing(self, runtime: Runtime) -> None:
        rng = np.random.default_rng(17)
        for case in range(4):
            recipe, partition, place = random_failure(rng, runtime.places)
            elements, wanted = numbered(runtime, partition, seed=case)
            assert_fails(runtime, place, update_all, elements, recipe)
            check(runtime, elements, wanted, f"{elements.partition} after {recipe}")

    # -- errors and memory -------------------------------------------------------------------------

    def test_a_run_that_fails_leaves_nothing(self, runtime: Runtime) -> None:
        rng = np.random.default_rng(18)
        before = memory_in_use(runtime)
        for case in range(4):
            recipe, partition, place = random_failure(rng, runtime.places)
            assert_fails(runtime, place, run_all, partition, recipe)
            elements, wanted = numbered(runtime, partition, seed=case)
            check(runtime, elements, wanted, f"{partition} after {recipe}")
            del elements
        assert_memory(runtime, before)

    def test_elements_that_are_dropped_give_their_memory_back(self, runtime: Runtime) -> None:
        rng = np.random.default_rng(19)
        before = memory_in_use(runtime)
        for _ in range(3):
            held = []
            for case in range(5):
                partition = random_partition(rng, random_shape(rng), runtime.places)
                held.append(numbered(runtime, partition, "float64", case)[0])
            for elements in held:
                runtime.wait(elements)
            runtime.barrier()
            grown = sum(runtime.memory_in_use()) - sum(before)
            wanted = sum([8 * numel_of(whole(elements.shape)) for elements in held])
            assert grown >= wanted, f"needed {wanted} more bytes in use, got {grown}"
            del elements, held
        assert_memory(runtime, before)

    # -- movement ----------------------------------------------------------------------------------

    def test_an_aligned_run_moves_nothing(self, runtime: Runtime) -> None:
        rng = np.random.default_rng(20)
        for case in range(4):
            shape = random_shape(rng, 1)
            partition = random_partition(rng, shape, runtime.places)
            x, a = numbered(runtime, partition, seed=case)
            y, b = numbered(runtime, partition, seed=case + 10)
            with hearing(runtime) as moves:
                total = runtime.run(Sum(INT, len(shape)), partition, [x, y])
                runtime.wait(total)
                runtime.barrier()
            assert moves == [], f"needed no move for {partition}, got {moves}"
            check(runtime, total, a + b, f"{partition}")

    def test_a_fetch_moves_what_is_elsewhere(self, runtime: Runtime) -> None:
        rng = np.random.default_rng(21)
        for case in range(6):
            shape = random_shape(rng)
            partition = random_partition(rng, shape, runtime.places)
            elements, _ = numbered(runtime, partition, "float32", case)
            for _ in range(3):
                box = random_box(rng, shape)
                with hearing(runtime) as moves:
                    runtime.fetch(elements, box)
                pieces = partition.pieces(box, runtime.here)
                elsewhere = [piece for place, piece in pieces if place != runtime.here]
                wanted = 4 * sum(map(numel_of, elsewhere))
                found = sum([move.nbytes for move in moves])
                assert found == wanted, f"{box} of {partition}: needed {wanted}, got {moves}"
                assert {move.target for move in moves} <= {runtime.here}

    def test_a_redistribution_moves_what_changes_its_place(self, runtime: Runtime) -> None:
        rng = np.random.default_rng(22)
        for case in range(8):
            shape = random_shape(rng, 1)
            first, second = [random_partition(rng, shape, runtime.places) for _ in range(2)]
            elements, array = numbered(runtime, first, "float32", case)
            runtime.wait(elements)
            with hearing(runtime) as moves:
                moved = runtime.run(Copy(elements.dtype), second, [elements])
                runtime.wait(moved)
                runtime.barrier()
            found = sum([move.nbytes for move in moves])
            targets = range(runtime.places) if runtime.here is None else [runtime.here]
            wanted = sum([4 * moved_to(place, first, second) for place in targets])
            if second.is_everywhere and runtime.mode == "driver":
                assert found <= wanted, f"{first} to {second}: needed {wanted}, got {moves}"
            else:
                assert found == wanted, f"{first} to {second}: needed {wanted}, got {moves}"
            assert all(move.target in targets and move.source != move.target for move in moves)
            check(runtime, moved, array, f"{first} to {second}")


def check_runtime(runtime: Runtime) -> int:
    """Run all tests, in order; how many there are. Under SPMD every place has to call it."""
    names = [name for name in vars(RuntimeContract) if name.startswith("test_")]
    for name in names:
        getattr(RuntimeContract(), name)(runtime)
    return len(names)
