"""A pytest plugin: NumPy's test files see onebuf wherever they ask for NumPy's arrays.

A test file is executed with an ``import`` of its own. What it imports from NumPy are stand-ins
for NumPy's modules: a function on arrays is onebuf's of that name, ``ndarray`` is onebuf's, and
what is not about arrays (dtypes, scalar types, errors, limits, text) is NumPy's own. A function
that onebuf does not have is there and raises a `Missing` when it is called, never NumPy's in
silence.
NumPy itself is not changed, so what onebuf does with it is as always.
"""

from __future__ import annotations

import builtins
import functools
import importlib
import os
import re
import sys
from collections.abc import Callable
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import numpy as np

import onebuf
from onebuf.native import FUNCTIONS

TESTS = re.compile(r"(numpy(\.\w+)*\.tests\.)?test_\w+")
FOLDER = os.path.dirname(np.__file__)
NAMESPACES = {
    "numpy": "onebuf",
    "numpy.linalg": "onebuf.linalg",
    "numpy.fft": "onebuf.fft",
    "numpy.random": "onebuf.random",
    "numpy.lib.stride_tricks": "onebuf.lib.stride_tricks",
}
"""NumPy's modules whose public functions have to be onebuf's."""
_NUMPYS_OWN = """
    binary_repr base_repr broadcast_shapes dtype errstate exceptions finfo
    format_float_positional format_float_scientific get_include get_printoptions geterr
    geterrcall getbufsize iinfo info isdtype issubdtype iterable mintypecode printoptions
    promote_types result_type seterr seterrcall setbufsize set_printoptions show_config test
    typename typecodes can_cast min_scalar_type generic number integer signedinteger
    unsignedinteger inexact floating complexfloating flexible character void str_ bytes_
    object_ datetime64 timedelta64 longdouble clongdouble nditer nested_iters ndenumerate
    ndindex broadcast flatiter memmap matrix recarray record rec char strings ma core
    polynomial poly1d ctypeslib datetime_as_string datetime_data busday_count busday_offset
    busdaycalendar is_busday isfortran frompyfunc vectorize get_array_wrap from_dlpack
    SeedSequence BitGenerator MT19937 PCG64 PCG64DXSM Philox SFC64 asmatrix bmat mat
"""
NUMPYS_OWN = frozenset(_NUMPYS_OWN.split())
"""Names that may be NumPy's where onebuf has none: they are not functions of arrays."""


class Missing(AttributeError):
    """A function of NumPy's that onebuf does not have was called."""


@functools.cache
def missing(name: str) -> Callable[..., Any]:
    """What stands for a function that onebuf does not have."""

    def call(*args: Any, **kwargs: Any) -> Any:
        raise Missing(f"onebuf has no attribute {name!r}")

    call.__name__ = call.__qualname__ = name.rpartition(".")[2]
    return call


def find(path: str) -> Any:
    """What ``path`` ("onebuf.linalg.norm") names; None if there is no such thing."""
    parts = path.split(".")
    found: Any = sys.modules[parts[0]]
    for part in parts[1:]:
        found = getattr(found, part, None)
    return found


@functools.cache
def public_names() -> dict[int, str]:
    """By the identity of a public object of NumPy: the name by which onebuf has it."""
    names: dict[int, str] = {}
    for module, ours in NAMESPACES.items():
        real = importlib.import_module(module)
        for name in dir(real):
            value = getattr(real, name, None)
            is_known = isinstance(value, ModuleType | int | float | str | type(None))
            if not name.startswith("_") and not is_known:
                names.setdefault(id(value), f"{ours}.{name}")
    return names


def is_about_arrays(name: str, value: Any) -> bool:
    """Whether a public object of NumPy's takes or makes arrays."""
    if name in NUMPYS_OWN:
        return False
    kinds = FunctionType | BuiltinFunctionType | np.ufunc | type(np.pad)
    return isinstance(value, kinds) or hasattr(value, "__getitem__")


def translated(value: Any) -> Any:
    """What a test file gets where it asks for the object ``value`` of NumPy's."""
    if isinstance(value, ModuleType):
        inside = value.__name__.partition(".")[0] == "numpy"
        return standin(value.__name__) if inside else value
    if value is np.ndarray:
        return getattr(onebuf, "ndarray", onebuf.Buffer)
    if isinstance(value, type) and issubclass(value, np.generic):
        return value
    path = public_names().get(id(value))
    if path is None:
        return value
    name = path.rpartition(".")[2]
    ours = find(path)
    if ours is None:
        if not is_about_arrays(name, value):
            return value
        return or_numpys(missing(path.partition(".")[2]), value)
    if name in NUMPYS_OWN and name != "from_dlpack":
        return value
    return or_numpys(ours, value) if isinstance(ours, (FunctionType, *FUNCTIONS)) else ours


_loading: list[str] = []
"""What is going on, while test files are imported and their parameters are made."""


@functools.cache
def or_numpys(ours: Any, numpys: Any) -> Any:
    """``ours``; while tests are collected NumPy's, for what ours refuses.

    Test files make parameters of all dtypes then, and one of them that buffers do not have would
    take the whole file with it.
    """

    @functools.wraps(ours)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return ours(*args, **kwargs)
        except Exception:
            if not _loading:
                raise
            return numpys(*args, **kwargs)

    return call if hasattr(numpys, "__get__") else Unbound(call)


class Unbound:
    """A function that is no method where it is an attribute of a test's class.

    NumPy's functions in C are like that, and test classes have them as attributes.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.__wrapped__(*args, **kwargs)  # type: ignore[attr-defined]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["__wrapped__"], name)


class StandIn(ModuleType):
    """A module of NumPy's, in which functions on arrays are onebuf's."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._real = importlib.import_module(name)
        self.__path__ = getattr(self._real, "__path__", None)

    @property
    def __dict__(self) -> dict[str, Any]:  # type: ignore[override]
        """What files look through for all functions of a kind."""
        return {name: getattr(self, name) for name in vars(self._real)}

    def __getattr__(self, name: str) -> Any:
        value = translated(getattr(self._real, name))
        if self.__name__.startswith("numpy.testing"):
            return asserting_on_arrays(value)
        if self.__name__.endswith("_tests") and isinstance(value, BuiltinFunctionType):
            return on_arrays(value)  # written in C for arrays, without a check: a buffer crashes it
        return value

    def __dir__(self) -> list[str]:
        return dir(self._real)


standin = functools.cache(StandIn)


# -- numpy.testing ---------------------------------------------------------------------------------


def asserting_on_arrays(value: Any) -> Any:
    """A function of numpy.testing that takes buffers as the arrays that they hold."""
    name = getattr(value, "__name__", "")
    if not isinstance(value, FunctionType) or not name.startswith("assert"):
        return value
    if "raises" in name or "warn" in name or "cycles" in name:
        return value
    return on_arrays(value)


def on_arrays(function: Any) -> Any:
    """``function``, called with the arrays that its arguments hold."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        return function(*map(as_array, args), **{key: as_array(x) for key, x in kwargs.items()})

    return call


def as_array(value: Any) -> Any:
    """``value`` with NumPy's arrays in place of buffers, also inside of lists and tuples."""
    if isinstance(value, onebuf.Buffer):
        return np.asarray(value)
    if value.__class__ is list:
        return [as_array(part) for part in value]
    if isinstance(value, tuple):
        return tuple([as_array(part) for part in value])
    if value.__class__ is dict:
        return {key: as_array(part) for key, part in value.items()}
    return value


# -- the import of test files ----------------------------------------------------------------------


def import_standin(
    name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0
) -> Any:
    """``__import__`` of test files."""
    found = builtins.__import__(name, globals, locals, fromlist, level)
    if isinstance(found, ModuleType) and found.__name__.partition(".")[0] == "numpy":
        return found if TESTS.fullmatch(found.__name__) else standin(found.__name__)
    return found


class Loader:
    """The loader that pytest would use, with another ``import`` for the module."""

    def __init__(self, loader: Any) -> None:
        self._loader = loader

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def create_module(self, spec: Any) -> Any:
        return self._loader.create_module(spec)

    def exec_module(self, module: Any) -> None:
        module.__builtins__ = {**vars(builtins), "__import__": import_standin}
        self._loader.exec_module(module)


class Finder:
    """Finds test files of NumPy as everybody else does, and gives them a `Loader`."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if not TESTS.fullmatch(name):
            return None
        for finder in sys.meta_path:
            spec = None if finder is self else finder.find_spec(name, path, target)
            if spec is not None and (spec.origin or "").startswith(FOLDER):
                spec.loader = Loader(spec.loader)
                return spec
        return None


_astype = onebuf.Buffer.astype


def pytest_configure(config: Any) -> None:
    sys.meta_path.insert(0, Finder())  # type: ignore[arg-type]
    _loading.append("collection")

    def astype(self: Any, *args: Any, **kwargs: Any) -> Any:
        return np.asarray(self).astype(*args, **kwargs)

    onebuf.Buffer.astype = or_numpys(_astype, astype)


def pytest_collection_finish(session: Any) -> None:
    _loading.clear()
    onebuf.Buffer.astype = _astype
