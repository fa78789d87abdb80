"""The benchmark of runtimes: every part runs, and plans are small."""

import os
import pickle
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from runtimes import PARTS, Nowhere

import onebuf
from onebuf.runtimes.compute.plan import Planner
from onebuf.runtimes.registry import OpenRuntime
from onebuf.shapes import Tiled

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "runtimes.py"
NEEDS = {"mpi": "mpi4py", "dask": "distributed"}


@pytest.mark.parametrize("part", PARTS)
def test_a_part_runs_and_prints_its_table(part: str) -> None:
    package = NEEDS.get(part)
    if package is not None and find_spec(package) is None:
        pytest.skip(f"{package} is not installed")
    if part == "mpi" and not Path(sys.executable).with_name("mpiexec").exists():
        pytest.skip("no mpiexec is installed next to Python")
    command = [sys.executable, str(SCRIPT), "--quick", "--repeats", "1", "--part", part]
    here = {name: value for name, value in os.environ.items() if name != "PYTHONWARNINGS"}
    finished = subprocess.run(command, capture_output=True, text=True, timeout=200, env=here)
    assert finished.returncode == 0, finished.stderr[-3000:]
    lines = finished.stdout.splitlines()
    assert (
        sum([" met" in line or "MISSED" in line or "1000 elements" in line for line in lines]) > 1
    )


def _plan_bytes(tiles: int, places: int) -> int:
    tiling = Tiled.regular((tiles * 8,), (8,))
    with OpenRuntime(Nowhere(places)):
        x = onebuf.zeros(tiling.extents).distribute(tiling)
        planner = Planner(places)
        planner.want([(x * x + x).sum()._node])
    parts = [(step.recipe, step.result.partition) for step in planner.steps]
    for step in planner.steps:
        assert pickle.loads(pickle.dumps(step.result.partition)) == step.result.partition
    return len(pickle.dumps(parts))


def test_a_plan_for_many_regular_tiles_is_as_small_as_for_few() -> None:
    assert _plan_bytes(100_000, 4) < 1.5 * _plan_bytes(1000, 4)
