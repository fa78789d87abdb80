"""The runtime of MPI, by jobs of several processes: each runs a program of `programs`."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from onebuf.cli import process
from onebuf.cli.launcher import Launcher, command, environment, find_launcher
from onebuf.errors import MissingPackage

pytest.importorskip("mpi4py", reason="mpi4py is not installed: pip install 'onebuf[mpi]'")

PROGRAMS = Path(__file__).parent / "programs"
FOR_RUN = ("-disable-auto-cleanup", "-print-all-exitcodes")
"""Options for ``onebuf run``, which ends processes itself."""
CASES = (
    *("closing", "threads", "many", "full", "held_by_one", "out_of_step", "timeouts"),
    *("interrupted", "interrupted_inside", "mistakes", "parts", "left_open"),
)


def launcher(kind: str) -> Launcher:
    """That of MPICH or of Open MPI."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MPI4PY_MPIABI", kind)
        try:
            return find_launcher()
        except MissingPackage as error:
            pytest.skip(str(error))


def job(
    count: int,
    program: str,
    *arguments: str,
    kind: str = "mpich",
    timeout: float = 60,
    **variables: str,
) -> subprocess.CompletedProcess[str]:
    """Run a program on ``count`` processes, with warnings as errors."""
    starts = launcher(kind)
    words = command(starts, count, [str(PROGRAMS / program), *arguments])
    words = [word for word in words if word not in FOR_RUN]
    return subprocess.run(
        words,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=timeout,
        env={**environment(starts), "PYTHONWARNINGS": "error", **variables},
    )


def passes(*arguments: object, count: int, program: str, **options: str) -> str:
    """What a program printed; it has to end well."""
    finished = job(count, program, *map(str, arguments), **options)  # type: ignore[arg-type]
    assert finished.returncode == 0, finished.stdout + finished.stderr
    assert "Exception" not in finished.stderr, finished.stderr
    return finished.stdout


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_the_contract_holds(count: int) -> None:
    assert passes(count=count, program="contract_program.py") == f"checked {count} places\n"


@pytest.mark.parametrize("count", [2, 3])
def test_the_contract_holds_where_nothing_is_mapped(count: int) -> None:
    told = passes("apart", count=count, program="contract_program.py")
    assert told == f"checked {count} places\n"


def test_the_contract_holds_on_two_nodes() -> None:
    """MPICH can take the processes of one node for those of two."""
    told = passes(count=4, program="contract_program.py", MPIR_CVAR_NUM_CLIQUES="2")
    assert told == "checked 4 places\n"


@pytest.mark.parametrize("how", [[], ["apart"]])
def test_the_contract_holds_with_open_mpi(how: list[str]) -> None:
    told = passes(*how, count=2, program="contract_program.py", kind="openmpi")
    assert told == "checked 2 places\n"


def test_the_suite_of_all_runtimes_passes() -> None:
    starts = launcher("mpich")
    words = [starts.path, "-n", "3", sys.executable, "-m", "onebuf.testing.runtimes", "mpi"]
    finished = subprocess.run(
        words, capture_output=True, text=True, timeout=60, env=environment(starts)
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
    assert finished.stdout.endswith("checks passed\n")


@pytest.mark.parametrize("case", CASES)
def test_life(case: str) -> None:
    count = 2 if case == "many" else 3
    assert passes(case, count=count, program="life.py").count("ended well") == count


def test_life_with_open_mpi() -> None:
    told = passes(*CASES, count=2, program="life.py", kind="openmpi")
    assert told.count("ended well") == 2


@pytest.mark.parametrize("runner", [[], ["-m", "mpi4py"]])
def test_an_exception_ends_all_however_python_was_started(runner: list[str]) -> None:
    starts = launcher("mpich")
    words = command(starts, 3, [*runner, str(PROGRAMS / "fails.py"), "raise", "-n", "--flag"])
    words = [word for word in words if word not in (*FOR_RUN, process.__file__)]
    begin = time.monotonic()
    finished = subprocess.run(
        words, capture_output=True, text=True, timeout=30, env=environment(starts)
    )
    assert time.monotonic() - begin < 10
    assert finished.returncode == 1  # MPICH may lose what was printed last


def test_one_process_needs_no_launcher() -> None:
    finished = subprocess.run(
        [sys.executable, "-W", "error", PROGRAMS / "life.py", "closing", "many", "full", "parts"],
        capture_output=True,
        text=True,
        timeout=60,
        env=os.environ,
    )
    assert (finished.returncode, finished.stderr) == (0, "")


def test_a_place_that_ends_early_is_told_to_the_others() -> None:
    begin = time.monotonic()
    finished = job(2, "life.py", "ends_early")
    assert time.monotonic() - begin < 10
    assert finished.stdout.count("ended well") == 2, finished.stdout + finished.stderr
    assert "place 0: close; place 1: run index" in finished.stderr


@pytest.mark.parametrize("kind", ["mpich", "openmpi"])
def test_a_place_that_gave_up_waiting_ends_the_job(kind: str) -> None:
    begin = time.monotonic()
    finished = job(2, "life.py", "left_waiting", kind=kind)
    assert time.monotonic() - begin < 10
    assert finished.returncode != 0
    assert finished.stdout.count("ended well") == 1, finished.stdout + finished.stderr
