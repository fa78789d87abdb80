"""Random views: what a view is may be found in many ways, so they are drawn as operations."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from onebuf.layout import View

SHAPES = [(), (1,), (6,), (3, 4), (2, 3, 4), (4, 1, 3), (2, 1, 1, 5), (0, 3), (12,)]


@st.composite
def views(draw: Any, most: int = 4, repeats: bool = True) -> tuple[tuple[int, ...], View]:
    """The shape of an array, and a view of its row-major numbering without padding."""
    shape = draw(st.sampled_from(SHAPES))
    view = View.contiguous(shape)
    for _ in range(draw(st.integers(0, most))):
        view = _changed(draw, view, repeats)
    return shape, view


def _changed(draw: Any, view: View, repeats: bool) -> View:
    hows = ["permute", "slice", "flip", "flat", "split", "row", "new", "diagonal"]
    how = draw(st.sampled_from([*hows, "expand", "windows"] if repeats else hows))
    ndim = view.ndim
    if how == "permute":
        return view.permute(draw(st.permutations(range(ndim))))
    if how == "flat":
        return view.reshape((view.numel,)) or view
    if how == "new":
        return view.expand_dims(draw(st.integers(0, ndim)))
    if how == "expand":
        return view.expand((draw(st.integers(1, 3)), *view.shape)) if view.numel < 200 else view
    if not ndim:
        return view
    axis = draw(st.integers(0, ndim - 1))
    extent = view.shape[axis]
    if how == "slice":
        low, high = sorted((draw(st.integers(0, extent)), draw(st.integers(0, extent))))
        return view.slice(axis, slice(low, high, draw(st.integers(1, 3))))
    if how == "flip":
        return view.flip(axis)
    if how == "split" and extent % 2 == 0:
        return view.reshape((*view.shape[:axis], 2, extent // 2, *view.shape[axis + 1 :])) or view
    if how == "row" and extent:
        return view.index((slice(None),) * axis + (draw(st.integers(0, extent - 1)),))
    if how == "diagonal" and ndim > 1:
        return view.diagonal(draw(st.integers(-1, 1)), axis, (axis + 1) % ndim)
    if how == "windows" and extent and view.numel < 100:
        return view.windows(draw(st.integers(1, extent)), axis) or view
    return view
