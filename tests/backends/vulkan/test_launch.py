"""Reductions, scans, movement and gathers on VULKAN, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import onebuf
from onebuf import Buffer
from onebuf.backends.vulkan.launch import VulkanLaunch
from onebuf.backends.vulkan.workgroups import MAX_ITERATIONS, dispatch_of, iterations, local_size
from onebuf.errors import DeviceError, IndexRangeError
from onebuf.kernel.linear import GROUP, LOCAL, UNROLL, UPCAST, Limits, Opt
from onebuf.scheduler.fuse.fusion import group

rng = np.random.default_rng(3)


def placed(array):
    return Buffer(array).to_device("VULKAN")


def fetched(buffer):
    return np.asarray(buffer.to_device("CPU"))


X = rng.standard_normal((6, 40, 7)).astype(np.float32)
N = rng.integers(-100, 100, (6, 40, 7)).astype(np.int8)


@pytest.mark.parametrize("axis", [None, 0, 1, 2, (0, 1), (1, 2)])
def test_sums(axis):
    found = fetched(placed(X).sum(axis=axis))
    np.testing.assert_allclose(found, X.sum(axis=axis, dtype=np.float64), rtol=1e-5, atol=1e-5)
    found = fetched(onebuf.sum(placed(N), axis=axis))
    np.testing.assert_array_equal(found, N.sum(axis=axis))


@pytest.mark.parametrize("name", ["max", "min", "prod", "all", "any", "argmax", "argmin", "mean"])
def test_other_folds(name):
    for x in (X[:, :5], N[:, :5]):
        for axis in (None, 0, 1):
            found = fetched(getattr(onebuf, name)(placed(x), axis=axis))
            expected = getattr(np, name)(x, axis=axis)
            np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_nan_wins_among_extremes():
    x = X[0].copy()
    x[3, 2] = np.nan
    np.testing.assert_array_equal(fetched(placed(x).max(axis=0)), x.max(axis=0))
    assert np.isnan(fetched(placed(x).min()))


def test_a_softmax_and_a_variance_are_shared_by_groups():
    x = rng.standard_normal((5, 96))
    a = placed(x)
    e = onebuf.exp(a - a.max(axis=1, keepdims=True))
    expected = np.exp(x - x.max(1, keepdims=True))
    expected /= expected.sum(1, keepdims=True)
    found = fetched(e / e.sum(axis=1, keepdims=True))
    np.testing.assert_allclose(found, expected, rtol=1e-14)
    np.testing.assert_allclose(fetched(onebuf.var(a, axis=1)), x.var(axis=1), rtol=1e-13)


@pytest.mark.parametrize(
    "opts",
    [
        (),
        (Opt(GROUP, 1, 8),),
        (Opt(GROUP, 1, 4), Opt(LOCAL, 0, 3), Opt(UPCAST, 0, 2)),
        (Opt(UNROLL, 1, 8), Opt(LOCAL, 0, 6)),
        (Opt(UPCAST, 0, 6), Opt(UNROLL, 1, 40)),
    ],
)
def test_optimisations_change_nothing(opts):
    x = rng.standard_normal((6, 40))
    a = placed(x)
    total = (a * 2 + 1).sum(axis=1)
    driver = onebuf.device("VULKAN").driver
    (found,) = group([total._node], driver.supports)
    launch = VulkanLaunch(driver, found, opts)
    block = driver.allocator.allocate(6 * 8)
    blocks = [block if reach.node is total._node else a._node.base.block for reach in found.reaches]
    launch.run(blocks, found.scalars)
    out = np.empty(6)
    driver.download(block, out).wait()
    np.testing.assert_allclose(out, (x * 2 + 1).sum(axis=1), rtol=1e-13)


def test_nothing_to_fold_is_what_a_fold_starts_with():
    a = placed(np.empty((3, 0), np.float32))
    np.testing.assert_array_equal(fetched(a.sum(axis=1)), [0, 0, 0])
    assert fetched(a + 1).shape == (3, 0)


@pytest.mark.parametrize("name", ["cumulative_sum", "cumulative_prod"])
def test_scans(name):
    x = rng.integers(1, 4, (5, 30))
    of = {"cumulative_sum": np.cumsum, "cumulative_prod": np.cumprod}[name]
    for axis in (0, 1):
        found = fetched(getattr(onebuf, name)(placed(x), axis=axis))
        np.testing.assert_array_equal(found, of(x, axis=axis))


def test_products_of_matrices():
    p, q = rng.standard_normal((17, 33)), rng.standard_normal((33, 9))
    np.testing.assert_allclose(fetched(placed(p) @ placed(q)), p @ q, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize(
    "key",
    [
        (slice(None, None, -1),),
        (slice(1, None, 2), slice(None, None, -3)),
        (slice(None), 4),
        (2, slice(3, 30, 4), slice(None, None, -2)),
        (None, slice(2), ..., None),
    ],
)
@pytest.mark.parametrize("array", [X, N], ids=["float32", "int8"])
def test_memory_is_reached_through_any_strides(array, key):
    one = array.dtype.type(1)
    np.testing.assert_array_equal(fetched(placed(array)[key] + one), array[key] + one)
    np.testing.assert_array_equal(fetched(placed(array)[key]), array[key])


def test_elements_move():
    a = placed(N)
    flipped = onebuf.permute_dims(a, (2, 0, 1)) + np.int8(0)
    np.testing.assert_array_equal(fetched(flipped), N.transpose(2, 0, 1))
    np.testing.assert_array_equal(fetched(onebuf.concat([a, a], axis=1)), np.concatenate([N, N], 1))
    np.testing.assert_array_equal(fetched(onebuf.stack([a, a])), np.stack([N, N]))
    np.testing.assert_array_equal(fetched(onebuf.roll(a, 3, axis=1)), np.roll(N, 3, 1))
    np.testing.assert_array_equal(fetched(onebuf.tril(a[0])), np.tril(N[0]))
    wide = onebuf.broadcast_to(a[:, :1], (6, 40, 7))
    np.testing.assert_array_equal(fetched(a - wide), N - N[:, :1])


def test_elements_are_gathered():
    rows = np.array([5, -1, 0, 3])
    a, i = placed(X), placed(rows)
    np.testing.assert_array_equal(fetched(onebuf.take(a, i, axis=0)), X[rows])
    np.testing.assert_array_equal(fetched(a[i]), X[rows])
    along = rng.integers(0, 40, (6, 3, 7))
    found = onebuf.take_along_axis(a, placed(along), axis=1)
    np.testing.assert_array_equal(fetched(found), np.take_along_axis(X, along, 1))


@pytest.mark.parametrize("wrong", [6, -7, 1 << 40])
def test_an_index_outside_is_an_error_and_the_next_one_is_not(wrong):
    a = placed(X)
    with pytest.raises(IndexRangeError, match=f"-6..5, got {wrong}"):
        fetched(onebuf.take(a, placed(np.array([0, wrong])), axis=0))
    good = fetched(onebuf.take(a, placed(np.array([0, 5])), axis=0))
    np.testing.assert_array_equal(good, X[[0, 5]])


def test_writes_are_seen_by_views():
    a = placed(np.arange(12, dtype=np.int16))
    b = a[3:9]
    a[4:6] = 77
    np.testing.assert_array_equal(fetched(b), [3, 77, 77, 6, 7, 8])


# Sharing out


def test_more_groups_than_a_dimension_has_are_folded():
    x = rng.integers(0, 255, 5_000_011).astype(np.uint8)
    np.testing.assert_array_equal(fetched(placed(x) + np.uint8(1)), x + np.uint8(1))
    y = x[: 70_001 * 70].reshape(70_001, 70)
    wide = onebuf.permute_dims(placed(y)[:, :3], (1, 0)) + np.uint8(2)
    np.testing.assert_array_equal(fetched(wide), y[:, :3].T + np.uint8(2))


def test_loop_iterations_are_counted_and_loops_unrolled():
    driver = onebuf.device("VULKAN").driver
    most = driver.vulkan_device.info.max_workgroup_count
    a = placed(np.ones((3, 100_003), np.float32))
    (long,) = group([a.sum(axis=1)._node], driver.supports)
    free = dispatch_of(long, driver.limits, most, None)
    assert (iterations(free.program), free.copies) == (100_003, 1)
    held = dispatch_of(long, driver.limits, most, MAX_ITERATIONS)
    assert held.copies == 4
    assert iterations(held.program, held.copies) <= MAX_ITERATIONS
    np.testing.assert_array_equal(fetched(a.sum(axis=1)), [100_003] * 3)


def test_more_iterations_than_the_device_runs_are_an_error():
    driver = onebuf.device("VULKAN").driver
    (long,) = group([placed(np.ones(100_003, np.int32)).sum()._node], driver.supports)
    with pytest.raises(DeviceError, match=r"needs more, for axes of \(100003,\)"):
        dispatch_of(long, driver.limits, (9, 9, 9), 100)


def test_folds_with_few_results_are_shared_by_groups():
    driver = onebuf.device("VULKAN").driver
    a = placed(np.ones(10_000, np.int32))
    (total,) = group([a.sum()._node], driver.supports)
    found = dispatch_of(total, Limits(items=64), (9, 9, 9), None)
    assert found.program.items == 50
    assert found.grid == (1, 1, 1)
    assert fetched(a.sum()) == 10_000


def test_groups_lie_along_the_axis_that_is_long_enough():
    assert local_size((7, 100)) == (16, 4, 1)
    assert local_size((1, 100, 3)) == (1, 64, 1)
