"""Code in the middle of a plan (signal handlers, finalisers, listeners) may compute and write."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import onebuf as ob
from onebuf import Buffer, config
from onebuf.events import KernelRan, listening
from onebuf.testing.faults.interleaving import at_point

SMALL = np.arange(1.0, 21.0)
POINTS = ("plan.start", "plan.step", "pool.take", "graph.attach", "read.ready")


@pytest.fixture(autouse=True, params=["interpret", "compile"])
def tier(request: Any) -> Iterator[None]:
    with config(tier=request.param, eager_numel=0, donate_nbytes=0):
        yield


def results(x: Buffer) -> list[Buffer]:
    middle = x * 2
    total = ob.cumulative_sum(middle)
    return [total[:5] + 1, middle - 3, ob.flip(total) * 2, x @ ob.ones((20, 2), dtype=ob.float64)]


def arrays(x: Any) -> list[Any]:
    middle = x * 2
    total = np.cumsum(middle)
    return [total[:5] + 1, middle - 3, total[::-1] * 2, x @ np.ones((20, 2))]


Handler = Callable[[Buffer, list[Buffer]], object]
HANDLERS: dict[str, Handler] = {
    "asks for the same results": lambda x, made: ob.realize(*made),
    "asks for one of them": lambda x, made: made[1].tolist(),
    "computes something else": lambda x, made: ((x + 1) * 7).tolist(),
    "writes to what is read": lambda x, made: x.__setitem__(slice(3, 9), 0.0),
    "updates what is read": lambda x, made: x.__imul__(-1.0),
}


@pytest.mark.parametrize("handler", HANDLERS.values(), ids=list(HANDLERS))
@pytest.mark.parametrize("point", POINTS)
def test_what_was_asked_for_stays_right(point: str, handler: Handler) -> None:
    wanted = arrays(SMALL)
    after, has_come = 0, True
    while has_come:
        x = (ob.asarray(SMALL) * 1.0).realize()
        made = results(x)
        with at_point(point, lambda x=x, made=made: handler(x, made), after) as count:
            ob.realize(*made)
        has_come = count == [1]
        for got, array in zip(made, wanted, strict=True):
            np.testing.assert_array_equal(np.array(got), array)
        after += 1


WRITES: dict[str, Callable[[Any, Any], object]] = {
    "assigns an expression": lambda target, new: target.__setitem__(..., new),
    "assigns a part": lambda target, new: target.__setitem__(slice(2, 11), new[2:11]),
    "updates": lambda target, new: target.__iadd__(new),
}


@pytest.mark.parametrize("size", [1, 20])
@pytest.mark.parametrize("write", WRITES.values(), ids=list(WRITES))
@pytest.mark.parametrize("point", [*POINTS, "write.settle", "write.ready", "write.start"])
def test_a_write_that_is_overtaken_writes_once(
    point: str, write: Callable[..., object], size: int
) -> None:
    """The handler computes what is about to be written, or what it is made of."""
    array = np.arange(1, size + 1)
    value = (array - array) % 7
    wanted = array.copy()
    write(wanted, value)
    after, has_come = 0, True
    while has_come:
        target = (ob.asarray(array) * 1).realize()
        middle = target - target
        new = middle % 7
        with at_point(point, lambda new=new: new.tolist(), after) as count:
            write(target, new)
        has_come = count == [1]
        np.testing.assert_array_equal(np.array(target), wanted)
        np.testing.assert_array_equal(np.array(new), value)
        after += 1


@pytest.mark.parametrize("point", POINTS)
def test_memory_that_the_handler_handed_out_stays_that_of_the_result(point: str) -> None:
    after, has_come = 0, True
    while has_come:
        x = (ob.asarray(SMALL) * 1.0).realize()
        made = x * 2 + 1
        del x
        windows: list[Any] = []

        def hand_out(made: Buffer = made, windows: list[Any] = windows) -> None:
            windows.append(np.asarray(made))

        with at_point(point, hand_out, after) as count:
            made.realize()
        has_come = count == [1]
        for window in windows:
            made[4] = -5.0
            assert window[4] == -5.0
            assert window[5] == 13.0
        after += 1


def test_a_listener_that_computes_at_every_kernel_ends() -> None:
    x = (ob.asarray(SMALL) * 1.0).realize()
    made = results(x)
    is_inside = False
    heard = 0

    def listen(event: object) -> None:
        nonlocal is_inside, heard
        if isinstance(event, KernelRan) and not is_inside:
            is_inside = True
            heard += 1
            assert (x + heard).tolist() == (SMALL + heard).tolist()
            is_inside = False

    with listening(listen):
        ob.realize(*made)
    for got, array in zip(made, arrays(SMALL), strict=True):
        np.testing.assert_array_equal(np.array(got), array)
    assert heard
