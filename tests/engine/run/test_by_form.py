"""Forms: graphs that are known well are recognised, computed and stored by written functions."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import onebuf
from onebuf import Buffer, config
from onebuf.engine.plan import decide, form
from onebuf.engine.plan.decide import GUARDED
from onebuf.errors import IndexRangeError, OutOfMemory
from onebuf.events import KernelRan, Realized, listening
from onebuf.scheduler import guard
from onebuf.scheduler.pieces import MOST_NODES
from onebuf.testing.faults.interrupts import instants

pytestmark = pytest.mark.skipif(not hasattr(sys, "getrefcount"), reason="needs CPython's counts")


@pytest.fixture(autouse=True)
def lazy(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(decide, "_known", {})
    monkeypatch.setattr(decide, "_guards", {})
    with config(eager_numel=0, tier="compile"):
        yield


@pytest.fixture
def planned(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many nodes were asked for, each time that a plan was looked for."""
    found: list[int] = []
    usual = decide.plan_for

    def plan_for(wanted: Any, *more: Any, **rest: Any) -> Any:
        found.append(len(wanted))
        return usual(wanted, *more, **rest)

    monkeypatch.setattr(decide, "plan_for", plan_for)
    return found


def array(seed: int, *shape: int) -> Any:
    return np.random.default_rng(seed).uniform(0.5, 2.0, shape).astype("f")


def ten(a: Any, b: Any, factor: Any = 0.5, root: Any = onebuf.sqrt) -> Any:
    return (root(abs(((a + b) * a - b) * factor + a) + 1) * b - a) * b


def warm(make: Callable[[], Any]) -> None:
    """Realise something as often as it takes to get a form."""
    for _ in range(GUARDED + 2):
        make().realize()


def test_a_graph_that_was_found_often_is_no_longer_planned(planned: list[int]) -> None:
    a, b = Buffer(array(0, 16)), Buffer(array(1, 16))
    warm(lambda: ten(a, b))
    planned.clear()
    for seed in range(3):
        x, y = array(seed, 16), array(seed + 9, 16)
        found = ten(Buffer(x), Buffer(y), seed + 0.25).realize()
        np.testing.assert_array_equal(found, ten(x, y, np.float32(seed + 0.25), np.sqrt))
    assert planned == []


@pytest.mark.parametrize(
    "other",
    ["shape", "dtype", "strides", "operation", "held", "size of a constant"],
)
def test_another_graph_from_the_same_line_is_planned(other: str, planned: list[int]) -> None:
    a, b = Buffer(array(0, 16)), Buffer(array(1, 16))
    held: list[Any] = []
    holds = False

    def make(a: Any, b: Any, c: Any = 2.0, negate: bool = False) -> Any:
        middle = a * b
        if holds:
            held.append(middle)
        x, y = (b, middle) if negate else (middle, b)
        return onebuf.exp(x - y) * c

    warm(lambda: make(a, b))
    planned.clear()
    holds = other == "held"
    x, y = array(2, 16), array(3, 16)
    c: Any = 2.0
    negate = other == "operation"
    if other == "shape":
        x, y = array(2, 17), array(3, 17)
    elif other == "dtype":
        x, y = x.astype("d"), y.astype("d")
    elif other == "strides":
        x = array(2, 32)[::2]
    elif other == "size of a constant":
        c = onebuf.asarray(np.full(16, 2.0, "f"))
    one = Buffer(x, copy=False) if other == "strides" else Buffer(x)
    found = make(one, Buffer(y), c, negate).realize()
    assert planned == [1]
    middle = x * y
    difference = y - middle if negate else middle - y
    np.testing.assert_allclose(found, np.exp(difference) * 2, rtol=1e-6)
    for value in held:
        np.testing.assert_array_equal(value, middle)


def test_a_form_is_for_the_options_it_was_written_under(planned: list[int]) -> None:
    a, b = Buffer(array(0, 16)), Buffer(array(1, 16))
    warm(lambda: ten(a, b))
    planned.clear()
    for number in range(3):
        with config(threads=number + 1):  # which plans do not depend on
            ten(a, b).realize()
    assert planned == []
    with config(tier="interpret"):
        found = ten(a, b).realize()
    assert planned == [1]
    np.testing.assert_array_equal(found, ten(array(0, 16), array(1, 16), np.float32(0.5), np.sqrt))


def test_listeners_hear_of_everything() -> None:
    a, b = Buffer(array(0, 16)), Buffer(array(1, 16))
    warm(lambda: ten(a, b))
    heard: list[Any] = []
    with listening(heard.append):
        ten(a, b).realize()
    assert {type(event) for event in heard} >= {KernelRan, Realized}


def test_a_form_is_written_once_and_where_there_are_listeners_a_guard_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    written: list[str] = []
    for module, name in ((form, "write_form"), (guard, "write_guard")):
        usual = getattr(module, name)

        def write(*args: Any, usual: Any = usual, name: str = name) -> Any:
            written.append(name)
            return usual(*args)

        monkeypatch.setattr(module, name, write)
    a, b = Buffer(array(0, 16)), Buffer(array(1, 16))
    with listening(lambda event: None):
        for _ in range(10 * GUARDED):
            ten(a, b).realize()
    assert written == ["write_form", "write_guard"]


def test_results_of_several_kernels_and_passes(planned: list[int]) -> None:
    def make(x: Any) -> Any:
        y = onebuf.exp(x - x.max(axis=1, keepdims=True))
        return y / y.sum(axis=1, keepdims=True)

    x = Buffer(array(0, 40, 50))
    warm(lambda: make(x))
    planned.clear()
    other = array(5, 40, 50)
    found = make(Buffer(other)).realize()
    assert planned == []
    np.testing.assert_array_equal(found, softmax_rows(other))


def softmax_rows(x: Any) -> Any:
    """The same bits without a form."""
    found = Buffer(x)
    heard: list[Any] = []
    with listening(heard.append):
        y = onebuf.exp(found - found.max(axis=1, keepdims=True))
        return np.asarray(y / y.sum(axis=1, keepdims=True))


def test_an_index_outside_is_an_error(planned: list[int]) -> None:
    x = onebuf.asarray(array(0, 8))

    def make(at: list[int]) -> Any:
        return onebuf.take(x, onebuf.asarray(at)) * 2

    warm(lambda: make([1, 7, 0]))
    planned.clear()
    np.testing.assert_array_equal(make([3, 3, 2]).realize(), array(0, 8)[[3, 3, 2]] * 2)
    assert planned == []
    with pytest.raises(IndexRangeError, match="11"):
        make([1, 11, 0]).realize()


def test_memory_that_is_not_there_is_an_error_that_says_where() -> None:
    a, b = Buffer(array(0, 1000)), Buffer(array(1, 1000))
    warm(lambda: ten(a, b))
    x = ten(a, b)
    with config(memory_cap=1), pytest.raises(OutOfMemory) as caught:
        x.realize()
    assert any("test_by_form.py" in note for note in caught.value.__notes__)
    np.testing.assert_array_equal(
        x.realize(), ten(array(0, 1000), array(1, 1000), np.float32(0.5), np.sqrt)
    )


def test_operands_that_die_still_give_their_memory() -> None:
    with config(donate_nbytes=0):

        def make() -> Any:
            return (Buffer(array(0, 64)) * 1.0).realize()

        for _ in range(GUARDED + 4):
            x = make()
            before = x._node.array.ctypes.data
            x = x * 2 + 1
            x.realize()
            assert x._node.array.ctypes.data == before


# -- faults ----------------------------------------------------------------------------------------


class Timeout(Exception):
    """What a signal handler may raise."""


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("error", [KeyboardInterrupt, Timeout])
@pytest.mark.parametrize("length", [10, 3 * MOST_NODES])
def test_an_interrupt_at_any_instant_leaves_the_value(
    error: type[BaseException], length: int
) -> None:
    a, b = Buffer(array(0, 16)), Buffer(array(1, 16))

    def make() -> Any:
        x = a
        for _ in range(length):
            x = x + b
        return x

    wanted = array(0, 16)
    for _ in range(length):
        wanted = wanted + array(1, 16)
    warm(make)
    count = 0
    for interrupt in instants(error, step=1 if length < MOST_NODES else 9):
        x = make()
        with interrupt:
            x.realize()
        count += bool(interrupt)
        np.testing.assert_array_equal(x, wanted)
    assert count > 10


@contextmanager
def at_instant(number: int, action: Callable[[], object]) -> Iterator[list[int]]:
    """Run ``action`` at one of the instants at which signals are handled."""
    left = [number]

    def profile(frame: Any, event: str, arg: Any) -> None:
        if event in ("call", "c_return"):
            left[0] -= 1
            if left[0] == -1:
                sys.setprofile(None)
                action()

    sys.setprofile(profile)
    try:
        yield left
    finally:
        sys.setprofile(None)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_error_of_a_signal_handler_is_not_lost() -> None:
    a, b = Buffer(array(0, 16)), Buffer(array(1, 16))
    warm(lambda: ten(a, b))

    def fail() -> None:
        frame: Any = sys._getframe()
        while frame is not None:
            if frame.f_code.co_name == "__del__":
                return  # errors of finalisers are lost in Python
            frame = frame.f_back
        come.append(traceback.extract_stack())
        raise Timeout

    number, is_over, count = 0, False, 0
    while not is_over:
        x, come = ten(a, b), []
        try:
            with at_instant(number, fail) as left:
                x.realize()
        except Timeout:
            count += 1
        else:
            assert not come, "".join(traceback.format_list(come[0]))
        is_over = left[0] >= 0
        number += 1
        del x  # or else the next one is a copy of it
    assert count > 10


HANDLERS: dict[str, Callable[[Any, Any, Any], object]] = {
    "asks for the same": lambda a, b, x: x.tolist(),
    "computes something else": lambda a, b, x: ((a + 1) * 7).tolist(),
    "writes to what is read": lambda a, b, x: b.__setitem__(slice(3, 9), 0.0),
    "updates what is read": lambda a, b, x: a.__imul__(-1.0),
}


@pytest.mark.parametrize("handler", HANDLERS.values(), ids=list(HANDLERS))
@pytest.mark.parametrize("length", [10, 3 * MOST_NODES])
def test_code_in_the_middle_may_compute_and_write(handler: Any, length: int) -> None:
    def make(a: Any, b: Any) -> Any:
        x = a
        for _ in range(length):
            x = x + b
        return x

    wanted = make(array(0, 16), array(1, 16))
    warm(lambda: make(Buffer(array(0, 16)), Buffer(array(1, 16))))
    number, is_over = 0, False
    while not is_over:
        a, b = Buffer(array(0, 16), copy=True), Buffer(array(1, 16), copy=True)
        x = make(a, b)
        with at_instant(number, lambda a=a, b=b, x=x: handler(a, b, x)) as left:
            x.realize()
        is_over = left[0] >= 0
        np.testing.assert_array_equal(np.asarray(x), wanted)
        number += 1 if length < MOST_NODES else 23
    assert number > 20


# -- large graphs ----------------------------------------------------------------------------------


def test_a_long_chain_is_recognised_piece_by_piece(planned: list[int]) -> None:
    a, b = Buffer(array(0, 16)), Buffer(array(1, 16))

    def make(a: Any, b: Any, count: int) -> Any:
        x = a
        for _ in range(count):
            x = x * b
            x = x + a
        return x

    for _ in range(2 * GUARDED):
        make(a, b, 500).realize()
    planned.clear()
    x, y = array(2, 16), array(3, 16) / 4
    np.testing.assert_array_equal(make(Buffer(x), Buffer(y), 500).realize(), make(x, y, 500))
    assert planned == []
    np.testing.assert_array_equal(make(Buffer(x), Buffer(y), 333).realize(), make(x, y, 333))
    assert planned == [1]  # its end alone is of another length


def test_values_that_are_held_in_a_long_chain_stay_right() -> None:
    a, b = Buffer(array(0, 16)), Buffer(array(1, 16))

    def make(every: int) -> tuple[Any, list[Any]]:
        x, held = a, []
        for number in range(400):
            x = x + b
            if every and number % every == 0:
                held.append(x)
        return x, held

    for _ in range(2 * GUARDED):
        make(0)[0].realize()
    for every in (1, 7, 128):
        x, held = make(every)
        x.realize()
        wanted = array(0, 16)
        for number in range(400):
            wanted = wanted + array(1, 16)
            if number % every == 0:
                np.testing.assert_array_equal(held[number // every], wanted)
        np.testing.assert_array_equal(x, wanted)


def test_a_small_graph_is_never_cut(planned: list[int]) -> None:
    a, b = Buffer(array(0, 16)), Buffer(array(1, 16))

    def link(x: Any) -> Any:
        return onebuf.exp(x - b) * 0.5

    def make(count: int) -> tuple[Any, Any]:
        x = middle = link(a)
        for _ in range(count):
            x = link(x)
        return x, middle

    for _ in range(2 * GUARDED):
        make(0)[0].realize()
    planned.clear()
    x, _ = make(1)
    kernels: list[Any] = []
    x.realize()
    assert planned == [1]  # not a piece with the form, and another one
    with listening(lambda event: kernels.append(event) if type(event) is KernelRan else None):
        make(1)[0].realize()
    assert len(kernels) == 1
