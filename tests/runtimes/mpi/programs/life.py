"""What Mpi does beyond the contract: one function a case, by name; every place runs it."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
import time
from typing import Any

import numpy as np
import pytest
from contract import made, placed, same
from recipes import Copy, Failing, Index, Threads, counted, whole

from onebuf.dtypes import float64
from onebuf.errors import ArgumentError, OutOfMemory, PlaceError, RuntimeClosed, TaskTimeout
from onebuf.options import config, options
from onebuf.placement import Assigned, Everywhere, Partition, tiles_of
from onebuf.runtimes.mpi.runtime import Mpi
from onebuf.runtimes.protocols import Runtime

MIB = 1 << 20


def opened(**options: Any) -> Mpi:
    return Mpi(**{"slab_nbytes": MIB, "timeout": 30, **options})


def closing() -> None:
    """It can be closed twice, and then nothing works, but arrays can still be looked at."""
    runtime = opened()
    assert isinstance(runtime, Runtime)
    elements = made(runtime, (8, 3))
    views = runtime.here_boxes(elements)
    runtime.close()
    runtime.close()
    calls = (
        lambda: runtime.run(Index((3,)), placed(runtime, (3,)), []),
        lambda: runtime.update(elements, Index((8, 3)), whole((8, 3)), []),
        lambda: runtime.fetch(elements, whole((8, 3))),
        lambda: runtime.fetch_later(elements, whole((8, 3))),
        lambda: runtime.store(elements, whole((8, 3)), np.zeros((8, 3))),
        lambda: runtime.accumulate(elements, whole((8, 3)), np.zeros((8, 3))),
        lambda: runtime.here_boxes(elements),
        lambda: runtime.wait(elements),
        lambda: runtime.barrier(),
        lambda: runtime.memory_in_use(),
    )
    for call in calls:
        with pytest.raises(RuntimeClosed, match="was closed"):
            call()
    for box, view in views:
        np.testing.assert_array_equal(view, counted((8, 3), float64)[slice(*box[0])])
    for _ in range(20):  # windows and communicators are given back
        again = opened()
        same(again, made(again, (5,)), counted((5,), float64))
        again.close()


def left_open() -> None:
    """A program may end without closing, also with arrays on the memory."""
    runtime = opened()
    elements = made(runtime, (8, 3))
    sys.modules["kept"] = (runtime, elements, runtime.here_boxes(elements))  # type: ignore[assignment]


def many() -> None:
    """Thousands of elements that are made and dropped leave nothing."""
    runtime = opened()
    before = runtime.memory_in_use()
    partition = placed(runtime, (10,))
    for _ in range(10_000):
        runtime.run(Index((10,)), partition, [])
    kept = [runtime.run(Index((10,)), partition, []) for _ in range(100)]
    assert sum(runtime.memory_in_use()) >= sum(before) + 100 * 10 * 8
    del kept
    assert runtime.memory_in_use() == before
    runtime.close()


def full() -> None:
    """No memory at a place is an error everywhere, that says what to do, and loses nothing."""
    runtime = opened()
    here, places = runtime.here, runtime.places
    before = runtime.memory_in_use()
    with pytest.raises(OutOfMemory, match=r"slab_nbytes=\.\.\."):
        made(runtime, (places * 2, MIB // 8), None)
    last = Partition(tiles_of((MIB // 4,), None), places, Assigned(((0, 24, places - 1),)))
    with pytest.raises((OutOfMemory, PlaceError)) as caught:
        runtime.run(Index(last.shape), last, [])
    assert isinstance(caught.value, OutOfMemory) == (here == places - 1)
    assert "slab_nbytes" in str(caught.value)
    if here != places - 1:
        assert isinstance(caught.value, PlaceError)
        assert caught.value.place == places - 1
    assert runtime.memory_in_use() == before
    del caught
    # two thirds of each slab are in use at a time: what was dropped is found again
    shape = (MIB // 24 * places,)
    elements = made(runtime, shape, MIB // 24)
    for _ in range(10):
        elements = runtime.run(Copy(), elements.partition, [elements])
    same(runtime, elements, counted(shape, float64))
    # also if it is garbage that has to be collected
    gc.disable()
    for _ in range(5):
        knot: list[Any] = [made(runtime, shape, MIB // 24)]
        knot.append(knot)
        del knot
    gc.enable()
    same(runtime, elements, counted(shape, float64))
    runtime.close()


def held_by_one() -> None:
    """What one place still holds is not overwritten when others have dropped it."""
    runtime = opened()
    shape = (32, 8)
    elements = made(runtime, shape)
    kept = elements if runtime.here == 0 else None
    del elements
    for _ in range(30):
        runtime.run(Copy(more=5), placed(runtime, shape), [made(runtime, shape)])
    runtime.barrier()
    if kept is not None:
        np.testing.assert_array_equal(runtime.fetch(kept, whole(shape)), counted(shape, float64))
    del kept
    assert set(runtime.memory_in_use()) == {0}
    runtime.close()


def out_of_step() -> None:
    """Different calls are an error everywhere; what comes next works."""
    runtime = opened()
    here, places = runtime.here, runtime.places
    partition = placed(runtime, (6,))
    with pytest.raises(PlaceError, match="same distributed calls in the same order") as caught:
        runtime.run(Index((6,), name="one" if here == 0 else "other"), partition, [])
    assert "place 0: run one (6,) float64" in str(caught.value)
    assert f"{places - 1}: run other (6,)" in str(caught.value)
    call = runtime.barrier if here == 0 else lambda: runtime.run(Index((6,)), partition, [])
    with pytest.raises(PlaceError, match=r"place 0: barrier.*: run index"):
        call()
    del caught
    assert set(runtime.memory_in_use()) == {0}
    same(runtime, made(runtime, (6,)), counted((6,), float64))
    runtime.close()


def ends_early() -> None:
    """A place whose program ends tells the others, which would wait for it for ever."""
    runtime = opened()
    made(runtime, (6,))
    if runtime.here == 0:
        return
    with pytest.raises(RuntimeClosed, match="place 0: close"):
        made(runtime, (6,))
    with pytest.raises(RuntimeClosed, match="was closed"):
        made(runtime, (6,))


def timeouts() -> None:
    """A barrier that takes too long can be waited for again; a run cannot."""
    runtime = opened()
    for _ in range(2):
        if runtime.here == 0:
            time.sleep(0.3)
        else:
            with pytest.raises(TaskTimeout, match=r"waited 0.05 seconds .* barrier"):
                runtime.barrier(timeout=0.05)
        runtime.barrier()
    runtime.close()


def left_waiting() -> None:
    """A place that gave up waiting is out of step, and its end is the end of all."""
    runtime = opened(timeout=0.05)
    if runtime.here == 0:
        time.sleep(30)
    with pytest.raises(TaskTimeout, match=r"run index"):
        made(runtime, (6,))
    with pytest.raises(PlaceError, match="no longer in step"):
        made(runtime, (6,))
    runtime.close()


def interrupted() -> None:
    """Who waits for others can be interrupted; then a barrier goes on waiting."""
    runtime = opened()
    if runtime.here == 0:
        time.sleep(0.5)
    else:
        main = threading.main_thread().ident
        assert main is not None
        timer = threading.Timer(0.1, signal.pthread_kill, [main, signal.SIGINT])
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            runtime.barrier()
    runtime.barrier()
    runtime.close()


def interrupted_inside() -> None:
    """An interrupt of one place's recipe is one of that place, and fails the call of the others."""
    runtime = opened()

    class Interrupted(Failing):
        def compute(self, box: Any, fetch: Any, out: Any) -> None:
            if runtime.here == 0:
                raise KeyboardInterrupt

    expected = KeyboardInterrupt if runtime.here == 0 else PlaceError
    with pytest.raises(expected):
        runtime.run(Interrupted(bool), placed(runtime, (24,)), [])
    same(runtime, made(runtime, (6,)), counted((6,), float64))
    runtime.close()


def threads() -> None:
    """Processes of a node share its cores while a runtime is open, unless told otherwise."""
    cores = len(os.sched_getaffinity(0))
    runtime = opened()
    everywhere = placed(runtime, (), None, Everywhere())
    share = runtime.fetch(runtime.run(Threads(), everywhere, []), ())
    assert share == max(1, round(cores / runtime.places))
    runtime.close()
    assert options().threads is None
    with config(threads=7):
        chosen = opened()
        assert options().threads == 7
        chosen.close()
        assert options().threads == 7


def mistakes() -> None:
    """Wrong arguments are told."""
    for nbytes in (0, -1, 2.5):
        with pytest.raises(ArgumentError, match="slab_nbytes"):
            opened(slab_nbytes=nbytes)
    runtime, other = opened(), opened()
    elements = made(runtime, (6,), dtype=np.dtype("float16"))
    with pytest.raises(ArgumentError, match=r"can add \(int8, .*complex128\), got float16"):
        runtime.accumulate(elements, ((0, 6),), np.zeros(6, "float16"))
    with pytest.raises(ArgumentError, match="cannot be used by"):
        other.fetch(elements, ((0, 6),))
    with pytest.raises(ArgumentError, match="partitions over as many"):
        runtime.run(Index((6,)), Partition(tiles_of((6,), None), runtime.places + 1), [])
    same(runtime, made(runtime, (6,)), counted((6,), float64))
    runtime.close()
    same(other, made(other, (6,)), counted((6,), float64))
    other.close()


def parts() -> None:
    """A runtime may have some of all processes."""
    from mpi4py import MPI

    comm = MPI.COMM_WORLD.Split(MPI.COMM_WORLD.rank % 2)
    runtime = opened(comm=comm)
    assert runtime.places == comm.size
    same(runtime, made(runtime, (9, 2)), counted((9, 2), float64))
    runtime.close()


if __name__ == "__main__":
    for name in sys.argv[1:]:
        globals()[name]()
    print("ended well")
