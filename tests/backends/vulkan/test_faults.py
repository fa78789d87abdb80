"""Faults that vkdispatch answers with a sticky error or with the end of the process, here in child
processes: each is an error of ours, and what is done afterwards works."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

HEAD = """
import os, sys, threading
import numpy as np
import onebuf
from onebuf import Buffer, device
from onebuf.errors import *

def works(name="VULKAN"):
    x = np.arange(5.0)
    found = np.asarray((Buffer(x).to_device(name) * 3).to_device("CPU"))
    assert np.array_equal(found, x * 3), found

def fails(kind, words, attempt):
    try:
        attempt()
    except kind as error:
        assert words in str(error), error
        return
    raise AssertionError("it did not fail")
"""


def run(program: str, **environment: str) -> subprocess.CompletedProcess[str]:
    text = HEAD + textwrap.dedent(program) + "\nprint('to the end')\n"
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", text],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, **environment},
    )


def passes(program: str, **environment: str) -> str:
    found = run(program, **environment)
    assert found.returncode == 0, found.stdout + found.stderr
    assert found.stdout.endswith("to the end\n"), found.stdout + found.stderr
    return found.stderr


def test_a_missing_driver_is_an_error_however_often_it_is_asked_for():
    passes(
        """
        from onebuf.backends import vulkan
        for _ in range(2):
            fails(DeviceError, "mesa-vulkan-drivers", works)
            fails(DeviceError, "VK_DRIVER_FILES", vulkan.count)
        assert np.asarray(Buffer([1, 2]) + 1).tolist() == [2, 3]
        """,
        VK_DRIVER_FILES="/nowhere.json",
        VK_ICD_FILENAMES="/nowhere.json",
    )


@pytest.mark.parametrize("package", ["vkdispatch", "vkdispatch_vulkan_native"])
def test_a_missing_package_is_named_with_its_extra(package):
    passes(
        f"""
        sys.modules[{package!r}] = None
        for _ in range(2):
            fails(MissingPackage, "pip install 'onebuf[vulkan]'", works)
        """
    )


def test_devices_and_queues_that_are_not_there():
    passes(
        """
        fails(DeviceError, "VULKAN:7 is not there; Vulkan offers", lambda: works("VULKAN:7"))
        fails(DeviceError, "VULKAN has queues 0 to 15", lambda: works("VULKAN@4000"))
        works()
        works("VULKAN@15")
        """
    )


def test_a_kernel_that_does_not_compile_costs_nothing_else():
    told = passes(
        """
        a = Buffer(np.arange(4)).to_device("VULKAN")
        works("VULKAN@1")
        queue = device("VULKAN").driver.queue
        for _ in range(2):
            fails(CompileError, "a mistake in onebuf", lambda: queue.program("nonsense", 1, 0))
            works()
            works("VULKAN@1")
        assert np.asarray(a.to_device("CPU")).tolist() == [0, 1, 2, 3]
        assert not queue.lost
        """
    )
    assert "Exception ignored" not in told


def test_a_queue_that_was_lost_is_replaced_and_its_buffers_say_so():
    passes(
        """
        from onebuf.backends.vulkan import memory_limits
        a = Buffer(np.arange(4)).to_device("VULKAN")
        b = Buffer(np.arange(4)).to_device("VULKAN@1")
        driver = device("VULKAN").driver
        memory_limits.available = lambda device: None
        driver.vulkan_device.info.max_storage_buffer_range = 1 << 50
        fails(OutOfMemory, "OUT_OF_DEVICE_MEMORY", lambda: driver.allocator.allocate(1 << 45))
        for _ in range(2):
            works()
            fails(DeviceError, "its queue was lost", lambda: np.asarray(a.to_device("CPU")))
            fails(DeviceError, "its queue was lost", lambda: (a + 1).to_device("CPU"))
        assert np.asarray((b + 1).to_device("CPU")).tolist() == [1, 2, 3, 4]
        """
    )


def test_nothing_has_no_size_and_is_no_fault():
    passes(
        """
        a = Buffer(np.empty((0, 3), np.float32)).to_device("VULKAN")
        assert np.asarray((a + 1).to_device("CPU")).shape == (0, 3)
        assert np.asarray(a.sum(axis=0).to_device("CPU")).tolist() == [0, 0, 0]
        driver = device("VULKAN").driver
        block = driver.allocator.allocate(0)
        driver.upload(np.empty(0), block).wait()
        driver.download(block, np.empty(0)).wait()
        works()
        """
    )


def test_errors_of_others_who_use_the_package_are_not_ours():
    passes(
        """
        works()
        a = Buffer(np.arange(4)).to_device("VULKAN")
        import vkdispatch
        vkdispatch.make_context(use_cpu=True)
        fails(RuntimeError, "zero", lambda: vkdispatch.Buffer((0,), vkdispatch.int32))
        assert np.asarray((a + 1).to_device("CPU")).tolist() == [1, 2, 3, 4]
        works()
        """
    )


def test_ctrl_c_stays_what_it_was_and_any_thread_may_be_the_first():
    passes(
        """
        import signal
        before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM), signal.signal
        found = []
        thread = threading.Thread(target=lambda: found.append(works()))
        thread.start()
        thread.join()
        assert found == [None]
        assert before == (
            signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM), signal.signal
        )
        """
    )


def test_a_child_of_a_fork_is_told_and_ends_in_peace():
    passes(
        """
        a = Buffer(np.arange(4)).to_device("VULKAN")
        works()
        child = os.fork()
        if child == 0:
            fails(DeviceError, "before this process was forked", lambda: (a + 1).to_device("CPU"))
            del a
            sys.exit(7)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        works()
        """
    )


def test_several_devices(tmp_path: Path):
    drivers = sorted(Path("/usr/share/vulkan/icd.d").glob("lvp_icd*.json"))
    assert drivers, "needs the driver for CPUs of mesa-vulkan-drivers"
    again = tmp_path / "again.json"
    again.write_bytes(drivers[0].read_bytes())
    both = f"{drivers[0]}{os.pathsep}{again}"
    passes(
        """
        from onebuf.backends import vulkan
        assert vulkan.count() == 2
        for name in ("VULKAN", "VULKAN:1", "VULKAN:1@1"):
            works(name)
        a = Buffer(np.arange(4)).to_device("VULKAN:1")
        assert np.asarray(a.to_device("VULKAN").to_device("CPU")).tolist() == [0, 1, 2, 3]
        fails(DeviceError, "VULKAN:2 is not there", lambda: works("VULKAN:2"))
        """,
        VK_DRIVER_FILES=both,
        VK_ICD_FILENAMES=both,
    )


def test_import_of_onebuf_imports_none_of_it():
    passes("assert not [name for name in sys.modules if 'vkdispatch' in name]")
