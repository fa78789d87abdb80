"""``ufunc.at`` of few elements is written straight into their memory, unless something waits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import onebuf as xp
from onebuf import Buffer

UFUNCS = (
    "add",
    "multiply",
    "maximum",
    "subtract",
    "power",
    "bitwise_or",
    "negative",
    "true_divide",
)
DTYPES = ("int8", "uint8", "int64", "float32", "float64", "complex64", "bool")


@settings(max_examples=200, deadline=None)
@given(
    name=st.sampled_from(UFUNCS),
    dtypes=st.tuples(st.sampled_from(DTYPES), st.sampled_from(DTYPES)),
    places=st.lists(st.integers(-6, 5), max_size=9),
    value=st.one_of(st.just("buffer"), st.sampled_from([2, -1, 0.5, 300, True])),
    order=st.sampled_from([slice(None), slice(None, None, -1), slice(None, None, 2)]),
    base=st.sampled_from([True, False]),
)
def test_it_does_what_numpys_does(
    name: str, dtypes: tuple[str, str], places: list[int], value: Any, order: slice, base: bool
) -> None:
    values = np.arange(10).astype(dtypes[0])
    more = (np.arange(len(places)) % 3).astype(dtypes[1]) if value == "buffer" else value

    def done(module: Any, make: Any) -> Any:
        whole = make(values)
        operands = () if name == "negative" else (make(more) if value == "buffer" else more,)
        target = whole[order] if base else make(values[order])
        try:
            getattr(module, name).at(target, make(np.array(places, np.int64)), *operands)
        except Exception as error:
            kind = next(
                k for k in (IndexError, TypeError, ValueError, Exception) if isinstance(error, k)
            )
            return kind, np.array(whole)
        return np.array(whole), np.array(target)

    with np.errstate(all="ignore"):
        theirs = done(np, np.array)
    ours = done(xp, lambda array: Buffer(array, copy=True))
    for found, wanted in zip(ours, theirs, strict=True):
        if isinstance(wanted, np.ndarray):
            np.testing.assert_array_equal(found, wanted)
        elif wanted is not Exception:
            assert issubclass(found, (wanted, ValueError, TypeError))


def test_pending_readers_see_the_elements_before() -> None:
    x = xp.zeros(4)
    with xp.config(eager_numel=0):
        later = x + 1
    xp.add.at(x, xp.asarray([0, 0, 2]), 5.0)
    assert x.tolist() == [10.0, 0.0, 5.0, 0.0]
    assert later.tolist() == [1.0] * 4


def test_operands_that_share_memory_are_read_before() -> None:
    x, y = Buffer(np.arange(6.0), copy=True), np.arange(6.0)
    xp.add.at(x, xp.asarray([1, 2, 3]), x[0:3])
    np.add.at(y, [1, 2, 3], y[0:3].copy())
    assert x.tolist() == y.tolist()


@pytest.mark.parametrize("index", [9, -9])
def test_an_index_outside_is_an_error_that_changes_nothing(index: int) -> None:
    x = xp.zeros(4)
    with pytest.raises(IndexError):
        xp.add.at(x, xp.asarray([0, index]), 1.0)
    assert x.tolist() == [0.0] * 4
