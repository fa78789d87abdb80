"""What type checkers see: operators, reductions and functions give buffers, and no Any."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import onebuf

SOURCE = Path(onebuf.__file__).parents[1]

BUFFERS = """
np.zeros(3); np.zeros((2, 2), int); np.array([1, 2]); np.linspace(0, 1, 5) + x; np.sqrt(x)
np.add(x, 1); np.add.reduce(x); np.maximum.accumulate(x); np.sum(x, 0); np.mean([1.0])
np.vstack([x, x]); np.cumsum(x); np.concatenate([x, x]); np.linalg.norm(x); np.linalg.inv(x)
np.fft.fft2(x); np.diff(x); np.dot(x, x); np.isclose(x, x); np.nan_to_num(x); np.reshape(x, -1)
np.roll(x, 1); np.tri(3); np.power(x, 2); x + 1; 2 * x; -x; x ** 2; x @ x; x == x; x < 2; ~x
x.sum(); x.mean(axis=0); x.std(ddof=1); x.argmax(0); x.reshape(2, -1); x.T; x.cumsum(0)
x.dot(x); x.round(1); x.take([0]); x.all(); x.exp(); x.astype("f4")
"""


@pytest.mark.skipif(find_spec("mypy") is None, reason="mypy is not installed")
def test_what_computes_gives_buffers(tmp_path: Path) -> None:
    cases = [part.strip() for line in BUFFERS.strip().split("\n") for part in line.split("; ")]
    program = tmp_path / "program.py"
    lines = ["import onebuf as np", "x = np.Buffer([1.0])"]
    program.write_text("\n".join(lines + [f"reveal_type({case})" for case in cases]))
    finished = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", f"--cache-dir={tmp_path}", str(program)],
        capture_output=True,
        text=True,
        env={"MYPYPATH": str(SOURCE), "PATH": ""},
        cwd=tmp_path,
        timeout=280,
    )
    mistakes = re.findall(r"program.py:\d+: error.*", finished.stdout)
    assert mistakes == [], finished.stderr
    revealed = re.findall(r'Revealed type is "([^"]*)"', finished.stdout)
    assert len(revealed) == len(cases), finished.stdout + finished.stderr
    others = {
        case: kind
        for case, kind in zip(cases, revealed, strict=True)
        if kind != "onebuf.buffer.buffer.Buffer"
    }
    assert set(others) == {"np.linspace(0, 1, 5) + x"}  # with retstep it gives a tuple


@pytest.mark.parametrize("name", ["sum", "max", "all", "argmax", "std", "mean", "sort", "reshape"])
def test_methods_have_signatures(name: str) -> None:
    assert "self" in inspect.signature(getattr(onebuf.Buffer, name)).parameters
