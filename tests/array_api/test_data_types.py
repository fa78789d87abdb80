"""Questions about dtypes, conversions between them, and what the namespace says of itself."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from array_api.standard.promotion import COMPLEX, DTYPES, KINDS, PART, REAL_FLOATING

import onebuf as xp
from onebuf import Buffer, OnebufError

BITS = {dtype: 8 * np.dtype(dtype).itemsize for dtype in DTYPES}
VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12")
DTYPE = pytest.mark.parametrize("dtype", DTYPES)


def of(name: str) -> Any:
    return getattr(xp, name)


# -- isdtype, finfo, iinfo -------------------------------------------------------------------------


@DTYPE
def test_a_dtype_is_of_the_kinds_that_the_standard_lists(dtype: str) -> None:
    for kind, members in KINDS.items():
        assert xp.isdtype(of(dtype), kind) is (dtype in members)
    for other in DTYPES:
        assert xp.isdtype(of(dtype), of(other)) is (dtype == other)
    for one, two in combinations(KINDS, 2):
        assert xp.isdtype(of(dtype), (one, two)) is (dtype in KINDS[one] + KINDS[two])
        assert xp.isdtype(of(dtype), (one, of("bool"))) is (dtype in (*KINDS[one], "bool"))
    assert xp.isdtype(of(dtype), ()) is False
    assert xp.isdtype(dtype=of(dtype), kind="numeric") is (dtype != "bool")


@pytest.mark.parametrize("name", ["float16", "bfloat16", "float8_e4m3fn", "float8_e5m2"])
def test_narrow_floats_are_real_floating(name: str) -> None:
    assert [kind for kind in KINDS if xp.isdtype(of(name), kind)] == ["real floating", "numeric"]
    info = xp.finfo(of(name))
    assert [type(n) for n in (info.eps, info.max, info.min, info.smallest_normal)] == [float] * 4


@pytest.mark.parametrize("dtype", REAL_FLOATING + COMPLEX)
def test_limits_of_floats_are_python_numbers(dtype: str) -> None:
    part = PART.get(dtype, dtype)
    wanted = np.finfo(part)
    for info in (xp.finfo(of(dtype)), xp.finfo(xp.ones(2, dtype=of(dtype)))):
        assert (type(info.bits), info.bits) == (int, BITS[part])
        for field in ("eps", "max", "min", "smallest_normal"):
            value = getattr(info, field)
            assert (type(value), value) == (float, float(getattr(wanted, field)))
        assert info.dtype == of(part)


@pytest.mark.parametrize("dtype", KINDS["integral"])
def test_limits_of_integers_are_python_numbers(dtype: str) -> None:
    low = -(2 ** (BITS[dtype] - 1)) if dtype in KINDS["signed integer"] else 0
    for info in (xp.iinfo(of(dtype)), xp.iinfo(xp.ones(2, dtype=of(dtype)))):
        assert [type(number) for number in (info.bits, info.min, info.max)] == [int] * 3
        assert (info.bits, info.min, info.max) == (BITS[dtype], low, low + 2 ** BITS[dtype] - 1)
        assert info.dtype == of(dtype)


@DTYPE
def test_limits_of_another_kind_are_refused(dtype: str) -> None:
    for name, kinds in (("finfo", REAL_FLOATING + COMPLEX), ("iinfo", KINDS["integral"])):
        if dtype not in kinds:
            with pytest.raises(TypeError, match=f"{name} needs .* got {dtype}"):
                getattr(xp, name)(of(dtype))


# -- astype ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("eager_numel", [4096, 0])
@DTYPE
def test_a_conversion_has_the_values_of_the_standard(dtype: str, eager_numel: int) -> None:
    numbers = np.asarray([0, 1, 1] if dtype == "bool" else [0, 1, 3], dtype)
    with xp.config(eager_numel=eager_numel):
        x = xp.asarray(numbers)
        for other in DTYPES:
            if dtype in COMPLEX and other not in (*COMPLEX, "bool"):
                for convert in (x.astype, lambda wanted: xp.astype(x, wanted)):
                    with pytest.raises(TypeError, match=f"from {dtype} to {other} would lose"):
                        convert(of(other))
                continue
            for result in (xp.astype(x, of(other)), x.astype(of(other))):
                assert (result.dtype.name, result.shape, result.device) == (other, (3,), "CPU")
                assert result.to_python() == numbers.astype(other).tolist()
                assert result is not x


def test_a_copy_is_made_unless_nothing_changes_and_none_was_asked_for() -> None:
    x = xp.asarray([1.0, 2.0])
    assert xp.astype(x, xp.float64, copy=False) is x
    assert x.astype(xp.float64, copy=False) is x
    for keywords in ({}, {"copy": True}, {"copy": True, "device": "CPU"}, {"device": x.device}):
        for copied in (xp.astype(x, xp.float64, **keywords), x.astype(xp.float64, **keywords)):
            copied[0] = 9.0
            assert x.to_python() == [1.0, 2.0]
    converted = xp.astype(x, xp.float32, copy=False)
    converted[0] = 9.0
    assert x.to_python() == [1.0, 2.0]


def test_a_conversion_to_another_device_is_refused() -> None:
    x = xp.asarray([1.0])
    for call in (
        lambda: xp.astype(x, xp.int8, device="TPU"),
        lambda: x.astype(xp.int8, device="TPU"),
        lambda: x.to_device("TPU"),
    ):
        with pytest.raises(ValueError, match=r"unknown device 'TPU'; available: CPU"):
            call()
    assert x.to_device("CPU") is x
    assert x.to_device(x.device, stream=None) is x
    with pytest.raises(TypeError, match="stream"):
        x.to_device("CPU", stream=1)


# -- Python's own types ----------------------------------------------------------------------------


@DTYPE
def test_a_zero_dimensional_buffer_is_a_python_number(dtype: str) -> None:
    x = xp.ones((), dtype=of(dtype))
    assert bool(x) is True
    assert bool(x * 0 if dtype != "bool" else ~x) is False
    assert (type(complex(x)), complex(x)) == (complex, 1 + 0j)
    if dtype in COMPLEX:
        for convert in (int, float):
            with pytest.raises(TypeError, match=dtype):
                convert(x)
    else:
        assert [(type(n), n) for n in (int(x), float(x))] == [(int, 1), (float, 1.0)]
    if dtype in KINDS["integral"]:
        assert [10, 20][x] == 20
    else:
        with pytest.raises(TypeError, match=f"index needs .* got {dtype}"):
            [10, 20][x]


def test_special_values_as_python_numbers() -> None:
    assert [bool(xp.asarray(x)) for x in (xp.nan, xp.inf, -0.0, 1j, 0j)] == [1, 1, 0, 1, 0]
    assert int(xp.asarray(-0.0)) == 0
    assert int(xp.asarray(-2.9)) == -2
    with pytest.raises(OverflowError):
        int(xp.asarray(xp.inf))
    with pytest.raises(ValueError, match="NaN"):
        int(xp.asarray(xp.nan))


# -- inspection ------------------------------------------------------------------------------------


def test_the_namespace_tells_its_capabilities_and_devices() -> None:
    info = xp.__array_namespace_info__()
    capabilities = info.capabilities()
    assert capabilities == {
        "boolean indexing": True,
        "data-dependent shapes": True,
        "max dimensions": 64,
    }
    assert xp.zeros((1,) * 64).ndim == 64
    with pytest.raises(OnebufError):
        xp.zeros((1,) * 65)
    assert info.default_device() in info.devices()
    assert isinstance(info.devices(), tuple)
    for device in info.devices():
        assert xp.zeros(1, device=device).device == device


def test_the_namespace_tells_its_default_types() -> None:
    info = xp.__array_namespace_info__()
    defaults = {
        "real floating": xp.float64,
        "complex floating": xp.complex128,
        "integral": xp.int64,
        "indexing": xp.int64,
    }
    for device in (None, *info.devices()):
        assert info.default_dtypes(device=device) == defaults
    assert xp.asarray(1.0).dtype == defaults["real floating"]
    assert xp.asarray(1j).dtype == defaults["complex floating"]
    assert xp.asarray(1).dtype == defaults["integral"]
    assert xp.argmax(xp.asarray([1])).dtype == defaults["indexing"]
    with xp.config(default_float="float32"):
        assert info.default_dtypes()["real floating"] == xp.asarray(1.0).dtype == xp.float32
        assert info.default_dtypes()["complex floating"] == xp.asarray(1j).dtype == xp.complex64


def test_the_namespace_lists_the_types_of_the_standard_by_kind() -> None:
    info = xp.__array_namespace_info__()
    assert info.dtypes() == {name: of(name) for name in DTYPES}
    for device in (None, *info.devices()):
        for kind, members in KINDS.items():
            assert info.dtypes(kind=kind, device=device) == {name: of(name) for name in members}
    assert list(info.dtypes(kind=("bool", "complex floating"))) == ["bool", *COMPLEX]
    assert info.dtypes(kind=()) == {}


def test_inspection_of_what_is_not_there_is_refused() -> None:
    info = xp.__array_namespace_info__()
    with pytest.raises(ValueError, match=r"dtypes needs .* got 'whole'"):
        info.dtypes(kind="whole")
    for call in (info.dtypes, info.default_dtypes):
        with pytest.raises(ValueError, match="unknown device 'TPU'"):
            call(device="TPU")


@pytest.mark.parametrize("version", [None, *VERSIONS])
def test_every_version_of_the_standard_has_this_namespace(version: str | None) -> None:
    assert xp.asarray(1).__array_namespace__(api_version=version) is xp


@pytest.mark.parametrize("version", ["2020.12", "2026.12", "2025", "latest", "", 2025.12])
def test_another_version_is_refused(version: Any) -> None:
    with pytest.raises(ValueError, match=r"versions 2021.12, .*, 2025.12") as caught:
        Buffer([1]).__array_namespace__(api_version=version)
    assert repr(version) in str(caught.value)
