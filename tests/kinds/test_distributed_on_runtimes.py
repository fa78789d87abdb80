"""Distributed buffers on MPI and Dask: the same programs, the same bits as on threads."""

import functools
import subprocess
import sys
from pathlib import Path

import distributed_programs
import pytest

from onebuf import runtime
from onebuf.cli.launcher import find_launcher
from onebuf.errors import MissingPackage

JOBS = Path(__file__).parent / "jobs"
EXAMPLES = Path(__file__).parents[2] / "examples"
COMMAND = "import sys; from onebuf.cli import main; sys.exit(main())"
RUNTIMES = [
    *[("mpi", count, "mpich") for count in (1, 2, 3, 4)],
    ("mpi", 2, "openmpi"),
    *[("dask", count, "") for count in (1, 2, 3)],
]
NAMES = [f"{name} {library} {count}" for name, count, library in RUNTIMES]


def run(name, count, library, program, *arguments, monkeypatch):
    """What a program printed on a runtime; it has to end well, in time and without a warning."""
    if name == "mpi":
        monkeypatch.setenv("MPI4PY_MPIABI", library)
        try:
            find_launcher()
        except MissingPackage as error:
            pytest.skip(str(error))
        words = ["-c", COMMAND, "run", "-n", str(count), str(program), *arguments]
    else:
        words = [str(program), *arguments, str(count)]
    monkeypatch.setenv("PYTHONWARNINGS", "error")
    finished = subprocess.run(
        [sys.executable, *words],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=120,
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
    own = [line for line in finished.stderr.splitlines() if "Warning" in line]
    assert own == [] if name == "dask" else finished.stderr == ""  # Dask logs errors of tasks
    return finished.stdout


@functools.cache
def on_threads(first, last):
    with runtime("threads", places=1):
        return distributed_programs.digests(range(first, last))


@pytest.mark.parametrize("name, count, library", RUNTIMES, ids=NAMES)
def test_random_programs_have_the_bits_of_threads(name, count, library, monkeypatch):
    last = 30 if name == "mpi" else 6
    program = JOBS / "random_programs.py"
    told = run(name, count, library, program, name, "0", str(last), monkeypatch=monkeypatch)
    assert told.split() == on_threads(0, 30)[:last]


@pytest.mark.parametrize("name, count, library", RUNTIMES, ids=NAMES)
def test_what_every_runtime_does_with_buffers(name, count, library, monkeypatch):
    key = f"{name}{library}{count}"
    many = "300" if name == "mpi" else "40"
    program = JOBS / "life.py"
    told = run(name, count, library, program, name, key, many, monkeypatch=monkeypatch)
    assert told == f"checked {count}\n"


def test_arrays_of_dask_and_back(monkeypatch):
    monkeypatch.setenv("PYTHONWARNINGS", "error")
    told = subprocess.run(
        [sys.executable, str(JOBS / "dask_arrays.py")],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=120,
    )
    assert (told.returncode, told.stdout) == (0, "True\n"), told.stderr


@pytest.mark.parametrize("example", ["heat", "matmul", "store_statistics"])
@pytest.mark.parametrize(
    "name, count, library", [RUNTIMES[1], ("dask", 2, "")], ids=["mpi", "dask"]
)
def test_examples_run_on_every_runtime(name, count, library, example, monkeypatch, tmp_path):
    arguments = [name]
    if example == "store_statistics":
        arguments = ["--runtime", name, "--gigabytes", "0.01", "--file", str(tmp_path / "table")]
    program = EXAMPLES / f"{example}.py"
    if name == "mpi":
        told = run(name, count, library, program, *arguments, monkeypatch=monkeypatch)
    else:
        monkeypatch.setenv("PYTHONWARNINGS", "error")
        finished = subprocess.run(
            [sys.executable, str(program), *arguments],
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=120,
        )
        assert (finished.returncode, finished.stderr) == (0, ""), finished.stdout + finished.stderr
        told = finished.stdout
    assert f"{count} places" in told or "NumPy: True" in told
    assert "False" not in told
