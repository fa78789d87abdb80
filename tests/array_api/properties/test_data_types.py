"""Data type functions: conversions, promotion, kinds and limits are NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from array_api.properties.arrays import (
    COMPLEX,
    EVERY,
    FLOATS,
    INTEGERS,
    STANDARD,
    Operand,
    agree,
    assert_apart,
    covers,
    examples,
    modes,
    operands,
)
from buffer.cases import in_mode
from hypothesis import given
from hypothesis import strategies as st

import onebuf as xp
from onebuf import OnebufError, dtypes

NUMPYS = (*STANDARD, dtypes.float16)
types = st.sampled_from(EVERY)


@covers("astype")
@examples(80)
@given(data=st.data(), dtype=types, copy=st.booleans(), mode=modes)
def test_astype_converts_as_numpy_does(
    data: st.DataObject, dtype: Any, copy: bool, mode: str
) -> None:
    # What becomes of numbers that a type cannot hold is nobody's promise.
    values = "any" if dtypes.kind(dtype) in "bc" else "tame"
    x = data.draw(operands(values=values) | operands((dtype,)))

    def converted() -> Any:
        if x.array.dtype.kind == "c" and dtypes.kind(dtype) not in "bc":
            raise TypeError("the standard wants no conversion that loses imaginary parts")
        return x.array.astype(dtype)

    same = dtype == x.array.dtype and not copy
    got = agree(mode, lambda: xp.astype(x.buffer, dtype, copy=copy), converted, x, fresh=not same)
    if got is None:
        return
    if same:
        assert got is x.buffer
    with in_mode(mode):
        method = x.buffer.astype(dtype)
    assert method.dtype == dtype
    assert_apart(method, x.buffer)


@covers("can_cast")
@examples(80)
@given(one=st.sampled_from(NUMPYS), two=st.sampled_from(NUMPYS), as_buffer=st.booleans())
def test_can_cast_follows_promotion(one: Any, two: Any, as_buffer: bool) -> None:
    source = xp.zeros(2, dtype=one) if as_buffer else one
    assert xp.can_cast(source, two) is np.can_cast(one, two)


@covers("result_type")
@examples(80)
@given(data=st.data())
def test_result_type_is_numpys(data: st.DataObject) -> None:
    ours, theirs = [], []
    for _ in range(data.draw(st.integers(1, 4))):
        kind = data.draw(st.sampled_from(["dtype", "dtype", "buffer", "number"]))
        one = data.draw(st.sampled_from(NUMPYS))
        if kind == "number":
            number = data.draw(st.sampled_from([True, 3, 0.5, 1j]))
            ours.append(number)
            theirs.append(number)
        else:
            ours.append(one if kind == "dtype" else xp.zeros((2, 0), dtype=one))
            theirs.append(one)
    assert xp.result_type(*ours) == np.result_type(*theirs)


KINDS = {
    "bool": "b",
    "signed integer": "i",
    "unsigned integer": "u",
    "integral": "iu",
    "real floating": "f",
    "complex floating": "c",
    "numeric": "iufc",
}


@covers("isdtype")
@examples(80)
@given(
    dtype=st.sampled_from(NUMPYS),
    kinds=st.lists(st.sampled_from([*KINDS, *NUMPYS]), min_size=1, max_size=3),
    single=st.booleans(),
)
def test_isdtype_is_numpys(dtype: Any, kinds: list[Any], single: bool) -> None:
    kind = kinds[0] if single else tuple(kinds)
    assert xp.isdtype(dtype, kind) is np.isdtype(dtype, kind)


@covers("finfo")
@pytest.mark.parametrize("dtype", [*FLOATS, *COMPLEX, dtypes.float16], ids=str)
def test_limits_of_floats_are_numpys(dtype: Any) -> None:
    theirs = np.finfo(dtype)
    for source in (dtype, xp.zeros((), dtype=dtype)):
        ours = xp.finfo(source)
        assert ours.dtype == theirs.dtype
        assert type(ours.bits) is int
        assert ours.bits == theirs.bits
        for name in ("eps", "max", "min", "smallest_normal"):
            assert type(getattr(ours, name)) is float
            assert getattr(ours, name) == float(getattr(theirs, name))


@covers("iinfo")
@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_limits_of_integers_are_numpys(dtype: Any) -> None:
    theirs = np.iinfo(dtype)
    for source in (dtype, xp.zeros((), dtype=dtype)):
        ours = xp.iinfo(source)
        assert (ours.bits, ours.max, ours.min) == (theirs.bits, theirs.max, theirs.min)
        assert {type(ours.bits), type(ours.max), type(ours.min)} == {int}
        assert ours.dtype == dtype


@pytest.mark.parametrize("dtype", STANDARD, ids=str)
def test_a_type_has_limits_of_one_kind(dtype: Any) -> None:
    for function, kinds in ((xp.finfo, "fc"), (xp.iinfo, "iu")):
        if dtype.kind not in kinds:
            with pytest.raises(OnebufError):
                function(dtype)


@examples(60)
@given(x=operands(), mode=modes)
def test_a_buffer_says_what_numpy_says_of_its_twin(x: Operand, mode: str) -> None:
    with in_mode(mode):
        b = x.buffer
        assert (b.shape, b.ndim, b.size, b.dtype) == (
            *(x.array.shape, x.array.ndim, x.array.size, x.array.dtype),
        )
        assert (b.itemsize, b.nbytes) == (x.array.itemsize, x.array.nbytes)
        assert b.is_contiguous() == x.array.flags.c_contiguous
    assert b.device == xp.device("CPU")
    assert b.to_device(b.device) is b
