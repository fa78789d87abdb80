"""Promises about the project as a whole: its modules, its namespace and what it imports."""

import ast
import json
import re
import subprocess
import sys
import tomllib
from collections import Counter
from graphlib import TopologicalSorter
from importlib.util import find_spec
from pathlib import Path

import pytest

import onebuf

PACKAGE = Path(onebuf.__file__).parent
PROJECT = Path(__file__).parents[1]
FILES = sorted(PACKAGE.rglob("*.py"))
MODULES = {
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__"): path
    for path in FILES
    if path.name != "__main__.py"
}

MOST_LINES = 420
"""About 400: a sentence is not cut to save a line."""
MOST_MODULES = 15
"""Of one folder."""
PLUG_INS = frozenset(
    {"onebuf.machine.cluster", "onebuf.machine.context", "onebuf.machine.providers"}
)
"""Modules with names of modules above them, which are found as entry points of others are."""
REASON = "longer than 400 lines because"
OPTIONAL = frozenset(
    {
        *("dask", "einops", "jax", "llvmlite", "matplotlib", "pyarrow", "safetensors", "torch"),
        "zarr",
    }
)
"""Packages that need not be installed."""


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The finished process of a fresh interpreter."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=240,
    )


def order_in_all(name: str) -> tuple[int, list[int | str]]:
    """Where a name belongs in ``__all__``: CONSTANTS, Classes, functions; int8 before int16."""
    if name.isupper() and len(name) > 1:
        group = 0
    elif name[:1].isupper():
        group = 1
    else:
        group = 2
    return group, [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_module_is_short_or_says_why_not(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    lines = len(source.splitlines())
    docstring = " ".join((ast.get_docstring(ast.parse(source)) or "").split())
    assert lines <= MOST_LINES or REASON in docstring, (
        f"{path.relative_to(PACKAGE)} has {lines} lines, more than {MOST_LINES}: move its second "
        f"idea to a module of its own, or say in its docstring that it is '{REASON} ...'"
    )


def test_a_folder_has_few_modules() -> None:
    counts = Counter(str(path.parent.relative_to(PACKAGE)) for path in FILES)
    assert {folder: count for folder, count in counts.items() if count > MOST_MODULES} == {}


def imports_of(name: str) -> set[str]:
    """The modules of the package that a module imports anywhere, or names in a string."""
    nodes = list(ast.walk(ast.parse(MODULES[name].read_text(encoding="utf-8"))))
    names: set[str] = set()
    assigned = {node.value for node in nodes if isinstance(node, ast.Assign)}
    for node in nodes:
        if isinstance(node, ast.Import):
            names.update(each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            inner = [f"{module}.{each.name}" for each in node.names]
            names.update(one if one in MODULES else module for one in inner)
        elif isinstance(node, ast.Constant) and name not in PLUG_INS and node not in assigned:
            names.update({str(node.value)} - {"onebuf"})
    return names.intersection(MODULES) - {name}


def test_no_module_imports_itself_through_others_late_imports_counted() -> None:
    TopologicalSorter({name: imports_of(name) for name in MODULES}).prepare()


def test_public_names_are_sorted_and_named_once() -> None:
    assert onebuf.__all__ == sorted(set(onebuf.__all__), key=order_in_all)


def test_every_public_name_is_there() -> None:
    assert [name for name in onebuf.__all__ if not hasattr(onebuf, name)] == []


def test_only_a_missing_optional_package_keeps_a_module_from_importing() -> None:
    # In a fresh interpreter: a module whose examples could not be collected is half imported here.
    program = """
import importlib, json, sys
failed = {}
for name in sys.argv[1:]:
    try:
        importlib.import_module(name)
    except Exception as error:
        failed[name] = f"{type(error).__name__}: {error}"
print(json.dumps(failed))
"""
    finished = run("-c", program, *MODULES)
    assert finished.returncode == 0, finished.stderr
    failed = json.loads(finished.stdout.splitlines()[-1])
    missing = [package for package in OPTIONAL if find_spec(package) is None]
    unexplained = {
        name: message
        for name, message in failed.items()
        if not any(package in message for package in missing)
    }
    assert unexplained == {}


def test_layers_import_downwards_only() -> None:
    pytest.importorskip("importlinter", reason="import-linter is not installed")
    finished = run(
        *("-c", "from importlinter.cli import lint_imports_command as lint; lint()"),
        *("--config", "pyproject.toml", "--no-cache"),
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/how-it-works.md"])
def test_a_table_names_every_layer(page: str) -> None:
    linter = tomllib.loads((PROJECT / "pyproject.toml").read_text())["tool"]["importlinter"]
    contract = next(one for one in linter["contracts"] if one["id"] == "layers")
    # Layers in parentheses are still to come.
    layers = re.findall(r"(?<![\w(])\w+", " ".join(contract["layers"]))
    lines = (PROJECT / page).read_text(encoding="utf-8").splitlines()
    named = re.findall(r"`(\w+)`", " ".join(line for line in lines if line.startswith("|")))
    assert len(layers) > 20
    assert [layer for layer in layers if layer not in named] == []


def test_importing_onebuf_imports_no_optional_package_and_nothing_slow() -> None:
    program = """
import sys
before = set(sys.modules)
import onebuf
print(*sorted({name.partition(".")[0] for name in set(sys.modules) - before}))
"""
    finished = run("-c", program)
    assert finished.returncode == 0, finished.stderr
    imported = set(finished.stdout.split())
    assert "onebuf" in imported
    assert imported & (OPTIONAL | {"opt_einsum", "tqdm"}) == set()


def test_the_package_says_that_it_is_typed() -> None:
    assert (PACKAGE / "py.typed").is_file()
