"""User code is told apart from what is taken as constant."""

import dataclasses
import json
import sys
import types
from typing import Any

import numpy as np
import pytest

import onebuf
import onebuf.nn
from onebuf.capture.reads.user_code import (
    is_own,
    is_user_class,
    is_user_file,
    is_user_function,
    is_user_module,
)


@dataclasses.dataclass
class Mine:
    size: int


@pytest.mark.parametrize("module", [json, np, onebuf, sys, onebuf.nn])
def test_a_module_of_a_library_is_constant(module: types.ModuleType) -> None:
    assert not is_user_module(module)


def test_a_module_that_was_made_by_a_program_is_user_code() -> None:
    assert is_user_module(types.ModuleType("made"))


def test_this_file_is_user_code() -> None:
    assert is_user_file(__file__)
    assert is_user_class(Mine)


def test_generated_code_belongs_to_the_module_of_its_class() -> None:
    assert is_user_function(Mine.__init__)  # type: ignore[arg-type]
    space: dict[str, Any] = {"__name__": "json"}
    exec("def f(): pass", space)
    assert not is_user_function(space["f"])


def test_classes_of_libraries_are_constant() -> None:
    assert not is_user_class(int)
    assert not is_user_class(types.SimpleNamespace)
    assert not is_user_class(onebuf.Buffer)


def test_modules_of_onebuf_that_compute_on_users_objects_are_own() -> None:
    assert is_own(onebuf.nn)
    assert is_own(onebuf.nn.Module)
    assert is_own(onebuf.nn.Module.parameters)
    assert not is_own(onebuf.Buffer)
    assert not is_own(Mine)
