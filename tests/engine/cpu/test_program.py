"""Compiled kernels: NumPy's values, and the same bits however they are reached."""

from __future__ import annotations

import gc
import subprocess
import sys
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import onebuf
from onebuf import Buffer, config
from onebuf.engine.cpu import program
from onebuf.engine.plan import decide

RNG = np.random.default_rng(7)
A = RNG.normal(size=(37, 211)).astype(np.float32)
B = RNG.normal(size=(37, 211)).astype(np.float32)
ROW = RNG.normal(size=211).astype(np.float32)
LONG = RNG.normal(size=100_003).astype(np.float32)
WHOLE = RNG.integers(-50, 50, size=(37, 211)).astype(np.int32)

Expression = Callable[..., Any]


def softmax(xp: Any, x: Any) -> Any:
    e = xp.exp(x - xp.max(x, axis=-1, keepdims=True))
    return e / xp.sum(e, axis=-1, keepdims=True)


EXPRESSIONS: dict[str, tuple[Expression, tuple[np.ndarray[Any, Any], ...]]] = {
    "chain": (lambda xp, a, b: a * b + xp.sqrt(xp.abs(a)) - 0.5, (A, B)),
    "a row for every row": (lambda xp, a, row: (a + row) * 2, (A, ROW)),
    "outer": (lambda xp, row: row[:, None] * row[None, :] + 1, (ROW,)),
    "where": (lambda xp, a, b: xp.where(a > b, a, b * 2), (A, B)),
    "bools": (lambda xp, a, b: (a > 0) & ~(b < 1) | xp.isnan(a), (A, B)),
    "whole numbers": (lambda xp, w: (w * 3 - 7) ^ (w & 5), (WHOLE,)),
    "conversions": (lambda xp, w: xp.astype(xp.astype(w, xp.float64) / 4, xp.int16), (WHOLE,)),
    "transposed": (lambda xp, a, b: a.T + b.T, (A, B)),
    "transposed and not": (lambda xp, a: a[:, :37].T * 2 + a[:, :37], (A,)),
    "steps": (lambda xp, a: a[::2, 3::5] * 2, (A,)),
    "backwards": (lambda xp, a: xp.flip(a) + 1, (A,)),
    "functions": (lambda xp, a: xp.tanh(a) + xp.sin(a) * xp.log(xp.abs(a) + 1), (A,)),
    "positions": (lambda xp, row: xp.arange(211) * 2 + row, (ROW,)),
    "sum of all": (lambda xp, a: xp.sum(a * 2), (A,)),
    "sum of many": (lambda xp, x: xp.sum(x), (LONG,)),
    "product": (lambda xp, a: xp.prod(1 + a / 100, axis=1), (A,)),
    "sum of rows": (lambda xp, a: xp.sum(a, axis=1), (A,)),
    "sum of columns": (lambda xp, a: xp.sum(a, axis=0), (A,)),
    "extremes": (lambda xp, a: xp.max(a, axis=1) - xp.min(a, axis=1), (A,)),
    "sum of whole numbers": (lambda xp, w: xp.sum(w, axis=0), (WHOLE,)),
    "any and all": (lambda xp, a: xp.any(a > 3, axis=1) | xp.all(a > -9, axis=1), (A,)),
    "mean": (lambda xp, a: a - xp.mean(a, axis=1, keepdims=True), (A,)),
    "variance": (lambda xp, a: xp.var(a, axis=1), (A,)),
    "variance of many": (lambda xp, x: xp.var(x), (LONG,)),
    "softmax": (softmax, (A,)),
    "two sums": (lambda xp, a, b: xp.sum(a, axis=1) + xp.sum(b, axis=1), (A, B)),
    "sum of sums": (lambda xp, a: xp.sum(xp.maximum(xp.sum(a, axis=1), 0.0)), (A,)),
    "reshaped": (lambda xp, a: xp.reshape(a.T, (-1,)) + 1, (A,)),
}
NAMES = sorted(EXPRESSIONS)


def computed(name: str, **options: Any) -> np.ndarray[Any, Any]:
    expression, arrays = EXPRESSIONS[name]
    with config(eager_numel=0, **options):
        return np.asarray(expression(onebuf, *[onebuf.asarray(array) for array in arrays]))


@pytest.mark.parametrize("name", NAMES)
def test_a_kernel_computes_what_numpy_does(name: str) -> None:
    expression, arrays = EXPRESSIONS[name]
    wanted = np.asarray(expression(np, *arrays))
    got = computed(name, tier="compile")
    assert (got.shape, got.dtype) == (wanted.shape, wanted.dtype)
    if wanted.dtype.kind == "f":
        np.testing.assert_allclose(got, wanted, rtol=2e-5, atol=2e-5)
    else:
        np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("name", NAMES)
def test_every_tier_and_number_of_threads_gives_the_same_bits(name: str) -> None:
    expression, arrays = EXPRESSIONS[name]
    reference = computed(name, tier="compile", threads=1).tobytes()
    assert computed(name, tier="compile", threads=2).tobytes() == reference
    assert computed(name, tier="compile", threads=4).tobytes() == reference
    assert computed(name, tier="interpret").tobytes() == reference
    with config(eager_numel=10**9):
        at_once = expression(onebuf, *[onebuf.asarray(array) for array in arrays])
    assert np.asarray(at_once).tobytes() == reference


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    "shape", [(1000, 3), (40, 2), (16, 31), (15, 3), (3, 1000), (64, 33), (20, 7, 3), (1, 50)]
)
def test_sums_of_short_and_long_rows_have_one_order(shape: tuple[int, ...], dtype: str) -> None:
    x = RNG.normal(size=shape).astype(dtype)
    for axes in [(0,), (len(shape) - 1,), tuple(range(len(shape) - 1)), tuple(range(len(shape)))]:
        found = set()
        for options in (
            {"eager_numel": 10**9},
            {"eager_numel": 0, "tier": "interpret"},
            {"eager_numel": 0, "tier": "compile", "threads": 1},
            {"eager_numel": 0, "tier": "compile", "threads": 2},
        ):
            with config(**options):
                total = np.asarray(onebuf.sum(onebuf.asarray(x), axis=axes))
            np.testing.assert_allclose(total, x.sum(axis=axes, dtype="f8"), rtol=1e-5, atol=1e-5)
            found.add(total.tobytes())
        assert len(found) == 1


def test_a_square_is_a_product_however_it_is_written() -> None:
    x = onebuf.asarray(A)
    wanted = (A * A).tobytes()
    in_place = onebuf.asarray(A, copy=True)
    in_place **= 2
    assert np.asarray(x**2).tobytes() == np.asarray(in_place).tobytes() == wanted
    with config(eager_numel=0, tier="compile"):
        assert np.asarray(x**2.0).tobytes() == wanted


def test_a_hot_structure_is_compiled_and_a_cold_one_is_not() -> None:
    def tiers(times: int) -> set[int]:
        seen = set()
        with config(eager_numel=0), onebuf.events.listening(lambda event: heard.append(event)):
            for _ in range(times):
                heard: list[Any] = []
                ((Buffer([1.0, 2.0]) * 3 - 1) * 4 - 2).realize()
                seen |= {
                    event.tier for event in heard if isinstance(event, onebuf.events.KernelRan)
                }
        return seen

    assert tiers(1) == {1}
    assert 2 in tiers(2000)


def test_a_large_expression_is_one_kernel_at_once() -> None:
    x = onebuf.zeros((3000, 1000)).realize()
    with onebuf.counters() as count:
        (x * 2 + 1).realize()
    assert count.kernels == 1


def test_another_shape_compiles_nothing() -> None:
    def run(rows: int, columns: int) -> None:
        x = onebuf.asarray(np.ones((rows, columns), np.float32))
        (onebuf.exp(x) / onebuf.sum(x, axis=1, keepdims=True)).realize()

    with config(eager_numel=0, tier="compile"):
        run(5, 70)
        with onebuf.counters() as count:
            run(64, 133)
            run(2, 1000)
    assert count.compiles == 0


def test_a_number_that_no_dtype_holds_can_be_compared_with() -> None:
    with config(eager_numel=0, tier="compile"):
        x = onebuf.asarray([1, 2])
        assert (x + 1 < 10**30).to_python() == [True, True]


def test_the_error_of_a_kernel_names_the_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*arguments: Any) -> None:
        raise RuntimeError("no compiler today")

    monkeypatch.setattr("onebuf.engine.cpu.program.render", broken)
    x = onebuf.asarray(np.ones(7, np.float32))
    with config(eager_numel=0, tier="compile"):
        y = x * 3 - x * x * x * 17  # the line to name
        with pytest.raises(RuntimeError, match="no compiler") as caught:
            y.realize()
    assert "# the line to name" in "".join(caught.value.__notes__)
    monkeypatch.undo()
    assert y.to_python() == [-14.0] * 7


def test_importing_onebuf_does_not_import_the_compiler() -> None:
    code = (
        "import sys, onebuf; a = onebuf.Buffer([1.0]); (a + a).to_python(); "
        "sys.exit('llvmlite' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_programs_are_forgotten_when_there_are_too_many_and_no_plan_holds_them():
    program.forget()
    x = np.arange(64.0)
    with config(eager_numel=0, tier="compile"):
        decide._known.clear()
        decide._guards.clear()
        for _ in range(3):  # the plan holds its program
            np.testing.assert_array_equal(np.asarray(onebuf.asarray(x) * 3 - 1), x * 3 - 1)
            program.forget()
        (known,) = decide._known.values()
        held = weakref.ref(known.plan.steps[0]._calls[0]._launch._program)
        gc.collect()
        assert held() is not None
        np.testing.assert_array_equal(np.asarray(onebuf.asarray(x) * 3 - 1), x * 3 - 1)
        del known
        decide._known.clear()
        decide._guards.clear()
        gc.collect()
        assert held() is None
        # What is loaded next unloads the other, and the same text is compiled or found again.
        np.testing.assert_array_equal(np.asarray(onebuf.asarray(x) * 3 - 1), x * 3 - 1)
    assert program.program.cache_info().maxsize == program.MOST_PROGRAMS
