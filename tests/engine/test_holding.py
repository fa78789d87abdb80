"""Who reads memory holds it: whatever other threads or signal handlers compute meanwhile."""

import threading

import numpy as np
import pytest

import onebuf
from onebuf.testing.faults import interleaving
from onebuf.testing.faults.interleaving import Interleaving, at_point

SIDE = 300
TIERS = ("auto", "interpret", "compile")


def square():
    return np.arange(SIDE * SIDE, dtype="float32").reshape(SIDE, SIDE) + 1


def copy_of_a_dead_buffer():
    """A pending copy, whose elements are still those of a buffer that nobody holds any more."""
    x = onebuf.asarray(square(), copy=True).realize()
    return x.T.copy()


def reuse_memory():
    """Write to memory that was given back, if any was."""
    kept = []
    for _ in range(4):
        other = onebuf.zeros((SIDE, SIDE), dtype="float32").realize()
        other[...] = -1.0
        kept.append(other)
    return kept


# Writes from what is written, on one thread


def updated(v):
    v += v.T


def put_by_index(v):
    v[onebuf.asarray(np.arange(SIDE))] = v.T


def put_by_list(v):
    v[list(range(SIDE))] = v.T


def put_by_mask(v):
    v[np.ones((SIDE, SIDE), bool)] = v.T.reshape(-1)


def put_by_rows(v):
    v[np.ones(SIDE, bool)] = v.T


def put_by_slices(v):
    v[::-1, :] = v.T[::-1]


def put_all(v):
    v[...] = v.T


def multiplied(v):
    v *= v.T[::-1]


def copied_to(v):
    np.copyto(v, v.T)


def added_to(v):
    np.add(v, v.T, out=v)


WRITES = (
    *(updated, put_by_index, put_by_list, put_by_mask, put_by_rows, put_by_slices),
    *(put_all, multiplied, copied_to, added_to),
)


def in_numpy(write, a):
    """What ``write`` does to an array of NumPy's, with an index in place of a buffer."""
    if write is put_by_index:
        a[np.arange(SIDE)] = a.T.copy()
    else:
        write(a)
    return a


@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.parametrize("write", WRITES, ids=lambda write: write.__name__)
def test_a_write_reads_what_was_there(write, tier):
    with onebuf.config(tier=tier):
        v = copy_of_a_dead_buffer()
        reader = v * 1000
        write(v)
        assert np.array_equal(np.asarray(v), in_numpy(write, square().T.copy()))
        assert np.array_equal(np.asarray(reader), square().T * 1000)


# Reads, while others make the copy and the memory of the original goes back


def assigned(w):
    t = onebuf.zeros((SIDE, SIDE), dtype="float64").realize()
    t[...] = w
    return np.asarray(t)


def added(w):
    t = onebuf.zeros((SIDE, SIDE), dtype="float32").realize()
    t += w
    return np.asarray(t)


def put_in(w):
    t = onebuf.zeros((SIDE, SIDE), dtype="float32").realize()
    t[np.ones((SIDE, SIDE), bool)] = w.reshape(-1)
    return np.asarray(t)


READS = {
    "assign": assigned,
    "add in place": added,
    "put": put_in,
    "tolist": lambda w: np.array(w.tolist()),
    "bytes": lambda w: np.frombuffer(bytes(w), "float32").reshape(SIDE, SIDE),
    "mask": lambda w: np.asarray(w[np.ones((SIDE, SIDE), bool)]).reshape(SIDE, SIDE),
    "rows": lambda w: np.asarray(w[np.ones(SIDE, bool)]),
    "pairs": lambda w: np.asarray(w[np.arange(SIDE)[:, None], np.arange(SIDE)]),
    "nonzero": lambda w: np.asarray(w)[tuple(np.asarray(i) for i in onebuf.nonzero(w))].reshape(
        SIDE, SIDE
    ),
    "unique": lambda w: np.asarray(onebuf.unique_values(w)).reshape(SIDE, SIDE).T[::-1],
    "device": lambda w: np.asarray(w.to_device("PYTHON").to_device("CPU")),
}


@pytest.mark.parametrize("name", READS)
def test_elements_stay_while_they_are_read(name):
    v = copy_of_a_dead_buffer()
    w = v[::-1]
    kept = []

    def meanwhile():
        np.asarray(v)
        kept.extend(reuse_memory())

    with at_point("read.ready", meanwhile) as called:
        got = READS[name](w)
    assert called == [1]
    assert np.array_equal(got.astype("float32"), square().T[::-1].astype(got.dtype))


def test_elements_stay_while_another_thread_makes_the_copy():
    v = copy_of_a_dead_buffer()
    w = v[::-1]
    t = onebuf.zeros((SIDE, SIDE), dtype="float64").realize()
    kept = []

    def read():
        t[...] = w

    def make():
        np.asarray(v)
        kept.extend(reuse_memory())

    with Interleaving(read=read, make=make) as threads:
        threads.run("read", to="read.ready")
        threads.run("make")
    assert np.array_equal(np.asarray(t), square().T[::-1].astype("float64"))


def test_what_is_read_of_a_temporary_holds_its_memory():
    from onebuf.engine import read

    array = read((onebuf.arange(100_000.0) + 1)._node)
    kept = [onebuf.full((100_000,), -1.0).realize() for _ in range(3)]
    small = read((onebuf.arange(16.0) + 1)._node)
    kept += [onebuf.arange(16.0) - 100 for _ in range(3)]
    assert np.array_equal(array, np.arange(100_000.0) + 1)
    assert np.array_equal(small, np.arange(16.0) + 1)


# Readers that are noted down


def test_an_expression_that_two_threads_note_down_is_not_forgotten():
    x = onebuf.asarray(np.ones(40_000), copy=True).realize()
    results = {}

    def note(name):
        def run():
            results[name] = x * 2

        return run

    with Interleaving(one=note("one"), two=note("two"), three=note("three")) as threads:
        threads.run("one", to="graph.make")
        threads.run("two", to="graph.make")
        threads.run("three")
        threads.run("one")
        threads.run("two")
    x[0] = 7.0
    assert {name: result[0].item() for name, result in results.items()} == {
        "one": 2.0,
        "two": 2.0,
        "three": 2.0,
    }


@pytest.mark.parametrize("point", ["write.ready", "write.settle", "write.start"])
def test_a_write_to_other_rows_does_not_forget_an_expression(point):
    x = onebuf.zeros((2, 40_000)).realize()
    waiting = x * 1 + 3  # so that the write has something to settle
    mine, theirs = x[0], x[1]
    got = []

    def write():
        theirs[...] = 5.0

    def note():
        z = mine * 2
        got.append(z)

    with Interleaving(write=write, note=note) as threads:
        threads.run("write", to=point)
        threads.run("note")
        threads.run("write")
    mine[...] = 9.0
    assert got[0][0].item() == 0.0
    assert waiting[0, 0].item() == 3.0


def test_a_write_waits_for_a_reader_that_another_thread_computes(monkeypatch):
    x = onebuf.asarray(np.ones(40_000), copy=True).realize()
    y = x * 2

    def compute():
        y.realize()

    def write():
        x[...] = 9.0

    with Interleaving(compute=compute, write=write) as threads:
        threads.run("compute", to="plan.step")
        with monkeypatch.context() as patch:  # it has to wait, and need not do so for a minute
            patch.setattr(interleaving, "HUNG_SECONDS", interleaving.BLOCKED_SECONDS)
            assert not threads.run("write")
        threads.run("compute")
    assert y[0].item() == 2.0
    assert x[0].item() == 9.0


def test_threads_that_settle_one_view_at_the_same_time():
    base = onebuf.arange(40_000.0) + 1
    views = [base[::2] for _ in range(200)]
    base.realize()
    errors = []
    ready = threading.Barrier(4)

    def look():
        ready.wait()
        try:
            for view in views:
                assert view[3].item() == 7.0
                assert view.stride == (2,)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=look) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
