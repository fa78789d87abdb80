"""Modules of ours that are imported when a module of theirs is."""

import subprocess
import sys

import pytest

PRELUDE = """
import sys, types
from onebuf.clients.import_hook import when_imported
"""


def run(program, tmp_path, *arguments):
    """What a fresh interpreter prints, with the modules of ``tmp_path`` at hand."""
    finished = subprocess.run(
        [sys.executable, *arguments, "-c", program],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=120,
        cwd=tmp_path,
    )
    assert finished.returncode == 0, finished.stderr
    return finished.stdout.split()


@pytest.fixture
def modules(tmp_path):
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "__init__.py").write_text("print('package')\nfrom theirs import inner\n")
    (tmp_path / "theirs" / "inner.py").write_text("print('inner')\nREGISTRY = []\n")
    (tmp_path / "ours.py").write_text(
        "from theirs.inner import REGISTRY\nREGISTRY.append('ours')\nprint('ours')\n"
    )
    return tmp_path


def test_ours_is_imported_after_theirs(modules):
    program = PRELUDE + (
        "when_imported('theirs.inner', 'ours')\n"
        "print('theirs' in sys.modules)\n"
        "import theirs\n"
        "print(*theirs.inner.REGISTRY)\n"
    )
    assert run(program, modules) == ["False", "package", "inner", "ours", "ours"]


def test_ours_is_imported_at_once_if_theirs_is_there(modules):
    program = "import theirs" + PRELUDE + "when_imported('theirs.inner', 'ours')"
    assert run(program, modules) == ["package", "inner", "ours"]


def test_it_leaves_no_trace(modules):
    program = PRELUDE + (
        "before = list(sys.meta_path)\n"
        "when_imported('theirs.inner', 'ours')\n"
        "import theirs.inner\n"
        "print(sys.meta_path == before)\n"
        "for loader in theirs.inner.__loader__, theirs.inner.__spec__.loader:\n"
        "    print(type(loader).__name__)\n"
        "import importlib, inspect\n"
        "print(len(inspect.getsource(theirs.inner).splitlines()))\n"
        "importlib.reload(theirs.inner)\n"
    )
    loader = "SourceFileLoader"
    assert run(program, modules)[3:] == ["True", loader, loader, "2", "inner"]


def test_two_wait_without_disturbing_one_another(modules):
    (modules / "more.py").write_text("print('more')\n")
    program = PRELUDE + (
        "when_imported('theirs.inner', 'ours')\nwhen_imported('theirs.inner', 'more')\n"
        "import theirs\n"
    )
    assert sorted(run(program, modules)[2:]) == ["more", "ours"]


def test_an_import_of_theirs_that_fails_fails_as_ever_and_may_be_tried_again(modules):
    (modules / "theirs" / "inner.py").write_text("REGISTRY = []\nimport no_such_module\n")
    program = PRELUDE + (
        "when_imported('theirs.inner', 'ours')\n"
        "for attempt in 1, 2:\n"
        "    try:\n"
        "        import theirs.inner\n"
        "    except ModuleNotFoundError as error:\n"
        "        print(error.name)\n"
        "    sys.modules['no_such_module'] = types.ModuleType('no_such_module')\n"
    )
    assert run(program, modules) == ["package", "no_such_module", "package", "ours"]


def test_a_module_that_is_not_there_is_missing_as_ever(modules):
    program = PRELUDE + (
        "when_imported('theirs.absent', 'ours')\n"
        "import theirs\n"
        "try:\n    import theirs.absent\n"
        "except ModuleNotFoundError as error:\n    print(error.name)\n"
    )
    assert run(program, modules)[2:] == ["theirs.absent"]


def test_trouble_of_ours_is_a_warning_to_whoever_imports_theirs(modules):
    (modules / "ours.py").write_text("raise RuntimeError('broken')\n")
    program = (
        "import warnings"
        + PRELUDE
        + (
            "when_imported('theirs.inner', 'ours')\n"
            "with warnings.catch_warnings(record=True) as seen:\n"
            "    warnings.simplefilter('always')\n"
            "    import theirs\n"
            "print(theirs.inner.REGISTRY, len(seen))\n"
            "print('theirs' in str(seen[0].message), 'broken' in str(seen[0].message))\n"
        )
    )
    assert run(program, modules)[2:] == ["[]", "1", "True", "True"]


@pytest.mark.parametrize("first", ["onebuf", "einops"])
def test_einops_knows_buffers_whichever_is_imported_first(first, tmp_path):
    second = "einops" if first == "onebuf" else "onebuf"
    program = (
        f"import {first}, sys\nprint('{second}' in sys.modules)\nimport {second}\n"
        "x = einops.rearrange(onebuf.zeros((2, 3)), 'a b -> b a')\n"
        "print(type(x).__name__, *x.shape)\n"
    )
    assert run(program, tmp_path, "-W", "error") == ["False", "Buffer", "3", "2"]


@pytest.mark.parametrize("first", ["onebuf", "dask.array"])
def test_dask_knows_buffers_whichever_is_imported_first(first, tmp_path):
    second = "dask.array" if first == "onebuf" else "onebuf"
    program = (
        f"import {first}, sys\nprint('{second}' in sys.modules)\nimport {second}\n"
        "from dask.array.dispatch import percentile_lookup\n"
        "print(percentile_lookup(onebuf.asarray([1.0, 2.0, 3.0]), [50])[0].item())\n"
    )
    assert run(program, tmp_path, "-W", "error") == ["False", "2.0"]
