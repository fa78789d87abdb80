"""The command line, run as a user runs it: in a process of its own."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import onebuf
from onebuf.cli.stage import Stage
from onebuf.cli.tour import CHAPTERS

Finished = subprocess.CompletedProcess[str]
COMMAND = "import sys; from onebuf.cli import main; sys.exit(main())"


def command(*arguments: str, **environment: str) -> Finished:
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", COMMAND, *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        stdin=subprocess.DEVNULL,
        timeout=120,
        env=os.environ | {"PYTHONUTF8": "1"} | environment,
    )


@pytest.fixture(scope="module")
def tour() -> Finished:
    return command("tour")


def test_the_tour_succeeds(tour: Finished) -> None:
    assert (tour.returncode, tour.stderr) == (0, "")


@pytest.mark.parametrize("name", CHAPTERS)
def test_the_tour_has_every_chapter(name: str, tour: Finished) -> None:
    number = list(CHAPTERS).index(name) + 1
    assert f"\n{number}. {CHAPTERS[name][0]}\n" in tour.stdout


def test_the_tour_fits_80_columns_and_has_no_colour_outside_a_terminal(
    tour: Finished,
) -> None:
    text = tour.stdout
    assert "\033" not in text
    assert [line for line in text.splitlines() if len(line) > 80] == []


def test_the_tour_shows_one_address_on_both_sides(
    tour: Finished,
) -> None:
    addresses = re.findall(r"'(0x[0-9a-f]+)'", tour.stdout)
    assert len(addresses) == 3
    assert len(set(addresses)) == 1


def test_only_the_errors_that_the_tour_is_about_happen_in_it(
    tour: Finished,
) -> None:
    errors = re.findall(r"^ +(\w+Error): ", tour.stdout, re.MULTILINE)
    assert errors == [
        *("CopyError", "ShapeError", "ExportError", "LayoutError", "DeviceError"),
        "DivergenceError",
    ]


def test_the_tour_shows_what_a_layout_stores_and_an_orbit_written(tour: Finished) -> None:
    assert "(16, 10, 80)" in tour.stdout
    assert "[0, 0, 0, 7]" in tour.stdout


def test_the_tour_leaves_no_file_behind(tmp_path: Path) -> None:
    finished = command("tour", "files", TMPDIR=str(tmp_path))
    assert finished.returncode == 0, finished.stderr
    assert "[0.0, 16.0, 32.0, 48.0]" in finished.stdout
    assert list(tmp_path.iterdir()) == []


def test_a_chapter_can_be_seen_alone() -> None:
    finished = command("tour", "strides")
    assert finished.returncode == 0, finished.stderr
    assert re.findall(r"^(\d)\. ", finished.stdout, re.MULTILINE) == ["1"]


def test_an_unknown_chapter_is_answered_with_the_known_ones() -> None:
    finished = command("tour", "magic")
    assert finished.returncode == 2
    assert "the tour has the chapters strides, views" in finished.stderr
    assert "got 'magic'" in finished.stderr


def test_the_version_is_the_package_s() -> None:
    assert command("--version").stdout == f"onebuf {onebuf.__version__}\n"


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="this system has no pseudo-terminals")
@pytest.mark.parametrize("environment, colours", [({}, True), ({"NO_COLOR": "1"}, False)])
def test_colour_is_for_terminals_and_can_be_declined(
    environment: dict[str, str], colours: bool
) -> None:
    reading, writing = os.openpty()
    clean = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    process = subprocess.Popen(
        [sys.executable, "-c", COMMAND, "tour", "next"],
        stdout=writing,
        stdin=subprocess.DEVNULL,
        env=clean | {"PYTHONUTF8": "1"} | environment,
    )
    os.close(writing)
    text = b""
    try:
        while part := os.read(reading, 4096):
            text += part
    except OSError:  # how Linux says that the other end is closed
        pass
    os.close(reading)
    assert process.wait(timeout=60) == 0
    assert b"Where to go next" in text
    assert (b"\033[" in text) is colours


def test_code_on_a_stage_is_shown_as_it_is_run(capsys: pytest.CaptureFixture[str]) -> None:
    stage = Stage({})
    seconds = stage.run(
        """
        total = 0
        for i in range(3):  # to be summed
            total += i
        print(total)
        total * 2
        """
    )
    assert len(seconds) == 4
    assert capsys.readouterr().out.splitlines() == [
        "",
        "    >>> total = 0",
        "    >>> for i in range(3):  # to be summed",
        "    ...     total += i",
        "    >>> print(total)",
        "    3",
        "    >>> total * 2",
        "    6",
    ]


def test_an_explanation_on_a_stage_quotes_the_line_that_was_shown(
    capsys: pytest.CaptureFixture[str],
) -> None:
    stage = Stage({"onebuf": onebuf})
    stage.run("x = onebuf.Buffer.zeros(100_000).realize()")
    stage.run("y = x + 1\nprint(y.explain())")
    assert "from <tour>:2: y = x + 1" in capsys.readouterr().out
