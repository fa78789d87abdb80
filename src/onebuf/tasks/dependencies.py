"""Dependencies: a task begins when others are done, and no thread waits for that."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from onebuf.tasks.task import Task
from onebuf.tasks.workers import start


def start_after(task: Task, others: Sequence[Task], begin: Callable[[Task], None] = start) -> None:
    """Let ``begin`` have ``task`` once all of ``others`` are done, whatever came of them."""
    pending = tuple([other for other in others if not other.is_done])
    if not pending:
        begin(task)
        return
    task.after = pending
    task.loop = next((other.loop for other in pending if other.loop is not None), task.loop)
    left = list(range(len(pending)))
    for other in pending:
        other.when_done(partial(_one_less, left, task, begin))


def _one_less(left: list[int], task: Task, begin: Callable[[Task], None]) -> None:
    if left.pop() == 0:  # which only one of them can find
        task.after = ()
        begin(task)
