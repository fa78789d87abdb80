"""Kernels touch no memory but that of their slots."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]


def child(program: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", program]
    return subprocess.run(command, cwd=TESTS, capture_output=True, text=True, check=False)


def test_kernels_stay_within_memory() -> None:
    done = child("from guarded import main; main()")
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.split()[0]) > 1000


@pytest.mark.parametrize("index", ["-1", "24"])
def test_what_is_beyond_is_guarded(index: str) -> None:
    at_end = index != "-1"
    done = child(
        "import ctypes; from guarded import guarded; "
        f"array = guarded((24,), 'int8', {at_end}); "
        f"print((ctypes.c_char * 1).from_address(array.ctypes.data + {index}).raw)"
    )
    assert done.returncode
