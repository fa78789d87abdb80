"""Workers: threads that take tasks, and one more if all of them wait."""

import threading
import time

import pytest

from onebuf.errors import TaskError
from onebuf.tasks import workers as module
from onebuf.tasks.dependencies import start_after
from onebuf.tasks.task import Task
from onebuf.tasks.waiting import wait
from onebuf.tasks.workers import Workers


@pytest.fixture
def few(monkeypatch):
    """Two workers in place of those of the process."""
    made = Workers(2)
    monkeypatch.setattr(module, "_workers", [made])
    monkeypatch.setattr(module, "IDLE_SECONDS", 0.2)
    return made


def test_tasks_begin_in_the_order_in_which_they_came(few):
    seen, gate = [], threading.Event()
    few.put(Task(gate.wait, "first"))
    few.put(Task(gate.wait, "second"))
    tasks = [Task(lambda k=k: seen.append(k), str(k)) for k in range(100)]
    for task in tasks:
        few.put(task)
    assert not any(task.is_done for task in tasks)
    gate.set()
    for task in tasks:
        wait(task, 60)
    assert sorted(seen) == list(range(100))


def test_a_task_runs_once_from_whichever_thread(few):
    for _ in range(200):
        ran = []
        task = Task(lambda ran=ran: ran.append(1), "once")
        threads = [threading.Thread(target=task.run) for _ in range(3)]
        threads.append(threading.Thread(target=task.cancel))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert task.is_done
        assert len(ran) == (0 if task.is_cancelled else 1)


def test_everyone_who_waits_is_told(few):
    for _ in range(50):
        gate, told = threading.Event(), []
        task = Task(gate.wait, "waited for")
        few.put(task)

        def listen(task=task, told=told):
            wait(task, 60)
            told.append(task.is_done)

        threads = [threading.Thread(target=listen) for _ in range(4)]
        for thread in threads:
            thread.start()
        gate.set()
        for thread in threads:
            thread.join(60)
        assert told == [True] * 4


def test_bursts_and_pauses_lose_no_task(few, monkeypatch):
    monkeypatch.setattr(module, "IDLE_SECONDS", 0.001)
    for burst in range(150):
        tasks = [Task(lambda: None, "quick") for _ in range(1 + burst % 7)]
        for task in tasks:
            few.put(task)
        for task in tasks:
            wait(task, 60)
        time.sleep(0.0005 * (burst % 5))


def test_tasks_that_all_wait_get_one_more_thread(few):
    def deep(level):
        if level:
            inner = Task(lambda: deep(level - 1), f"level {level}")
            few.put(inner)
            wait(inner, 60)

    outer = [Task(lambda: deep(20), "outer") for _ in range(4)]
    for task in outer:
        few.put(task)
    for task in outer:
        wait(task, 60)
        assert task.failure is None


def test_a_task_begins_after_all_others(few):
    gates = [threading.Event() for _ in range(5)]
    others = [Task(gate.wait, "other") for gate in gates]
    last = Task(lambda: [other.is_done for other in others], "last")
    start_after(last, others)
    for other in others:
        few.put(other)
    for gate in gates:
        assert not last.is_done
        gate.set()
    wait(last, 60)
    assert last.value == [True] * 5


def test_no_thread_is_an_error_of_the_task(few, monkeypatch):
    def refuse(self):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    task = Task(lambda: 1, "unlucky")
    few.put(task)
    assert task.is_done
    assert isinstance(task.failure.error, TaskError)
    assert "can't start new thread" in str(task.failure.error)


def test_what_is_closed_runs_nothing(few):
    few.close()
    tasks = [Task(lambda: 1, "late")]
    for _ in range(3000):
        tasks.append(Task(lambda: 1, "later"))
        start_after(tasks[-1], [tasks[-2]])
    few.put(tasks[0])
    assert all(task.is_done for task in tasks)
    assert {type(task.failure.error) for task in tasks} == {TaskError}
