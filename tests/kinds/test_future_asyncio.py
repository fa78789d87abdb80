"""Futures under asyncio: awaited, made of what a loop brings, and never in the way of the loop."""

import asyncio
import concurrent.futures
import threading
import time

import numpy as np
import pytest
from held_tasks import Held

import onebuf
from onebuf import Buffer, FutureBuffer, submit
from onebuf.errors import TaskError


async def brought(value, seconds=0.01):
    await asyncio.sleep(seconds)
    if isinstance(value, BaseException):
        raise value
    return value


@pytest.mark.parametrize("promise", [{}, {"shape": 3, "dtype": float}])
def test_awaiting_gives_the_buffer_and_does_not_block_the_loop(promise):
    async def main():
        task = Held(np.arange(3.0), **promise)
        ticks = 0
        waiter = asyncio.ensure_future(_await(task.future))
        for _ in range(5):
            await asyncio.sleep(0.001)
            ticks += 1
        assert not waiter.done()
        task.bring()
        found = await waiter
        return ticks, type(found), found.tolist(), (await task.future).tolist()

    assert asyncio.run(main()) == (5, Buffer, [0, 1, 2], [0, 1, 2])


async def _await(future):
    return await future


def test_many_are_awaited_together():
    async def main():
        futures = [submit(np.full, 2, float(k)) for k in range(100)]
        found = await asyncio.gather(*futures, *futures)
        async with asyncio.TaskGroup() as group:
            more = [group.create_task(_await(x + 1)) for x in futures]
        assert await asyncio.wait_for(futures[0], 60) is not None
        return [x[0].item() for x in found], [task.result()[0].item() for task in more]

    found, more = asyncio.run(main())
    assert found == [*range(100), *range(100)]
    assert more == [k + 1 for k in range(100)]


@pytest.mark.parametrize("error", [KeyError("k"), ValueError("v")])
def test_errors_are_raised_where_they_are_awaited(error):
    async def main():
        task = Held()
        threading.Timer(0.01, task.fail, [error]).start()
        for _ in range(3):
            with pytest.raises(type(error)):
                await task.future
            with pytest.raises(type(error)):
                await asyncio.gather(task.future, submit(np.ones, 3))

    asyncio.run(main())


def test_an_error_that_generators_may_not_raise_does_not_hang():
    async def main():
        task = Held()
        threading.Timer(0.01, task.fail, [StopIteration(3)]).start()
        with pytest.raises(RuntimeError, match="StopIteration"):
            await task.future

    asyncio.run(main())


def test_a_cancelled_future_is_an_error_of_its_own():
    async def main():
        first = Held([1.0])
        x = submit(np.add, first.future, 1)
        waiter = asyncio.ensure_future(_await(x))
        await asyncio.sleep(0.01)
        assert x.cancel()
        with pytest.raises(concurrent.futures.CancelledError):
            await waiter
        first.bring()
        await first.future

    asyncio.run(main())


def test_who_stops_awaiting_does_not_stop_the_task():
    async def main():
        task = Held([1.0])
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(task.future, 0.01)
        waiter = asyncio.ensure_future(_await(task.future))
        await asyncio.sleep(0)
        waiter.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiter
        task.bring()
        return (await task.future).tolist()

    assert asyncio.run(main()) == [1]


def test_one_future_is_awaited_by_several_loops():
    task, found = Held([1.0, 2.0]), []

    def program():
        found.append(asyncio.run(_await(task.future)).tolist())

    threads = [threading.Thread(target=program) for _ in range(4)]
    for thread in threads:
        thread.start()
    time.sleep(0.05)
    task.bring()
    for thread in threads:
        thread.join()
    assert found == [[1, 2]] * 4


def test_a_loop_that_ends_before_the_task_is_left_alone():
    task = Held([1.0])

    async def main():
        waiter = asyncio.ensure_future(_await(task.future))
        await asyncio.sleep(0.01)
        assert not waiter.done()

    asyncio.run(main())
    task.bring()
    assert task.future.tolist() == [1]


def test_what_a_loop_brings_becomes_a_buffer():
    async def main():
        loop = asyncio.get_running_loop()
        future = loop.create_future()
        x = submit(future, shape=2, dtype=float)
        y = FutureBuffer.from_future(asyncio.ensure_future(brought(np.ones(2))))
        z = submit(brought(onebuf.ones(2)))
        total = submit(lambda a, b, c: a + b + c, x, y, z)
        assert not total.done()
        assert x.running()
        loop.call_later(0.02, future.set_result, [5.0, 6.0])
        assert (await total).tolist() == [7, 8]
        assert (await (y + z)).tolist() == [2, 2]
        with pytest.raises(KeyError):
            await submit(brought(KeyError("k")))
        return (x + y.result()).tolist()

    assert asyncio.run(main()) == [6, 7]


def test_waiting_in_the_thread_of_the_loop_is_refused():
    async def main():
        x = submit(brought([1.0]))
        y = submit(np.add, x, 1)
        z = x * 2
        for wait in (x.result, y.result, z.tolist, lambda: x.shape):
            with pytest.raises(TaskError, match="write await"):
                wait()
        return (await y).tolist(), (await z).tolist(), x.result().tolist()

    assert asyncio.run(main()) == ([2], [2], [1])


def test_a_coroutine_without_a_loop_runs_in_a_worker():
    assert submit(brought([1.0, 2.0])).tolist() == [1, 2]
    assert submit(brought, [1.0, 2.0], shape=2, dtype=float).tolist() == [1, 2]
    with pytest.raises(KeyError):
        submit(brought, KeyError("k")).result()


def test_a_coroutine_runs_on_the_loop_of_another_thread():
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        x = FutureBuffer.from_future(brought([1.0]), loop=loop)
        task = asyncio.run_coroutine_threadsafe(_made(brought([2.0])), loop).result(60)
        y = FutureBuffer.from_future(task)
        assert (x + y).tolist() == [3]
        slow = asyncio.run_coroutine_threadsafe(_made(brought([2.0], 1000)), loop).result(60)
        z = FutureBuffer.from_future(slow)
        assert (z.cancel(), z.cancelled()) == (True, True)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.run_until_complete(asyncio.sleep(0))
        loop.close()


async def _made(coroutine):
    return asyncio.ensure_future(coroutine)


def test_cancelling_cancels_what_the_loop_does():
    async def main():
        task = asyncio.ensure_future(brought([1.0], 1000))
        x = submit(task)
        y = x * 2
        assert x.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        with pytest.raises(concurrent.futures.CancelledError):
            await y
        other = asyncio.ensure_future(brought([1.0], 1000))
        z = submit(other)
        other.cancel()
        with pytest.raises(concurrent.futures.CancelledError):
            await z
        assert z.cancelled()

    asyncio.run(main())


def test_a_future_of_a_future_is_its_result():
    task = Held([1.0])
    x = FutureBuffer.from_future(task.future, 1, float)
    y = x + 1
    task.bring()
    assert y.tolist() == [2]


def test_an_expression_is_awaited_without_blocking_the_loop():
    async def main():
        tasks = [Held(np.full(3, float(k)), shape=3, dtype=float) for k in range(3)]
        y = (tasks[0].future + tasks[1].future) * tasks[2].future
        waiter = asyncio.ensure_future(_await(y))
        for task in tasks:
            await asyncio.sleep(0.005)
            assert not waiter.done()
            task.bring()
        assert await waiter is y
        assert await (onebuf.ones(3) + 1) is not None
        failed = Held(shape=3, dtype=float)
        z = failed.future + y
        failed.fail(KeyError("k"))
        with pytest.raises(KeyError):
            await z
        return y.tolist()

    assert asyncio.run(main()) == [2, 2, 2]
