"""The programs in examples/ run, quickly and without a word on stderr."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted(Path(__file__).parents[1].joinpath("examples").glob("*.py"))


def test_there_are_examples() -> None:
    assert [path.name for path in EXAMPLES] == [
        "big_file.py",
        "devices.py",
        "exchange.py",
        "futures.py",
        "gpt.py",
        "heat.py",
        "line_plot.py",
        "matmul.py",
        "profiling.py",
        "store_statistics.py",
        "strides.py",
        "two_electron.py",
    ]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs(path: Path, tmp_path: Path) -> None:
    finished = subprocess.run(
        [sys.executable, "-W", "error", str(path)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=60,
    )
    assert (finished.returncode, finished.stderr) == (0, "")
    assert finished.stdout
    assert list(tmp_path.iterdir()) == []
