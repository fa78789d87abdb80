"""Kernels access no memory outside of their slots."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from nests import assert_same, empty, group_of, run, run_checked
from numpy.lib.array_utils import byte_bounds

import onebuf as ob
from onebuf.graph import settle
from onebuf.layout import View
from onebuf.render.llvm.rendering import Rendering

KERNELS: dict[str, tuple[Any, Rendering]] = {
    "rows": (lambda x: x * 2, Rendering()),
    "streamed": (lambda x: x * 2, Rendering(streamed=True)),
    "backwards": (lambda x: ob.flip(x) * 2, Rendering()),
    "few apart": (lambda x: x[:, ::3] * 2, Rendering(small_strides=(3, 0))),
    "gathered": (lambda x: x[:, ::3] * 2, Rendering()),
    "columns": (lambda x: ob.sum(x, axis=0), Rendering(strategy="columns")),
    "dealt": (lambda x: ob.sum(x, axis=1), Rendering(strategy="columns")),
    "turned columns": (lambda x: ob.sum(x.T, axis=0), Rendering(strategy="columns")),
    "sum of rows": (lambda x: ob.sum(x, axis=1), Rendering()),
    "cache tiles": (lambda x: x.T * 2, Rendering(strategy="cache_tiles")),
    "register tiles": (lambda x: x.T * 2, Rendering(strategy="register_tiles")),
}


@pytest.mark.parametrize("name", list(KERNELS))
def test_a_checked_kernel_stops_at_the_bounds_of_each_slot(name: str) -> None:
    function, rendering = KERNELS[name]
    array = np.arange(33.0 * 64, dtype=np.float32).reshape(33, 64)
    with ob.config(eager_numel=0):
        one = group_of(function(ob.asarray(array)))
    out, want = empty(one), run(one, Rendering(), empty(one))
    arrays = [out if reach.node in one.outputs else array for reach in one.reaches]
    limits = [byte_bounds(each) for each in arrays]
    assert run_checked(one, rendering, out, limits) == -1
    assert_same(out, want)
    reached = [extremes(each, reach.view) for each, reach in zip(arrays, one.reaches, strict=True)]
    for slot, (first, end) in enumerate(reached):
        for less in ((first + 4, end), (first, end - 4)):
            shorter = [*limits[:slot], less, *limits[slot + 1 :]]
            assert run_checked(one, rendering, out, shorter) == slot


INDICES = np.array([3, -33, 32, 5] * 8)
COLUMNS = np.array([3, -64, 63, 5] * 8)
MOVES: dict[str, Any] = {
    "rows taken": lambda x: ob.take(x, ob.asarray(INDICES), axis=0),
    "columns taken": lambda x: ob.take(x, ob.asarray(COLUMNS), axis=1),
    "rows taken of columns": lambda x: ob.take(x.T, ob.asarray(COLUMNS), axis=0),
    "padded": lambda x: x.pad([(1, 2), (3, 20)]),
    "padded backwards": lambda x: ob.flip(x).pad([(0, 2), (3, 0)]) * 2,
    "sums of what is padded": lambda x: ob.sum(x.pad([(1, 2), (3, 20)]), axis=1),
}


@pytest.mark.parametrize("name", list(MOVES))
def test_a_checked_kernel_stops_at_the_bounds_of_what_it_picks_or_pads(name: str) -> None:
    array = np.arange(33.0 * 64, dtype=np.float32).reshape(33, 64)
    with ob.config(eager_numel=0):
        one = group_of(MOVES[name](ob.asarray(array)))
    out, want = empty(one), run(one, Rendering(), empty(one))
    stored = [settle(reach.node) for reach in one.reaches]
    limits = [byte_bounds(out if each is None else each) for each in stored]
    assert run_checked(one, Rendering(), out, limits) == -1
    assert_same(out, want)
    whole = [reach.node.dtype == array.dtype and not reach.is_index for reach in one.reaches]
    (slot,) = [n for n, each in enumerate(stored) if each is not None and whole[n]]
    first, end = limits[slot]
    for less in ((first + 4, end), (first, end - 4)):
        shorter = [*limits[:slot], less, *limits[slot + 1 :]]
        assert run_checked(one, Rendering(), out, shorter) == slot


def extremes(array: Any, view: View) -> tuple[int, int]:
    """The first byte that a view of an array reaches, and the one after the last."""
    ends = [step * (extent - 1) for step, extent in zip(view.stride, view.shape, strict=True)]
    first = array.ctypes.data + 4 * (view.offset + sum(min(0, end) for end in ends))
    return first, first + 4 * sum(abs(end) for end in ends) + 4


TESTS = Path(__file__).parents[1]


def child(program: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", program]
    paths = os.pathsep.join([str(TESTS), *map(os.path.abspath, sys.path)])
    environment = {**os.environ, "PYTHONPATH": paths}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_kernels_stay_within_memory() -> None:
    done = child("from guarded import main; main()")
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.split()[0]) > 1000


@pytest.mark.parametrize("index", ["-1", "24"])
def test_what_is_beyond_is_guarded(index: str) -> None:
    at_end = index != "-1"
    done = child(
        "import ctypes; from guarded import guarded; "
        f"array = guarded((24,), 'int8', {at_end}); "
        f"print((ctypes.c_char * 1).from_address(array.ctypes.data + {index}).raw)"
    )
    assert done.returncode
