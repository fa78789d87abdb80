"""``onebuf run``: processes are started, what they print is shown, and who failed is told."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from io import StringIO
from pathlib import Path

import pytest

from onebuf.cli import main, process
from onebuf.cli import run as cli
from onebuf.cli.launcher import BLAS_THREADS, Launcher, command, environment, find_launcher
from onebuf.cli.run import outcome
from onebuf.errors import MissingPackage

FAILS = Path(__file__).parents[1] / "runtimes" / "mpi" / "programs" / "fails.py"
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
        told = "onebuf run: process 1 failed with exit code 1, and all others were ended"
        assert told in errors
        assert "runpy" not in errors

    def test_an_exception_in_a_recipe_is_shown_with_its_line(self, kind: str) -> None:
        code, _, errors = run("recipe", kind)
        assert code == 1
        assert 'raise ValueError(f"no {box}")' in errors
        assert "process 2 failed with exit code 1" in errors

    def test_a_killed_process_ends_the_job_and_is_named(self, kind: str) -> None:
        code, _, errors = run("kill", kind)
        # MPICH may end before it has told the signal
        told = "onebuf run: process 1 was {}, and all others were ended"
        ways = {told.format("killed by signal 9 (SIGKILL)"): 137}
        if kind == "mpich":
            ways[told.format("lost")] = 1
        assert [ways.get(line) for line in errors.splitlines() if line in ways] == [code]


def test_an_exit_code_is_that_of_the_job() -> None:
    code, _, errors = run("exit", "mpich")
    assert code == 7
    assert "process 1 failed with exit code 7" in errors.splitlines()[-1]


@pytest.mark.parametrize(
    "kind, number",
    [("mpich", signal.SIGINT), ("mpich", signal.SIGTERM), ("openmpi", signal.SIGTERM)],
)
def test_a_signal_ends_all_processes(kind: str, number: signal.Signals, tmp_path: Path) -> None:
    program = tmp_path / "sleeps.py"
    program.write_text("import os, time; print(os.getpid()); time.sleep(60)")
    job = start("-n", "2", str(program), kind=kind)
    assert job.stdout is not None
    pids: list[int] = []
    while len(pids) < 2:  # lines of several processes may be mixed
        pids += map(int, job.stdout.readline().split())
    job.send_signal(number)
    job.communicate(timeout=15)
    assert job.returncode == 128 + number
    deadline = time.monotonic() + 10
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
    monkeypatch.setattr("shutil.which", lambda name, path: None)
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
    words = command(Launcher("mpiexec", "openmpi"), 4, ["a.py", "-x"])
    assert "--oversubscribe" in words
    assert words[-3:] == [process.__file__, "a.py", "-x"]
    assert "--oversubscribe" not in command(Launcher("mpiexec", "mpich"), 4, ["a.py"])


def test_who_failed_is_found_out_by_what_there_is() -> None:
    assert outcome(0, "", None, {}) == (0, "the job ended with exit code 0")
    assert outcome(-9, "", None, {}) == (137, "the job ended with exit code 137")
    assert outcome(1, "", (2, None), {}) == (1, "process 2 was lost, and all others were ended")
    other = "PlaceError: place 1 failed: x\n"
    assert outcome(1, other, (3, 1), {3: other})[1].startswith("process 1 failed with exit code 1")
    codes = "[mpiexec@a] Exit codes: [a] 15,15 [b] 7\n"
    assert outcome(15, codes, (2, None), {})[0] == 128 + 7
    open_mpi = "prterun noticed that process rank 1 with PID 5 on node a exited on\nsignal 9 (Kill"
    assert outcome(1, open_mpi, (1, None), {})[0] == 128 + 9


def test_a_traceback_that_was_lost_is_shown() -> None:
    note = {1: "File 2\nValueError: 5\n"}
    assert outcome(1, "File 2", (1, 1), note)[1].endswith("were ended:\nFile 2\nValueError: 5")
    assert outcome(1, "File 2\nValueError: 5\n", (1, 1), note)[1].endswith("were ended")


def test_processes_share_the_cores_for_products_of_matrices(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in BLAS_THREADS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("os.cpu_count", lambda: 8)
    starts = Launcher("mpiexec", "mpich")
    found = [environment(starts, count).get("OMP_NUM_THREADS") for count in (1, 3, 16)]
    assert found == [None, "2", "1"]
    monkeypatch.setenv("OMP_NUM_THREADS", "5")
    assert environment(starts, 4)["OMP_NUM_THREADS"] == "5"
    assert "OPENBLAS_NUM_THREADS" not in environment(starts, 4)


def test_exit_codes_are_read_and_not_shown_however_they_come() -> None:
    text = b"one\n[mpiexec@a] Exit codes: [a] 0,0,3\n[mpiexec@a] other\ntwo"
    for step in (1, 2, 7, 100):
        target = StringIO()
        shown = cli._Shown(target)
        parts = [text[at : at + step] for at in range(0, len(text), step)]
        assert "".join([shown.show(part, True) for part in [*parts, b""]]) == text.decode()
        if step > 8:
            assert target.getvalue() == "one\n[mpiexec@a] other\ntwo"
