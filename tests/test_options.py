"""Options: scoped to a block of code, a thread, a task."""

from __future__ import annotations

import asyncio
import threading

import numpy as np
import pytest

import onebuf
from onebuf import Buffer, config
from onebuf.errors import ArgumentError, ArgumentTypeError, OnebufError
from onebuf.options import Options, options


def test_the_defaults_are_in_force_outside_of_any_block():
    assert options() == Options()


def test_an_option_holds_inside_its_block_and_no_longer():
    with config(eager_numel=7) as now:
        assert (now.eager_numel, options().eager_numel) == (7, 7)
    assert options() == Options()


def test_blocks_nest():
    with config(eager_numel=7, threads=2):
        with config(eager_numel=9):
            assert (options().eager_numel, options().threads) == (9, 2)
        assert (options().eager_numel, options().threads) == (7, 2)


def test_an_error_ends_the_block():
    with pytest.raises(ZeroDivisionError), config(eager_numel=7):
        1 / 0
    assert options() == Options()


def test_an_empty_block_changes_nothing():
    with config() as now:
        assert now == Options()


def test_options_cannot_be_changed_in_place():
    with pytest.raises(AttributeError):
        options().eager_numel = 3


def test_another_thread_has_the_defaults():
    seen = []
    with config(eager_numel=7):
        thread = threading.Thread(target=lambda: seen.append(options().eager_numel))
        thread.start()
        thread.join()
    assert seen == [Options().eager_numel]


def test_tasks_do_not_see_one_anothers_options():
    async def task(number: int) -> list[int]:
        seen = []
        with config(eager_numel=number):
            for _ in range(3):
                await asyncio.sleep(0)
                seen.append(options().eager_numel)
        return seen

    async def both() -> list[list[int]]:
        return await asyncio.gather(task(1), task(2))

    assert asyncio.run(both()) == [[1, 1, 1], [2, 2, 2]]


@pytest.mark.parametrize(
    "changes, says",
    [
        ({"eager_numel": -1}, "-1"),
        ({"eager_numel": 1.5}, "1.5"),
        ({"eager_numel": True}, "True"),
        ({"threads": -2}, "-2"),
        ({"threads": "two"}, "'two'"),
        ({"memory_cap": -5}, "-5"),
        ({"memory_cap": 1e9}, "1000000000.0"),
        ({"tier": "fast"}, "'fast'"),
        ({"default_float": "int32"}, "int32"),
        ({"default_float": "complex64"}, "complex64"),
        ({"check_bounds": "yes"}, "'yes'"),
        ({"cache_dir": 5}, "5"),
    ],
)
def test_a_value_out_of_range_is_refused_with_its_name(changes, says):
    (name,) = changes
    with pytest.raises((ArgumentError, ArgumentTypeError)) as caught, config(**changes):
        pass
    assert name in str(caught.value)
    assert says in str(caught.value)
    assert options() == Options()


def test_a_dtype_that_does_not_exist_is_refused():
    with pytest.raises(TypeError, match="float33"), config(default_float="float33"):
        pass


@pytest.mark.parametrize("typo", ["eager", "eager_nume", "Threads", "memory_cup"])
def test_a_typo_is_refused_with_the_names_that_exist(typo):
    with pytest.raises(TypeError) as caught, config(**{typo: 1}):
        pass
    assert isinstance(caught.value, OnebufError)
    for name in (repr(typo), "eager_numel", "threads", "memory_cap", "default_float"):
        assert name in str(caught.value)


def test_one_wrong_option_changes_none():
    with pytest.raises(ArgumentError), config(eager_numel=7, threads=-1):
        pass
    assert options() == Options()


# What the options do


@pytest.mark.parametrize("numel, at_once", [(10, True), (11, False)])
def test_eager_numel_is_the_largest_size_computed_at_once(numel, at_once):
    x = Buffer(np.zeros(numel))
    with config(eager_numel=10):
        assert (x + 1).is_realized == at_once
        assert (x + x).is_realized == at_once
        assert x.exp().is_realized == at_once
        assert x.sum().is_realized == at_once


def test_no_operation_is_computed_at_once_with_eager_numel_0():
    x = Buffer([1.0])
    with config(eager_numel=0):
        for result in (x + 1, x + x, -x, x.sum(), x.astype("int32"), onebuf.concat([x, x])):
            assert not result.is_realized


@pytest.mark.parametrize("tier", ["auto", "interpret", "compile"])
def test_tiers_give_the_same_answer(tier):
    with config(eager_numel=0, tier=tier):
        assert (Buffer([1.0, 2.0]) * 3).to_python() == [3.0, 6.0]


def test_default_float_accepts_any_spelling():
    for spelling in ("float32", np.float32, np.dtype("float32"), onebuf.float32):
        with config(default_float=spelling) as now:
            assert now.default_float == onebuf.float32
