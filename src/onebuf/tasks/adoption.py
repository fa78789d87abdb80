"""Adoption: futures of `concurrent.futures` and `asyncio` as tasks.

A task is told when the future is done, and then one of the workers looks at what came of it: in the
thread that finished the future nothing else is done, which may be that of an event loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from typing import Any

from onebuf.tasks.task import Task, cancelled
from onebuf.tasks.waiting import check
from onebuf.tasks.workers import start


class _OnLoop:
    """A future of an event loop, which only the thread of the loop may touch."""

    def __init__(self, future: asyncio.Future[Any], loop: asyncio.AbstractEventLoop) -> None:
        self.future = future
        self.loop = loop

    def cancel(self) -> bool:
        """Ask the loop to cancel it."""
        if self.future.done():
            return False
        if _is_here(self.loop):
            return self.future.cancel()
        try:
            self.loop.call_soon_threadsafe(self.future.cancel)
        except RuntimeError:  # the loop is closed
            return False
        return True

    def running(self) -> bool:
        """Loops do not tell."""
        return not self.future.done()


def adopt(task: Task, future: Any) -> None:
    """Let ``task`` be run when ``future`` is done: its call looks at what came of that."""
    if not isinstance(future, asyncio.Future):
        task.foreign = future
        future.add_done_callback(lambda _: start(task))
        return
    loop = future.get_loop()
    task.loop = loop
    task.foreign = _OnLoop(future, loop)
    if _is_here(loop):
        future.add_done_callback(lambda _: start(task))
    else:
        loop.call_soon_threadsafe(future.add_done_callback, lambda _: start(task))


def outcome(name: str, future: Any) -> Any:
    """What came of a future that is done."""
    if future.cancelled():
        raise cancelled(name)
    error = future.exception()
    if error is not None:
        raise error
    return future.result()


def on_loop(awaitable: Any, loop: asyncio.AbstractEventLoop | None) -> Any:
    """The future of an awaitable on ``loop``, or on the one that this thread runs; None: there is
    no loop."""
    if isinstance(awaitable, asyncio.Future):
        return awaitable
    here = asyncio._get_running_loop()
    if loop is None or loop is here:
        return None if here is None else asyncio.ensure_future(awaitable, loop=here)
    return asyncio.run_coroutine_threadsafe(_awaited(awaitable), loop)


def run_now(awaitable: Any) -> Any:
    """Await ``awaitable`` in this thread, which runs no event loop, and return what it gives."""
    return asyncio.run(_awaited(awaitable))


async def _awaited(awaitable: Any) -> Any:
    return await awaitable


def until_done(task: Task) -> Generator[Any, None, None]:
    """What ``__await__`` yields from: it ends when ``task`` is done, and never blocks the loop."""
    if task.is_done:
        return
    check(task)
    loop = asyncio.get_running_loop()
    arrived = loop.create_future()

    def tell() -> None:
        if not arrived.done():
            arrived.set_result(None)

    def wake() -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(tell)

    task.when_done(wake)
    try:
        yield from arrived
    finally:
        task.forget(wake)


def _is_here(loop: asyncio.AbstractEventLoop) -> bool:
    return asyncio._get_running_loop() is loop
