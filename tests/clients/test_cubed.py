"""cubed with onebuf as the namespace that its blocks are computed in."""

import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

PROGRAMS = Path(__file__).with_name("cubed_programs.py")
NAMES = [
    line.split('"')[1]
    for line in PROGRAMS.read_text(encoding="utf-8").splitlines()
    if line.startswith('        "') and ": " in line
]


def run(namespace: str, path: Path) -> tuple[dict[str, Any], set[str]]:
    """The results of all programs in a process whose cubed computes in ``namespace``."""
    finished = subprocess.run(
        [sys.executable, PROGRAMS, path],
        env=os.environ | {"CUBED_BACKEND_ARRAY_API_MODULE": namespace},
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=240,
    )
    assert finished.returncode == 0, finished.stderr
    return pickle.loads(path.read_bytes())  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("cubed")
    return run("onebuf", folder / "onebuf"), run("numpy", folder / "numpy")


@pytest.mark.parametrize("name", NAMES)
def test_a_program_computes_the_same_in_buffers(name: str, results: Any) -> None:
    (ours, _), (theirs, _) = results
    (kind, got), (_, wanted) = ours[name], theirs[name]
    assert kind == "Buffer"
    assert (got.shape, got.dtype) == (wanted.shape, wanted.dtype)
    np.testing.assert_allclose(got, wanted, rtol=1e-9, atol=1e-12)


def test_blocks_are_buffers(results: Any) -> None:
    (_, ours), (_, theirs) = results
    assert (ours, theirs) == ({"Buffer"}, {"ndarray"})
