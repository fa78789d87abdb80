"""Whole programs of a benchmark: the same answers on NumPy and on buffers, and their ratios."""

import json
from pathlib import Path

import numpy as np
import programs
import pytest
from programs import Measured, answers, chosen, geometric_mean, main, summary
from whole_programs import PROGRAMS, distance

import onebuf


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_gives_what_it_gives_on_numpy(name: str) -> None:
    program = PROGRAMS[name]
    data = program.data(program.tiny)
    wanted = answers(program, np, data)
    assert all(array.size for array in wanted)
    for _ in range(2):
        assert distance(answers(program, onebuf, data), wanted) <= program.rtol


def test_there_are_programs_of_both_groups() -> None:
    groups = [program.group for program in PROGRAMS.values()]
    assert groups.count("small") >= 10
    assert groups.count("large") >= 8
    assert len(groups) >= 20
    assert all(program.title != program.name for program in PROGRAMS.values())


def test_programs_are_chosen_by_name_and_by_group() -> None:
    assert [program.name for program in chosen(["pca", "newton"], None)] == ["pca", "newton"]
    assert [program.name for program in chosen(["pca", "newton"], "large")] == ["pca"]
    assert len(chosen([], None)) == len(PROGRAMS)
    with pytest.raises(SystemExit, match="no program 'sort'"):
        chosen(["sort"], None)


@pytest.mark.parametrize(
    "answer", [[1.0, 3.0], [1, 2], [[1.0, 2.0]], [1.0, np.nan], [1.0, 2.0, 3.0]]
)
def test_answers_that_differ_are_apart(answer: list[float]) -> None:
    wanted = [np.array([1.0, 2.0])]
    assert distance(wanted, wanted) == 0
    assert distance([np.array(answer)], wanted) >= 0.5
    assert distance(wanted * 2, wanted) == np.inf


def test_the_summary_names_the_mean_and_the_worst_of_each_group() -> None:
    rows = [
        Measured("a", "small", 1.0, 0.5, 0.0, True),
        Measured("b", "small", 1.0, 2.0, 0.0, True),
        Measured("c", "large", 4.0, 1.0, 0.0, True),
    ]
    small, large = summary(rows)
    assert geometric_mean([row.ratio for row in rows[:2]]) == 1.0
    assert "mean 1.00x" in small
    assert "worst b 2.00x" in small
    assert "mean 0.25x" in large
    assert "worst c 0.25x" in large


def test_figures_are_kept_as_json(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "figures.json"
    monkeypatch.setattr(programs, "PROGRAMS", {"newton": PROGRAMS["newton"]})
    assert main(["newton", "--seconds", "0", "--rounds", "1", "--json", str(path)]) == 0
    (row,) = json.loads(path.read_text())
    assert row["name"] == "newton"
    assert row["ratio"] == pytest.approx(row["onebuf"] / row["numpy"])
    assert "small: geometric mean" in capsys.readouterr().out


def test_a_wrong_result_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(programs, "distance", lambda found, wanted: 1.0)
    assert main(["newton", "--seconds", "0", "--rounds", "1"]) == 1
    assert "WRONG" in capsys.readouterr().out
