"""The launcher: which ``mpiexec`` starts processes, with which arguments and environment."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from onebuf.cli import process
from onebuf.errors import MissingPackage

CLUSTERS = ("SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "COBALT_JOBID", "HYDRA_HOST_FILE")
"""Variables that mean that processes may be started on other machines."""

BLAS_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""Variables that say how many threads libraries for products of matrices use."""


@dataclass(frozen=True, slots=True)
class Launcher:
    """The program that starts processes, and whose it is."""

    path: str
    kind: Literal["mpich", "openmpi", "other"]


def find_launcher() -> Launcher:
    """The ``mpiexec`` of the library that mpi4py will load: beside it, beside Python, or in PATH.

    MPI4PY_LIBMPI names that library or its folder, MPI4PY_MPIABI its kind.
    """
    library, kind = os.environ.get("MPI4PY_LIBMPI"), os.environ.get("MPI4PY_MPIABI", "")
    folders = []
    if library:
        beside = Path(library) if Path(library).is_dir() else Path(library).parent
        folders.append(beside.parent / "bin")
    folders += [Path(sys.executable).parent, *map(Path, os.get_exec_path())]
    for folder in folders:
        path = shutil.which("mpiexec", path=str(folder))
        if path is not None:
            told = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
            found = launcher_of(path, told.stdout)
            if not kind or (found.kind == "openmpi") == (kind.lower() == "openmpi"):
                return found
    needed = f" that belongs to MPI4PY_MPIABI={kind}" if kind else ""
    raise MissingPackage(
        f"onebuf run needs the program mpiexec, and there is none{needed} beside Python or in "
        f"PATH; install MPICH with: pip install 'onebuf[mpi]'"
    )


def launcher_of(path: str, version: str) -> Launcher:
    """A launcher, by what it says about its version.

    >>> launcher_of("mpiexec", "mpiexec (OpenRTE) 4.1.4").kind
    'openmpi'
    >>> launcher_of("mpiexec", "HYDRA build details:").kind
    'mpich'
    """
    if any(name in version for name in ("OpenRTE", "Open MPI", "prte", "PRRTE")):
        return Launcher(path, "openmpi")
    return Launcher(path, "mpich" if "HYDRA" in version else "other")


def command(launcher: Launcher, count: int, program: Sequence[str]) -> list[str]:
    """The arguments that start ``count`` processes of a program.

    MPICH is told not to end all processes when one is lost, because it then cannot say which one it
    was: `onebuf.cli.run` does it. On several machines MPICH has to do it.

    >>> command(Launcher("mpiexec", "openmpi"), 2, ["a.py"])[:4]
    ['mpiexec', '-n', '2', '--oversubscribe']
    """
    options = []
    if launcher.kind == "openmpi":
        options.append("--oversubscribe")
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            options.append("--allow-run-as-root")
    if launcher.kind == "mpich" and not any(name in os.environ for name in CLUSTERS):
        options += ["-disable-auto-cleanup", "-print-all-exitcodes"]
    begin = [launcher.path, "-n", str(count), *options]
    return [*begin, sys.executable, process.__file__, *program]


def environment(launcher: Launcher, count: int = 1) -> dict[str, str]:
    """The environment of ``count`` processes.

    mpi4py has to load the library of the launcher. Libraries for products of matrices have to share
    the cores, or they are a third slower (two processes on two cores).
    """
    found = dict(os.environ)
    if count > 1 and not any(name in found for name in (*BLAS_THREADS, *CLUSTERS)):
        threads = max(1, (os.cpu_count() or 1) // count)
        found |= {name: str(threads) for name in BLAS_THREADS}
    beside = Path(launcher.path).parent.parent / "lib"
    if "MPI4PY_LIBMPI" in found:
        return found
    if any(beside.glob("libmpi.*")):  # of a wheel, where the loader does not look
        found["MPI4PY_LIBMPI"] = str(beside)
        found.pop("MPI4PY_MPIABI", None)
    elif launcher.kind == "openmpi":
        found["MPI4PY_MPIABI"] = "openmpi"
    return found
