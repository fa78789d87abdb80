"""Events: told to whoever listens, in this thread or task, for as long as they listen."""

from __future__ import annotations

import asyncio
import threading

import pytest

from onebuf import Buffer, config
from onebuf.events import (
    Allocated,
    Compiled,
    Copied,
    Event,
    KernelRan,
    listeners,
    listening,
    tell,
)


def test_a_listener_hears_what_is_told():
    heard = []
    with listening(heard.append):
        tell(Copied(8, "first"))
        tell(Compiled("second", 0.5))
    assert heard == [Copied(8, "first"), Compiled("second", 0.5)]


def test_nobody_listens_unless_asked():
    assert listeners() == ()
    tell(Copied(8, "unheard"))


def test_listening_ends_with_its_block():
    heard = []
    with listening(heard.append):
        pass
    tell(Copied(8, "too late"))
    assert heard == []
    assert listeners() == ()


def test_listening_ends_after_an_error():
    with pytest.raises(ZeroDivisionError), listening(print):
        1 / 0
    assert listeners() == ()


def test_all_listeners_hear_in_order():
    heard = []
    with listening(lambda event: heard.append(1)), listening(lambda event: heard.append(2)):
        tell(Copied(8, "both"))
    assert heard == [1, 2]


def test_another_thread_is_not_heard():
    heard = []
    with listening(heard.append):
        thread = threading.Thread(target=tell, args=(Copied(8, "elsewhere"),))
        thread.start()
        thread.join()
    assert heard == []


def test_tasks_are_heard_apart():
    async def task(number: int) -> list[Event]:
        heard: list[Event] = []
        with listening(heard.append):
            await asyncio.sleep(0)
            tell(Copied(number, "mine"))
            await asyncio.sleep(0)
        return heard

    async def both() -> list[list[Event]]:
        return await asyncio.gather(task(1), task(2))

    assert asyncio.run(both()) == [[Copied(1, "mine")], [Copied(2, "mine")]]


@pytest.mark.parametrize(
    "make",
    [
        lambda: KernelRan("add", 8, 0.1, 0),
        lambda: Compiled("kernel", 0.1),
        lambda: Copied(8, "reason"),
        lambda: Allocated(64, 64),
    ],
)
def test_events_are_values(make):
    event = make()
    assert isinstance(event, Event)
    assert event == make()
    with pytest.raises(AttributeError):
        event.nbytes = 1


def test_kernels_tell_their_name_bytes_and_tier():
    x = Buffer([1.0, 2.0])
    heard = []
    with listening(heard.append):
        x + 1
        with config(eager_numel=0):
            (x * 2).realize()
    kernels = [event for event in heard if isinstance(event, KernelRan)]
    assert [(event.name, event.nbytes, event.tier) for event in kernels] == [
        ("add", 8, 0),
        ("multiply", 8, 1),
    ]
    assert all(event.seconds >= 0 for event in kernels)


def test_blocks_tell_their_bytes():
    heard = []
    with listening(heard.append):
        x = Buffer([1.0, 2.0])
    (allocated,) = [event for event in heard if isinstance(event, Allocated)]
    assert allocated.nbytes == 64
    assert allocated.in_use >= 64
    del x
