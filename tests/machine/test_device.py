"""Devices: opened once and late, found in other packages, safe between threads and processes."""

from __future__ import annotations

import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from children import run
from foreign_devices import FOREIGN

import onebuf
from onebuf.errors import DeviceError
from onebuf.machine import CPU, Device, Name, check_place, device, devices, kinds, opened, providers

PROVIDER = """
from onebuf.backends.host_memory import HostMemoryDriver
from onebuf.machine import Facts

class Driver(HostMemoryDriver):
    def facts(self):
        return Facts("two of them")

def count():
    return 2

def open(device):
    return Driver(device)
"""


ALONE = """
    import sys
    sys.modules["torch"] = sys.modules["jax"] = None  # counting their devices takes seconds
"""
"""The begin of programs that ask for all devices and are not about those of libraries."""


def install(folder: Path, entries: dict[str, str], **modules: str) -> str:
    """A package with these modules and entry points, in a folder to be imported from."""
    for name, source in modules.items():
        (folder / f"{name}.py").write_text(source)
    info = folder / "theirs-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n")
    lines = "".join(f"{name} = {module}\n" for name, module in entries.items())
    (info / "entry_points.txt").write_text(f"[onebuf.devices]\n{lines}")
    return str(folder)


# Opening


def test_naming_a_device_imports_nothing() -> None:
    program = """
    import sys
    import onebuf
    before = set(sys.modules)
    named = [onebuf.device(name) for name in
             ("opencl:1@2", "vulkan", "torch", "jax", "disk:/x", "python", "null", "cpu@1")]
    print([device for device in named if device.is_open])
    print(sorted(set(sys.modules) - before))
    """
    assert run(program).splitlines() == ["[]", "[]"]


def test_a_device_is_opened_by_its_first_use() -> None:
    program = """
    import onebuf
    device = onebuf.device("python@1")
    before = device.is_open
    driver = device.driver
    print(before, device.is_open, driver is device.driver, onebuf.device("python").is_open)
    """
    assert run(program) == "False True True False\n"


class Slow:
    """A provider whose devices take a while to open."""

    def __init__(self) -> None:
        self.opened = 0
        self.fails = 0

    def count(self) -> int:
        return 1

    def open(self, device: Device) -> Any:
        number = self.opened = self.opened + 1
        threading.Event().wait(0.05)
        if self.fails:
            self.fails -= 1
            raise DeviceError("not now")
        return SimpleNamespace(number=number, survives_fork=True)


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Slow:
    provider = Slow()
    entry = SimpleNamespace(load=lambda: provider)
    monkeypatch.setattr(providers, "_theirs", lambda: {"SLOW": entry})
    return provider


def test_threads_that_open_a_device_open_it_once(slow: Slow) -> None:
    one = Device(Name("SLOW"))
    together = threading.Barrier(8)
    found: list[Any] = []

    def use() -> None:
        together.wait()
        found.append(one.driver)

    threads = [threading.Thread(target=use) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert len(found) == 8
    assert slow.opened == 1
    assert len({id(driver) for driver in found}) == 1


def test_a_device_that_did_not_open_can_be_tried_again(slow: Slow) -> None:
    slow.fails = 1
    one = Device(Name("SLOW"))
    with pytest.raises(DeviceError, match="not now"):
        one.driver
    assert not one.is_open
    assert one.driver.number == 2


# Which there are


def test_the_host_comes_first_and_files_are_not_listed() -> None:
    found = devices()
    assert found[0] is CPU
    assert device("PYTHON") in found
    assert "DISK" in kinds()
    assert devices("disk") == ()
    assert devices("clang") == (CPU,)


@pytest.mark.parametrize("name", ["CPU:1", "PYTHON:7"])
def test_a_device_that_is_not_there_is_an_error(name: str) -> None:
    with pytest.raises(DeviceError, match=f"{name} needs .* device ., and there is one"):
        device(name).driver


def test_the_place_of_a_device_is_checked() -> None:
    check_place(device("opencl:1@2"), 2, 3)
    check_place(device("opencl:9@9"), None, None)
    with pytest.raises(DeviceError, match="and there is 2, numbered from 0"):
        check_place(device("opencl:2"), 2, 1)
    with pytest.raises(DeviceError, match="and there is none"):
        check_place(device("opencl"), 0, 1)
    with pytest.raises(DeviceError, match=r"OPENCL:1@1 needs queue 1, and OPENCL:1 has one queue"):
        check_place(device("opencl:1@1"), 2, 1)
    with pytest.raises(DeviceError, match="OPENCL has queues 0 to 3"):
        check_place(device("opencl@4"), 1, 4)


@pytest.mark.parametrize("kind", ["CPU", "PYTHON", "NULL"])
def test_queues_that_cost_nothing_are_there_in_any_number(kind: str) -> None:
    drivers = [device(f"{kind}@{queue}").driver for queue in (0, 1, 99)]
    assert len({id(driver) for driver in drivers}) == 3
    assert drivers[0].facts().queues is None


# Memory of all


def test_memory_is_told_of_each_open_device_and_of_the_host_once() -> None:
    queues = [device(f"{name}@31").driver for name in ("CPU", "PYTHON")]
    assert device("PYTHON@31") in opened()
    assert device("PYTHON@32") not in opened()
    block = queues[1].allocator.allocate(1000)
    stats = onebuf.memory_stats()
    assert stats["PYTHON@31"].in_use == 1024
    assert "PYTHON@32" not in stats
    assert [name for name in stats if name.startswith("CPU")] == ["CPU"]
    del block
    assert onebuf.memory_stats()["PYTHON@31"].cached == 1024
    assert onebuf.trim() >= 1024
    assert onebuf.memory_stats()["PYTHON@31"].cached == 0


# Other packages


def test_another_package_adds_a_kind(tmp_path: Path) -> None:
    path = install(tmp_path, {"npu": "their_devices"}, their_devices=PROVIDER)
    program = f"""{ALONE}
    import numpy as np
    import onebuf
    one = onebuf.device("npu:1")
    print(one, "their_devices" in sys.modules, onebuf.devices("NPU"))
    driver = one.driver
    block = driver.allocator.allocate(4)
    driver.upload(np.array([7], "int32"), block)
    out = np.zeros(1, "int32")
    driver.download(block, out).wait()
    print(out, one in onebuf.devices(), driver.facts().description)
    """
    assert run(program, path=path).splitlines() == [
        "NPU:1 False (Device('NPU'), Device('NPU:1'))",
        "[7] True two of them",
    ]


def test_a_package_that_does_not_import_is_told_and_leaves_the_others(tmp_path: Path) -> None:
    path = install(
        tmp_path,
        {"npu": "their_devices", "tpu": "not_there", "cpu": "their_devices"},
        their_devices="raise RuntimeError('no licence')",
    )
    program = f"""{ALONE}
    import onebuf
    for name in ("npu", "tpu"):
        try:
            onebuf.device(name).driver
        except onebuf.errors.DeviceError as error:
            print(error)
    print(onebuf.devices()[0], onebuf.device("cpu").driver.facts().queues)
    """
    assert run(program, path=path).splitlines() == [
        "devices of the kind NPU could not be imported: RuntimeError: no licence",
        "devices of the kind TPU could not be imported: "
        "ModuleNotFoundError: No module named 'not_there'",
        "CPU None",
    ]


def test_devices_that_cannot_be_counted_are_told_by_kind(tmp_path: Path) -> None:
    source = "def count():\n    raise OSError('no driver')\n"
    path = install(tmp_path, {"npu": "their_devices"}, their_devices=source)
    program = f"""{ALONE}
    import onebuf
    try:
        onebuf.devices("npu")
    except onebuf.errors.DeviceError as error:
        print(error)
    print([device for device in onebuf.devices() if device.parts.kind == "NPU"])
    """
    assert run(program, path=path).splitlines() == [
        "devices of the kind NPU could not be counted: OSError: no driver",
        "[]",
    ]


def test_a_missing_package_is_named_with_its_extra() -> None:
    program = f"""{ALONE}
    sys.modules["pyopencl"] = None
    import onebuf
    for ask in (lambda: onebuf.device("opencl").driver, lambda: onebuf.devices("opencl")):
        try:
            ask()
        except onebuf.errors.MissingPackage as error:
            print(error)
    print("OPENCL" in [device.parts.kind for device in onebuf.devices()])
    try:
        onebuf.device("sesame")
    except onebuf.errors.DeviceError as error:
        print("OPENCL" in str(error))
    """
    told = (
        "a device of the kind OPENCL needs the package 'pyopencl', which is not installed; "
        "install it with: pip install 'onebuf[opencl]'"
    )
    assert run(program).splitlines() == [told, told, "False", "False"]


# Processes


def test_a_child_goes_on_with_devices_that_survive_a_fork(tmp_path: Path) -> None:
    program = """
    import os, sys, threading, warnings
    import numpy as np
    import onebuf
    warnings.simplefilter("ignore", DeprecationWarning)  # forking with threads is the point here
    opened = [onebuf.device(name) for name in ("cpu", "python", "disk:" + sys.argv[1])]
    blocks = [one.driver.allocator.allocate(8) for one in opened]
    for one, block in zip(opened, blocks):
        one.driver.upload(np.arange(8, dtype="uint8"), block)
    locked = onebuf.device("python").driver.allocator
    held, end = threading.Event(), threading.Event()

    def hold():  # as if it were allocating while the other thread forks
        with locked._lock:
            held.set()
            end.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    child = os.fork()
    if child == 0:
        fine = True
        for one, block in zip(opened, blocks):
            out = np.zeros(8, "uint8")
            one.driver.download(block, out).wait()
            fine = fine and out.tolist() == list(range(8))
        before = locked.stats().in_use
        more = [locked.allocate(n) for n in (1, 100, 10_000)]
        fine = fine and locked.stats().in_use > before
        del more, blocks
        fine = fine and locked.stats().in_use < before
        os._exit(0 if fine else 1)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    end.set()
    thread.join()
    print([one.driver.allocator.stats().in_use > 0 for one in opened])
    """
    assert run(program, str(tmp_path / "x"), timeout=20) == "0\n[True, True, True]\n"


def test_a_child_is_told_of_devices_that_do_not_survive_a_fork(tmp_path: Path) -> None:
    source = PROVIDER.replace("def count", "    survives_fork = False\n\ndef count").replace(
        "return Driver(device)",
        "driver = Driver(device); driver.allocator = allocator(device); return driver",
    )
    source += """
from onebuf.machine import CachingAllocator

class Memory:
    def __del__(self):
        print("gone in", "the child" if child else "the parent", flush=True)

child = False

def allocator(device):
    return CachingAllocator(device.name, lambda nbytes: Memory(), lambda memory: None)
"""
    path = install(tmp_path, {"npu": "their_devices"}, their_devices=source)
    program = """
    import os
    import onebuf, their_devices
    one = onebuf.device("npu")
    allocator, block = one.driver.allocator, one.driver.allocator.allocate(8)
    child = os.fork()
    if child == 0:
        their_devices.child = True
        for ask in (lambda: one.driver, lambda: allocator.allocate(8)):
            try:
                ask()
            except onebuf.errors.DeviceError as error:
                print(error, flush=True)
        del block
        print(onebuf.device("npu:1").driver.facts().description, flush=True)
        os._exit(0)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
    del block
    print(one.driver.allocator.trim(), flush=True)
    """
    assert run(program, path=path).splitlines() == [
        "NPU was opened before this process was forked, and cannot be used in the child; open it "
        "in the child alone, or start processes with the 'spawn' method of multiprocessing",
        "NPU was opened before this process was forked, and has no memory for it; open it in the "
        "child alone",
        "two of them",
        "0",
        "gone in the parent",
        "256",
    ]


@pytest.mark.parametrize("name", FOREIGN)
def test_a_child_is_told_of_its_parent_s_devices_and_computes_on_the_host(name: str) -> None:
    program = """
    import os, sys, warnings
    import numpy as np
    import onebuf
    warnings.simplefilter("ignore")  # drivers have threads, and forking with them is the point
    x = onebuf.asarray(np.arange(4, dtype="float32")).to_device(sys.argv[1])
    y = (x * 2).realize()
    child = os.fork()
    if child == 0:
        for ask in (lambda: y.to_device("CPU"), lambda: (y + 1).realize()):
            try:
                ask()
            except onebuf.errors.DeviceError as error:
                print("was opened before this process was forked" in str(error))
        del x, y
        print((onebuf.asarray(np.ones(100_000)) + 1).sum().item(), flush=True)
        os._exit(0)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    print((y + 1).to_device("CPU").tolist())
    """
    told = ["True", "True", "200000.0", "0", "[1.0, 3.0, 5.0, 7.0]"]
    assert run(program, name, timeout=60).splitlines() == told


def test_a_fork_while_a_device_opens_leaves_a_child_that_can_open_it() -> None:
    program = """
    import os, sys, threading, warnings
    import onebuf
    warnings.simplefilter("ignore", DeprecationWarning)  # forking with threads is the point here
    opening = sys.modules["onebuf.machine.device"]._opening
    held, end = threading.Event(), threading.Event()

    def hold():
        with opening:
            held.set()
            end.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    child = os.fork()
    if child == 0:
        os._exit(0 if onebuf.device("python").driver.facts() else 1)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    end.set()
    thread.join()
    """
    assert run(program, timeout=20) == "0\n"
