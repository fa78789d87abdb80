"""The table of a benchmark: ratios, figures and columns."""

import pytest
from table import (
    Row,
    aligned,
    by_group,
    cells,
    compile_lines,
    digits,
    halves,
    heads,
    markdown,
    ratio,
)

NAMES = ["onebuf", "numpy", "torch", "numba"]


def row(**changes: object) -> Row:
    """A workload of 2 ms in onebuf, 4 in NumPy, 1 in torch, at a limit of half a millisecond."""
    facts: dict[str, object] = {
        "name": "a+b",
        "group": "chains",
        "unit": "ms",
        "seconds": {"onebuf": 2e-3, "numpy": 4e-3, "torch": 1e-3},
        "limit": 5e-4,
        "spread": {"onebuf": 1.25},
    }
    return Row(**(facts | changes))  # type: ignore[arg-type]


def test_the_best_peer_is_the_fastest_library_but_ours() -> None:
    assert row().best == "torch"
    assert row(seconds={"onebuf": 1e-9, "numpy": 1.0}).best == "numpy"
    assert row(seconds={"onebuf": 1.0}).best is None


def test_ratios_are_times_over_the_best_peer_and_over_the_limit() -> None:
    assert row().to_best == pytest.approx(2)
    assert row().to_limit("onebuf") == pytest.approx(4)
    assert row().to_limit("torch") == pytest.approx(2)


def test_a_ratio_whose_part_is_missing_is_missing() -> None:
    assert row(limit=None).to_limit("onebuf") is None
    assert row().to_limit("numba") is None
    assert row().to_limit(None) is None
    assert row(seconds={"numpy": 1.0}).to_best is None
    assert row(seconds={"onebuf": 1.0}).to_best is None
    assert ratio(1.0, 0.0) is None
    assert ratio(0.0, 1.0) == 0.0


def test_a_row_shows_milliseconds_ratios_and_what_was_not_measured() -> None:
    assert cells(row(), NAMES) == [
        *("a+b, ms", "0.50", "2.00", "4.00", "1.00", "-"),
        *("torch", "2.00", "2.00", "4.00", "1.25"),
    ]


def test_a_small_row_shows_microseconds_and_no_limit() -> None:
    shown = cells(row(unit="us", limit=None, seconds={"onebuf": 2e-6, "numpy": 5e-7}), NAMES)
    assert shown == ["a+b, us", "-", "2.00", "0.50", "-", "-", "numpy", "4.00", "-", "-", "1.25"]


def test_a_wrong_answer_and_a_failure_are_told_apart() -> None:
    failures = {"numba": "wrong answer: 3 times the tolerance", "numpy": "no answer within 9 s"}
    shown = cells(row(failures=failures, seconds={"onebuf": 1e-3, "torch": 1e-3}), NAMES)
    assert shown[2:6] == ["1.00", "failed", "1.00", "wrong"]


def test_heads_and_cells_have_the_same_columns() -> None:
    assert len(heads(NAMES)) == len(cells(row(), NAMES))
    assert heads(["torch.compile"])[2] == "compile"


@pytest.mark.parametrize(
    "value, text",
    [
        *((None, "-"), (0.0, "0.000"), (0.0996, "0.100"), (0.1, "0.10"), (9.994, "9.99")),
        *((10.0, "10.0"), (99.94, "99.9"), (100.4, "100"), (123456.0, "123456")),
    ],
)
def test_a_figure_is_short(value: float | None, text: str) -> None:
    assert digits(value) == text


def test_columns_are_as_wide_as_their_widest_cell() -> None:
    assert aligned([["a", "bbb", ""], ["aaa", "b", "c"]]) == ["a    bbb", "aaa    b  c"]


def test_a_page_has_a_rule_below_the_head() -> None:
    assert markdown([["a", "b"], ["1", "2"]]) == ["| a | b |", "|---|---:|", "| 1 | 2 |"]


def test_json_holds_the_ratios_too() -> None:
    found = row().as_json()
    assert found["best"] == "torch"
    assert found["to_best"] == pytest.approx(2)
    assert found["to_limit"] == pytest.approx({"onebuf": 4, "numpy": 8, "torch": 2})
    assert row(limit=None).as_json()["to_limit"] == {}


def test_compile_times_are_milliseconds_by_program_and_library() -> None:
    lines = compile_lines({"a+b": {"onebuf": {"cold": 0.0051, "disk": 0.0001}}})
    assert lines[1:] == [["a+b", "onebuf", "5.10", "0.10", "-"]]


def test_a_picture_shows_rows_with_a_limit_by_group() -> None:
    rows = [row().as_json(), row(limit=None).as_json(), row(group="moves").as_json()]
    assert {group: len(found) for group, found in by_group(rows).items()} == {
        "chains": 1,
        "moves": 1,
    }


def test_a_picture_of_one_group_has_one_column() -> None:
    assert halves({"chains": [1, 2]}) == [["chains"]]
    assert halves({"a": [1], "b": [2, 3], "c": [4, 5]}) == [["a", "b"], ["c"]]
