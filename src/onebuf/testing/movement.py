"""Movement: concatenating, splitting, rolling, padding and reshaping."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import onebuf
from onebuf.dtypes import Array
from onebuf.errors import ShapeError
from onebuf.testing.comparison import assert_same
from onebuf.testing.contract import Contract
from onebuf.testing.strategies import ALL, elements, seeds, shapes

MOVES: dict[str, Callable[[Any, Any], Any]] = {
    "reshape": lambda xp, x: xp.reshape(x, (4, 2, 3)),
    "reshape of a transpose": lambda xp, x: xp.reshape(xp.permute_dims(x, (2, 0, 1)), (6, 4)),
    "permute": lambda xp, x: xp.permute_dims(x, (1, 2, 0)),
    "moveaxis": lambda xp, x: xp.moveaxis(x, 0, 2),
    "flip": lambda xp, x: xp.flip(x, axis=(0, 2)),
    "concat": lambda xp, x: xp.concat([x, x[:, :1], x], axis=1),
    "concat flat": lambda xp, x: xp.concat([x, x[:, :2, ::-1]], axis=None),
    "stack": lambda xp, x: xp.stack([x, x[::-1], x], axis=1),
    "roll": lambda xp, x: xp.roll(x, (1, -2), axis=(0, 2)),
    "roll flat": lambda xp, x: xp.roll(x, 5),
    "tile": lambda xp, x: xp.tile(x, (2, 1, 2)),
    "repeat": lambda xp, x: xp.repeat(x, 3, axis=1),
    "expand_dims": lambda xp, x: xp.expand_dims(x, axis=1),
    "squeeze": lambda xp, x: xp.squeeze(x[:, 1:2], axis=1),
    "broadcast_to": lambda xp, x: xp.broadcast_to(x[:, :1], (2, 2, 5, 4)),
    "tril": lambda xp, x: xp.tril(x),
    "triu": lambda xp, x: xp.triu(x, k=1),
    "unstack": lambda xp, x: xp.unstack(x, axis=1)[1],
    "meshgrid": lambda xp, x: xp.meshgrid(x[0, 0], x[0, :, 0])[1],
}


class MovementContract(Contract):
    """What moving elements has to do."""

    @pytest.mark.parametrize("move", MOVES)
    def test_movement(self, move: str) -> None:
        array = elements("int32", (2, 3, 4), 1)
        made = MOVES[move](onebuf, self.send(array))
        assert_same(self.fetch(made), np.asarray(MOVES[move](np, array)), move)

    @pytest.mark.parametrize("name", ALL)
    def test_every_dtype_moves(self, name: str) -> None:
        array = elements(name, (2, 3, 4), 1)
        with self.allowing(name):
            x = self.send(array)
            made = onebuf.concat([x, x[::-1, :, ::-1]], axis=1)
            assert_same(self.fetch(made), np.concat([array, array[::-1, :, ::-1]], axis=1), name)

    @pytest.mark.parametrize("name", ALL)
    def test_borders(self, name: str) -> None:
        array = elements(name, (3, 4), 1)
        with self.allowing(name):
            got = self.fetch(self.send(array).pad([(1, 0), (2, 3)], 1))
            wanted = np.full((4, 9), 1, array.dtype)
            wanted[1:, 2:6] = array
            assert_same(got, wanted, name)

    def test_moves_of_what_is_still_to_be_computed(self) -> None:
        array = elements("int32", (2, 3, 4), 1)
        for name, move in MOVES.items():
            made = move(onebuf, self.send(array) ^ 5)
            assert_same(self.fetch(made), np.asarray(move(np, array ^ 5)), name)

    def test_any_shapes_are_put_together(self) -> None:
        @self.for_all(shapes, seeds)
        def check(shape: tuple[int, ...], seed: int) -> None:
            one, two = elements("int32", shape, seed), elements("int32", shape, seed + 1)
            buffers = [self.send(one), self.send(two)]
            assert_same(self.fetch(onebuf.stack(buffers)), np.stack([one, two]))
            if shape:
                wanted = np.concat([one, two, one[:0]], axis=0)
                assert_same(self.fetch(onebuf.concat([*buffers, buffers[0][:0]], axis=0)), wanted)

    def test_parts_that_do_not_fit_are_an_error(self) -> None:
        with pytest.raises(ShapeError):
            onebuf.concat([self.send(np.ones((2, 3))), self.send(np.ones((2, 4)))], axis=0)

    def test_dtypes_meet_when_put_together(self) -> None:
        one, two = elements("int16", (4,), 1), elements("int32", (3,), 1)
        got = self.fetch(onebuf.concat([self.send(one), self.send(two)]))
        assert_same(got, np.concat([one, two]))

    def test_diagonals_are_laid_out(self) -> None:
        array = elements("int32", (5,), 1)
        assert_same(self.fetch(onebuf.diag(self.send(array))), np.diag(array))

    def test_differences(self) -> None:
        array: Array = elements("int32", (3, 7), 1)
        assert_same(self.fetch(onebuf.diff(self.send(array), axis=1)), np.diff(array, axis=1))

    @pytest.mark.parametrize("what", ["sort", "argsort", "unique_values", "nonzero"])
    def test_what_has_no_kernel_is_right_or_refused(self, what: str) -> None:
        array = elements("int32", (9,), 1)
        with self.refusable():
            got = getattr(onebuf, what)(self.send(array))
            wanted = np.unique(array) if what == "unique_values" else getattr(np, what)(array)
            if what == "nonzero":
                got, wanted = got[0], wanted[0]
            assert_same(self.fetch(got), wanted)
