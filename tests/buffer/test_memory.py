"""Memory over a buffer's life: nothing is kept, nothing is taken twice, views take nothing."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import onebuf
from onebuf import Buffer


def in_use() -> int:
    gc.collect()
    return onebuf.memory_stats()["CPU"].in_use


@pytest.mark.parametrize("eager_numel", [0, 4096])
def test_after_everything_is_deleted_the_pool_is_as_before(eager_numel: int) -> None:
    start = in_use()
    with onebuf.config(eager_numel=eager_numel):
        x = Buffer(np.arange(10_000.0), copy=True)
        y = (x * 2 + x.flip()).reshape(100, 100)
        small = Buffer([1, 2, 3]) + 1
        kept = [y.T[i] + small[0] for i in range(20)]
        total = onebuf.concat([*kept, y[0]]).sum()
        x[0] = 5
        windows = [np.asarray(y), small.data, kept[3].unwrap()]
        assert total.item() != 0
        y.realize()
    assert in_use() > start
    del x, y, small, kept, total, windows
    assert in_use() == start


def test_views_take_nothing_from_the_pool() -> None:
    x = Buffer(np.arange(24.0), copy=True).reshape(2, 3, 4)
    y = x + 1
    y[0]  # from here on, what y computed is shared
    before = in_use()
    with onebuf.counters() as counted:
        for base in (x, y):
            views = [base.T, base[0], base[:, ::-1], base.reshape(6, 4), base.permute(1, 0, 2)]
            views += [base.expand(5, 2, 3, 4), base.flip(), base[..., None].squeeze(-1)]
            views += [base.diagonal(), base.sliding_window(2), base.view("int64")]
            assert all(view.is_view for view in views)
    assert (counted.kernels, counted.copies, counted.bytes_allocated) == (0, 0, 0)
    assert in_use() == before


def test_intermediate_results_of_a_long_chain_do_not_pile_up() -> None:
    x = Buffer(np.zeros(100_000), copy=True)
    before = onebuf.memory_stats()["CPU"].in_use
    y = x
    for _ in range(50):
        y = y + 1.0
    with onebuf.counters() as counted:
        y.realize()
    assert counted.peak_bytes - before <= 4 * 1_000_000
    assert y[0].item() == 50.0


def test_small_buffers_are_reused_and_counted() -> None:
    for _ in range(1000):
        onebuf.zeros(2)
    before = in_use()
    made = [onebuf.zeros(2) for _ in range(200)]
    assert in_use() >= before + 200 * 64
    del made
    assert in_use() == before


def test_small_results_count_where_memory_is_capped() -> None:
    x = Buffer([1.0, 2.0])
    with onebuf.config(memory_cap=in_use() + (1 << 20)):
        before = in_use()
        results = [x + 1 for _ in range(200)]
        assert in_use() >= before + 200 * 64
    del results


def test_cells_that_nobody_uses_do_not_count_against_the_cap() -> None:
    x = onebuf.zeros(1000)
    kept = [x + number for number in range(200)]
    del kept
    with onebuf.config(memory_cap=in_use() + (1 << 18)):
        results = [x[:500] + number for number in range(20)]
    assert len(results) == 20


def test_trimming_gives_cells_back_too() -> None:
    results = [Buffer(np.ones((3, 5)), copy=True) * 2 for _ in range(50)]
    del results
    gc.collect()
    onebuf.trim()
    assert onebuf.memory_stats()["CPU"].cached < 4 * 2**20
    assert (Buffer(np.ones((3, 5))) * 2).sum().item() == 30.0


MAKERS = {
    "sum": lambda: Buffer([1.0, 2.0]) + 1,
    "product": lambda: onebuf.ones((3, 3)) @ onebuf.ones((3, 3)),
    "root": lambda: onebuf.sqrt(onebuf.ones(3)),
    "joined": lambda: onebuf.concat([onebuf.ones(3), onebuf.ones(3)]),
    "sorted": lambda: onebuf.sort(onebuf.ones(3)),
    "Buffer": lambda: Buffer([1.0, 2.0, 3.0]),
    "asarray": lambda: onebuf.asarray([1, 2, 3]),
    "array": lambda: onebuf.array([[1.0], [2.0]]),
    "converted": lambda: onebuf.asarray([1, 2], dtype="float32"),
    "copied": lambda: onebuf.asarray(np.ones(3), copy=True),
    "arange": lambda: onebuf.arange(5),
    "zeros": lambda: onebuf.zeros(3),
    "ones": lambda: Buffer.ones((2, 2)),
    "full": lambda: onebuf.full(3, 2.0),
    "linspace": lambda: onebuf.linspace(0, 1, 5),
    "eye": lambda: onebuf.eye(3),
    "uniform": lambda: onebuf.random.uniform(size=4),
    "normal": lambda: onebuf.random.default_rng(0).normal(size=4),
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_small_memory_is_aligned_for_others(make) -> None:
    made = [make() for _ in range(20)]
    assert {np.asarray(x).ctypes.data % 64 for x in made} == {0}
