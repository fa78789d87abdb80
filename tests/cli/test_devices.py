"""``onebuf devices``: what there is, what is missing, and what to do, also if drivers crash."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import onebuf
from onebuf.cli import devices as cli
from onebuf.cli.devices import DeviceKind, Found, describe
from onebuf.cli.stage import WIDTH

COMMAND = "import sys; from onebuf.cli import main; sys.exit(main())"

CRASHING = """
import os

def count():
    os.abort()
"""
HANGING = """
import time

def count():
    time.sleep(600)
"""
BROKEN = """
def count():
    print("noise")
    return 2

def open(device):
    if device.parts.index:
        raise OSError("the second one is on fire")
    from onebuf.backends.reference.device import PythonDriver
    return PythonDriver(device)
"""


def command(*arguments: str, path: Path | None = None) -> str:
    folders = [str(path)] if path else []
    finished = subprocess.run(
        [sys.executable, "-W", "error", "-c", COMMAND, "devices", *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        stdin=subprocess.DEVNULL,
        timeout=120,
        env=os.environ
        | {"PYTHONUTF8": "1", "PYTHONPATH": os.pathsep.join([*folders, *filter(None, sys.path)])},
    )
    assert (finished.returncode, finished.stderr) == (0, "")
    return finished.stdout


@pytest.fixture(scope="module")
def text() -> str:
    return command()


@pytest.fixture(scope="module")
def kinds() -> list[DeviceKind]:
    found = json.loads(command("--json"))
    return [
        cli._from_json({name: value for name, value in kind.items() if name != "usable"})
        for kind in found
    ]


def test_every_device_is_listed_by_name(text: str) -> None:
    names = [line.split()[0] for line in text.splitlines() if not line.startswith(" ")]
    assert [name for name in names if name == "CPU"] == ["CPU"]
    assert {device.name for device in onebuf.devices()} <= set(names)
    assert {name.partition(":")[0] for name in names} == set(onebuf.machine.kinds())


def test_the_list_fits_80_columns_and_has_no_colour_outside_a_terminal(text: str) -> None:
    assert "\033" not in text
    assert [line for line in text.splitlines() if len(line) > WIDTH] == []


def test_programs_get_the_same(kinds: list[DeviceKind], text: str) -> None:
    assert [kind.kind for kind in kinds] == onebuf.machine.kinds()
    usable = {kind.kind for kind in kinds if kind.is_usable}
    assert {"CPU", "DISK", "PYTHON", "NULL"} <= usable
    told = [name for kind in kinds for name, _ in describe(kind)]
    assert told == [line.split()[0] for line in text.splitlines() if not line.startswith(" ")]


def test_the_host_has_memory(kinds: list[DeviceKind]) -> None:
    (host,) = kinds[0].devices
    assert host.name == "CPU"
    assert host.memory is None or host.memory > 2**20
    assert "processor" in host.description


def test_a_file_is_told_by_an_example(text: str) -> None:
    assert "\nDISK        any file, as in DISK:/path/to/file: " in text


# What is missing


def test_a_missing_package_is_told_with_what_installs_it() -> None:
    program = "import sys; sys.modules['vkdispatch'] = None\n"
    program += "from onebuf.cli.devices import look_at, describe\n"
    program += "(one,) = describe(look_at('VULKAN'))\n"
    program += "print(one[0], ' '.join(one[1]))"
    finished = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60
    )
    assert finished.stdout == (
        "VULKAN cannot be used: a device of the kind VULKAN needs the package 'vkdispatch', which "
        "is not installed; install it with: pip install 'onebuf[vulkan]' drivers: on Debian and "
        "Ubuntu: apt install mesa-vulkan-drivers, which has one for processors too\n"
    )


def test_drivers_that_crash_hang_or_fail_are_told_and_leave_the_others(tmp_path: Path) -> None:
    for name, source in (("crashing", CRASHING), ("hanging", HANGING), ("broken", BROKEN)):
        (tmp_path / f"{name}.py").write_text(source)
    info = tmp_path / "theirs-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[onebuf.devices]\naaa = crashing\nbbb = hanging\nccc = broken\n"
    )
    program = """
from onebuf.cli import devices, main
every = devices.kinds()
devices.kinds = lambda: [kind for kind in every if kind in ("CPU", "AAA", "BBB", "CCC")]
devices.SECONDS = 4.0
main(["devices"])
"""
    finished = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=100,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), *filter(None, sys.path)])},
    )
    assert (finished.returncode, finished.stderr) == (0, "")
    lines = finished.stdout.splitlines()
    assert lines[0].startswith("CPU ")
    start = next(number for number, line in enumerate(lines) if line.startswith("AAA"))
    assert lines[start:] == [
        "AAA         cannot be used: looking for devices ended the process (-6)",
        "BBB         cannot be used: looking for devices took more than 4 seconds",
        "CCC         kernels interpreted in Python, every access checked: for tests",
        "            any number of queues",
        "CCC:1       does not open: the second one is on fire",
    ]


def test_a_kind_without_devices_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli, "devices", lambda kind: ())
    found = cli.look_at("OPENCL")
    assert found.error == "no device was found"
    assert "apt install" in found.drivers
    assert not found.is_usable


# Text


def test_a_device_is_described_in_full() -> None:
    limits = {"work-items in a group": 1024, "shared memory": 49152, "bytes at once": 2**32}
    found = Found("NPU:1", "a chip", 3 * 2**29, 4, limits, ("float64", "complex128"))
    assert list(describe(DeviceKind("NPU", [found]))) == [
        (
            "NPU:1",
            [
                "a chip",
                "memory 1.5 GiB, 4 queues",
                "work-items in a group 1024, shared memory 48 KiB,",
                "bytes at once 4 GiB",
                "lacks float64, complex128",
            ],
        )
    ]


@pytest.mark.parametrize("queues, told", [(None, "any number of queues"), (1, "one queue")])
def test_queues_are_told_in_words(queues: int | None, told: str) -> None:
    assert list(describe(DeviceKind("NPU", [Found("NPU", "x", None, queues)]))) == [
        ("NPU", ["x", told])
    ]


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="this system has no pseudo-terminals")
@pytest.mark.parametrize("declined", ["", "1"])
def test_names_are_bold_on_a_terminal_unless_declined(declined: str) -> None:
    reading, writing = os.openpty()
    program = "from onebuf.cli import devices; devices.look = lambda: [devices.look_at('CPU')]\n"
    program += "devices.show_devices()"
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=writing,
        stdin=subprocess.DEVNULL,
        env=os.environ | {"NO_COLOR": declined},
    )
    os.close(writing)
    text = b""
    try:
        while part := os.read(reading, 4096):
            text += part
    except OSError:  # how Linux says that the other end is closed
        pass
    os.close(reading)
    assert process.wait(timeout=60) == 0
    assert text.startswith(b"CPU " if declined else b"\033[1mCPU\033[0m ")
