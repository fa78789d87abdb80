"""Every function that the namespace has is the subject of some property."""

from __future__ import annotations

import importlib
import inspect
from pathlib import Path
from types import ModuleType

import array_api_strict
import pytest
from array_api.properties.arrays import COVERED

import onebuf
from onebuf import array_api

MODULES = [path.stem for path in sorted(Path(__file__).parent.glob("test_*.py"))]
SECTIONS = [
    importlib.import_module(f"{array_api.__name__}.{path.stem}")
    for path in sorted(Path(array_api.__file__).parent.glob("[a-z]*.py"))
]


def of_the_standard(namespace: ModuleType) -> set[str]:
    return {
        name
        for name, value in vars(namespace).items()
        if inspect.isfunction(value) and not name.startswith("_") and "strict" not in name
    }


def public() -> set[str]:
    """Functions of the root that a module of the array API made, and all of the extensions."""
    made = {
        name
        for name in onebuf.__all__
        if not name.startswith("_")
        and any(getattr(onebuf, name) is getattr(section, name, None) for section in SECTIONS)
        and inspect.isfunction(getattr(onebuf, name))
    }
    linalg = {f"linalg.{name}" for name in onebuf.linalg.__all__}
    return made | linalg | {f"fft.{name}" for name in onebuf.fft.__all__}


@pytest.fixture(scope="module", autouse=True)
def _properties() -> None:
    for name in MODULES:
        importlib.import_module(f"array_api.properties.{name}")


def test_as_many_functions_are_looked_at_as_the_standard_has() -> None:
    extensions = [{name for name in public() if name.startswith(of)} for of in ("linalg.", "fft.")]
    assert [len(names) for names in extensions] == [25, 14]
    assert len(public()) >= 135 + 25 + 14


def test_every_function_of_the_standard_has_a_property() -> None:
    wanted = of_the_standard(array_api_strict)
    wanted |= {f"linalg.{name}" for name in array_api_strict.linalg.__all__}
    wanted |= {f"fft.{name}" for name in array_api_strict.fft.__all__}
    assert sorted(wanted - COVERED) == []


def test_every_public_function_has_a_property() -> None:
    assert sorted(public() - COVERED) == []


def test_properties_are_about_functions_that_are_there() -> None:
    assert sorted(COVERED - public()) == []
