"""A result is written over an operand only if nobody can ask for that operand again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import onebuf as ob
from onebuf import Buffer, config
from onebuf.engine.cpu import launch
from onebuf.engine.cpu.atomic_calls import perform
from onebuf.errors import OutOfMemory
from onebuf.events import listening
from onebuf.graph import Node, attach, attaching
from onebuf.memory import POOL, address_of
from onebuf.testing.faults.interleaving import at_point
from onebuf.testing.faults.interrupts import instants

COUNT = 1 << 18  # 2 MB
ACTIONS = ("new", "change", "change", "add", "flip", "sort", "mean", "write", "drop", "realize")


@pytest.fixture(autouse=True)
def compiled():
    with config(tier="compile"):
        yield


def fresh(start: float = 0.0) -> Buffer:
    """A result of our own, stored."""
    return (ob.arange(COUNT, dtype=ob.float64) + start).realize()


def address(x: Buffer) -> int:
    array = x._node.array
    assert array is not None
    return address_of(array)


ORACLE = np.arange(COUNT, dtype=np.float64)


def test_a_result_takes_the_memory_of_an_operand_that_dies():
    x = fresh()
    before = address(x)
    for _ in range(10):  # past the turn at which a guard is written
        x = x * 2 + 1
        x.realize()
        assert address(x) == before
    np.testing.assert_array_equal(np.asarray(x), ORACLE * 1024 + 1023)


def test_an_operand_that_a_buffer_holds_keeps_its_memory():
    x = fresh()
    y = (x * 2 + 1).realize()
    assert address(y) != address(x)
    np.testing.assert_array_equal(np.asarray(x), ORACLE)
    np.testing.assert_array_equal(np.asarray(y), ORACLE * 2 + 1)


def test_an_operand_that_a_view_sees_keeps_its_memory():
    x = fresh()
    part = x[5:]
    x = (x * 2 + 1).realize()
    np.testing.assert_array_equal(np.asarray(part), ORACLE[5:])
    np.testing.assert_array_equal(np.asarray(x), ORACLE * 2 + 1)


def test_an_operand_with_a_window_keeps_its_memory():
    x = fresh()
    window = np.asarray(x)
    x = (x * 2 + 1).realize()
    np.testing.assert_array_equal(window, ORACLE)


def test_an_operand_of_somebody_else_keeps_its_memory():
    theirs = ORACLE.copy()
    x = ob.asarray(theirs)
    x = (x * 2 + 1).realize()
    np.testing.assert_array_equal(theirs, ORACLE)


def test_an_operand_that_pending_work_outside_reads_keeps_its_memory():
    x = fresh()
    later = x - 1
    x = (x * 2 + 1).realize()
    np.testing.assert_array_equal(np.asarray(later), ORACLE - 1)


def test_an_operand_below_a_result_that_somebody_holds_keeps_its_memory():
    x = fresh()
    doubled = x * 2
    x = (doubled + 1).realize()
    np.testing.assert_array_equal(np.asarray(doubled), ORACLE * 2)


def test_an_operand_that_is_read_in_another_order_keeps_its_memory():
    x = fresh()
    flipped = (ob.flip(x) + x).realize()
    np.testing.assert_array_equal(np.asarray(flipped), ORACLE[::-1] + ORACLE)
    x = (ob.flip(x) * 2).realize()
    np.testing.assert_array_equal(np.asarray(x), ORACLE[::-1] * 2)


def test_one_of_two_operands_that_die_gives_its_memory():
    x, y = fresh(), fresh(7.0)
    places = {address(x), address(y)}
    z = x * 3 + y
    del x, y
    z.realize()
    assert address(z) in places
    np.testing.assert_array_equal(np.asarray(z), ORACLE * 3 + ORACLE + 7)


def test_two_results_do_not_take_the_same_memory():
    x = fresh()
    y, z = x + 1, x * 2
    del x
    ob.realize(y, z)
    np.testing.assert_array_equal(np.asarray(y), ORACLE + 1)
    np.testing.assert_array_equal(np.asarray(z), ORACLE * 2)


@pytest.mark.parametrize("first", [0, 1])
def test_an_operand_that_a_library_reads_keeps_its_memory(first: int) -> None:
    for _ in range(3):
        x = fresh()
        made = [lambda x=x: x * 2 + 1, lambda x=x: ob.sort(x, descending=True)]
        results = [build() for build in (made if first else made[::-1])]
        del x, made
        ob.realize(*results)
        one, two = results if first else results[::-1]
        np.testing.assert_array_equal(np.asarray(one), ORACLE * 2 + 1)
        np.testing.assert_array_equal(np.asarray(two), ORACLE[::-1])


def test_an_operand_that_a_product_reads_keeps_its_memory() -> None:
    for _ in range(3):
        x = fresh().reshape((512, 512))
        x = (x + 0.5).realize()
        scaled, product = x * 2, x @ x[0] + 1.0
        del x
        ob.realize(scaled, product)
        oracle = ORACLE.reshape(512, 512) + 0.5
        np.testing.assert_array_equal(np.asarray(scaled), oracle * 2)
        np.testing.assert_allclose(np.asarray(product), oracle @ oracle[0] + 1)


@pytest.mark.parametrize("dtype", ["float64", "int64"])
@pytest.mark.parametrize(
    "view", [lambda x: x.copy().T, lambda x: x.copy().T[::2].T, lambda x: x[::-1].copy().T]
)
def test_an_operand_that_a_product_reads_through_a_copy_keeps_its_memory(view, dtype) -> None:
    x = (ob.reshape(ob.arange(COUNT, dtype=dtype), (512, 512)) % 7).realize()
    array = np.asarray(x).copy()
    y = ob.matmul(x * 2, view(x))
    del x
    np.testing.assert_array_equal(np.asarray(y), (array * 2) @ view(array))


def test_an_operand_that_indices_pick_from_keeps_its_memory_until_then() -> None:
    for _ in range(3):
        x = fresh()
        picked = ob.take(x, ob.asarray(np.arange(0, COUNT, 2)))
        scaled = x * 2
        del x
        ob.realize(scaled, picked)
        np.testing.assert_array_equal(np.asarray(scaled), ORACLE * 2)
        np.testing.assert_array_equal(np.asarray(picked), ORACLE[::2])


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_no_program_sees_an_operand_overwritten(data: Any) -> None:
    """Buffers next to arrays: computed with, dropped, written and realised, in any order."""
    draw = data.draw
    with config(eager_numel=0, donate_nbytes=0):
        pairs: list[tuple[Buffer, Any]] = []
        for turn in range(draw(st.integers(2, 14))):
            action = draw(st.sampled_from(ACTIONS)) if pairs else "new"
            number = draw(st.integers(1, 9))
            if action == "new":
                array = np.arange(20.0) + turn
                pairs.append(((ob.asarray(array) * 1.0).realize(), array))
                continue
            place = draw(st.integers(0, len(pairs) - 1))
            x, array = pairs[place]
            y, other = pairs[draw(st.integers(0, len(pairs) - 1))]
            if action == "change":
                pairs[place] = (x * number + 1, array * number + 1)
            elif action == "add":
                pairs.append((x + y, array + other))
            elif action == "flip":
                pairs.append((ob.flip(x) - y, array[::-1] - other))
            elif action == "sort":
                pairs.append((ob.sort(x), np.sort(array)))
            elif action == "mean":
                pairs.append((x - y.mean(), array - other.mean()))
            elif action == "write":
                x += number
                pairs[place] = (x, array + number)
            elif action == "drop":
                del pairs[place]
            else:
                some = [buffer for buffer, _ in pairs[place:]]
                del x, y
                ob.realize(*some)
                del some
            x = y = None
        for buffer, array in pairs:
            np.testing.assert_allclose(np.asarray(buffer), array, rtol=1e-9, atol=1e-9)


def test_memory_in_use_does_not_grow_while_a_buffer_is_updated():
    x = fresh()
    with ob.counters() as counted:
        for _ in range(5):
            x = x + 1
            x.realize()
    assert counted.bytes_allocated == 0


# -- transactions ----------------------------------------------------------------------------------

SMALL = np.arange(1.0, 21.0)


def small() -> Buffer:
    return (ob.asarray(SMALL) * 1.0).realize()


def chain() -> list[Buffer]:
    x = small()
    for _ in range(5):
        x = x * 1.5 + 1
    return [x]


def two_results() -> list[Buffer]:
    x = small()
    return [x + 1, x * 2]


def more_after_a_donation() -> list[Buffer]:
    x, w = small(), small()
    return [x * 2 + 1, ob.flip(ob.cumulative_sum(w)) + 1, w * 3]


def after_a_fold() -> list[Buffer]:
    x = small()
    return [x - x.mean(), x * 3]


def later_results_by_way_of_a_forgotten_one() -> list[Buffer]:
    x = small()
    c = ob.cumulative_sum(x)
    return [c[:5] * 2, x * 2 + 1, c[:4, None] + c[None, :], ob.flip(c) - 1]


def an_epilogue() -> list[Buffer]:
    x = small().reshape((4, 5))
    y = (x + 1.0).realize()
    w = ob.asarray(np.eye(5))
    return [y @ w + x, x * 2]


def writes() -> list[Buffer]:
    x = small()
    y = x * 2
    z = x + 1
    y[3:] = z[:-3]
    return [y + 1, z * 2]


GRAPHS = (
    *(chain, two_results, more_after_a_donation, after_a_fold),
    *(later_results_by_way_of_a_forgotten_one, an_epilogue),
)


@pytest.fixture
def always():
    """Donate whatever can be, whatever its size."""
    with config(eager_numel=0, donate_nbytes=0):
        yield


def values(buffers: list[Buffer]) -> list[Any]:
    return [np.array(x) for x in buffers]


def assert_still_right(buffers: list[Buffer], wanted: list[Any]) -> None:
    for x, array in zip(buffers, wanted, strict=True):
        np.testing.assert_array_equal(np.array(x), array)


# An interrupt in a finaliser is shown and forgotten: that is Python's rule.
swallowed = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


@swallowed
@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("make", GRAPHS)
def test_an_interrupt_at_any_instant_leaves_results_that_can_be_asked_for_again(make: Any) -> None:
    wanted = values(make())
    for _ in range(3):  # while it is planned, with a plan, with a guard
        for interrupt in instants():
            buffers = make()
            with interrupt:
                ob.realize(*buffers)
            assert_still_right(buffers, wanted)


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("make", GRAPHS[:3])
def test_memory_is_donated_in_these_tests(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Or else interrupts would prove nothing."""
    performed = []

    def counted(actions: list[Any]) -> None:
        performed.append(len(actions))
        perform(actions)

    monkeypatch.setattr(launch, "perform", counted)
    ob.realize(*make())
    assert performed


@swallowed
@pytest.mark.usefixtures("always")
def test_an_interrupted_write_leaves_old_or_new_elements() -> None:
    wanted = values(writes())
    for interrupt in instants():
        x = small()
        y, z = x * 2, x + 1
        old, new = SMALL * 2, SMALL * 2
        new[3:] = SMALL[:-3] + 1
        with interrupt:
            y[3:] = z[:-3]
        got = np.array(y)
        assert np.array_equal(got, old) or np.array_equal(got, new)
        np.testing.assert_array_equal(np.array(z), SMALL + 1)
    assert_still_right(writes(), wanted)


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, RecursionError])
@pytest.mark.parametrize("point", ["plan.start", "plan.step", "pool.take", "graph.attach"])
@pytest.mark.parametrize("make", GRAPHS)
def test_an_error_at_any_switch_point_does_too(make: Any, point: str, error: Any) -> None:
    wanted = values(make())

    def fail() -> None:
        raise error("out of the blue")

    after = 0
    has_come = True
    while has_come:
        buffers = make()
        with at_point(point, fail, after) as count:
            try:
                ob.realize(*buffers)
            except error:
                assert count == [1]
        has_come = count == [1]
        assert_still_right(buffers, wanted)
        after += 1


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("make", GRAPHS)
def test_a_listener_that_raises_does_too(make: Any) -> None:
    wanted = values(make())
    left = 0
    is_done = False
    while not is_done:
        heard = 0

        def listen(event: object, most: int = left) -> None:
            nonlocal heard
            heard += 1
            if heard > most:
                raise ZeroDivisionError("a listener's own mistake")

        buffers = make()
        with listening(listen):
            try:
                ob.realize(*buffers)
                is_done = True
            except ZeroDivisionError:
                pass
        assert_still_right(buffers, wanted)
        left += 1


def test_running_out_of_memory_after_a_donation_leaves_what_is_needed_to_try_again() -> None:
    x = fresh()
    c = ob.cumulative_sum(x)
    head = c[:10] * 2
    y = x * 2 + 1
    big = c[:100, None] + c[None, :]
    del x, c
    with config(memory_cap=POOL.stats().in_use + 20_000_000), pytest.raises(OutOfMemory):
        ob.realize(head, y, big)
    sums = np.cumsum(ORACLE)
    np.testing.assert_array_equal(np.asarray(big[:3, 5]), sums[:3] + sums[5])
    np.testing.assert_array_equal(np.asarray(head), sums[:10] * 2)
    np.testing.assert_array_equal(np.asarray(y), ORACLE * 2 + 1)


def test_from_which_size_memory_is_donated_is_an_option() -> None:
    for least, takes in [(None, False), (COUNT * 8 + 1, False), (COUNT * 8, True), (0, True)]:
        x = fresh()
        before = address(x)
        with config(donate_nbytes=least):
            x = x * 2 + 1
            x.realize()
        assert (address(x) == before) is takes, least


def test_a_kernel_that_takes_seconds_overwrites_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("onebuf.engine.plan.donation.MOST_STEPS", COUNT)
    x = fresh()
    before = address(x)
    x = x * 7 - 3
    x.realize()
    assert address(x) != before


def test_a_node_is_attached_to_the_same_things_in_one_action() -> None:
    def pending() -> Node:
        return (fresh() + 1)._node

    one, two = pending(), pending()
    for node, call in ((one, False), (two, True)):
        block = POOL.allocate(node.nbytes)
        array = block.array(node.shape, node.dtype)
        if call:
            for function, *arguments in attaching(node, array, block):
                function(*arguments)
        else:
            attach(node, array, block)
    for name in ("op", "srcs", "arg", "shape", "dtype", "claimed", "device"):
        assert getattr(one, name) == getattr(two, name), name
    for node in (one, two):
        assert node.array is not None
        assert node.block is not None
        assert node.block.readers is node.readers
