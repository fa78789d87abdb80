"""Kernels of any size, on any number of threads, give what NumPy gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import onebuf as ob
from onebuf.engine.cpu import launch, program, strategy
from onebuf.engine.plan import decide
from onebuf.engine.step import kernel_step
from onebuf.errors import BoundsError

RNG = np.random.default_rng(5)
LARGE = RNG.integers(0, 100, (1024, 2112)).astype(np.float32)
ODD = RNG.integers(0, 100, (1031, 2049)).astype(np.float32)
SHORT = RNG.integers(0, 100, (40001, 3)).astype(np.float32)
DEEP = RNG.integers(0, 100, (30, 70, 96)).astype(np.int16)

CASES: dict[str, tuple[Any, Callable[[Any, Any], Any]]] = {
    "copy": (LARGE, lambda xp, x: x * 2),
    "copy odd": (ODD, lambda xp, x: x * 2),
    "part": (ODD[3:, 5:], lambda xp, x: x - 1),
    "turned": (LARGE, lambda xp, x: x.T + 1),
    "turned odd": (ODD, lambda xp, x: x.T + 1),
    "flipped": (ODD, lambda xp, x: xp.flip(x) + 1),
    "strided": (ODD, lambda xp, x: x[::3, ::2] + 1),
    "columns": (LARGE, lambda xp, x: xp.sum(x, axis=0)),
    "columns odd": (ODD, lambda xp, x: xp.max(x, axis=0)),
    "rows": (ODD, lambda xp, x: xp.sum(x, axis=1)),
    "short rows": (SHORT, lambda xp, x: xp.sum(x, axis=1)),
    "narrow": (SHORT, lambda xp, x: xp.sum(x, axis=0)),
    "middle": (DEEP, lambda xp, x: xp.sum(x, axis=1)),
    "reversed axes": (DEEP, lambda xp, x: xp.permute_dims(x, (2, 1, 0)) + x[0, 0, 0]),
    "rotated axes": (DEEP, lambda xp, x: xp.permute_dims(x, (1, 2, 0)) + x[0, 0, 0]),
    "all": (ODD, lambda xp, x: xp.sum(x)),
    "outer": (ODD, lambda xp, x: x[:, :1] - x[:1, :]),
}


@pytest.mark.parametrize("threads", [1, 2, 4])
@pytest.mark.parametrize("name", list(CASES))
def test_results_are_numpys(name: str, threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strategy, "STREAMED_BYTES", 1 << 20)
    array, function = CASES[name]
    with ob.config(eager_numel=0, tier="compile", threads=threads):
        got = np.asarray(function(ob, ob.asarray(array)))
    want = function(np, array)
    assert got.dtype == want.dtype
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("name", list(CASES))
def test_no_kernel_leaves_its_memory(name: str) -> None:
    array, function = CASES[name]
    with ob.config(eager_numel=0, tier="compile", check_bounds=True):
        got = np.asarray(function(ob, ob.asarray(array)))
    np.testing.assert_array_equal(got, function(np, array))


def test_a_kernel_that_would_leave_its_memory_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    shorter = lambda array: (array.ctypes.data, array.ctypes.data + array.nbytes // 2)  # noqa: E731
    monkeypatch.setattr(kernel_step, "byte_bounds", shorter)
    for function in (lambda x: x + 1, ob.sum):
        with ob.config(eager_numel=0, tier="compile", check_bounds=True):
            lazy = function(ob.asarray(ODD))
            with pytest.raises(BoundsError, match="would have left that of slot"):
                lazy.realize()


def softmax(xp: Any, x: Any) -> Any:
    powers = xp.exp(x - xp.max(x, axis=1, keepdims=True))
    return powers / xp.sum(powers, axis=1, keepdims=True)


@pytest.mark.parametrize("shape", [(1000, 7), (300, 40), (64, 1024), (3, 20000), (4, 32768)])
def test_softmax_of_rows_of_any_length(shape: tuple[int, int]) -> None:
    array = np.random.default_rng(6).normal(size=shape).astype(np.float32)
    found = []
    for threads in (1, 2, 4):
        with ob.config(eager_numel=0, tier="compile", threads=threads):
            found.append(np.asarray(softmax(ob, ob.asarray(array))))
    np.testing.assert_allclose(found[0], softmax(np, array.astype(np.float64)), rtol=1e-5)
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])


@pytest.mark.parametrize("shape", [(0,), (4, 0), (0, 4)])
def test_a_fold_of_nothing_reads_nothing(shape: tuple[int, ...]) -> None:
    array = np.empty(shape, np.float32)
    with ob.config(eager_numel=0, tier="compile", check_bounds=True):
        x = ob.asarray(array)
        for axis in (0, -1, None):
            got = np.asarray(ob.sum(ob.where(x == x, x, x) * 2, axis=axis))
            np.testing.assert_array_equal(got, array.sum(axis=axis))
            got = np.asarray(ob.sum(x, axis=axis) + 1)
            np.testing.assert_array_equal(got, array.sum(axis=axis) + 1)


PIECES = {
    "elements": (lambda xp, x: x * 3.25 - 1.125, (70_001,)),
    "rows": (lambda xp, x: xp.sum(x * 1.0625, axis=1), (700, 101)),
    "columns": (lambda xp, x: xp.sum(x * 1.0625, axis=0), (101, 700)),
    "everything": (lambda xp, x: xp.sum(x * 1.1875), (300_007,)),
    "turned": (lambda xp, x: x.T + 0.375, (301, 257)),
}


@pytest.mark.parametrize("name", PIECES)
def test_long_kernels_run_in_pieces_with_the_same_bits(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    function, shape = PIECES[name]
    array = np.arange(np.prod(shape)).reshape(shape) / 7.0
    whole = np.asarray(function(ob, ob.asarray(array)))
    pieces: list[int] = []
    share = program.share

    def counted(*args: Any) -> None:
        pieces.append(args[2])
        share(*args)

    monkeypatch.setattr(program, "share", counted)
    monkeypatch.setattr(launch, "PIECE_STEPS", 40_000)
    monkeypatch.setattr(decide, "_known", {})
    monkeypatch.setattr(decide, "_guards", {})
    with ob.config(eager_numel=0, tier="compile"):
        got = np.asarray(function(ob, ob.asarray(array)))
        first = len(pieces)
        interrupted = function(ob, ob.asarray(array))

        def stop(*args: Any) -> None:
            if len(pieces) == first + 1:
                raise KeyboardInterrupt
            counted(*args)

        monkeypatch.setattr(program, "share", stop)
        with pytest.raises(KeyboardInterrupt):
            interrupted.realize()
        monkeypatch.setattr(program, "share", share)
        again = np.asarray(interrupted)
    assert first > 1
    np.testing.assert_array_equal(got, again)
    np.testing.assert_array_equal(got, whole)


def test_a_write_is_one_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    pieces: list[int] = []
    share = program.share

    def counted(*args: Any) -> None:
        pieces.append(args[2])
        share(*args)

    monkeypatch.setattr(program, "share", counted)
    monkeypatch.setattr(launch, "PIECE_STEPS", 1000)
    with ob.config(eager_numel=0, tier="compile"):
        x = ob.asarray(np.arange(80_003.0), copy=True)
        y = ob.asarray(np.arange(80_003.0))
        x += y * 0.8125
    assert pieces == [80_003]
    np.testing.assert_array_equal(np.asarray(x), np.arange(80_003.0) * 0.8125 + np.arange(80_003.0))
