"""Dtypes: real NumPy dtypes, and the rules for mixing them."""

from __future__ import annotations

import itertools
import pickle

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import onebuf
from onebuf import DType, dtypes
from onebuf.dtypes import ALL, EXTENDED, STANDARD, as_dtype, is_supported, kind, promote
from onebuf.errors import DTypeError

every_dtype = pytest.mark.parametrize("dtype", ALL, ids=str)


@every_dtype
def test_a_dtype_is_numpys_own(dtype):
    assert type(dtype) is type(np.dtype(dtype))
    assert isinstance(dtype, np.dtype)
    assert getattr(dtypes, dtype.name) is dtype
    assert getattr(DType, dtype.name) is dtype


@every_dtype
def test_the_root_has_a_class_that_is_equal_to_the_dtype(dtype):
    kind = getattr(onebuf, dtype.name)
    assert isinstance(kind, type)
    assert kind == dtype
    assert dtype == kind
    assert hash(kind) == hash(dtype)
    assert {kind: "found"}[dtype] == {dtype: "found"}[kind] == "found"
    assert np.dtype(kind) is dtype
    assert as_dtype(kind) is dtype
    assert (kind.name, kind.itemsize, kind.kind) == (dtype.name, dtype.itemsize, dtype.kind)
    assert pickle.loads(pickle.dumps(kind)) is kind
    assert [other.name for other in ALL if kind == other] == [dtype.name]


def test_the_standards_thirteen_and_four_more():
    assert (len(STANDARD), len(EXTENDED), len(set(ALL))) == (13, 4, 17)


@every_dtype
def test_a_dtype_equals_its_name_where_numpy_knows_it(dtype):
    if dtype not in EXTENDED or dtype == np.float16:
        assert dtype == dtype.name


@every_dtype
def test_every_spelling_names_the_same_dtype(dtype):
    for spelling in (dtype, dtype.name, dtype.type, np.dtype(dtype.type)):
        assert as_dtype(spelling) is dtype


@pytest.mark.parametrize(
    "spelling, wanted",
    [
        (int, "int64"),
        (float, "float64"),
        (bool, "bool"),
        (complex, "complex128"),
        ("i4", "int32"),
        ("<f8", "float64"),
        (">f8", "float64"),
        (np.intp, "int64"),
        (ml_dtypes.bfloat16, "bfloat16"),
    ],
)
def test_numpys_spellings_are_understood(spelling, wanted):
    assert as_dtype(spelling).name == wanted
    assert as_dtype(spelling).isnative


@pytest.mark.parametrize(
    "spelling",
    ["float33", object, str, "U4", "M8[s]", "V4", [1], 7, "i4,f4", np.longdouble, "Bfloat16"],
)
def test_what_is_no_dtype_here_is_refused_with_the_names(spelling):
    with pytest.raises(DTypeError) as caught:
        as_dtype(spelling)
    assert "float32" in str(caught.value)
    assert "bfloat16" in str(caught.value)
    assert repr(spelling) in str(caught.value)


@pytest.mark.parametrize(
    "dtype, wanted",
    [("<f4", True), (">f4", False), (object, False), ("U1", False), (ml_dtypes.bfloat16, True)],
)
def test_supported_means_these_types_in_this_byte_order(dtype, wanted):
    assert is_supported(np.dtype(dtype)) is wanted


@pytest.mark.parametrize("dtype", STANDARD, ids=str)
def test_kinds_are_numpys_letters(dtype):
    assert kind(dtype) == dtype.kind


@pytest.mark.parametrize("dtype", EXTENDED, ids=str)
def test_narrow_floats_are_floats(dtype):
    assert kind(dtype) == "f"


# Promotion


def test_promotion_of_standard_types_is_numpys():
    for one, two in itertools.product(STANDARD, STANDARD):
        assert promote(one, two) is as_dtype(np.result_type(one, two))


def test_promotion_does_not_depend_on_order():
    for one, two in itertools.product(ALL, ALL):
        assert promote(one, two) is promote(two, one)


@every_dtype
def test_promotion_with_itself_is_itself(dtype):
    assert promote(dtype, dtype) is dtype
    assert promote(dtype) is dtype


def test_promotion_holds_both_kinds():
    order = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}
    for one, two in itertools.product(ALL, ALL):
        both = promote(one, two)
        assert order[kind(both)] >= max(order[kind(one)], order[kind(two)])


@pytest.mark.parametrize("narrow", EXTENDED, ids=str)
def test_a_narrow_float_counts_as_a_half(narrow):
    for other in STANDARD:
        common = np.result_type(np.float16, other)
        assert promote(narrow, other) == (narrow if common == np.float16 else common)


def test_different_narrow_floats_meet_in_float32():
    for one, two in itertools.combinations(EXTENDED, 2):
        assert promote(one, two) is dtypes.float32


@given(st.lists(st.sampled_from(STANDARD), min_size=1, max_size=5))
def test_promotion_of_several_types_is_numpys(types):
    assert promote(*types) == np.result_type(*types)


@pytest.mark.parametrize("scalar", [True, 1, 1.0, 1j])
def test_python_scalars_meet_standard_types_as_in_numpy(scalar):
    for dtype in STANDARD:
        wanted = (np.ones(1, dtype) + scalar).dtype
        assert promote(dtype, dtypes.meet_scalar(dtype, type(scalar))) == wanted


@pytest.mark.parametrize("narrow", EXTENDED, ids=str)
def test_python_scalars_leave_narrow_floats_as_they_are(narrow):
    for scalar in (bool, int, float):
        assert dtypes.meet_scalar(narrow, scalar) is narrow
    assert dtypes.meet_scalar(narrow, complex) is dtypes.complex64
