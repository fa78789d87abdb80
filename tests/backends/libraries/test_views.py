"""Views of a library's arrays, for reading and for writing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from array_devices import driver, opened
from hypothesis import given, settings
from hypothesis import strategies as st
from random_views import views

from onebuf import dtypes
from onebuf.backends.libraries.views import positions
from onebuf.errors import ReadOnlyError
from onebuf.layout import View

pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("jax", reason="jax is not installed")
pytestmark = pytest.mark.interop
__all__ = ["driver"]

Array = np.ndarray[Any, Any]


def held(shape: tuple[int, ...], dtype: Any = np.int64) -> Array:
    return np.arange(View.contiguous(shape).numel).reshape(shape).astype(dtype)


def check_read(driver: Any, array: Array, block: Any, view: View) -> None:
    got = driver.get(driver.native(block, array.dtype, view))
    np.testing.assert_array_equal(got, array.reshape(-1)[positions(view)])


def check_write(driver: Any, array: Array, block: Any, view: View) -> None:
    value = (np.arange(view.numel) + 100).reshape(view.shape).astype(array.dtype)
    wanted = array.copy().reshape(-1)
    wanted[positions(view)] = value
    driver.write(block, array.dtype, view, driver.native(driver.put(value), value.dtype))
    got = driver.get(driver.native(block, array.dtype))
    np.testing.assert_array_equal(got, wanted.reshape(array.shape))


@given(views())
def test_torch_sees_what_the_view_sees(drawn):
    shape, view = drawn
    driver, array = opened("TORCH"), held(shape)
    check_read(driver, array, driver.put(array), view)


@settings(max_examples=15)
@given(views())
def test_jax_sees_what_the_view_sees(drawn):
    shape, view = drawn
    driver, array = opened("JAX"), held(shape)
    check_read(driver, array, driver.put(array), view)


@given(views(repeats=False))
def test_a_write_through_a_view_of_a_tensor_goes_to_its_places(drawn):
    shape, view = drawn
    driver, array = opened("TORCH"), held(shape)
    if not view.overlaps_itself:
        check_write(driver, array, driver.put(array), view)


@settings(max_examples=12)
@given(views(repeats=False))
def test_a_write_through_a_view_of_a_jax_array_makes_the_right_one(drawn):
    shape, view = drawn
    driver, array = opened("JAX"), held(shape)
    if not view.overlaps_itself:
        check_write(driver, array, driver.put(array), view)


@given(views(most=2, repeats=False), views(most=3, repeats=False), st.booleans())
def test_tensors_with_strides_of_their_own_count_row_major_too(inner, outer, write):
    shape, layout = inner
    _, view = outer
    driver = opened("TORCH")
    own = driver.native(driver.put(held(shape, np.float32)), np.dtype("float32"), layout)
    block = driver.wrap(own)
    array = driver.get(own)
    low, high = view.span
    if low < 0 or high > array.size:
        return
    check_read(driver, array, block, view)
    if write and not view.overlaps_itself:
        check_write(driver, array, block, view)


@pytest.mark.parametrize("dtype", dtypes.ALL, ids=str)
def test_every_dtype_is_seen_and_written_backwards_and_by_steps(driver, dtype):
    if driver.library == "jax" and dtype.name not in ("float32", "bool"):
        return
    array = held((3, 4), dtype)
    back = View.contiguous((3, 4)).flip()
    diagonal = View.contiguous((3, 4)).diagonal(1)
    for view in (back, back.slice(1, slice(None, None, 2)), diagonal):
        check_read(driver, array, driver.put(array), view)
        check_write(driver, array, driver.put(array), view)
    turned = driver.native(driver.put(array), dtype, back.permute((1, 0)))
    flat = View((5,), (2,), 1)
    check_read(driver, driver.get(turned), driver.wrap(turned), flat)
    check_write(driver, driver.get(turned), driver.wrap(turned), flat)


def test_a_whole_view_is_the_array_itself(driver):
    block = driver.put(held((2, 3)))
    assert driver.native(block, np.dtype("int64"), View.contiguous((2, 3))) is block.memory
    assert driver.native(block, np.dtype("int64"), None) is block.memory


def test_views_of_tensors_share_memory_where_strides_can_say_it():
    driver = opened("TORCH")
    block = driver.put(held((4, 6)))
    view = View.contiguous((4, 6)).permute((1, 0)).index((slice(1, 4), slice(None, None, 2)))
    part = driver.native(block, np.dtype("int64"), view)
    part[0, 0] = 77
    assert block.memory[0, 1] == 77


def test_a_write_is_broadcast_and_converted(driver):
    block = driver.put(held((2, 3), np.float32))
    value = driver.native(driver.put(np.array([1, 2, 3])), np.dtype("int64"))
    driver.write(block, np.dtype("float32"), None, value)
    assert driver.get(block.memory).tolist() == [[1, 2, 3], [1, 2, 3]]


def test_a_place_that_several_elements_share_is_not_written(driver):
    array = held((3,))
    block = driver.put(array)
    with pytest.raises(ReadOnlyError, match="a place for each element"):
        driver.write(block, array.dtype, View((2, 3), (0, 1)), block.memory)
    assert driver.get(block.memory).tolist() == array.tolist()


def test_a_tensor_that_repeats_its_elements_is_not_written():
    torch, driver = pytest.importorskip("torch"), opened("TORCH")
    block = driver.wrap(torch.ones(1).expand(3))
    with pytest.raises(ReadOnlyError, match="clone"):
        driver.write(block, np.dtype("float32"), None, torch.zeros(3))
    assert block.memory.tolist() == [1, 1, 1]
