"""Streamed folds: an on-demand operand of several axes is folded without being stored."""

import numpy as np
import pytest

import onebuf
from onebuf import on_demand
from onebuf.engine.step import streamed_fold_step
from onebuf.scheduler.fuse.streamed_fold import StreamedFold

SHAPES = [(300, 101), (3, 7, 1201), (2, 3), (9000, 3), (5, 1, 40000)]
FOLDS = ["sum", "prod", "max", "min", "any", "all", "argmax", "argmin"]
DTYPES = ["float64", "float32", "float16", "int64", "uint8", "bool", "complex64"]
PAIRS = [
    (name, dtype)
    for name in FOLDS
    for dtype in DTYPES
    if not (dtype == "complex64" and name in ("max", "min", "argmax", "argmin"))
]


def waves(*index):
    return onebuf.sin(sum(i * (0.37 + n) for n, i in enumerate(index))) * 3


@pytest.fixture(autouse=True)
def compiled():
    with onebuf.config(tier="compile", eager_numel=0):
        yield


@pytest.mark.parametrize(("name", "dtype"), PAIRS)
def test_a_streamed_fold_has_the_bits_of_a_stored_operand(name, dtype):
    for shape in SHAPES[:2]:
        x = on_demand(shape, lambda *index: waves(*index).astype(dtype), per="element")
        fold = getattr(onebuf, name)
        got, expected = np.asarray(fold(x)), np.asarray(fold(x.copy()))
        assert got.dtype == expected.dtype
        assert got.tobytes() == expected.tobytes()


@pytest.mark.parametrize("shape", SHAPES)
def test_the_same_holds_for_any_shape_and_for_expressions_of_it(shape):
    x = on_demand(shape, waves, per="element")
    weights = onebuf.asarray(np.random.default_rng(0).random(shape))
    stored = x.copy()
    for compute in (
        lambda x: (x * 2 + weights).sum(),
        lambda x: (x * x).sum(keepdims=True) * 3 + 1,
        lambda x: (x - x.mean()).max(),
        lambda x: onebuf.std(x),
    ):
        assert np.asarray(compute(x)).tobytes() == np.asarray(compute(stored)).tobytes()


def test_it_is_one_kernel_that_takes_no_memory():
    x = on_demand((1000, 1000), lambda i, j: i * 10 + j)
    (kernel,) = onebuf.schedule((x * 2).sum())
    assert isinstance(kernel, StreamedFold)
    assert kernel.name.endswith("+ sum")
    assert kernel.inputs == ()
    del kernel
    (x * 2).sum().realize()
    with onebuf.counters() as counted:
        total = (x * 2).sum().item()  # where nothing holds x * 2, which would be stored then
    assert total == 2 * (10 * 1000 * 499500 + 1000 * 499500)
    assert counted.kernels == 1
    assert counted.bytes_allocated < 1000
    assert "+ sum" in (x * 2).sum().explain()


def test_a_table_is_read_block_by_block():
    table = onebuf.asarray(np.random.default_rng(0).random(1000))
    x = on_demand((700, 800), lambda i, j: table[(i * j) % 1000])
    assert x.sum().item() == x.copy().sum().item()


def test_long_rows_and_other_axes_are_folded_tile_by_tile():
    for shape, axes in [((2, 10**6), None), ((20, 30, 40), (0, 1)), ((20, 30, 40), (1, 2))]:
        x = on_demand(shape, waves, per="element")
        got, expected = x.sum(axis=axes), x.copy().sum(axis=axes)
        assert np.asarray(got).tobytes() == np.asarray(expected).tobytes()


def test_other_ways_to_run_give_the_same_bits():
    x = on_demand((300, 101), waves, per="element")
    expected = x.sum().item()
    for options in ({"threads": 1}, {"check_bounds": True}, {"tier": "interpret"}):
        with onebuf.config(**options):
            assert x.sum().item() == expected


def test_an_interrupt_leaves_it_pending(monkeypatch):
    x = on_demand((3000, 1000), lambda i, j: i + j)
    total = x.sum()
    add = streamed_fold_step.ChunkFold.add
    calls = []

    def interrupted(*arguments):
        calls.append(arguments)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return add(*arguments)

    monkeypatch.setattr(streamed_fold_step.ChunkFold, "add", interrupted)
    with pytest.raises(KeyboardInterrupt):
        total.realize()
    assert not total.is_realized
    assert total.item() == 1000 * (2999 * 1500) + 3000 * 499500
