"""NumPy's names: all of them are here, or on a list that says why not."""

from __future__ import annotations

import inspect
import subprocess
import sys
import types

import numpy as np
import pytest

import onebuf
from onebuf.numpy_api import NUMPYS, SECTIONS

LEFT_OUT = {
    "asmatrix": "a subclass of arrays that NumPy itself advises against",
    "bmat": "a subclass of arrays that NumPy itself advises against",
    "matrix": "a subclass of arrays that NumPy itself advises against",
    "f2py": "compiles Fortran; it has nothing to do with arrays",
    "test": "runs NumPy's own tests",
}
MODULES = {"testing"}
"""Modules above the root: it finds them by name, and does not list them."""


def test_every_public_name_of_numpy_is_here() -> None:
    public = {name for name in np.__all__ if not name.startswith("_")}
    assert sorted(public - set(onebuf.__all__) - MODULES) == sorted(LEFT_OUT)
    assert [name for name in MODULES if not hasattr(onebuf, name)] == []


def test_every_name_in_the_table_is_public_and_found() -> None:
    names = [name for text in SECTIONS.values() for name in text.split()]
    assert len(names) == len(set(names))
    assert [name for name in [*names, *NUMPYS] if name not in onebuf.__all__] == []
    assert [name for name in names if not hasattr(onebuf, name)] == []


@pytest.mark.parametrize("name", sorted(set(np.__all__) & set(onebuf.__all__)))
def test_a_name_is_of_the_kind_that_it_is_in_numpy(name: str) -> None:
    ours, theirs = getattr(onebuf, name), getattr(np, name)
    assert callable(ours) == callable(theirs)
    if name == "__array_namespace_info__":
        return  # a class there, and a function in the standard
    if isinstance(theirs, type) and name not in ("finfo", "iinfo"):
        assert isinstance(ours, type)
    if isinstance(theirs, np.ufunc):
        assert isinstance(ours, onebuf.ufunc) or name in ("matmul", "vecdot", "matvec", "vecmat")


@pytest.mark.parametrize(
    "name",
    [n for n in sorted(onebuf.__all__) if isinstance(getattr(onebuf, n), types.FunctionType)],
)
def test_a_function_has_a_signature_and_documentation(name: str) -> None:
    function = getattr(onebuf, name)
    assert inspect.signature(function).parameters is not None
    assert function.__doc__


def test_star_brings_every_name() -> None:
    scope: dict[str, object] = {}
    exec("from onebuf import *", scope)
    assert [name for name in onebuf.__all__ if name not in scope] == []


@pytest.mark.parametrize("name", ["no_such_name", "_private", "pi2", *LEFT_OUT])
def test_nothing_else_is_there(name: str) -> None:
    with pytest.raises(AttributeError, match=f"'onebuf' has no attribute '{name}'"):
        getattr(onebuf, name)
    assert not hasattr(onebuf, name)


def test_what_is_rarely_used_is_imported_when_it_is_named() -> None:
    program = """
import sys, onebuf
assert not [name for name in sys.modules if name.startswith("onebuf.numpy_api.")]
onebuf.median([1.0])
print(*[name for name in sys.modules if name.startswith("onebuf.numpy_api.")])
"""
    finished = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert finished.returncode == 0, finished.stderr
    assert set(finished.stdout.split()) == {"onebuf.numpy_api.delegation", "onebuf.numpy_api.sums"}


def test_the_standard_keeps_its_names() -> None:
    assert onebuf.sum.__module__ == "onebuf.array_api.statistical"
    assert onebuf.cumulative_sum.__module__ == "onebuf.array_api.statistical"


@pytest.mark.parametrize("module", ["linalg", "fft"])
def test_a_module_has_all_of_numpys_names(module: str) -> None:
    ours, theirs = getattr(onebuf, module), getattr(np, module)
    public = {name for name in theirs.__all__ if not name.startswith("_")} - {"test"}
    assert sorted(public - set(ours.__all__)) == []
    assert [name for name in ours.__all__ if not hasattr(ours, name)] == []


def test_programs_compare_with_numpys_functions() -> None:
    onebuf.testing.assert_allclose(onebuf.arange(3) / 2, [0, 0.5, 1])
    with pytest.raises(AssertionError):
        onebuf.testing.assert_array_equal(onebuf.arange(3), [0, 1, 3])
    assert onebuf.testing.DeviceContract.__name__ == "DeviceContract"
    with pytest.raises(AttributeError):
        onebuf.testing.assert_nothing
