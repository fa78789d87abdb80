"""The tools that run foreign test suites on buffers: what counts, what is apart, and why."""

import importlib
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import onebuf

FOLDER = Path(__file__).parents[1] / "tools" / "outside"


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A module of tools/outside, by name."""
    monkeypatch.syspath_prepend(str(FOLDER))
    known = set(sys.modules)
    yield importlib.import_module
    for name in set(sys.modules) - known:
        if Path(getattr(sys.modules[name], "__file__", None) or "/").parent == FOLDER:
            del sys.modules[name]


def record(path: Path, *tests: tuple[str, str, str, list[str]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        for name, outcome, message, tags in tests:
            start = {"event": "start", "id": name, "name": name, "number": 0, "source": tags}
            end = {"event": "end", "id": name, "outcome": outcome, "message": message}
            lines = [start] if outcome == "crashed" else [start, end]
            file.write("".join(json.dumps(line) + "\n" for line in lines))


def test_what_numpy_passes_counts_and_foreign_dtypes_are_apart(tool: Any, tmp_path: Path) -> None:
    control = [(name, "passed", "", []) for name in "abcd"] + [("e", "failed", "", [])]
    control.append(("f", "passed", "", ["object"]))
    record(tmp_path / "numpy" / "control" / "x.py.jsonl", *control)
    record(
        tmp_path / "numpy" / "onebuf" / "x.py.jsonl",
        ("a", "passed", "", []),
        ("b", "failed", "TypeError: f()\nf() got an unexpected keyword argument 'out'", []),
        ("c", "failed", "DTypeError: needed one of the dtypes bool; got 'O'", []),
        ("d", "crashed", "", []),
        ("e", "passed", "", []),
        ("f", "passed", "", []),
    )
    report = tool("report")
    assert "| numpy | 5 | 2 | 2 | 3 | 1 (33.33%) | 1 (33.33%) |" in report.report(tmp_path)
    causes = [(case.apart, case.cause) for case in report.cases(tmp_path, "numpy")]
    assert causes == [
        ("", ""),
        ("", "keyword"),
        ("foreign dtype", "foreign dtype"),
        ("", "crash"),
        ("object", ""),
    ]


def test_what_did_not_run_after_a_crash_is_crashed_and_not_apart(tool: Any, tmp_path: Path) -> None:
    control = [(name, "passed", "", []) for name in "abc"]
    record(tmp_path / "numpy" / "control" / "x.py.jsonl", *control)
    ran = [("a", "passed", "", []), ("b", "crashed", "", [])]
    record(tmp_path / "numpy" / "onebuf" / "x.py.jsonl", *ran)
    causes = [(case.apart, case.cause) for case in tool("report").cases(tmp_path, "numpy")]
    assert causes == [("", ""), ("", "crash"), ("", "crash")]


def test_functions_in_c_of_numpys_tests_get_arrays(tool: Any) -> None:
    fake = tool("numpy_standin").standin("numpy._core._multiarray_tests")
    copied, doubled = fake.incref_elide(onebuf.ones(100_000))  # which looks at no type
    assert copied.sum() == 100_000
    assert doubled.sum() == 200_000


def test_the_stand_in_has_our_ufuncs_to_look_through(tool: Any) -> None:
    fake = tool("numpy_standin").standin("numpy")
    found = [x for x in fake._core.umath.__dict__.values() if isinstance(x, fake.ufunc)]
    assert len(found) > 100
    assert {x.nin for x in found} >= {1, 2}

    class Test:
        add = fake.add  # no method of the class, as NumPy's own is none

    assert Test().add(1, 2) == 3


def test_scipys_control_is_the_same_test_with_numpy(tool: Any, tmp_path: Path) -> None:
    record(
        tmp_path / "scipy" / "onebuf" / "x.py.jsonl",
        ("a[numpy]", "passed", "", []),
        ("a[onebuf]", "failed", "AssertionError: x\nArrays are not equal", []),
        ("b[3-numpy-x]", "failed", "", []),
        ("b[3-onebuf-x]", "failed", "", []),
        ("c[numpy]", "passed", "", []),
        ("c[onebuf]", "skipped", "", []),
    )
    (case,) = tool("report").cases(tmp_path, "scipy")
    assert (case.ours.id, case.cause) == ("a[onebuf]", "values")


def test_the_stand_in_has_our_functions_and_numpys_dtypes(tool: Any) -> None:
    standin = tool("numpy_standin")
    fake = standin.standin("numpy")
    assert fake.sort.__wrapped__ is onebuf.sort
    assert fake.sort is fake._core.fromnumeric.sort
    assert fake.linalg.norm is not np.linalg.norm
    assert fake.dtype is np.dtype
    fake.testing.assert_array_equal(onebuf.asarray([1.0, 2.0]), [1.0, 2.0])
    with pytest.raises(AssertionError):
        fake.testing.assert_array_equal(onebuf.asarray([1.0, 2.0]), [1.0, 3.0])
    with pytest.raises(standin.Missing, match=r"has no attribute 'linalg\.nothing'"):
        standin.missing("linalg.nothing")()


@pytest.mark.parametrize(
    "source, tags",
    [
        ("x = np.array([1], dtype=object)", ["object"]),
        ("x = np.zeros(3, dtype='>f4')", ["byte order"]),
        ("x = np.zeros(3, dtype=[('a', 'i4')])", ["structured"]),
        ("dtype='g'", ["longdouble"]),
        ("x = np.arange(3.0).astype('f4')", []),
    ],
)
def test_the_text_of_a_test_says_what_it_needs(tool: Any, source: str, tags: list[str]) -> None:
    tool("causes")
    assert tool("record")._tags(source) == tags
