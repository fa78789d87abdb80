"""Running sums and products: NumPy's bits in every tier, along any axis, in any chain."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nests import empty, group_of, run, run_checked
from random_nests import legal

import onebuf
from onebuf import config
from onebuf.backends.reference import interpreter
from onebuf.errors import OptimisationError
from onebuf.kernel import SCANS
from onebuf.kernel.linear import GROUP, GROUPTOP, UNROLL, Opt
from onebuf.render.llvm.rendering import Rendering

DTYPES = ("float32", "float64", "int8", "int32", "int64", "uint8", "uint64", "bool")
SHAPES = ((0,), (1,), (17,), (5, 40), (40, 5), (3, 1, 20), (2, 3, 4), (1, 33), (0, 4), (1, 1))
NAMES = ("cumulative_sum", "cumulative_prod")
MODES: tuple[dict[str, Any], ...] = (
    {"eager_numel": 10**9},
    {"eager_numel": 0, "tier": "interpret"},
    {"eager_numel": 0, "tier": "compile", "threads": 1},
    {"eager_numel": 0, "tier": "compile", "threads": 2},
    {"eager_numel": 0, "tier": "compile", "threads": 4},
    {"eager_numel": 0, "tier": "compile", "check_bounds": True},
)


def numbers(dtype: str, shape: Any, seed: int) -> Any:
    rng = np.random.default_rng(seed)
    array = (rng.standard_normal(shape) * 3).astype(dtype)
    if np.dtype(dtype).kind == "f" and array.size and seed % 3 == 0:
        array.reshape(-1)[rng.integers(0, array.size)] = rng.choice([-0.0, np.inf, np.nan])
    return array


def same(got: Any, wanted: Any) -> None:
    """Shape, dtype and bits, where all NaNs count as one."""
    assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape)
    array = np.array(got)
    nan = wanted != wanted
    np.testing.assert_array_equal(array != array, nan)
    array[nan] = 0
    assert array.tobytes() == np.where(nan, wanted.dtype.type(0), wanted).tobytes()


@settings(max_examples=100, deadline=None)
@given(
    st.sampled_from(DTYPES),
    st.sampled_from(SHAPES),
    st.sampled_from(NAMES),
    st.booleans(),
    st.integers(0, 999),
    st.data(),
)
def test_a_scan_has_numpys_bits_in_every_tier(dtype, shape, name, initial, seed, data):
    array = numbers(dtype, shape, seed)
    axis = data.draw(st.integers(0, len(shape) - 1))
    key = tuple([slice(None, None, data.draw(st.sampled_from([1, -1, 2]))) for _ in shape])
    with np.errstate(all="ignore"):
        wanted = getattr(np, name)(array[key], axis=axis, include_initial=initial)
    for options in MODES:
        with config(**options):
            x = onebuf.asarray(array)[key]
            got = getattr(onebuf, name)(x, axis=axis, include_initial=initial)
            same(got, wanted)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
@pytest.mark.parametrize("shape", [(100_003,), (700, 99), (9, 5000), (20, 30, 70)])
def test_threads_share_rows_and_columns(name, dtype, shape):
    array = numbers(dtype, shape, 1)
    if dtype != "int64":
        array = np.exp(array / 50).astype(dtype)
    for axis in range(len(shape)):
        wanted = getattr(np, name)(array, axis=axis)
        for options in MODES[2:]:
            with config(**options):
                got = getattr(onebuf, name)(onebuf.asarray(array), axis=axis)
                assert [item.name for item in onebuf.schedule(got)] == [name]
                same(got, wanted)


CHAINS = {
    "before": lambda xp, x, axis: xp.cumulative_sum(x * 2 + 1, axis=axis),
    "after": lambda xp, x, axis: xp.sqrt(xp.abs(xp.cumulative_sum(x, axis=axis))) * 3,
    "around": lambda xp, x, axis: x - xp.cumulative_prod(x / 8, axis=axis) * x,
    "twice": lambda xp, x, axis: xp.cumulative_sum(xp.cumulative_sum(x, axis=axis), axis=axis),
    "two": lambda xp, x, axis: (
        xp.cumulative_sum(x, axis=axis) / xp.cumulative_prod(xp.abs(x) / 9 + 1, axis=axis)
    ),
    "of a view": lambda xp, x, axis: xp.cumulative_sum(xp.flip(x), axis=axis) + 1,
    "then turned": lambda xp, x, axis: xp.permute_dims(xp.cumulative_sum(x, axis=axis), (1, 0)) + 1,
    "of an expanded row": lambda xp, x, axis: xp.cumulative_sum(x[:1] + 0 * x, axis=axis),
    "of one value": lambda xp, x, axis: xp.cumulative_sum(
        xp.broadcast_to(x[:1, :1], x.shape), axis=axis
    ),
    "across": lambda xp, x, axis: xp.cumulative_sum(xp.cumulative_sum(x, axis=axis), axis=1 - axis),
    "centred": lambda xp, x, axis: xp.cumulative_sum(
        x - xp.max(x, axis=axis, keepdims=True), axis=axis
    ),
    "less its largest": lambda xp, x, axis: (
        x - xp.max(xp.cumulative_sum(x, axis=axis), axis=axis, keepdims=True)
    ),
    "then folded": lambda xp, x, axis: xp.max(xp.cumulative_sum(x, axis=axis), axis=axis),
    "where it is largest": lambda xp, x, axis: xp.argmax(
        xp.cumulative_sum(x, axis=axis), axis=axis
    ),
}


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("shape", [(40, 31), (3, 200), (1, 9), (9, 1)])
@pytest.mark.parametrize("name", CHAINS)
def test_a_chain_around_a_scan_has_numpys_bits(name, shape, axis):
    array = numbers("float64", shape, 4)
    wanted = np.asarray(CHAINS[name](np, array, axis))
    for options in MODES:
        with config(**options):
            same(onebuf.asarray(CHAINS[name](onebuf, onebuf.asarray(array), axis)), wanted)


@pytest.mark.parametrize("lanes", [1, 4, 16])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_every_rendering_and_the_reference_agree(lanes, axis):
    array = numbers("float32", (6, 21, 9), 2)
    with config(tier="compile", eager_numel=0):
        group = group_of(onebuf.cumulative_sum(onebuf.asarray(array) * 2, axis=axis) + 1)
    wanted = np.cumsum(array * np.float32(2), axis=axis) + np.float32(1)
    found = run(group, Rendering(lanes, "scans"), empty(group), (1, 4))
    assert found.tobytes() == wanted.tobytes()


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_the_reference_scans_in_order_however_it_is_shared_out(data):
    shape = data.draw(st.sampled_from([(6,), (4, 6), (6, 4), (2, 4, 3)]))
    axis = data.draw(st.integers(0, len(shape) - 1))
    array = numbers("float32", shape, data.draw(st.integers(0, 99)))
    name = data.draw(st.sampled_from(NAMES))
    with config(tier="compile", eager_numel=0):
        group = group_of(getattr(onebuf, name)(onebuf.asarray(array), axis=axis))
    opts: list[Opt] = []
    for _ in range(data.draw(st.integers(0, 3))):
        possible = legal(group.nest, group.extents, opts)
        opts += [data.draw(st.sampled_from(possible))] if possible else []
    out = np.zeros(shape, np.float32)
    interpreter.run(group, [out], opts)
    with np.errstate(all="ignore"):
        same(onebuf.asarray(out), getattr(np, name)(array, axis=axis))


def test_work_items_cannot_share_a_scan_but_may_unroll_it():
    with config(tier="compile", eager_numel=0):
        group = group_of(onebuf.cumulative_sum(onebuf.asarray(np.ones((3, 8))), axis=1))
    assert any(step.op in SCANS for step in group.nest.steps)
    out = np.zeros((3, 8))
    interpreter.run(group, [out], [Opt(UNROLL, 1, 8)])
    np.testing.assert_array_equal(out, np.cumsum(np.ones((3, 8)), axis=1))
    for how in (GROUP, GROUPTOP):
        with pytest.raises(OptimisationError, match="each of these needs the one before"):
            interpreter.run(group, [out], [Opt(how, 1, 2)])


def test_a_scan_that_would_leave_its_memory_is_stopped():
    array = np.ones((30, 40))
    for axis in (0, 1):
        with config(tier="compile", eager_numel=0):
            x = onebuf.asarray(array)
            group = group_of(onebuf.cumulative_sum(x, axis=axis))
        out = empty(group)
        source = np.asarray(x)
        whole = (source.ctypes.data, source.ctypes.data + source.nbytes)
        mine = (out.ctypes.data, out.ctypes.data + out.nbytes)
        for lanes in (1, 8):
            rendering = Rendering(lanes, "scans")
            assert run_checked(group, rendering, out, [whole, mine]) == -1
            assert run_checked(group, rendering, out, [(whole[0], whole[1] - 8), mine]) == 0
            assert run_checked(group, rendering, out, [whole, (mine[0] + 8, mine[1])]) == 1
