"""docs/architecture.md and its picture show the package as it is."""

import importlib.util
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import onebuf

PROJECT = Path(__file__).parents[1]
PACKAGE = Path(onebuf.__file__).parent
PAGE = PROJECT / "docs" / "architecture.md"
FOLDERS = sorted(
    path.parent.relative_to(PACKAGE).as_posix()
    for path in PACKAGE.rglob("__init__.py")
    if path.parent != PACKAGE
)
PAGES = [*sorted((PROJECT / "docs").rglob("*.md")), *sorted(PROJECT.glob("*.md"))]
FILES = [
    path.as_posix()
    for folder in ("src", "tests", "tools", "benchmarks", "examples")
    for path in (PROJECT / folder).rglob("*.py")
]
NAMED = re.compile(
    r"`((?:\w+/)*\w+\.py)`|`(?:onebuf[./])?"
    r"((?:backends|engine|graph|kernel|machine|ops|render|scheduler)(?:[./]\w+)+)`"
)
"""Modules, and what is in them, as pages name them: as files, by dots, by slashes."""
MOVED = "| before | now |"
"""How the table of old and new names begins, in the first design note."""
DRIFT = 0.25
"""A folder may grow or shrink by this part before the picture has to be drawn again."""


@pytest.fixture(scope="module")
def drawing() -> Iterator[ModuleType]:
    path = PROJECT / "tools" / "draw_architecture.py"
    spec = importlib.util.spec_from_file_location("draw_architecture", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where dataclasses look for it
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def rows() -> list[list[str]]:
    """The cells of the table of folders."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    table = [line.strip("| ").split(" | ") for line in lines if line.startswith("| `")]
    return [cells for cells in table if len(cells) == 4]


def test_the_picture_is_what_the_script_draws(drawing: ModuleType) -> None:
    picture = drawing.PICTURE.read_text(encoding="utf-8")
    now, then = drawing.facts(), drawing.recorded(picture)
    again = "run python tools/draw_architecture.py"
    assert then.lines.keys() == now.lines.keys(), f"folders came or went: {again}"
    assert then.imports.keys() == now.imports.keys(), f"layers import others than before: {again}"
    for path, lines in now.lines.items():
        assert abs(lines - then.lines[path]) <= max(60, DRIFT * lines), f"{path} has grown: {again}"
    assert drawing.draw(then) == picture, f"the script draws something else: {again}"


def test_every_folder_is_in_the_picture(drawing: ModuleType) -> None:
    drawn = drawing.recorded(drawing.PICTURE.read_text(encoding="utf-8")).lines
    assert [folder for folder in FOLDERS if folder not in drawn] == []


def test_the_table_names_every_folder_once() -> None:
    named = [cells[0].strip("`") for cells in rows()]
    assert len(named) == len(set(named))
    assert [folder for folder in FOLDERS if folder not in named] == []
    for name in named:
        assert (PACKAGE / name).is_dir() or (PACKAGE / f"{name}.py").is_file(), (
            f"there is no {name}"
        )


def test_what_the_table_calls_most_important_exists() -> None:
    for folder, _, _, important in rows():
        for name in re.findall(r"`([\w.]+)`", important):
            module, _, attribute = name.rpartition(".")
            path = ".".join(filter(None, ["onebuf", *folder.strip("`").split("/"), module]))
            assert hasattr(import_module(path), attribute), f"there is no {path}.{attribute}"


def test_the_table_says_what_inner_folders_may_import(drawing: ModuleType) -> None:
    for folder, _, may, _ in rows():
        path = folder.strip("`")
        outer, _, name = path.rpartition("/")
        container = "onebuf." + outer.replace("/", ".")
        order = drawing.contracts().get(container, [])
        at = next((n for n, level in enumerate(order) if name in level), None)
        if not outer or at is None:
            continue
        below = {one for level in order[at + 1 :] for one in level}
        assert set(re.findall(r"`(\w+)`", may)) == below, f"{path} may import {sorted(below)}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_modules_that_a_page_names_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    text = text.partition(MOVED)[0]
    for file, name in NAMED.findall(text):
        if file:
            assert any(path.endswith(f"/{file}") for path in FILES), f"there is no {file}"
        else:
            assert exists(f"onebuf.{name}".replace("/", ".")), f"there is no {name}"


def exists(name: str) -> bool:
    """Whether ``name`` is a module, or something that is in one."""
    try:
        import_module(name)
    except ModuleNotFoundError:
        module, _, attribute = name.rpartition(".")
        return bool(module) and exists(module) and hasattr(import_module(module), attribute)
    return True
