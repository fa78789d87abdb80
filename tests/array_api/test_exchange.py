"""Memory in and out by the standard's rules: ``asarray``, ``__dlpack__`` and ``from_dlpack``."""

from __future__ import annotations

import array
from typing import Any

import numpy as np
import pytest
from array_api.standard.promotion import DTYPES

import onebuf as xp
from onebuf import Buffer, OnebufError

CPU = (1, 0)


class Exporter:
    """An array of another library: DLPack and nothing else, as it was called with."""

    def __init__(self, elements: np.ndarray[Any, Any], device: tuple[int, int] = CPU) -> None:
        self.elements = elements
        self.device = device
        self.asked: dict[str, Any] = {}

    def __dlpack__(self, **keywords: Any) -> Any:
        self.asked = keywords
        return self.elements.__dlpack__(**keywords)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device


class OldExporter(Exporter):
    """From before DLPack 1.0: takes a stream alone."""

    def __dlpack__(self, *, stream: Any = None) -> Any:
        return self.elements.__dlpack__()


# -- asarray ---------------------------------------------------------------------------------------

MEMORY = {
    "a buffer": lambda: xp.asarray([1, 2, 3], copy=True),
    "a NumPy array": lambda: np.asarray([1, 2, 3]),
    "bytes that can change": lambda: bytearray(b"\1\2\3"),
    "a memoryview": lambda: memoryview(bytearray(b"\1\2\3")),
    "a typed array": lambda: array.array("q", [1, 2, 3]),
    "a DLPack exporter": lambda: Exporter(np.asarray([1, 2, 3])),
}
VALUES = {
    "a number": 3,
    "a list": [1, 2, 3],
    "a nested tuple": ((1, 2), (3, 4)),
    "a NumPy number": np.int64(3),
    "a range": range(3),
    "an empty list": [],
    "a list of buffers": [Buffer([1, 2]), Buffer([3, 4])],
}


def first_element(owner: Any) -> Any:
    return owner.elements[0] if isinstance(owner, Exporter) else owner[0]


@pytest.mark.parametrize("name", MEMORY)
def test_memory_is_shared_unless_a_copy_is_asked_for(name: str) -> None:
    for copy, shared in ((None, True), (False, True), (True, False)):
        owner = MEMORY[name]()
        x = xp.asarray(owner, copy=copy)
        assert x.to_python() == [1, 2, 3]
        x[0] = 9
        assert bool(first_element(owner) == 9) is shared


@pytest.mark.parametrize("name", MEMORY)
def test_a_conversion_copies_and_is_refused_where_no_copy_may_be(name: str) -> None:
    owner = MEMORY[name]()
    with pytest.raises(ValueError, match=r"copy=False cannot turn .* into float64"):
        xp.asarray(owner, dtype=xp.float64, copy=False)
    owner = MEMORY[name]()
    for copy in (None, True):
        x = xp.asarray(owner, dtype=xp.float64, copy=copy)
        assert (x.dtype, x.to_python()) == (xp.float64, [1.0, 2.0, 3.0])
        x[0] = 9
        assert first_element(owner) == 1


@pytest.mark.parametrize("name", VALUES)
def test_values_without_memory_are_copied_and_nothing_else(name: str) -> None:
    value = VALUES[name]
    for copy in (None, True):
        x = xp.asarray(value, copy=copy)
        np.testing.assert_array_equal(np.asarray(x), np.asarray(value))
    with pytest.raises(ValueError, match="copy=False") as caught:
        xp.asarray(value, copy=False)
    assert isinstance(caught.value, OnebufError)


def test_memory_that_cannot_be_described_is_copied_or_refused() -> None:
    swapped = np.asarray([1, 2, 3], ">i4")
    assert xp.asarray(swapped).to_python() == [1, 2, 3]
    with pytest.raises(ValueError, match=r"copy=False .* byte|order"):
        xp.asarray(swapped, copy=False)


def test_read_only_memory_stays_read_only() -> None:
    x = xp.asarray(b"\1\2\3")
    with pytest.raises(ValueError, match="read only"):
        x[0] = 9
    assert x.to_python() == [1, 2, 3]
    xp.asarray(b"\1\2\3", copy=True)[0] = 9


def test_a_buffer_comes_back_as_itself() -> None:
    x = xp.asarray([1, 2, 3])
    assert xp.asarray(x) is x
    assert xp.asarray(x, copy=False) is x
    assert xp.asarray(x, dtype=xp.int64, device="CPU") is x


WRONG = {
    "a string": "abc",
    "None": None,
    "a dict": {"a": 1},
    "a set": {1, 2},
    "ragged rows": [[1, 2], [3]],
    "a string in a list": [1, "a"],
    "None in a list": [[1], [None]],
    "dates": np.asarray(["2020-01-01"], "M8[D]"),
    "objects": np.asarray([object()]),
}


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("copy", [None, True])
def test_what_holds_no_numbers_is_refused(name: str, copy: bool | None) -> None:
    with pytest.raises(OnebufError) as caught:
        xp.asarray(WRONG[name], copy=copy)
    assert isinstance(caught.value, ValueError | TypeError)
    assert "need" in str(caught.value)
    assert "got" in str(caught.value)


# -- DLPack out ------------------------------------------------------------------------------------


@pytest.mark.parametrize("max_version", [None, (0, 8), (1, 0), (1, 1), (2, 0)])
def test_a_capsule_has_a_version_that_the_consumer_knows(max_version: Any) -> None:
    x = xp.asarray([1.0, 2.0])
    capsule = repr(x.__dlpack__(max_version=max_version))
    assert ("dltensor_versioned" in capsule) is (max_version is not None and max_version >= (1, 0))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("copy", [None, False, True])
def test_elements_of_every_type_go_out_and_come_back(dtype: str, copy: bool | None) -> None:
    x = xp.ones((2, 3), dtype=getattr(xp, dtype))
    for take in (np.from_dlpack, xp.from_dlpack):
        y = take(x, copy=copy)
        assert (y.shape, y.dtype.name) == ((2, 3), dtype)
        y[0, 0] = 0
        assert bool(x[0, 0]) is bool(copy)
        x[0, 0] = 1


@pytest.mark.parametrize("stream", [0, 1, -1, "stream"])
def test_the_host_has_no_streams(stream: Any) -> None:
    with pytest.raises(BufferError, match="stream needs to be None"):
        xp.asarray([1]).__dlpack__(stream=stream)


def test_memory_is_on_the_host() -> None:
    x = xp.asarray([1])
    assert x.__dlpack_device__() == CPU
    assert "dltensor" in repr(x.__dlpack__(dl_device=None))
    assert "dltensor" in repr(x.__dlpack__(dl_device=CPU))
    for device in ((2, 0), (1, 1), (99, 0)):
        with pytest.raises(BufferError, match="dl_device"):
            x.__dlpack__(dl_device=device)
    for device in (1, "CPU", (1,), (1, 0, 0)):
        with pytest.raises((TypeError, BufferError), match="dl_device"):
            x.__dlpack__(dl_device=device)


@pytest.mark.parametrize("version", [1, "1.0", (1,), (1, 0, 0)])
def test_a_version_is_a_pair(version: Any) -> None:
    with pytest.raises(TypeError, match=r"max_version needs \(major, minor\)"):
        xp.asarray([1]).__dlpack__(max_version=version)


def test_memory_that_needs_a_copy_is_copied_or_refused() -> None:
    backwards = xp.asarray([1, 2, 3])[::-1]
    assert np.from_dlpack(backwards).tolist() == [3, 2, 1]
    with pytest.raises(BufferError, match="copy=False"):
        backwards.__dlpack__(copy=False)


# -- DLPack in -------------------------------------------------------------------------------------


@pytest.mark.parametrize("device", [None, "CPU", xp.device("CPU")])
@pytest.mark.parametrize("copy", [None, False, True])
def test_foreign_elements_come_in(copy: bool | None, device: Any) -> None:
    owner = Exporter(np.asarray([1.0, 2.0]))
    x = xp.from_dlpack(owner, copy=copy, device=device)
    x[0] = 9.0
    assert owner.elements[0] == (1.0 if copy else 9.0)


def test_an_old_capsule_cannot_say_that_it_may_be_written() -> None:
    owner = OldExporter(np.asarray([1.0, 2.0]))
    for copy in (None, False):
        x = xp.from_dlpack(owner, copy=copy)
        with pytest.raises(ValueError, match="read only"):
            x[0] = 9.0
        owner.elements[0] += 1.0
        assert x[0].item() == owner.elements[0]
    xp.from_dlpack(owner, copy=True)[0] = 9.0


def test_a_producer_is_asked_for_a_versioned_capsule() -> None:
    owner = Exporter(np.asarray([1.0, 2.0]))
    xp.from_dlpack(owner)
    assert owner.asked["max_version"] >= (1, 0)
    assert owner.asked.get("stream") is None


def test_elements_elsewhere_cannot_come_in() -> None:
    owner = Exporter(np.asarray([1.0]), device=(2, 0))
    with pytest.raises(BufferError, match=r"\(2, 0\)"):
        xp.from_dlpack(owner)
    with pytest.raises(ValueError, match="unknown device 'TPU'"):
        xp.from_dlpack(np.asarray([1.0]), device="TPU")


def test_what_a_producer_raises_is_heard() -> None:
    class Refusing(Exporter):
        def __dlpack__(self, **keywords: Any) -> Any:
            raise BufferError("not today")

    with pytest.raises(BufferError, match="not today"):
        xp.from_dlpack(Refusing(np.asarray([1.0])))


@pytest.mark.parametrize("x", [[1, 2], 3, "abc", None, b"abc", object()])
def test_what_does_not_speak_dlpack_is_an_attribute_error(x: Any) -> None:
    with pytest.raises(AttributeError, match=r"from_dlpack needs .* __dlpack__, got") as caught:
        xp.from_dlpack(x)
    assert isinstance(caught.value, OnebufError)


def test_no_copy_where_one_is_needed_is_a_value_and_a_buffer_error() -> None:
    swapped = Exporter(np.asarray([[1, 2], [3, 4]])[:, ::-1])
    with pytest.raises(OnebufError) as caught:
        xp.asarray(np.asarray([1], ">i4"), copy=False)
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, BufferError)
    assert xp.from_dlpack(swapped, copy=False).to_python() == [[2, 1], [4, 3]]
