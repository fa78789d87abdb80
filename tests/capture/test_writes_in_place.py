"""Large buffers that a captured function writes are overwritten by the kernels themselves."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import numpy as np
import pytest

import onebuf
from onebuf.engine.step import kernel_step

SHAPE = (64, 128)


def fresh(seed: int) -> Any:
    return onebuf.asarray(np.random.default_rng(seed).normal(size=SHAPE).astype(np.float32)) + 0


def train(w: Any, m: Any, v: Any, g: Any) -> Any:
    """A step of Adam, in place."""
    before = w.sum()
    m *= 0.9
    m += g * 0.1
    v *= 0.99
    v += g * g * 0.01
    w -= m / (onebuf.sqrt(v) + 1e-3)
    return before, (w * w).mean()


def test_results_go_straight_to_the_memory_that_is_written() -> None:
    @onebuf.jit
    def f(w: Any, g: Any) -> None:
        w -= g * 0.5

    w, g = fresh(0).realize(), fresh(1).realize()
    f(w, g)
    with onebuf.counters() as counted:
        f(w, g)
    assert counted.kernels == 1
    assert counted.bytes_allocated < w.nbytes
    np.testing.assert_array_equal(
        w, fresh(0) - fresh(1) * np.float32(0.5) - fresh(1) * np.float32(0.5)
    )


def test_several_buffers_that_depend_on_one_another_are_what_plain_calls_make_them() -> None:
    jitted = onebuf.jit(train)
    mine = [fresh(n) for n in range(2)] + [abs(fresh(2)), fresh(3)]
    other = [fresh(n) for n in range(2)] + [abs(fresh(2)), fresh(3)]
    for _ in range(4):
        found, wanted = jitted(*mine), train(*other)
        assert [x.item() for x in found] == [x.item() for x in wanted]
    for one, two in zip(mine, other, strict=True):
        np.testing.assert_array_equal(one, two)
    assert jitted.captures == 1


def test_a_result_that_is_also_written_has_memory_of_its_own() -> None:
    @onebuf.jit
    def f(w: Any) -> Any:
        y = w * 2
        w[...] = y
        return y

    w = fresh(0)
    for _ in range(3):
        y = f(w)
        y[0] = 7
        assert w[0, 0].item() != 7


def test_swapped_buffers_are_swapped() -> None:
    @onebuf.jit
    def f(a: Any, b: Any) -> None:
        old = a * 1
        a[...] = b + 0
        b[...] = old

    a, b = fresh(0), fresh(1)
    for n in range(3):
        f(a, b)
        np.testing.assert_array_equal(a, fresh(1 - n % 2))
        np.testing.assert_array_equal(b, fresh(n % 2))


def test_pending_readers_see_the_old_elements() -> None:
    @onebuf.jit
    def f(w: Any) -> None:
        w *= 3

    w = fresh(0).realize()
    f(w)
    old = np.array(w)
    with onebuf.config(eager_numel=0):
        later = w + 1
        view = w[1:3]
        f(w)
    np.testing.assert_array_equal(later, old + 1)
    np.testing.assert_array_equal(view, old[1:3] * 3)


def test_views_of_what_is_written_see_the_new_elements() -> None:
    @onebuf.jit
    def f(w: Any) -> Any:
        w += 1
        return w.T

    w = fresh(0).realize()
    f(w)
    turned = f(w)
    np.testing.assert_array_equal(turned, np.asarray(w).T)
    np.testing.assert_array_equal(w, (fresh(0) + 1) + 1)


def test_a_read_only_buffer_is_refused_and_nothing_is_written() -> None:
    array = np.ones(SHAPE, np.float32)

    @onebuf.jit
    def f(a: Any, b: Any) -> None:
        a += 1
        b += 1

    writable = fresh(0).realize()
    f(onebuf.asarray(array.copy()), writable)
    before = np.array(writable)
    array.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        f(onebuf.asarray(array), writable)
    assert array[0, 0] == 1
    np.testing.assert_array_equal(writable, before)


class Interrupt(BaseException):
    pass


@pytest.mark.parametrize("at", range(1, 6))
def test_an_interrupt_comes_before_all_writes_or_after_them(
    at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [fresh(n).realize() for n in range(6)]

    @onebuf.jit
    def f() -> None:
        for one, other in ((0, 1), (2, 3), (4, 5)):
            names[one] += names[other] @ names[other].T @ names[one]

    f()
    before = [np.array(x) for x in names]
    count = 0
    inner = kernel_step.KernelStep.launch

    def interrupted(self: Any, *args: Any) -> None:
        nonlocal count
        count += 1
        if count == at:
            raise Interrupt
        inner(self, *args)

    with monkeypatch.context() as patch:
        patch.setattr(kernel_step.KernelStep, "launch", interrupted)
        with suppress(Interrupt):
            f()
    changed = [not np.array_equal(x, y) for x, y in zip(names[::2], before[::2], strict=True)]
    assert all(changed) or not any(changed)


def test_a_result_takes_the_memory_of_a_donated_argument() -> None:
    f = onebuf.jit(lambda state, g: state * 2 + g, donate="state")
    state, g = fresh(0).realize(), fresh(1).realize()
    wanted = np.asarray(fresh(0))
    for _ in range(3):
        before = state
        with onebuf.counters() as counted:
            state = f(state, g)
        wanted = wanted * 2 + np.asarray(g)
        np.testing.assert_array_equal(state, wanted)
        with pytest.raises(BufferError, match="freed"):
            before.tolist()
    assert counted.bytes_allocated < g.nbytes
    assert f.captures == 1


def test_donation_says_what_it_needs() -> None:
    with pytest.raises(ValueError, match="names of parameters, x; got 'y'"):
        onebuf.jit(lambda x: x, donate="y")
    with pytest.raises(ValueError, match="names of parameters, x; got 0"):
        onebuf.jit(lambda x: x, donate=0)
    with pytest.raises(ValueError, match="cannot be returned"):
        onebuf.jit(lambda x: x[1:], donate=("x",))(fresh(0))


def test_threads_that_call_a_function_first_at_once_get_its_results() -> None:
    w = fresh(0).realize()

    @onebuf.jit
    def f(x: Any) -> Any:
        return (x * w).sum(axis=0)

    inputs = [fresh(n).realize() for n in range(8)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(f, inputs))
    for x, y in zip(inputs, found, strict=True):
        np.testing.assert_array_equal(y, (x * w).sum(axis=0))
    assert f.captures == 1
