"""Strategies: choices that suit the sizes of a call, and change no value."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import onebuf as ob
from onebuf.engine.cpu.launch import arranged

WIDTHS = (1, 2, 3, 5, 7, 8, 12, 15, 16, 17, 31, 33)


def stored(array: Any) -> ob.Buffer:
    return ob.asarray(array, copy=True)


@pytest.mark.parametrize(("width", "lanes"), [(33, 16), (16, 16), (15, 8), (8, 8), (3, 2)])
def test_vectors_are_no_longer_than_rows(width: int, lanes: int) -> None:
    with ob.config(eager_numel=0, tier="compile"):
        x = stored(np.ones((40, 50), "float32"))
        (group,) = ob.schedule(x[:, :width] + 1)
        assert arranged(group).rendering.lanes == lanes


def test_rows_that_are_masked_at_their_end_keep_their_lanes() -> None:
    with ob.config(eager_numel=0, tier="compile"):
        (group,) = ob.schedule(ob.exp(stored(np.ones((40, 50), "float32"))[:, :7]))
        assert arranged(group).rendering.lanes == 16


@pytest.mark.parametrize(
    ("shape", "is_ahead"),
    [((4096, 2048), True), ((1024, 1024), False), ((16, 600_000), False), ((262_144, 32), True)],
)
def test_columns_are_prefetched_where_their_rows_come_from_memory(
    shape: tuple[int, int], is_ahead: bool
) -> None:
    with ob.config(eager_numel=0, tier="compile"):
        (group,) = ob.schedule(ob.max(stored(np.broadcast_to(np.float32(1), shape)), axis=0))
        rendering = arranged(group).rendering
        assert (rendering.strategy, rendering.prefetch) == ("columns", is_ahead)


@pytest.mark.parametrize("dtype", ["int8", "uint16", "float32", "float64", "complex128"])
@pytest.mark.parametrize("checked", [False, True])
def test_short_rows_have_numpys_values(dtype: str, checked: bool) -> None:
    rng = np.random.default_rng(5)
    array = rng.integers(0, 100, (70, 40)).astype(dtype)
    index = rng.integers(-70, 70, 90)
    with ob.config(eager_numel=0, tier="compile", check_bounds=checked):
        x, i = stored(array), stored(index)
        for width in WIDTHS:
            part, rows = x[:, 2 : 2 + width], array[:, 2 : 2 + width]
            np.testing.assert_array_equal(np.asarray(part + part), rows + rows)
            np.testing.assert_array_equal(np.asarray(part[:, ::-1] + part), rows[:, ::-1] + rows)
            np.testing.assert_array_equal(np.asarray(ob.take(part, i, axis=0)), rows[index])
