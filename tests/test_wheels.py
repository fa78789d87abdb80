"""Wheels: built with and without a compiler, and what they hold once they are installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[1]
BUILD = """
import sys
from hatchling.build import build_wheel
print(build_wheel(sys.argv[1]))
"""
PROGRAM = """
import sys
import onebuf, onebuf.native
print(onebuf.__file__.startswith(sys.argv[1]), onebuf.native.core is not None)
print((onebuf.arange(4.0) * 2 + 1).sum().item())
"""


def has_compiler() -> bool:
    return any(shutil.which(name) for name in ("cc", "gcc", "clang", "cl"))


def installed(folder: Path, path: str | None = None, **variables: str) -> tuple[str, str, str]:
    """The name of a new wheel, what a program prints that uses it, and what building printed."""
    source = folder / "source"
    shutil.copytree(
        PROJECT, source, ignore=lambda at, names: {n for n in names if is_left_out(at, n)}
    )
    environment = {**os.environ, "TMPDIR": str(folder / "temporary"), **variables}
    Path(environment["TMPDIR"]).mkdir()
    if path is not None:
        environment["PATH"] = path
    for name in ("CC", "CXX", "PYTHONPATH", "ONEBUF_PURE"):
        environment.pop(name, None)
    command = [sys.executable, "-c", BUILD, str(folder)]
    built = subprocess.run(
        command, cwd=source, env=environment, capture_output=True, text=True, check=False
    )
    assert built.returncode == 0, built.stderr
    assert list(Path(environment["TMPDIR"]).iterdir()) == [], "building leaves files behind"
    wheel = built.stdout.split()[-1]
    target = folder / "installed"
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index"]
    subprocess.run(
        [*pip, "--target", str(target), str(folder / wheel)], check=True, env=environment
    )
    printed = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(target)],
        cwd=folder,
        env={**environment, "PYTHONPATH": str(target)},
        capture_output=True,
        text=True,
        check=True,
    )
    return wheel, printed.stdout, built.stdout + built.stderr


def is_left_out(at: str, name: str) -> bool:
    """Whether a file of the project is not needed to build it."""
    is_top = Path(at) == PROJECT
    keep = {"src", "hatch_build.py", "pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md"}
    return (is_top and name not in keep) or name == "__pycache__" or name.startswith("_native.")


pytest.importorskip("hatchling", reason="needs hatchling, which builds the wheels")
pytest.importorskip("setuptools", reason="needs setuptools, which compiles the native core")


def test_a_wheel_without_the_core_is_for_every_platform(tmp_path: Path) -> None:
    wheel, printed, _ = installed(tmp_path, ONEBUF_NATIVE="0")
    assert wheel.endswith("-py3-none-any.whl")
    assert printed.splitlines() == ["True False", "16.0"]


def test_without_a_compiler_the_wheel_is_pure_and_the_build_says_so(tmp_path: Path) -> None:
    empty = tmp_path / "no compiler here"
    empty.mkdir()
    wheel, printed, said = installed(tmp_path, path=str(empty), ONEBUF_NATIVE="auto")
    assert wheel.endswith("-py3-none-any.whl")
    assert printed.splitlines() == ["True False", "16.0"]
    assert "without its native core" in said


@pytest.mark.skipif(not has_compiler(), reason="needs a C compiler")
def test_with_a_compiler_the_wheel_has_the_core(tmp_path: Path) -> None:
    wheel, printed, _ = installed(tmp_path, ONEBUF_NATIVE="1")
    assert "-cp311-abi3-" in wheel
    assert printed.splitlines() == ["True True", "16.0"]
