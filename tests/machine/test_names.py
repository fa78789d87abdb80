"""Names of devices: one spelling for each, and an answer to every misspelling."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

import onebuf
from onebuf.errors import DeviceError
from onebuf.machine import CPU, Name, canonical, device, parse

SPELLINGS = {
    "cpu": "CPU",
    "CPU:0": "CPU",
    "cpu@0": "CPU",
    "Clang": "CPU",
    "host": "CPU",
    "opencl:0": "OPENCL",
    "opencl:1": "OPENCL:1",
    "opencl:01": "OPENCL:1",
    "OpenCL:1@2": "OPENCL:1@2",
    "opencl@2": "OPENCL@2",
    "gpu:1": "OPENCL:1",
    "vk": "VULKAN",
    " cpu ": "CPU",
    "disk:/Tmp/X": "DISK:/Tmp/X",
    "Disk:relative/a@b:c": "DISK:relative/a@b:c",
}


@pytest.mark.parametrize("text, name", SPELLINGS.items())
def test_a_name_has_one_spelling(text: str, name: str) -> None:
    assert canonical(text) == name
    assert canonical(name) == name


@given(st.sampled_from(["CPU", "OPENCL", "VULKAN"]), st.integers(0, 10**9 - 1), st.integers(0, 99))
def test_a_name_and_its_parts_are_the_same(kind: str, index: int, queue: int) -> None:
    name = Name(kind, index, queue)
    assert parse(str(name)) == name


@pytest.mark.parametrize(
    "text, digits",
    [("opencl:one", "one"), ("opencl@x", "x"), ("opencl:-1", "-1"), ("cpu:1:2", "1:2")],
)
def test_a_number_that_is_none_is_quoted(text: str, digits: str) -> None:
    with pytest.raises(DeviceError, match=f"needs an integer as its .*, got '{digits}'"):
        parse(text)


def test_a_number_beyond_all_devices_is_refused() -> None:
    with pytest.raises(DeviceError, match="needs an integer"):
        parse("opencl:" + "9" * 5000)


def test_a_typo_is_answered_with_what_was_meant() -> None:
    with pytest.raises(DeviceError) as caught:
        device("OPNCL")
    message = str(caught.value)
    assert message.startswith("unknown device 'OPNCL'; available: CPU, ")
    assert message.endswith("; did you mean OPENCL?")


@pytest.mark.parametrize("name", ["", ":1", "@1", "sesame", "cuda:0"])
def test_an_unknown_name_is_answered_with_the_known_ones(name: str) -> None:
    with pytest.raises(DeviceError) as caught:
        device(name)
    message = str(caught.value)
    assert f"unknown device {name!r}; available: CPU" in message
    assert "PYTHON" in message
    assert "did you mean" not in message


def test_there_is_one_object_for_each_device() -> None:
    assert device("clang") is device("CPU:0") is device(None) is device(CPU) is CPU
    assert device("python@1") is device("PYTHON:0@1")
    assert device("PYTHON") is not device("PYTHON@1")


def test_a_device_equals_its_names() -> None:
    assert CPU == "cpu"
    assert CPU == "clang:0"
    assert CPU != "opencl"
    assert device("CPU@1") != CPU
    assert CPU != 0
    assert hash(CPU) == hash("CPU")


@pytest.mark.parametrize("text", ["", "opencl:one", "no such thing"])
def test_a_device_is_not_equal_to_what_names_none(text: str) -> None:
    assert text != CPU


def test_a_pickled_device_comes_back_as_itself() -> None:
    one = device("opencl:1@2")
    assert pickle.loads(pickle.dumps(one)) is one


def test_another_queue_of_the_same_device() -> None:
    assert device("opencl:1").on_queue(2) is device("OPENCL:1@2")
    assert device("opencl:1@2").on_queue(0) is device("OPENCL:1")
    with pytest.raises(DeviceError, match="integer as its queue"):
        CPU.on_queue(-1)


def test_a_file_has_one_queue() -> None:
    file = device("disk:/tmp/x")
    assert file.on_queue(0) is file
    with pytest.raises(DeviceError, match=r"DISK:/tmp/x has no queues beyond the first"):
        file.on_queue(1)


def test_a_device_says_its_name() -> None:
    assert str(device("opencl:1")) == "OPENCL:1"
    assert repr(device("opencl:1")) == "Device('OPENCL:1')"
    assert onebuf.device("cpu").is_host
    assert not onebuf.device("cpu@1").is_host
