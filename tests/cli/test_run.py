"""``onebuf run``: processes are started, what they print is shown, and who failed is told."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from onebuf.cli import main, process
from onebuf.cli import run as cli
from onebuf.cli.process import hello
from onebuf.cli.run import Launcher, Printed, command, failure, find_launcher
from onebuf.errors import MissingPackage

FAILS = Path(__file__).parents[1] / "runtime" / "mpi_programs" / "fails.py"
COMMAND = "import sys; from onebuf.cli import main; sys.exit(main())"


def start(*arguments: str, kind: str = "mpich") -> subprocess.Popen[str]:
    pytest.importorskip("mpi4py", reason="mpi4py is not installed: pip install 'onebuf[mpi]'")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MPI4PY_MPIABI", kind)
        try:
            find_launcher()
        except MissingPackage as error:
            pytest.skip(str(error))
    return subprocess.Popen(
        [sys.executable, "-c", COMMAND, "run", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "MPI4PY_MPIABI": kind},
    )


def run(how: str, kind: str) -> tuple[int, str, str]:
    """The exit code and the texts of a job whose process 1 fails; it has to end soon."""
    begin = time.monotonic()
    job = start("-n", "3", str(FAILS), how, "-n", "--flag", kind=kind)
    printed, errors = job.communicate(timeout=30)
    assert time.monotonic() - begin < 10
    return job.returncode, printed, errors


@pytest.mark.parametrize("kind", ["mpich", "openmpi"])
class TestJobs:
    def test_a_job_that_ends_well_prints_nothing_of_ours(self, kind: str) -> None:
        code, printed, errors = run("none", kind)
        assert (code, errors) == (0, "")
        assert sorted(printed) == sorted("here 0\nhere 1\nhere 2\n")  # Open MPI may mix lines

    def test_an_exception_is_shown_with_its_line(self, kind: str) -> None:
        code, _, errors = run("raise", kind)
        assert code == 1
        assert 'raise ValueError("a mistake of mine")' in errors
        assert errors.endswith(
            "onebuf run: process 1 failed with exit code 1, and all others were ended\n"
        )

    def test_an_exception_in_a_recipe_is_shown_with_its_line(self, kind: str) -> None:
        code, _, errors = run("recipe", kind)
        assert code == 1
        assert 'raise ValueError(f"no {box}")' in errors
        assert "process 2 failed with exit code 1" in errors.splitlines()[-1]

    def test_a_killed_process_ends_the_job_and_is_named(self, kind: str) -> None:
        code, _, errors = run("kill", kind)
        assert code != 0
        assert errors.endswith(
            "onebuf run: process 1 was killed by signal 9 (SIGKILL), and all others were ended\n"
        )

    def test_an_exit_code_is_that_of_the_job(self, kind: str) -> None:
        code, _, errors = run("exit", kind)
        assert code == 7
        assert "failed with exit code 7" in errors.splitlines()[-1]

    @pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
    def test_a_signal_ends_all_processes(
        self, kind: str, number: signal.Signals, tmp_path: Path
    ) -> None:
        program = tmp_path / "sleeps.py"
        program.write_text("import os, time; print(os.getpid()); time.sleep(60)")
        job = start("-n", "2", str(program), kind=kind)
        assert job.stdout is not None
        pids = [int(job.stdout.readline()) for _ in range(2)]
        job.send_signal(number)
        job.communicate(timeout=15)
        assert job.returncode == 128 + number
        deadline = time.monotonic() + 5
        while any(Path(f"/proc/{pid}").exists() for pid in pids):
            assert time.monotonic() < deadline
            time.sleep(0.05)


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    with pytest.raises(SystemExit) as caught:
        main(["run", *arguments])
    assert caught.value.code == 2
    return capsys.readouterr().err


def test_less_than_one_process_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert "run needs 1 process or more, got -n 0" in told(capsys, "-n", "0", str(FAILS))


def test_a_missing_program_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert "there is none at 'absent.py'" in told(capsys, "absent.py")


def test_a_missing_mpiexec_names_the_extra(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cli.shutil, "which", lambda name, path: None)
    assert "pip install 'onebuf[mpi]'" in told(capsys, str(FAILS))


def test_a_missing_mpi4py_names_the_extra(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cli, "find_spec", lambda name: None)
    assert "'mpi4py'" in told(capsys, str(FAILS))


def test_options_after_the_program_are_those_of_the_program(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen = []
    monkeypatch.setattr("onebuf.cli.run_program", lambda *given: seen.append(given) or 5)
    assert main(["run", "-n", "3", "a.py", "-n", "4", "--json", "x"]) == 5
    assert seen == [(3, "a.py", ["-n", "4", "--json", "x"])]


def test_open_mpi_is_told_that_more_processes_than_cores_are_meant() -> None:
    words = command(Launcher("mpiexec", is_open_mpi=True), 4, ["a.py", "-x"])
    assert "--oversubscribe" in words
    assert words[-3:] == [process.__file__, "a.py", "-x"]
    assert "--oversubscribe" not in command(Launcher("mpiexec", False), 4, ["a.py"])


def test_what_processes_tell_is_read_and_not_shown_however_it_comes() -> None:
    text = f"one {hello(0, 71)}{hello(1, 72)}two\nthree{hello(2, 7)}\n".encode()
    for step in (1, 2, 7, 100):
        printed = Printed()
        parts = [text[at : at + step] for at in range(0, len(text), step)]
        assert "".join(map(printed.shown, parts)) == printed.end == "one two\nthree\n"
        assert printed.ranks == {71: 0, 72: 1, 7: 2}


def test_a_job_of_which_nothing_is_known_has_an_exit_code() -> None:
    assert failure("", 3, {}) == "the job failed with exit code 3"
    unknown = "=   PID 5 RUNNING AT a"
    assert failure(unknown, 1, {}) == "the job failed with exit code 1"
