"""Small stored operands take short ways through the namespace; the answers are NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import onebuf as xp
from onebuf import Buffer
from onebuf.errors import ArgumentError, DeviceError, DTypeError, IndexRangeError, ShapeError
from onebuf.events import listening

HOST = xp.asarray(0.0).device


def same(found: Any, wanted: Any) -> None:
    array = np.asarray(found)
    assert (array.dtype, array.shape) == (wanted.dtype, wanted.shape)
    np.testing.assert_array_equal(array, wanted)


# asarray


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("arguments", [{}, {"dtype": np.float64}, {"device": HOST}], ids=str)
def test_arrays_in_either_order_are_shared(order, arguments):
    a = np.array(np.arange(12.0).reshape(3, 4), order=order)
    x = xp.asarray(a, **arguments)
    x[1, 2] = 50.0
    assert a[1, 2] == 50.0
    a[0, 0] = 7.0
    assert float(x[0, 0]) == 7.0
    assert np.asarray(x).strides == a.strides
    assert np.shares_memory(np.asarray(xp.from_dlpack(a)), a)


def test_a_copy_of_an_array_in_columns_shares_nothing():
    a = np.asfortranarray(np.arange(12.0).reshape(3, 4))
    x = xp.asarray(a, dtype=xp.float64, copy=True)
    same(x, a)
    a[0, 0] = 9.0
    assert float(x[0, 0]) == 0.0


def test_other_dtypes_are_converted_and_copy_false_refuses_them():
    a = np.arange(3.0)
    same(xp.asarray(a, dtype=xp.float32), a.astype("float32"))
    with pytest.raises(xp.OnebufError, match="copy=False"):
        xp.asarray(a, dtype=xp.float32, copy=False)
    with pytest.raises(DTypeError):
        xp.asarray(a, dtype="datetime64[s]")
    with pytest.raises(DeviceError):
        xp.asarray(a, device="NOWHERE")


def test_a_broadcast_array_is_read_only():
    a, _ = np.broadcast_arrays(np.arange(3.0), np.zeros((2, 3)))
    assert not xp.asarray(a).flags.writeable
    b = np.arange(3.0)
    b.flags.writeable = False
    assert not xp.asarray(b, dtype=b.dtype).flags.writeable


def test_a_buffer_as_it_is_asked_for_is_itself():
    x = xp.ones((2, 3))
    for arguments in ({}, {"dtype": xp.float64}, {"device": HOST}, {"copy": False}):
        assert xp.asarray(x, **arguments) is x
    assert xp.asarray(x, dtype=xp.float32).dtype == xp.float32
    number = xp.sum(x)
    place = xp.asarray(number)
    place += 1.0
    assert (float(place), float(number)) == (7.0, 6.0)


@pytest.mark.parametrize("lazily", [False, True])
def test_a_copy_of_a_buffer_shares_nothing(lazily):
    with xp.config(eager_numel=0 if lazily else 4096):
        x = xp.asarray(np.arange(6.0).reshape(2, 3), copy=True)
        for source in (x, x.T, x[:, ::-1], x[:0]):
            made = xp.asarray(source, copy=True)
            same(made, np.asarray(source).copy())
            made += 1.0
        same(x, np.arange(6.0).reshape(2, 3))


@pytest.mark.parametrize("number", [True, 0, -1, 2**63 - 1, -(2**63) + 1, 1.5, float("inf"), -0.0])
@pytest.mark.parametrize("dtype", [None, "bool", "int64", "float64", "float32", "complex128"])
def test_numbers_become_places_of_their_type(number, dtype):
    if dtype == "int64" and number == float("inf"):
        with pytest.raises(xp.OnebufError):
            xp.asarray(number, dtype=dtype)
        return
    found = xp.asarray(number, dtype=dtype)
    wanted = np.asarray(number).astype(dtype or np.asarray(number).dtype)
    same(found, wanted)
    assert np.asarray(found).tobytes() == wanted.tobytes()
    found[...] = 0
    assert not found


def test_integers_beyond_int64_are_what_they_were():
    assert xp.asarray(2**63).dtype == xp.uint64
    with pytest.raises(xp.OnebufError):
        xp.asarray(2**63, dtype="int64")
    with xp.config(default_float="float32"):
        assert xp.asarray(1.5).dtype == xp.float32


# where, count_nonzero, take


CHOICES = (0, 2.5, True, np.arange(3.0), np.arange(6.0).reshape(2, 3), np.float64(4.0))


@pytest.mark.parametrize("one", CHOICES, ids=str)
@pytest.mark.parametrize("two", [np.ones((2, 1)), np.arange(3), np.ones(3, "float32")], ids=str)
@pytest.mark.parametrize("condition", [np.array(True), np.array([True, False, True])], ids=str)
def test_where_broadcasts_and_numbers_take_the_others_type(one, two, condition):
    given = one if type(one) in (bool, int, float) else xp.asarray(one)
    kind = np.result_type(two, one)
    wanted = np.where(condition, one, two).astype(kind)
    same(xp.where(xp.asarray(condition), given, xp.asarray(two)), wanted)
    same(xp.where(xp.asarray(~condition), xp.asarray(two), given), wanted)


def test_where_on_a_number_does_not_wait():
    x = xp.asarray([1.0, 2.0])
    assert xp.where(xp.any(x > 1.5), 0.0, x)._node.array is not None


def test_where_of_shapes_that_do_not_meet_is_refused():
    with pytest.raises(ShapeError):
        xp.where(xp.asarray([True, False]), xp.ones(3), xp.zeros(3))


@pytest.mark.parametrize("dtype", ["bool", "int8", "float16", "float64", "complex64", "bfloat16"])
def test_elements_that_are_not_zero_are_counted(dtype):
    a = np.array([0, 1, -0.0, np.nan, 2]) if dtype[:1] in "fc" else np.array([0, 1, 0, 1, 1])
    x = xp.asarray(a).astype(dtype)
    wanted = np.asarray(np.count_nonzero(a))
    same(xp.count_nonzero(x), wanted)
    with listening(lambda event: None):
        same(xp.count_nonzero(x), wanted)


def test_take_leaves_out_alone_if_an_index_is_out_of_range():
    x = xp.arange(4)
    same(xp.take(x, xp.asarray([3, -4])), np.array([3, 0]))
    with pytest.raises(IndexRangeError, match=r"needs indices in -4\.\.3, got 4"):
        xp.take(x, xp.asarray([0, 4]))


# broadcast_to, reshape, astype


@pytest.mark.parametrize(
    "source, shape",
    [((3,), (2, 3)), ((2, 1), (2, 5)), ((), (4,)), ((1,), (1, 1)), ((3, 1), (2, 3, 4))],
)
def test_broadcasting_stores_nothing_twice(source, shape):
    a = np.arange(float(np.prod(source, dtype=int))).reshape(source)
    x = xp.asarray(a)
    view = xp.broadcast_to(x, shape)
    same(view, np.broadcast_to(a, shape))
    if source:
        assert np.shares_memory(np.asarray(view), a)
        assert view.flags.writeable is (view.size == a.size)


def test_broadcasting_a_turned_view_keeps_its_places():
    a = np.arange(12.0).reshape(3, 4)
    for part in (np.s_[:, 1:2], np.s_[::-1, 3:], np.s_[1:1]):
        view = a[part]
        shape = (2, view.shape[0], 5) if view.shape[1] == 1 else (2, *view.shape)
        same(xp.broadcast_to(xp.asarray(a)[part], shape), np.broadcast_to(view, shape))


@pytest.mark.parametrize("shape", [(2, 2), (3,), (-1,), ()])
def test_shapes_that_cannot_be_broadcast_to_are_refused(shape):
    with pytest.raises(ShapeError):
        xp.broadcast_to(xp.ones((2, 3)), shape)


def test_reshape_gives_a_view_and_names_itself_in_errors():
    x = xp.asarray(np.arange(6.0))
    for shape in ((2, 3), (-1, 2), -1, [3, 2], (np.int64(2), 3)):
        same(xp.reshape(x, shape), np.arange(6.0).reshape(shape))
        assert xp.reshape(x, shape).is_view
    with pytest.raises(ShapeError, match="reshape"):
        xp.reshape(x, (4, 2))
    with pytest.raises(xp.OnebufError, match="reshape"):
        xp.reshape(x, (2.0, 3))


def test_conversions_to_the_same_type_are_copies():
    x = xp.ones(3)
    for made in (x.astype(xp.float64), xp.astype(x, xp.float64)):
        made += 1.0
    same(x, np.ones(3))
    assert xp.astype(x, xp.float64, copy=False) is x


# types


def test_the_types_of_a_kind_are_a_dict_of_the_callers_own():
    info = xp.__array_namespace_info__()
    info.dtypes(kind="real floating").clear()
    assert list(info.dtypes(kind="real floating")) == ["float32", "float64"]
    assert list(info.dtypes(kind=("bool", "real floating"))) == ["bool", "float32", "float64"]
    assert len(info.dtypes()) == 13
    with pytest.raises(ArgumentError, match="kind"):
        info.dtypes(kind="nothing")


@pytest.mark.parametrize(
    "operands",
    [("float32", 1.0), ("int8", 300), ("int32", 1.0), ("float32", 1j), ("int8", "uint8", True)],
    ids=str,
)
def test_the_type_of_buffers_and_numbers(operands):
    buffers = [xp.ones(2, dtype=x) if isinstance(x, str) else x for x in operands]
    arrays = [np.ones(2, dtype=x) if isinstance(x, str) else x for x in operands]
    wanted = np.result_type(*arrays) if 300 not in operands else np.dtype("int8")
    assert xp.result_type(*buffers) == wanted


def test_a_buffer_has_few_classes_to_look_through():
    assert len(Buffer.__mro__) <= 5
    for name in ("__add__", "sum", "reshape", "T", "__array__", "to_device", "__dlpack__"):
        assert name in vars(Buffer)
