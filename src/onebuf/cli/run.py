"""``onebuf run -n 4 program.py``: a program on several processes of MPI, and how it ended.

``mpiexec`` starts the processes (`onebuf.cli.process`). What they print goes through. If one of
them fails, all are ended, and the last line says which one it was.
"""

from __future__ import annotations

import os
import re
import selectors
import shutil
import signal
import subprocess
import sys
from codecs import getincrementaldecoder
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from onebuf.cli import process
from onebuf.cli.process import MARK, hello
from onebuf.errors import ArgumentError, MissingPackage

INTERRUPT_SECONDS, END_SECONDS = 1.0, 10.0
"""How long the processes may take to end after an interrupt, and mpiexec to end them."""


@dataclass(frozen=True, slots=True)
class Launcher:
    """The program that starts processes, and whose it is."""

    path: str
    is_open_mpi: bool


def run_program(count: int, program: str, arguments: Sequence[str] = ()) -> int:
    """Run ``program`` on ``count`` processes; returns the exit code of the job."""
    if count < 1:
        raise ArgumentError(f"run needs 1 process or more, got -n {count}")
    if not Path(program).is_file():
        raise ArgumentError(f"run needs the file of a program, and there is none at {program!r}")
    if find_spec("mpi4py") is None:
        raise MissingPackage.extra("mpi4py", "mpi", "onebuf run")
    launcher = find_launcher()
    return _run(command(launcher, count, [program, *arguments]), environment(launcher))


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
            if not kind or found.is_open_mpi == (kind.lower() == "openmpi"):
                return found
    needed = f" that belongs to MPI4PY_MPIABI={kind}" if kind else ""
    raise MissingPackage(
        f"onebuf run needs the program mpiexec, and there is none{needed} beside Python or in "
        f"PATH; install MPICH with: pip install 'onebuf[mpi]'"
    )


def launcher_of(path: str, version: str) -> Launcher:
    """A launcher, by what it says about its version.

    >>> launcher_of("mpiexec", "mpiexec (OpenRTE) 4.1.4").is_open_mpi
    True
    >>> launcher_of("mpiexec", "HYDRA build details:").is_open_mpi
    False
    """
    names = ("OpenRTE", "Open MPI", "prte", "PRRTE")
    return Launcher(path, any(name in version for name in names))


def command(launcher: Launcher, count: int, program: Sequence[str]) -> list[str]:
    """The arguments of the process that starts all others.

    >>> command(Launcher("mpiexec", True), 2, ["a.py"])[:4]
    ['mpiexec', '-n', '2', '--oversubscribe']
    """
    options = []
    if launcher.is_open_mpi:
        options.append("--oversubscribe")
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            options.append("--allow-run-as-root")
    begin = [launcher.path, "-n", str(count), *options]
    return [*begin, sys.executable, process.__file__, *program]


def environment(launcher: Launcher) -> dict[str, str]:
    """The environment of the processes: mpi4py has to load the library of the launcher."""
    found = dict(os.environ)
    beside = Path(launcher.path).parent.parent / "lib"
    if "MPI4PY_LIBMPI" in found:
        return found
    if any(beside.glob("libmpi.*")):  # of a wheel, where the loader does not look
        found["MPI4PY_LIBMPI"] = str(beside)
        found.pop("MPI4PY_MPIABI", None)
    elif launcher.is_open_mpi:
        found["MPI4PY_MPIABI"] = "openmpi"
    return found


def _run(words: Sequence[str], variables: Mapping[str, str]) -> int:
    """Run a job, hand its errors on, and say who failed."""
    job = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=variables)
    assert job.stdout is not None
    assert job.stderr is not None
    printed, errors = Printed(), Printed()
    before = signal.signal(signal.SIGTERM, _terminated)
    with job.stdout, job.stderr, selectors.DefaultSelector() as streams:
        streams.register(job.stdout, selectors.EVENT_READ, (printed, sys.stdout))
        streams.register(job.stderr, selectors.EVENT_READ, (errors, sys.stderr))
        try:
            _hand_on(streams)
            code = job.wait()
        except KeyboardInterrupt:
            code = _interrupted(job)
        finally:
            signal.signal(signal.SIGTERM, before)
            if job.poll() is None:
                job.terminate()
    if code < 0:
        code = 128 - code
    if code:
        print(
            f"onebuf run: {failure(printed.end + errors.end, code, errors.ranks)}", file=sys.stderr
        )
    return code


def _hand_on(streams: selectors.BaseSelector) -> None:
    """Show what a job prints, until it prints no more."""
    while streams.get_map():
        for key, _ in streams.select():
            printed, target = key.data
            chunk = os.read(key.fd, 1 << 16)
            if chunk:
                target.write(printed.shown(chunk))
                target.flush()
            else:
                streams.unregister(key.fileobj)


def _terminated(number: int, frame: object) -> None:
    raise SystemExit(128 + number)


class Printed:
    """What a job printed: what of it is shown, and its end, to find out who failed.

    >>> printed = Printed()
    >>> [printed.shown(part) for part in (b"one\\n\\x1e3 4", b"56\\x1etwo\\n")]
    ['one\\n', 'two\\n']
    >>> printed.ranks
    {456: 3}
    """

    def __init__(self) -> None:
        self.end = ""
        self.ranks: dict[int, int] = {}
        """The ranks of processes, by the numbers that the system gave to them."""
        self._decode = getincrementaldecoder("utf-8")("replace").decode
        self._kept = ""

    def shown(self, chunk: bytes) -> str:
        """What of ``chunk`` to show now: all but what processes tell about themselves."""
        text = self._kept + self._decode(chunk)
        for rank, pid in _HELLO.findall(text):
            self.ranks[int(pid)] = int(rank)
        text = _HELLO.sub("", text)
        begin = _HELLO_BEGINS.search(text)
        self._kept = text[begin.start() :] if begin else ""
        text = text[: begin.start()] if begin else text
        self.end = (self.end + text)[-KEPT:]
        return text


KEPT = 1 << 18
"""How many of the last characters are looked at to find out who failed."""


def _interrupted(job: subprocess.Popen[bytes]) -> int:
    """End a job: the processes got the interrupt, too, and may end by themselves."""
    try:
        job.wait(INTERRUPT_SECONDS)
    except subprocess.TimeoutExpired:
        job.terminate()
        try:
            job.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            job.kill()
    return 128 + signal.SIGINT


_HELLO = re.compile(hello(r"(\d+)", r"(\d+)"))
_HELLO_BEGINS = re.compile(f"{MARK}[ \\d]*$")
_SIGNAL = re.compile(r"EXIT STRING: .*\(signal (\d+)\)|exited on\s+signal (\d+)")
_PID = re.compile(r"=   PID (\d+) RUNNING AT ")  # MPICH
_RANKS = (
    re.compile(r"PlaceError: place (\d+) failed: "),  # told by another process
    re.compile(r"Abort\(\d+\) on node (\d+) "),  # MPICH
    re.compile(r"MPI_ABORT was invoked on rank (\d+) "),  # Open MPI
    re.compile(r"process rank (\d+) with PID \d+ on node \S+\s+(?:exited|calling)"),
)


def failure(printed: str, code: int, ranks: Mapping[int, int]) -> str:
    """Who failed, in words, by what was printed.

    >>> failure("Abort(1) on node 2 (rank 2 in comm 0): application called MPI_Abort", 1, {})
    'process 2 failed with exit code 1, and all others were ended'
    >>> failure("=   PID 77 RUNNING AT a\\nEXIT STRING: Killed (signal 9)", 9, {77: 1})
    'process 1 was killed by signal 9 (SIGKILL), and all others were ended'
    """
    how = f"failed with exit code {code}"
    told = _SIGNAL.search(printed)
    if told:
        number = int(told[1] or told[2])
        how = f"was killed by signal {number} ({signal.Signals(number).name})"
    rank = _first_rank(printed, ranks)
    return f"the job {how}" if rank is None else f"process {rank} {how}, and all others were ended"


def _first_rank(printed: str, ranks: Mapping[int, int]) -> int | None:
    """The process that failed first, if it can be found out."""
    for pattern in _RANKS:
        found = pattern.search(printed)
        if found:
            return int(found[1])
    found = _PID.search(printed)
    return ranks.get(int(found[1])) if found else None
