"""What once went wrong in real programs: one test for each fault, next to NumPy.

What has a suite of its own is there: interrupts and donation in tests/engine/test_donation.py,
reads and writes of several threads in test_holding.py, memory that is known twice in
tests/interop/test_known_twice.py, copies in test_separation.py, integers of floats in
test_casts.py, compiling and Ctrl-C in tests/backends/cpu/test_uninterrupted.py, files in
tests/interop/files.
"""

import gc
import sys

import numpy as np
import pytest
from children import run

import onebuf
from onebuf.backends.cpu import compiler
from onebuf.engine.cpu import program
from onebuf.engine.plan import decide

TIERS = ("auto", "interpret", "compile")


@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.parametrize(
    "view",
    [lambda m, x: x.copy().T, lambda m, x: x.T.copy()[::-1], lambda m, x: m.flip(x.copy(), axis=1)],
)
def test_rows_of_a_view_of_a_copy_are_picked(view, tier):
    a = np.arange(360_000.0).reshape(600, 600)
    order = np.arange(600)[::-1].copy()
    with onebuf.config(tier=tier):
        got = view(onebuf, onebuf.asarray(a))[onebuf.asarray(order)]
        np.testing.assert_array_equal(np.asarray(got), view(np, a)[order])


@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.parametrize("shape", [(300, 400), (20, 30, 100), (120_000,)])
@pytest.mark.parametrize("axis", [0, -1])
def test_joins_hold_what_is_folded_over_everything(shape, axis, tier):
    a = np.random.default_rng(0).random(shape)
    with onebuf.config(tier=tier):
        x = onebuf.asarray(a)
        got = onebuf.concat([x - x.mean(), x / x.max(), x], axis=axis)
        wanted = np.concatenate([a - a.mean(), a / a.max(), a], axis=axis)
        np.testing.assert_allclose(np.asarray(got), wanted, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("find", ["argmax", "argmin"])
def test_the_place_of_the_largest_half_is_compiled(dtype, find):
    x = onebuf.asarray(np.random.default_rng(0).random(100_000), copy=True).astype(dtype).realize()
    wanted = getattr(np, find)(np.asarray(x).astype("float32"))
    with onebuf.config(tier="compile"):
        assert getattr(onebuf, find)(x * 1).item() == wanted


def test_flatten_copies():
    for count in (4, 100_000):
        x = onebuf.arange(count).reshape(2, -1)
        y = x.flatten()
        y[0] = 9
        assert x[0, 0].item() == 0


def test_a_signal_handler_computes_while_memory_is_mapped():
    printed = run("""
        import random, signal
        import numpy as np, onebuf
        other, x = onebuf.asarray(np.ones(200_000)), onebuf.asarray(np.ones(50_000))
        kept, held, calls = [], [], 0

        def report(*_):
            global calls
            calls += 1
            kept.append((other * 3).realize())
            signal.setitimer(signal.ITIMER_REAL, random.random() * 0.002 + 1e-4)

        signal.signal(signal.SIGALRM, report)
        report()
        while calls < 200:
            held.append((x * 2).realize())
            if len(held) > 100:
                assert all(y[7].item() == 2 for y in held)
                held.clear(), kept.clear(), onebuf.trim()
        signal.setitimer(signal.ITIMER_REAL, 0)
        print("done")
    """)
    assert printed.split() == ["done"]


def test_garbage_computes_when_it_is_collected():
    printed = run("""
        import gc
        import numpy as np, onebuf

        class Session:
            def __init__(self, total):
                self.total, self.me = total, self

            def __del__(self):
                print((self.total + 1).sum().item(), (onebuf.zeros(40_000) + self.total[0]).sum())

        gc.set_threshold(1)
        for size in (5, 100, 3000):
            Session(onebuf.asarray(np.arange(5.0)))
            assert (onebuf.asarray(np.arange(float(size))) * 2)[3].item() == 6
            onebuf.trim()
        gc.collect()
    """)
    assert printed.split() == ["15.0", "0.0"] * 3


@pytest.mark.parametrize("tier", TIERS)
def test_a_signal_handler_reads_what_the_interrupted_line_computes(tier):
    run(
        """
        import random, signal, sys
        import numpy as np, onebuf
        a, r, current = np.arange(100_000.0), random.Random(0), None

        def show(*_):
            if current is not None:
                assert current[10].item() >= 0

        signal.signal(signal.SIGALRM, show)
        x = onebuf.asarray(a, copy=True)
        for k in range(60):
            y = x * 2 + k
            z = onebuf.cumulative_sum(y)
            s = z - z.mean()
            w = onebuf.sort(s)
            with onebuf.config(tier=sys.argv[1]):
                current = z
                signal.setitimer(signal.ITIMER_REAL, r.random() * 0.004 + 1e-4)
                onebuf.realize(w, s)
                signal.setitimer(signal.ITIMER_REAL, 0)
                current = None
            wanted = np.cumsum(a * 2 + k)
            assert np.allclose(np.asarray(w), wanted - wanted.mean())
        """,
        tier,
    )


def lines(work):
    """How many lines of Python ``work`` runs."""
    count = 0

    def local(frame, event, arg):
        nonlocal count
        count += event == "line"
        return local

    before = sys.gettrace()
    sys.settrace(lambda frame, event, arg: local)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def test_planning_is_linear_in_steps_and_outputs():
    def chain(count):
        y = onebuf.asarray(np.ones(4), copy=True)
        for _ in range(count):
            y = y + 1
        return lambda: y.realize()

    def outputs(count):
        x = onebuf.asarray(np.ones(4), copy=True)
        ys = [x + i for i in range(count)]
        return lambda: onebuf.realize(*ys)

    def joins(count):
        y = x = onebuf.asarray(np.ones(8), copy=True)
        for _ in range(count):
            y = onebuf.concat([x * 2.0, y])[:8]
        return lambda: y.realize()

    with onebuf.config(eager_numel=0, tier="interpret"):
        for make in (chain, outputs, joins):
            make(500)()
            few, many = lines(make(500)), lines(make(2000))
            assert many < 6 * few, make.__name__


def test_many_folds_in_a_row_are_several_kernels(tmp_path):
    with onebuf.config(tier="compile", cache_dir=str(tmp_path)):
        y = onebuf.asarray(np.random.default_rng(0).random((100, 1000)))
        for _ in range(8):
            e = onebuf.exp(y - y.max(axis=1, keepdims=True))
            y = e / e.sum(axis=1, keepdims=True)
        assert len(onebuf.schedule(y)) >= 4
        np.testing.assert_allclose(np.asarray(y.sum(axis=1)), 1)


def test_programs_that_no_plan_needs_are_let_go(tmp_path):
    x = onebuf.asarray(np.ones(1000))

    def expressions(turns):
        for number in range(turns):
            e = x
            for bit in range(6):
                e = e * 2 if number >> bit & 1 else abs(e - x)
            e.realize()

    def programs():
        decide.forget_plans()
        program.forget()
        gc.collect()
        return len(compiler._programs)

    with onebuf.config(tier="compile", eager_numel=0, cache_dir=str(tmp_path)):
        before = programs()
        expressions(40)
        assert len(compiler._programs) >= before + 40
        assert programs() <= before
