"""Views as steps: NumPy's strided arrays are the oracle."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from random_views import views

from onebuf import OpGraph
from onebuf.layout import View
from onebuf.op_graph.strided_steps import strided_steps


@given(views(most=6))
@settings(max_examples=400)
def test_steps_lead_to_the_view(drawn: Any) -> None:
    shape, view = drawn
    array = np.arange(max(1, int(np.prod(shape))))[: int(np.prod(shape))].reshape(shape)
    graph = OpGraph()
    tensor = graph.tensor("x", value=array)
    for name, arguments in strided_steps(shape, view):
        tensor = graph.operation(name, tensor, **arguments)
    (found,) = graph.run()
    if not view.numel:
        assert found.shape == view.shape
        return
    flat = array.reshape(-1)
    places = [view.at(index) for index in np.ndindex(view.shape)]
    np.testing.assert_array_equal(np.asarray(found).reshape(-1), flat[places])
    assert found.shape == view.shape


PLAIN = [
    ((2, 3), View.contiguous((2, 3)), []),
    ((2, 3), View.contiguous((3, 2)), ["reshape"]),
    ((2, 3), View.contiguous((2, 3)).permute((1, 0)), ["permute"]),
    ((2, 3, 4), View.contiguous((2, 3, 4)).permute((2, 0, 1)), ["permute"]),
    ((5, 6), View.contiguous((5, 6)).index((slice(1, 4), slice(None, None, -2))), ["index"]),
    ((5, 6), View.contiguous((5, 6)).index((2,)), ["index"]),
    ((4,), View.contiguous((4,)).expand((3, 4)), ["expand"]),
    ((4, 1), View.contiguous((4, 1)).expand((4, 5)), ["expand"]),
    ((4, 1, 3), View.contiguous((4, 1, 3)).permute((1, 2, 0)), ["permute"]),
    ((6,), View((3, 2), (1, 3)), ["reshape", "permute"]),
    ((3, 3), View.contiguous((3, 3)).diagonal(), ["strided"]),
    ((6,), View.contiguous((6,)).windows(3, 0), ["strided"]),
]


@pytest.mark.parametrize("shape, view, names", PLAIN)
def test_plain_views_have_plain_steps(shape: Any, view: View, names: list[str]) -> None:
    assert [name for name, _ in strided_steps(shape, view)] == names
