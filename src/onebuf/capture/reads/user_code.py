"""User code: which functions, classes and modules may change, and which are taken as constant.

The standard library, installed packages and onebuf itself are constant: what they do is not
followed. Everything else is user code. In between is the part of onebuf that is written on top of
it as a user would: modules, optimisers, tensors. Its code is constant, and followed, since it reads
attributes of users' objects.
"""

from __future__ import annotations

import sys
import sysconfig
from functools import lru_cache
from pathlib import Path
from types import FunctionType, ModuleType

OWN = Path(__file__).resolve().parents[2]
FOLLOWED = frozenset({"compat", "nn", "optim", "tensor"})
"""Packages of onebuf that are followed."""
_INSTALLED = frozenset({"site-packages", "dist-packages"})
_STANDARD = tuple({Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")})


@lru_cache(4096)
def is_own_file(name: str) -> bool:
    """Whether the source file ``name`` is of the part of onebuf that is followed."""
    path = Path(name)
    return path.is_relative_to(OWN) and path.relative_to(OWN).parts[0] in FOLLOWED


@lru_cache(4096)
def is_user_file(name: str) -> bool:
    """Whether the source file ``name`` is user code.

    >>> is_user_file("train.py"), is_user_file(sysconfig.__file__)
    (True, False)
    """
    if name.startswith("<"):
        return not name.startswith("<frozen")
    path = Path(name)
    if path.is_relative_to(OWN) or not _INSTALLED.isdisjoint(path.parts):
        return False
    return not any(path.is_relative_to(folder) for folder in _STANDARD)


def is_user_module(module: ModuleType) -> bool:
    """Whether ``module`` is user code.

    >>> is_user_module(sys)
    False
    """
    file = getattr(module, "__file__", None)
    if file is not None:
        return is_user_file(file)
    folders = getattr(module, "__path__", None)
    if folders is not None:
        return all(is_user_file(folder) for folder in folders)
    return module.__name__ not in sys.stdlib_module_names or module.__name__ == "__main__"


def is_user_function(function: FunctionType) -> bool:
    """Whether ``function`` is user code; generated code is if the module that it is in is."""
    file = function.__code__.co_filename
    if file == "<string>":
        return _is_user_name(function.__globals__.get("__name__"))
    return is_user_file(file)


def is_user_class(kind: type) -> bool:
    """Whether the class ``kind`` is user code."""
    return _is_user_name(kind.__module__)


def _is_user_name(name: object) -> bool:
    """Whether the module of this name is user code."""
    if name == "builtins":
        return False
    module = sys.modules.get(name) if isinstance(name, str) else None
    return module is None or is_user_module(module)


def is_own(value: object) -> bool:
    """Whether a function, a class or a module is of the part of onebuf that is followed."""
    if isinstance(value, FunctionType):
        return is_own_file(value.__code__.co_filename)
    module = value if isinstance(value, ModuleType) else sys.modules.get(_module_of(value))
    return is_own_file(getattr(module, "__file__", None) or "")


def _module_of(value: object) -> str:
    name = value.__module__ if isinstance(value, type) else ""
    return name if isinstance(name, str) else ""
