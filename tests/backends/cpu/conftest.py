"""Tests keep what they compile in folders of their own, and start children with a time limit."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import onebuf

Child = Callable[..., subprocess.CompletedProcess[str]]

PRELUDE = """
import sys, os, time, threading
import numpy as np
from cpu_kernels import *
from onebuf import config
from onebuf.backends.cpu import compile, cores, run
from onebuf.backends.cpu.parallel_for import ThreadPool
"""
"""What every child begins with."""


@pytest.fixture(autouse=True)
def cache_dir(tmp_path: Path) -> Iterator[Path]:
    """The folder where this test's kernels are kept."""
    folder = tmp_path / "cache" / "onebuf"
    with onebuf.config(cache_dir=str(folder)):
        yield folder


@pytest.fixture
def child(cache_dir: Path) -> Child:
    """Run a program in a new interpreter, on the same cache; it may neither fail nor hang."""

    def run(program: str, *arguments: str, seconds: float = 60) -> subprocess.CompletedProcess[str]:
        paths = (Path(onebuf.__file__).parents[1], Path(__file__).parents[2])
        finished = subprocess.run(
            [sys.executable, "-W", "error", "-c", PRELUDE + program, *arguments],
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=seconds,
            env={
                "PYTHONPATH": ":".join(map(str, paths)),
                "HOME": "/nonexistent",
                "XDG_CACHE_HOME": str(cache_dir.parent),
            },
        )
        assert finished.returncode == 0, finished.stdout + finished.stderr
        return finished

    return run
