"""View algebra: items 9 to 18 and 20 of the spec, on stored and on pending elements."""

from __future__ import annotations

import gc
from math import prod

import numpy as np
import pytest
from buffer.cases import MODES, in_mode, lazily, make, only_views, values
from hypothesis import given, settings
from hypothesis import strategies as st
from layout.moves import draw_move, full_shapes, shapes

import onebuf
from onebuf import Buffer, dtypes
from onebuf.errors import CopyError

both_modes = pytest.mark.parametrize("mode", MODES)


def grid(mode: str, *shape: int) -> Buffer:
    """0, 1, 2, ... in a shape."""
    return make(np.arange(prod(shape), dtype=np.int32).reshape(shape), mode)


def layout(x: Buffer) -> tuple[tuple[int, ...], tuple[int, ...], int]:
    return x.shape, x.stride, x.offset


# Items 9 to 17 as (shape to start from, move, (shape, stride, offset))
VIEWS = {
    "9 permuted": ((4, 4), lambda x: x.permute(1, 0), ((4, 4), (1, 4), 0)),
    "9 permuted twice": ((4, 4), lambda x: x.permute(1, 0).permute(1, 0), ((4, 4), (4, 1), 0)),
    "10 merged": (
        (2, 3, 4),
        lambda x: x.permute(1, 2, 0).reshape(12, 2),
        ((12, 2), (1, 12), 0),
    ),
    "12 expanded": ((1, 10), lambda x: x.expand(10, 10), ((10, 10), (0, 1), 0)),
    "13 rows": ((10, 10), lambda x: x[2:5], ((3, 10), (10, 1), 20)),
    "13 rows, flat": ((10, 10), lambda x: x[2:5].reshape(30), ((30,), (1,), 20)),
    "13 box": ((10, 10), lambda x: x[2:5, 3:6], ((3, 3), (10, 1), 23)),
    "14 flipped": ((10,), lambda x: x.flip(), ((10,), (-1,), 9)),
    "14 flipped twice": ((10,), lambda x: x.flip().flip(), ((10,), (1,), 0)),
    "14 every third": ((10,), lambda x: x[::3], ((4,), (3,), 0)),
    "15 both axes": ((4, 6), lambda x: x.flip((0, 1)).reshape(24), ((24,), (-1,), 23)),
    "17 windows": ((6,), lambda x: x.sliding_window(4), ((3, 4), (1, 1), 0)),
}
each_view = pytest.mark.parametrize("start, move, wanted", VIEWS.values(), ids=VIEWS.keys())


@both_modes
@each_view
def test_shape_stride_and_offset_are_the_specs(mode, start, move, wanted):
    assert layout(move(grid(mode, *start))) == wanted


@both_modes
@each_view
def test_a_view_never_copies(mode, start, move, wanted):
    x = grid(mode, *start)
    gc.collect()
    with in_mode(mode), only_views():
        move(x)


@both_modes
@each_view
def test_reading_a_view_costs_no_more_than_its_base(mode, start, move, wanted):
    x = grid(mode, *start)
    v = move(x)
    with onebuf.counters() as counted:
        v.realize()
    assert (counted.kernels, counted.copies) == ((1, 0) if mode == "lazy" else (0, 0))
    assert x.is_realized


@both_modes
@each_view
def test_a_view_knows_its_base(mode, start, move, wanted):
    x = grid(mode, *start)
    v = move(x)
    assert v.is_view
    assert v.base is x
    assert (x.is_view, x.base is x) == (False, True)


@both_modes
@each_view
def test_a_view_shares_the_storage_of_its_base(mode, start, move, wanted):
    x = grid(mode, *start)
    v = move(x)
    assert len(v.data) == prod(start)
    assert np.shares_memory(np.asarray(x), np.asarray(v))
    x[...] = 77
    assert set(v.ravel().to_python()) == {77}


@both_modes
@each_view
def test_a_view_stays_a_view_after_it_is_realised(mode, start, move, wanted):
    x = grid(mode, *start)
    v = move(x).realize()
    assert layout(v) == wanted
    assert v.base is x


# 9


@both_modes
def test_a_permuted_square_is_not_contiguous(mode):
    assert not grid(mode, 4, 4).T.is_contiguous()
    assert grid(mode, 4, 4).T.T.is_contiguous()


@both_modes
def test_permuted_twice_has_the_original_elements(mode):
    x = grid(mode, 4, 4)
    assert x.T.T.to_python() == x.to_python()


# 10


@both_modes
def test_axes_of_extent_1_do_not_stop_a_reshape(mode):
    x = grid(mode, 4, 4)
    v = x.T.reshape(1, 4, 1, 4, 1)
    assert v.base is x
    assert (v.stride[1], v.stride[3], v.offset) == (1, 4, 0)
    np.testing.assert_array_equal(values(v), values(x).T.reshape(1, 4, 1, 4, 1))


# 11


@both_modes
def test_a_reshape_that_strides_cannot_say_is_a_buffer_of_its_own(mode):
    x = grid(mode, 4, 4)
    flat = x.T.reshape(16)
    assert not flat.is_view
    assert flat.to_python() == values(x).T.ravel().tolist()
    flat[0] = 99
    assert x[0, 0].item() == 0


@both_modes
def test_a_reshape_that_needs_a_copy_is_lazy(mode):
    x = grid(mode, 4, 4)
    gc.collect()
    with lazily(), only_views():
        flat = x.T.reshape(16)
    assert not flat.is_realized


@both_modes
def test_reshape_raises_where_copy_false_cannot_be(mode):
    with pytest.raises(CopyError, match=r"\(4, 4\) to \(16,\).*strides \(1, 4\)"):
        grid(mode, 4, 4).T.reshape(16, copy=False)


@both_modes
def test_reshape_with_copy_false_is_a_view_where_one_exists(mode):
    x = grid(mode, 4, 4)
    assert x.reshape(2, 8, copy=False).base is x


@both_modes
def test_reshape_with_copy_true_is_never_a_view(mode):
    x = grid(mode, 4, 4)
    y = x.reshape(16, copy=True)
    y[0] = 99
    assert x[0, 0].item() == 0


# 12


@both_modes
def test_realising_an_expanded_view_keeps_ten_elements(mode):
    x = grid(mode, 1, 10)
    v = x.expand(10, 10).realize()
    assert len(v.data) == 10
    assert v.numel == 100


@both_modes
def test_contiguous_makes_an_expanded_view_a_hundred_elements(mode):
    v = grid(mode, 1, 10).expand(10, 10)
    whole = v.contiguous()
    assert (len(whole.data), whole.stride, whole.is_view) == (100, (10, 1), False)
    assert whole.to_python() == [list(range(10))] * 10


@both_modes
def test_contiguous_of_what_is_contiguous_is_itself(mode):
    x = grid(mode, 4, 4)
    assert x.contiguous() is x


# 16


def test_pad_then_shrink_back_of_stored_elements_reads_the_original():
    x = grid("eager", 4, 4)
    with lazily():
        v = x.pad([(1, 2), (3, 4)]).shrink([(1, 5), (3, 7)])
        with onebuf.counters() as counted:
            assert v.to_python() == x.to_python()
    assert (counted.kernels, counted.copies) == (0, 0)


def test_pad_then_shrink_back_of_pending_elements_computes_only_these():
    x = grid("lazy", 4, 4)
    with lazily():
        v = x.pad([(1, 2), (3, 4)]).shrink([(1, 5), (3, 7)])
        with onebuf.counters() as counted:
            v.realize()
    assert (counted.kernels, counted.copies) == (1, 0)
    assert v.to_python() == np.arange(16).reshape(4, 4).tolist()


@both_modes
def test_a_pad_is_still_the_old_elements_after_its_operand_is_written(mode):
    x = grid(mode, 2, 2)
    with lazily():
        padded = x.pad([(1, 1), (0, 0)])
        middle = padded[1:3]
    x[...] = 9
    assert middle.to_python() == [[0, 1], [2, 3]]
    assert padded.to_python() == [[0, 0], [0, 1], [2, 3], [0, 0]]


@both_modes
def test_a_pad_has_memory_of_its_own(mode):
    x = grid(mode, 2, 2)
    with in_mode(mode):
        middle = x.pad([(1, 1), (0, 0)])[1:3]
        middle[...] = 9
    assert x.to_python() == [[0, 1], [2, 3]]


# 17


@both_modes
def test_windows_slide_along_the_axis_that_is_named(mode):
    x = grid(mode, 5, 3)
    wanted = np.lib.stride_tricks.sliding_window_view(values(x), 2, 0)[::2]
    got = x.sliding_window(2, axis=0, step=2)
    assert got.to_python() == wanted.tolist()
    assert got.base is x


# 18


@both_modes
@pytest.mark.parametrize("shape", [(1, 3, 1), (1, 1), (3, 1), (1,), (1, 4, 1, 2)])
def test_axes_of_extent_1_never_stop_contiguity(mode, shape):
    x = grid(mode, *shape)
    assert x.is_contiguous()
    assert x.permute(*np.argsort([n == 1 for n in shape], kind="stable").tolist()).is_contiguous()


@both_modes
def test_a_strided_axis_of_extent_1_is_contiguous(mode):
    assert grid(mode, 8, 3)[::8].is_contiguous()


MOVEMENTS = {
    "permute": lambda x: x.permute(*range(x.ndim)),
    "T": lambda x: x.T,
    "reshape": lambda x: x.reshape(x.shape),
    "ravel": lambda x: x.ravel(),
    "flip": lambda x: x.flip(),
    "expand": lambda x: x.expand(2, *x.shape),
    "expand_dims": lambda x: x.expand_dims(0),
    "squeeze": lambda x: x.squeeze(),
    "shrink": lambda x: x.shrink([(0, n) for n in x.shape]),
    "pad": lambda x: x.pad([(1, 0)] * x.ndim),
    "index": lambda x: x[...],
    "copy": lambda x: x.copy(),
    "contiguous": lambda x: x.contiguous(),
    "add": lambda x: x + x,
    "sum": lambda x: x.sum(),
    "astype": lambda x: x.astype("float64"),
}
NUMPYS = MOVEMENTS | {
    "permute": lambda a: a.transpose(range(a.ndim)),
    "flip": np.flip,
    "expand": lambda a: np.broadcast_to(a, (2, *a.shape)),
    "expand_dims": lambda a: a[None],
    "shrink": lambda a: a,
    "pad": lambda a: np.pad(a, [(1, 0)] * a.ndim) if a.ndim else a,
    "contiguous": np.ascontiguousarray,
}


@both_modes
@pytest.mark.parametrize("name", MOVEMENTS)
@pytest.mark.parametrize("shape", [(), (0,), (0, 3), (3, 0, 2), (1, 0)])
def test_zero_size_and_0d_buffers_work(mode, name, shape):
    array = np.arange(prod(shape), dtype=np.int64).reshape(shape)
    with in_mode(mode):
        got = MOVEMENTS[name](make(array, mode))
    wanted = NUMPYS[name](array)
    if name == "contiguous":
        wanted = wanted.reshape(shape)  # NumPy makes a 0-d array 1-d here
    assert (got.shape, got.dtype) == (wanted.shape, wanted.dtype)
    assert got.to_python() == wanted.tolist()


# 20

NAMES = {"windows": "sliding_window"}


def apply(x: Buffer, name: str, args: tuple) -> Buffer:
    if name == "index":
        (key,) = args
        return x[key if ... in key else (*key, ...)]
    if name == "slice":
        axis, bounds = args
        return x[(slice(None),) * (axis % x.ndim) + (bounds,)]
    return getattr(x, NAMES.get(name, name))(*args)


def numpy_copied(before: np.ndarray, after: np.ndarray) -> bool:
    return after.size > 0 and not np.may_share_memory(before, after)


@both_modes
@settings(max_examples=150, deadline=None)
@given(st.data())
def test_any_moves_equal_numpys(mode, data):
    shape = data.draw(shapes)
    base = np.arange(prod(shape), dtype=np.int64).reshape(shape)
    array, x = base, make(base, mode)
    with in_mode(mode):
        for _ in range(data.draw(st.integers(1, 6))):
            move = draw_move(data.draw, array)
            if move is None:
                continue
            before, array = array, move.after
            x = apply(x, move.name, move.args)
            if numpy_copied(before, array):
                base = array
            assert x.shape == array.shape
            assert x.is_contiguous() == array.flags.c_contiguous
            if array.size:
                start = array.__array_interface__["data"][0] - base.__array_interface__["data"][0]
                assert x.offset == start // base.itemsize
                for extent, step, wanted in zip(x.shape, x.stride, array.strides, strict=True):
                    assert extent < 2 or step * base.itemsize == wanted
    np.testing.assert_array_equal(values(x), array)


@both_modes
@settings(max_examples=100, deadline=None)
@given(st.data())
def test_any_moves_share_memory_where_numpys_do(mode, data):
    shape = data.draw(full_shapes)
    base = np.arange(prod(shape), dtype=np.int64).reshape(shape)
    array, x = base, make(base, mode)
    original = x
    with in_mode(mode):
        for _ in range(data.draw(st.integers(1, 5))):
            move = draw_move(data.draw, array)
            if move is not None:
                array, x = move.after, apply(x, move.name, move.args)
    if array.size:
        shares = np.may_share_memory(base, array)
        assert np.may_share_memory(np.asarray(original), np.asarray(x)) == shares
        assert (x.base is original) == shares


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_views_writes_and_deferred_work_chain_as_in_numpy(data):
    """Buffers next to arrays: moved, written and read later, in any order."""
    draw = data.draw
    shape = draw(full_shapes)
    first = np.arange(prod(shape), dtype=np.int64).reshape(shape)
    with onebuf.config(eager_numel=draw(st.sampled_from([0, 4, 4096]))):
        pairs = [(first, make(first, draw(st.sampled_from(MODES))))]
        for _ in range(draw(st.integers(1, 8))):
            array, x = draw(st.sampled_from(pairs))
            action = draw(
                st.sampled_from(["move", "move", "write", "add", "later", "copy", "read"])
            )
            number = draw(st.integers(1, 99))
            if action == "move":
                move = draw_move(draw, array)
                if move is not None:
                    pairs.append((move.after, apply(x, move.name, move.args)))
            elif action == "later":
                pairs.append((np.asarray(array * number), onebuf.asarray(x * number)))
            elif action == "copy":
                pairs.append((array.copy(), x.copy()))
            elif action == "read":
                assert x.to_python() == array.tolist()
            elif array.flags.writeable and len(set(places(array))) == array.size:
                if action == "write":
                    array[...] = number
                    x[...] = number
                else:
                    array += number
                    x += number
        for array, x in pairs:
            np.testing.assert_array_equal(values(x), array)


def places(array: np.ndarray) -> list[int]:
    """Where in memory each element of ``array`` is."""
    start = array.__array_interface__["data"][0]
    return [
        start + sum(i * step for i, step in zip(index, array.strides, strict=True))
        for index in np.ndindex(array.shape)
    ]


@both_modes
@pytest.mark.parametrize("dtype", dtypes.ALL, ids=str)
def test_views_work_for_every_dtype(mode, dtype):
    array = np.arange(6).reshape(2, 3).astype(dtype)
    x = make(array, mode)
    v = x.T[::-1, 1:]
    assert v.base is x
    assert v.stride == (-1, 3)
    np.testing.assert_array_equal(values(v), array.T[::-1, 1:])


def test_axes_and_shapes_may_be_buffers() -> None:
    x = onebuf.zeros((2, 3, 4))
    axes = onebuf.asarray([2, 0, 1])
    assert x.transpose(axes).shape == (4, 2, 3)
    assert x.transpose(None).shape == (4, 3, 2)
    assert x.reshape(onebuf.asarray([4, 6])).shape == (4, 6)
