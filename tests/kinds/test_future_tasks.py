"""Many tasks: dependencies, threads, executors, and what they share."""

import concurrent.futures
import contextlib
import gc
import threading
import time

import numpy as np
import pytest
from held_tasks import Held, told

import onebuf
from onebuf import Buffer, FutureBuffer, submit
from onebuf.errors import ArgumentTypeError, TaskError
from onebuf.graph.promise import outstanding


def test_a_thousand_futures_from_eight_threads():
    errors, futures = [], [[] for _ in range(8)]

    def program(number):
        try:
            rng = np.random.default_rng(number)
            for at in range(125):
                a = rng.integers(0, 100, 50).astype(float)
                kind = at % 5
                if kind == 0:
                    x = submit(lambda a=a: a, shape=50, dtype=float)
                elif kind == 1:
                    x = submit(lambda a=a: a)
                elif kind == 2:
                    x = submit(np.divide, futures[number][-1][0], 2)
                    a = futures[number][-1][1] / 2
                elif kind == 3:
                    x = submit(lambda at=at: {}[at], shape=50, dtype=float)
                    a = None
                else:
                    x = submit(lambda a=a: onebuf.asarray(a) * 2 - onebuf.asarray(a))
                futures[number].append((x, a))
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=program, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    for x, a in [pair for found in futures for pair in found]:
        if a is None:
            with pytest.raises(KeyError):
                (x + 1).tolist()
        else:
            assert (x * 3 + 1).tolist() == (a * 3 + 1).tolist()


def test_all_futures_of_an_expression_are_awaited():
    tasks = [Held(np.full(10, float(k)), shape=10, dtype=float) for k in range(20)]
    total = tasks[0].future
    for task in tasks[1:]:
        total = total + task.future
    for task in reversed(tasks):
        threading.Timer(0.01, task.bring).start()
    assert total.tolist() == [190.0] * 10


def test_futures_among_the_arguments_are_awaited_first():
    tasks = [Held(np.full(2, float(k))) for k in range(4)]
    seen = []

    def join(parts, more, lazy):
        seen.append([type(part) for part in (*parts, *more["a"], lazy)])
        return onebuf.concat([*parts, *more["a"], lazy])

    known = Held(np.full(2, 9.0), shape=2, dtype=float)
    x = submit(
        join,
        [tasks[0].future, tasks[1].future],
        more={"a": (tasks[2].future, tasks[3].future)},
        lazy=known.future * 2,
    )
    for task in (*tasks, known):
        assert not x.running()
        task.bring()
    assert x.tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 18, 18]
    assert seen == [[Buffer] * 5]


def test_arguments_may_contain_themselves():
    box = [1.0, 2.0]
    box.append(box)
    assert submit(lambda box: box[:2], box).tolist() == [1, 2]
    box.append(submit(np.ones, 1))
    assert submit(lambda box: [box[2][2] is box[2], *box[3]], box).tolist() == [1, 1]


@pytest.mark.parametrize("shape", [None, (2,)])
def test_a_chain_of_a_thousand_tasks(shape):
    promise = {} if shape is None else {"shape": shape, "dtype": float}
    task = Held(np.zeros(2), **promise)
    x = task.future
    for _ in range(1000):
        x = submit(onebuf.add, x, 1, **promise)
    task.bring()
    assert x.tolist() == [1000, 1000]


def test_a_chain_of_a_thousand_tasks_fails_with_the_first():
    task = Held()
    x = task.future
    for _ in range(1000):
        x = submit(onebuf.add, x, 1)
    task.fail(KeyError("first"))
    with pytest.raises(KeyError, match="first"):
        x.tolist()


def test_tasks_that_wait_inside_for_others_come_to_an_end():
    depth = 100  # more than there are workers

    def task(level):
        return [0.0] if level == 0 else submit(task, level - 1).result() + 1

    assert task(depth).tolist() == [depth]


def test_tasks_that_wait_for_each_other_are_told():
    box, ready = [], threading.Barrier(3)

    def task(other):
        ready.wait(60)
        return box[other].result() + 1

    box += [submit(task, 1), submit(task, 0)]
    ready.wait(60)
    errors = [x.exception(60) for x in box]
    assert {type(error) for error in errors} == {TaskError}


def test_a_task_that_waits_for_one_that_depends_on_it_is_told():
    box, ready = [], threading.Event()

    def task():
        ready.wait(60)
        return box[0].result()

    x = submit(task)
    box.append(submit(np.add, x, 1))
    ready.set()
    with pytest.raises(TaskError, match="would wait for itself"):
        x.result(60)
    assert isinstance(box[0].exception(60), TaskError)


def test_a_future_that_a_task_returns_is_awaited():
    inner = Held(np.ones(3))
    x = submit(lambda: inner.future)
    y = submit(lambda: inner.future, shape=3, dtype=float)
    z = submit(lambda: inner.future * 2)
    inner.bring()
    assert [one.tolist() for one in (x, y, z)] == [[1] * 3, [1] * 3, [2] * 3]


def test_a_task_has_the_options_of_where_it_was_submitted():
    with onebuf.config(default_float=np.float32, eager_numel=0):
        x = submit(lambda: onebuf.ones(3))
        y = submit(lambda: [1.5, 2.5])
        task = Held(np.ones(3, "float32"))
        z = task.future + 1
    assert (x.dtype.name, y.dtype.name) == ("float32", "float32")
    task.bring()
    assert z.is_realized is False
    assert onebuf.ones(3).dtype.name == "float64"


def test_workers_are_named_and_few():
    names = [submit(lambda: [float(threading.current_thread().name[12:])]) for _ in range(300)]
    assert max(int(x.item()) for x in names) < 10_000
    workers = [t for t in threading.enumerate() if t.name.startswith("onebuf-task-")]
    assert 0 < len(workers) <= 40
    assert all(t.daemon for t in workers)


def square(x):
    return np.asarray(x) ** 2


def fails_there(x):
    raise KeyError(float(x[0]))


@pytest.mark.parametrize("kind", ["thread", "process"])
def test_an_executor_runs_tasks(kind):
    if kind == "thread":
        executor = concurrent.futures.ThreadPoolExecutor(2)
    else:
        import multiprocessing

        executor = concurrent.futures.ProcessPoolExecutor(
            1, mp_context=multiprocessing.get_context("spawn")
        )
    with executor:
        x = submit(np.arange, 4.0, executor=executor)
        y = submit(square, x, executor=executor, shape=4, dtype=float)
        assert (y + 1).tolist() == [1, 2, 5, 10]
        z = submit(fails_there, y, executor=executor)
        for _ in range(2):
            with pytest.raises(KeyError) as caught:
                z.result()
        assert caught.value.args == (0.0,)
    with pytest.raises(RuntimeError, match="after shutdown"):
        submit(square, y, executor=executor).result()


def test_an_executor_has_a_method_submit():
    with pytest.raises(ArgumentTypeError, match="executor"):
        submit(square, 3, executor=3)


def test_a_future_of_an_executor_becomes_a_buffer():
    with concurrent.futures.ThreadPoolExecutor(1) as executor:
        gate = threading.Event()
        future = executor.submit(lambda: (gate.wait(60), np.arange(3.0))[1])
        waiting = executor.submit(np.ones, 3)
        x = FutureBuffer.from_future(future, 3, float)
        y = submit(future)
        z = submit(waiting)
        total = x + y
        assert not x.done()
        assert x.running()
        assert (z.cancel(), z.cancelled(), waiting.cancelled()) == (True, True, True)
        assert x.cancel() is False
        gate.set()
        assert total.tolist() == [0, 2, 4]
        with pytest.raises(concurrent.futures.CancelledError):
            z.result()
        with pytest.raises(concurrent.futures.CancelledError):
            submit(waiting).result()


@pytest.mark.parametrize("future", [3, "text", np.ones(3)])
def test_what_is_no_future_is_refused(future):
    with pytest.raises(ArgumentTypeError, match="from_future needs"):
        FutureBuffer.from_future(future)


def test_callbacks_are_called_once_each_and_their_errors_are_told():
    task, seen = Held([1.0]), []
    x = task.future
    x.add_done_callback(seen.append)
    x.add_done_callback(lambda x: {}["callback"])
    done = threading.Event()
    x.add_done_callback(lambda x: done.set())
    with told() as errors:
        task.bring()
        done.wait(60)
    x.add_done_callback(seen.append)
    assert [one is x for one in seen] == [True, True]
    assert [type(error.exc_value) for error in errors] == [KeyError]
    with pytest.raises(ArgumentTypeError):
        x.add_done_callback(3)


def wait_until(holds):
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.005)


@pytest.mark.parametrize("shape", [None, (3,)])
def test_an_error_that_nobody_looked_at_is_told(shape):
    with told() as errors:
        task = Held(shape=shape, dtype=None if shape is None else float)
        y = task.future * 2
        task.fail(KeyError("lost"))
        wait_until(task.future.done)
        task.future = None
        gc.collect()
        assert errors == []
        del y
        wait_until(lambda: gc.collect() >= 0 and errors)
    assert [str(error.exc_value) for error in errors] == ["'lost'"]
    assert "nobody has looked at the error of the task" in errors[0].thread.name


def test_an_error_that_somebody_looked_at_is_not_told_again():
    with told() as errors:
        for look in ("result", "exception", "tolist"):
            task = Held()
            later = task.future + 1
            task.fail(KeyError("seen"))
            with contextlib.suppress(KeyError):
                getattr(later, look)()
            del task, later
        first = Held([1.0])
        cancelled = submit(np.add, first.future, 1)
        cancelled.cancel()
        first.bring()
        del cancelled
        gc.collect()
    assert errors == []


def test_memory_of_results_is_not_kept():
    def blocks():
        gc.collect()
        return onebuf.memory_stats()["CPU"].in_use

    def once():
        x = submit(lambda: onebuf.zeros(1_000_000) + 1, shape=1_000_000, dtype=float)
        assert (x * 2).sum().item() == 2_000_000
        y = submit(lambda: onebuf.zeros(1_000_000) + 1)
        assert (y * 2).sum().item() == 2_000_000

    once()
    before = blocks()
    for _ in range(5):
        once()
    wait_until(lambda: blocks() <= before + 1000)
    assert not outstanding
