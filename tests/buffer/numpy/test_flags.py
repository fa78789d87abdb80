"""Flags, the flat iterator and views without a dtype: as NumPy has them."""

import numpy as np
import pytest

import onebuf
from onebuf import Buffer

WAYS = {
    "whole": lambda x: x,
    "transposed": lambda x: x.T,
    "part": lambda x: x[:, 1:],
    "row": lambda x: x[1],
    "column": lambda x: x[:, 1],
    "back": lambda x: x[::-1],
    "nothing": lambda x: x[:0],
    "one column": lambda x: x[:, :1].copy(),
}
NAMES = ["C_CONTIGUOUS", "F_CONTIGUOUS", "OWNDATA", "WRITEABLE", "ALIGNED", "FNC", "FORC", "CARRAY"]
NAMES += ["BEHAVED", "C", "F", "W", "O", "A", "X", "WRITEBACKIFCOPY"]


@pytest.mark.parametrize("way", WAYS)
def test_flags_are_those_of_an_array_of_these_strides(way: str) -> None:
    array = WAYS[way](np.zeros((3, 4)) + 1)
    flags = WAYS[way](onebuf.zeros((3, 4)) + 1).flags
    assert {name: flags[name] for name in NAMES} == {name: array.flags[name] for name in NAMES}
    assert flags.num == array.flags.num
    assert repr(flags).split() == repr(array.flags).split()


def test_what_is_pending_can_be_written_and_stays_pending() -> None:
    x = onebuf.ones((300, 300)) * 2
    assert x.flags.writeable
    assert x.flags.c_contiguous
    assert not x.is_realized


def test_memory_that_may_not_be_written_is_not_until_it_may() -> None:
    x = onebuf.asarray(np.arange(6.0).reshape(2, 3).copy())
    x.setflags(write=False)
    assert not x.flags.writeable
    for write in (
        lambda: x.__setitem__((0, 0), 9),
        lambda: x[0].__setitem__(0, 9),
        lambda: x.T.__setitem__(..., 9),
        lambda: x.__iadd__(1),
        lambda: x.fill(3),
        lambda: np.asarray(x).fill(3),
    ):
        with pytest.raises(ValueError, match=r"read.only"):
            write()
    assert x.to_python() == [[0, 1, 2], [3, 4, 5]]
    x.flags["WRITEABLE"] = True
    x[0, 0] = 9
    assert x[0, 0] == 9
    assert x.copy().flags.writeable


def test_memory_of_others_that_may_only_be_read_cannot_be_opened() -> None:
    x = onebuf.asarray(np.frombuffer(b"12345678", dtype="uint8"))
    assert not x.flags.writeable
    with pytest.raises(ValueError, match="WRITEABLE"):
        x.setflags(write=True)


def test_unknown_flags_are_key_errors() -> None:
    with pytest.raises(KeyError, match="Unknown flag"):
        onebuf.zeros(2).flags["SOMETHING"]
    with pytest.raises(ValueError, match="only writeable"):
        onebuf.zeros(2).flags.owndata = False


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("key", [0, -1, slice(1, None, 2), [0, 2, 0], ..., np.int64(1)], ids=repr)
def test_flat_reads_and_writes_in_row_major_order(way: str, key: object) -> None:
    store = np.arange(12.0).reshape(3, 4)
    array, ours = WAYS[way](store), WAYS[way](onebuf.asarray(store.copy()))
    if not array.size and key not in (slice(1, None, 2), ...):
        with pytest.raises(IndexError):
            ours.flat[key]
        return
    np.testing.assert_array_equal(np.asarray(ours.flat[key]), array.flat[key])
    new = [-1.0, -2.0] if isinstance(key, slice | list) or key is ... else -1.0
    array.flat[key] = new
    ours.flat[key] = new
    np.testing.assert_array_equal(np.asarray(ours), array)


def test_flat_iterates_counts_and_is_assigned_to() -> None:
    x = Buffer([[1, 2], [3, 4]]).T
    flat = x.flat
    assert (next(flat), flat.index, flat.coords, len(flat)) == (1, 1, (0, 1), 4)
    assert [int(value) for value in flat] == [3, 2, 4]
    x.flat = [7, 8]
    assert x.to_python() == [[7, 8], [7, 8]]
    assert np.asarray(x.flat).tolist() == [7, 8, 7, 8]


@pytest.mark.parametrize("order", ["C", "F", "A", "K"])
@pytest.mark.parametrize("way", ["whole", "transposed"])
def test_a_copy_lies_in_the_order_asked_for(way: str, order: str) -> None:
    array = WAYS[way](np.ones((3, 4))).copy(order)
    copy = WAYS[way](onebuf.ones((3, 4))).copy(order)
    assert copy.strides == array.strides
    assert copy.to_python() == array.tolist()


def test_a_view_without_a_dtype_or_for_its_own_class_is_of_all_elements() -> None:
    x = onebuf.zeros((2, 2))
    for view in (x.view(), x.view(Buffer), x.view(type(x))):
        assert view is not x
        assert view.base is x
        view[...] = view + 1
    assert x.to_python() == [[3.0, 3.0], [3.0, 3.0]]
    assert type(x.view(np.ndarray)) is np.ndarray
    assert x.view("int64", Buffer).dtype == onebuf.int64
