"""Every function that the namespace has is held to something.

Those of the standard, and all that modules of the array API make, are the subject of a property.
NumPy's others are in a line of ``numpy_api.test_values``, which is run with NumPy and with onebuf.
"""

from __future__ import annotations

import importlib
import inspect
import re
from operator import attrgetter
from pathlib import Path
from types import ModuleType
from typing import Any

import array_api_strict
import numpy as np
import pytest
from array_api.properties.arrays import COVERED
from numpy_api.test_values import CASES

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


def functions(module: ModuleType, prefix: str = "") -> set[str]:
    """The public functions of a module; its classes and constants are none."""
    named = {name: getattr(module, name) for name in module.__all__ if not name.startswith("_")}
    return {
        prefix + name
        for name, value in named.items()
        if callable(value) and not isinstance(value, type | np.dtype | ModuleType)
    }


def public() -> set[str]:
    """The functions of the root, of linalg and of fft."""
    extensions = functions(onebuf.linalg, "linalg.") | functions(onebuf.fft, "fft.")
    return functions(onebuf) | extensions


def made_here() -> set[str]:
    """Functions of the root that a module of the array API made."""
    return {
        name
        for name in functions(onebuf)
        if any(getattr(onebuf, name) is getattr(section, name, None) for section in SECTIONS)
    }


def numpys() -> set[str]:
    """Functions that NumPy has under the same name, other than those that are NumPy's own."""
    found = set()
    for name in public():
        ours, theirs = (attrgetter(name)(onebuf), _attribute(np, name))
        if theirs is not None and theirs is not ours:
            found.add(name)
    return found


def _attribute(module: ModuleType, path: str) -> Any:
    try:
        return attrgetter(path)(module)
    except AttributeError:
        return None


LINES = {name for case in CASES for name in re.findall(r"\bnp\.((?:linalg\.|fft\.)?\w+)", case)}
"""The names of NumPy that a line is about."""


@pytest.fixture(scope="module", autouse=True)
def _properties() -> None:
    for name in MODULES:
        importlib.import_module(f"array_api.properties.{name}")


def test_as_many_functions_are_looked_at_as_there_are() -> None:
    extensions = [{name for name in public() if name.startswith(of)} for of in ("linalg.", "fft.")]
    assert [len(names) for names in extensions] == [31, 18]
    assert len(made_here()) >= 135
    assert len(numpys()) >= 380


def test_every_function_of_the_standard_has_a_property() -> None:
    wanted = of_the_standard(array_api_strict)
    wanted |= {f"linalg.{name}" for name in array_api_strict.linalg.__all__}
    wanted |= {f"fft.{name}" for name in array_api_strict.fft.__all__}
    assert sorted(wanted - COVERED) == []


def test_every_function_of_the_array_apis_modules_has_a_property() -> None:
    assert sorted(made_here() - COVERED) == []


def test_every_function_of_numpys_has_a_property_or_a_line() -> None:
    assert sorted(numpys() - COVERED - LINES) == []


def test_every_function_of_an_extension_is_the_standards_or_numpys() -> None:
    extensions = public() - functions(onebuf)
    assert sorted(extensions - COVERED - numpys()) == []


def test_properties_and_lines_are_about_functions_that_are_there() -> None:
    assert sorted(COVERED - public()) == []
    assert [name for name in sorted(LINES) if _attribute(onebuf, name) is None] == []
