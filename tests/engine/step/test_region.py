"""Regions: the smallest box that a view touches."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from onebuf.engine.step.region import box_of
from onebuf.layout import View


@given(st.data())
def test_a_box_holds_all_that_a_view_sees(data):
    shape = data.draw(st.lists(st.integers(1, 5), min_size=1, max_size=3).map(tuple))
    numbers = np.arange(np.prod(shape)).reshape(shape)
    view = View.contiguous(shape)
    for _ in range(data.draw(st.integers(0, 4))):
        axis = data.draw(st.integers(0, view.ndim - 1)) if view.ndim else 0
        step = data.draw(st.sampled_from(["slice", "flip", "permute", "reshape", "index"]))
        if not view.ndim:
            break
        if step == "slice":
            low = data.draw(st.integers(0, view.shape[axis]))
            high = data.draw(st.integers(low, view.shape[axis]))
            view = view.slice(axis, slice(low, high, data.draw(st.integers(1, 2))))
        elif step == "flip":
            view = view.flip([axis])
        elif step == "permute":
            view = view.permute(data.draw(st.permutations(range(view.ndim))))
        elif step == "reshape":
            view = view.reshape((-1,)) or view if view.numel else view
        elif view.shape[axis]:
            view = view.index((slice(None),) * axis + (view.shape[axis] // 2,))
    bounds, inside = box_of(view, shape)
    box = numbers[tuple([slice(*one) for one in bounds])]
    flat = np.ascontiguousarray(box).reshape(-1)
    low, high = inside.span
    assert 0 <= low <= high <= flat.size
    size = flat.itemsize
    for read, where in ((flat, inside), (numbers.reshape(-1), view)):
        if view.numel:
            strides = [step * size for step in where.stride]
            found = np.lib.stride_tricks.as_strided(read[where.offset :], where.shape, strides)
            if read is flat:
                seen = found
    if view.numel:
        np.testing.assert_array_equal(seen, found)


def test_a_row_of_a_flat_view_is_one_row():
    assert box_of(View((3,), (1,), 8), (4, 6))[0] == ((1, 2), (2, 5))
    assert box_of(View((6,), (1,), 9), (4, 6))[0] == ((1, 3), (0, 6))
    assert box_of(View((4,), (0,), 9), (4, 6))[0] == ((1, 2), (3, 4))
    assert box_of(View((), (), 0), ())[0] == ()
