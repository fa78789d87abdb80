"""``onebuf run -n 4 program.py``: a program on several processes of MPI, and how it ended.

``mpiexec`` starts the processes (`onebuf.cli.process`). What they print is shown as it comes. If
one of them fails, or is lost, all are ended, and the last line says which one it was.
"""

from __future__ import annotations

import os
import re
import selectors
import signal
import subprocess
import sys
from codecs import getincrementaldecoder
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import TextIO

from onebuf.cli import process
from onebuf.cli.launcher import command, environment, find_launcher
from onebuf.errors import ArgumentError, MissingPackage

LAST_SECONDS = {"mpich": 0.2, "openmpi": 3.0, "other": 3.0}
"""How long a job goes on after a process failed. Open MPI ends it, and tells what it knows."""
END_SECONDS = 10.0
"""How long ``mpiexec`` may take to end all processes."""
KEPT = 1 << 18
"""How many of the last characters are looked at to find out who failed."""


def run_program(count: int, program: str, arguments: Sequence[str] = ()) -> int:
    """Run ``program`` on ``count`` processes; returns the exit code of the first that failed."""
    if count < 1:
        raise ArgumentError(f"run needs 1 process or more, got -n {count}")
    if not Path(program).is_file():
        raise ArgumentError(f"run needs the file of a program, and there is none at {program!r}")
    if find_spec("mpi4py") is None:
        raise MissingPackage.extra("mpi4py", "mpi", "onebuf run")
    launcher = find_launcher()
    words = command(launcher, count, [program, *arguments])
    with TemporaryDirectory(prefix="onebuf-run-") as folder:
        job = Job(folder, count, LAST_SECONDS[launcher.kind])
        code = job.run(words, {**environment(launcher, count), process.FOLDER: folder})
        code, told = outcome(code, job.printed, job.failed, job.notes())
    if code:
        print(f"onebuf run: {told}", file=sys.stderr)
    return code


class Job:
    """Processes that run: shows what they print, and ends all when one of them has failed."""

    def __init__(self, folder: str, count: int, last_seconds: float) -> None:
        self.printed = ""
        """The end of what was printed."""
        self.failed: tuple[int, int | None] | None = None
        """The process that failed first and its exit code; None: it was lost without any."""
        self._folder = folder
        self._last_seconds = last_seconds
        self._deadline: float | None = None
        self._is_ending = False
        self._selector = selectors.DefaultSelector()
        self._ended: set[int] = set()
        self._pipes = []
        for rank in range(count):
            os.mkfifo(process.pipe_of(folder, rank))
            pipe = os.open(process.pipe_of(folder, rank), os.O_RDONLY | os.O_NONBLOCK)
            self._pipes.append(pipe)
            self._selector.register(pipe, selectors.EVENT_READ, rank)

    def run(self, words: Sequence[str], variables: Mapping[str, str]) -> int:
        """Run the command, which starts all processes; returns its exit code."""
        before = signal.signal(signal.SIGTERM, _terminated)
        job = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=variables)
        assert job.stdout is not None
        assert job.stderr is not None
        with job.stdout, job.stderr:
            for stream, target in ((job.stdout, sys.stdout), (job.stderr, sys.stderr)):
                show = _Shown(target).show
                self._selector.register(stream, selectors.EVENT_READ, show)
            try:
                self._follow(job)
                return job.wait()
            except KeyboardInterrupt:
                self._deadline = monotonic() + 1  # processes got it too, and may end by themselves
                self._follow(job)
                job.wait()
                self.failed = None
                return 128 + signal.SIGINT
            finally:
                signal.signal(signal.SIGTERM, before)
                if job.poll() is None:
                    job.terminate()
                self._selector.close()
                for pipe in self._pipes:
                    os.close(pipe)

    def notes(self) -> dict[int, str]:
        """The errors that processes left, by their ranks."""
        ranks = range(len(self._pipes))
        paths = {rank: Path(process.note_of(self._folder, rank)) for rank in ranks}
        return {rank: path.read_text("utf-8") for rank, path in paths.items() if path.exists()}

    def _follow(self, job: subprocess.Popen[bytes]) -> None:
        """Show and hear processes until the job prints no more."""
        while any(callable(key.data) for key in self._selector.get_map().values()):
            left = None if self._deadline is None else max(0.0, self._deadline - monotonic())
            for key, _ in self._selector.select(left):
                chunk = os.read(key.fd, 1 << 16)
                if not chunk:
                    self._selector.unregister(key.fileobj)
                if isinstance(key.data, int):
                    self._hear(key.data, chunk)
                else:
                    self.printed = (self.printed + key.data(chunk, not self._is_ending))[-KEPT:]
            if self._deadline is not None and monotonic() >= self._deadline:
                job.kill() if self._is_ending else job.terminate()
                self._is_ending = True
                self._deadline = monotonic() + END_SECONDS

    def _hear(self, rank: int, chunk: bytes) -> None:
        """A process has told its exit code, or its pipe was closed."""
        if rank in self._ended:
            return
        self._ended.add(rank)
        code = int(chunk) if chunk else None
        if code != 0 and self.failed is None:
            self.failed = (rank, code)
            self._deadline = monotonic() + self._last_seconds


def _terminated(number: int, frame: object) -> None:
    raise SystemExit(128 + number)


class _Shown:
    """Text that is written to ``target`` as it comes, without the exit codes that MPICH tells."""

    def __init__(self, target: TextIO) -> None:
        self._target = target
        self._decode: Callable[[bytes], str] = getincrementaldecoder("utf-8")("replace").decode
        self._kept = ""

    def show(self, chunk: bytes, is_wanted: bool) -> str:
        """Decode ``chunk``, and show it if that is wanted."""
        text = self._decode(chunk)
        shown = _EXIT_CODES.sub("", self._kept + text)
        begin = shown.rfind(_TELLER) if chunk else -1
        if begin >= 0 and "\n" in shown[begin:]:
            begin = -1
        self._kept = shown[begin:] if begin >= 0 else ""
        if is_wanted:
            self._target.write(shown[:begin] if begin >= 0 else shown)
            self._target.flush()
        return text


_TELLER = "[mpiexec@"
_EXIT_CODES = re.compile(r"\[mpiexec@[^]\n]*\] Exit codes: (.*)\n")
_SIGNAL = re.compile(r"process rank (\d+) with PID \d+ on node \S+\s+exited on\s+signal (\d+)")
_PLACE = re.compile(r"PlaceError: place (\d+) failed: ")


def outcome(
    code: int, printed: str, failed: tuple[int, int | None] | None, notes: Mapping[int, str]
) -> tuple[int, str]:
    """The exit code of a job and, in words, who failed.

    ``failed`` is the first process that failed, with its own exit code if it told one. ``notes``
    are errors of processes.

    >>> outcome(1, "", (2, 1), {2: ""})
    (1, 'process 2 failed with exit code 1, and all others were ended')
    >>> outcome(15, "[mpiexec@a] Exit codes: [a] 15,9,15\\n", (1, None), {})
    (137, 'process 1 was killed by signal 9 (SIGKILL), and all others were ended')
    """
    if failed is None:
        code = 128 - code if code < 0 else code
        return code, f"the job ended with exit code {code}"
    rank, own = failed
    if own is None:
        number = _signal_of(rank, printed)
        if number is None:
            return 1, f"process {rank} was lost, and all others were ended"
        name = signal.Signals(number).name
        words = f"process {rank} was killed by signal {number} ({name}), and all others were ended"
        return 128 + number, words
    first = next((found for found in map(_PLACE.search, notes.values()) if found), None)
    rank = rank if first is None else int(first[1])
    note = notes.get(rank, "").strip()
    lost = f":\n{note}" if note and note.splitlines()[-1] not in printed else ""
    return own, f"process {rank} failed with exit code {own}, and all others were ended{lost}"


def _signal_of(rank: int, printed: str) -> int | None:
    """The signal that a process was killed by, if the launcher told it."""
    for found in _SIGNAL.finditer(printed):
        if int(found[1]) == rank:
            return int(found[2])
    codes = _EXIT_CODES.search(printed)
    if codes is None:
        return None
    told = ",".join(re.findall(r"\] ([-\d,]+)", codes[1])).split(",")
    number = int(told[rank]) if rank < len(told) and told[rank] else 0
    return number if number in set(signal.Signals) else None
