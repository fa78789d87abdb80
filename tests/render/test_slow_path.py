"""Slow paths are one branch in a kernel and other functions of its module."""

import re

import numpy as np
import pytest
from compiled import Compiled, module

from onebuf.render import Builder, Value
from onebuf.render.slow_path import slow_path


def halved_if_large(b: Builder, x: Value) -> Value:
    large = b.compare("fcmp ogt", x, b.constant("double", 10.0))
    return slow_path(b, "halved", large, x, lambda b, x: b.fmul(x, b.constant("double", 0.5)), x)


@pytest.mark.parametrize("lanes", [1, 3, 4, 8, 33])
def test_only_the_lanes_in_question_are_computed_again(lanes: int) -> None:
    x = np.random.default_rng(1).uniform(0, 20, 500)
    got = Compiled(halved_if_large, "double", lanes)(x)
    np.testing.assert_array_equal(got, np.where(x > 10, x / 2, x))


def test_a_formula_may_have_several_slow_paths() -> None:
    x = np.random.default_rng(2).uniform(0, 80, 500)
    twice = Compiled(lambda b, x: halved_if_large(b, halved_if_large(b, x)), "double", 4)(x)
    once = np.where(x > 10, x / 2, x)
    np.testing.assert_array_equal(twice, np.where(once > 10, once / 2, once))


def test_a_function_of_the_module_is_written_once() -> None:
    text, _ = module(lambda b, x: halved_if_large(b, halved_if_large(b, x)), "double", 4)
    assert len(re.findall(r"^define .*@onebuf\.halved\.double\(", text, re.MULTILINE)) == 1
    assert len(re.findall(r"^  %v\d+ = call .*@onebuf\.halved", text, re.MULTILINE)) == 2


def test_the_builder_knows_the_block_it_is_in() -> None:
    b = Builder(4)
    b.line("start:")
    assert b.block == "start"
    halved_if_large(b, Value("%x", "double"))
    assert b.block != "start"
    assert b.text().count(f"{b.block}:") == 1
