"""Small element-wise operations, the short way: NumPy's values, types and errors."""

from __future__ import annotations

import numpy as np
import pytest

import onebuf
from onebuf import Buffer
from onebuf.errors import OnebufError
from onebuf.graph import Fresh

OPERATORS = ("add", "subtract", "multiply", "divide", "maximum", "less", "not_equal", "remainder")
DTYPES = ("bool", "uint8", "int32", "int64", "float32", "float64", "complex64")


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("one", DTYPES)
@pytest.mark.parametrize("two", [*DTYPES, 3, 2.5, True])
def test_pairs_are_numpys(name, one, two):
    x = np.arange(12).reshape(3, 4).astype(one)
    y = np.arange(1, 5).astype(two) if isinstance(two, str) else two
    other = Buffer(y, copy=True) if isinstance(two, str) else two
    ours, theirs = getattr(onebuf, name), getattr(np, name)
    try:
        with np.errstate(all="ignore"):
            wanted = theirs(x, y)
    except TypeError:
        with pytest.raises(OnebufError):
            ours(Buffer(x), other)
        return
    found = ours(Buffer(x, copy=True), other)
    assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
    np.testing.assert_array_equal(np.asarray(found), wanted)
    swapped = ours(other, Buffer(x, copy=True))
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(np.asarray(swapped), theirs(y, x))


def test_results_of_turned_operands_are_in_row_major_order():
    x = Buffer(np.arange(6.0).reshape(2, 3), copy=True).T
    assert (x + x).is_contiguous()
    assert (-x).is_contiguous()


def test_numbers_give_numbers():
    x = onebuf.float32(3) + Buffer([1.0, 2.0])[1]
    assert x.shape == ()
    assert {x: 1}[x] == 1
    assert onebuf.sqrt(4.0).item() == 2.0


def test_a_scalar_that_does_not_fit_is_an_error():
    with pytest.raises(OnebufError, match="300"):
        Buffer(np.arange(3, dtype="int8"), copy=True) + 300
    assert (Buffer(np.arange(3, dtype="uint8"), copy=True) < 300).all()


def test_windows_on_loose_memory_keep_it_and_come_back(monkeypatch):
    monkeypatch.setattr("onebuf.memory.cells.MOST_SHELVES", 1 << 20)  # other tests have filled some
    x = Buffer([1.0, 2.0]) + 1
    assert isinstance(x._node, Fresh)
    window = np.asarray(x)
    again = onebuf.asarray(window[1:])
    assert again._node.block is x._node.block
    pending = [again]
    del x, again
    window[1] = 7
    assert pending[0].to_python() == [7.0]


def test_views_of_loose_memory_share_it():
    x = Buffer([1.0, 2.0, 3.0]) * 2
    x[1:] += x[:-1]
    assert x.to_python() == [2.0, 6.0, 10.0]
    x[:2] = x[1:]
    assert x.to_python() == [6.0, 10.0, 10.0]


def test_parts_are_updated_in_place_but_not_places_that_are_shared():
    x = Buffer(np.arange(12.0).reshape(3, 4), copy=True)
    wanted = np.arange(12.0).reshape(3, 4)
    x[:, 1:3] *= 2
    wanted[:, 1:3] *= 2
    x.T[1:, ::2] -= np.float32(1)
    wanted.T[1:, ::2] -= np.float32(1)
    np.testing.assert_array_equal(np.asarray(x), wanted)
    with pytest.raises(OnebufError, match="own place"):
        x[:1].expand(3, 4).__iadd__(1.0)


def test_out_takes_results_where_it_is():
    x, out = Buffer([4.0, 9.0]), onebuf.zeros(2, "float32")
    view = out[:]
    assert onebuf.sqrt(x, out=out) is out
    onebuf.multiply(out, np.float64(2), out=out)
    assert view.to_python() == [4.0, 6.0]
    with pytest.raises(OnebufError, match="shape"):
        onebuf.add(x, 1, out=onebuf.zeros((3, 2), "float32"))
    with pytest.raises(OnebufError, match="cast"):
        onebuf.add(x, 1, out=onebuf.zeros(2, "int32"))


def test_indices_of_the_memory_that_is_written_are_read_first():
    x = onebuf.asarray([2, 0, 1])
    x[x] = onebuf.asarray([5, 6, 7])
    assert x.to_python() == [6, 7, 5]


def test_what_takes_no_longer_than_a_plan_is_done_at_once():
    x, matrix = onebuf.asarray(np.ones(500_000)), onebuf.asarray(np.ones((400, 500)))
    many = onebuf.asarray(np.ones(1_000_000, dtype=bool))
    done = {
        "dot": (x @ x, 500_000),
        "matrix times vector": ((matrix @ x[:500])[7], 500),
        "vector times matrix": ((x[:400] @ matrix)[7], 400),
        "all": (many.all(), True),
        "any": ((many & False).realize().any(), False),
        "take": (onebuf.take(x, onebuf.asarray([3, 400_000])).sum(), 2),
        "along": (onebuf.take_along_axis(matrix, onebuf.zeros((400, 1), dtype=int), 1).sum(), 400),
        "count": (onebuf.count_nonzero(many), 1_000_000),
    }
    for name, (found, wanted) in done.items():
        assert found.is_realized, name
        assert found.item() == wanted, name
    with onebuf.config(eager_numel=0):
        assert not (x @ x).is_realized
        assert not many.all().is_realized
        assert not onebuf.take(x, onebuf.asarray([3])).is_realized
    assert not (matrix @ matrix.T).is_realized
    with pytest.raises(IndexError):
        onebuf.take(x, onebuf.asarray([500_000]))
