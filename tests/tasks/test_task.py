"""Tasks: what is done before, when and after one is done."""

from held_tasks import told

from onebuf.tasks.failure import Failure
from onebuf.tasks.task import Task


def test_steps_come_before_the_task_is_done_and_callbacks_after():
    task, seen = Task(lambda: 3, "task"), []
    task.when_done(lambda: seen.append(("told", task.is_done)))
    task.before_done(lambda: seen.append((task.value, task.is_done)))
    task.run()
    assert seen == [(3, False), ("told", True)]
    task.before_done(lambda: seen.append("late step"))
    task.when_done(lambda: seen.append("late"))
    assert seen[2:] == ["late step", "late"]


def test_a_step_ends_other_tasks_without_recursion():
    first = Task(lambda: 0, "first")
    tasks = [first]
    for _ in range(5000):
        last, following = tasks[-1], Task(lambda: 0, "following")

        def step(last=last, following=following):
            return (following, last.value + 1, None) if following.take() else None

        last.before_done(step)
        tasks.append(following)
    first.run()
    assert [task.value for task in tasks] == list(range(5001))


def test_a_callback_that_was_forgotten_is_not_called():
    task, seen = Task(lambda: 3, "task"), []
    one, two = lambda: seen.append(1), lambda: seen.append(2)
    task.when_done(one)
    task.when_done(two)
    task.forget(one)
    task.forget(one)
    task.run()
    assert seen == [2]


def test_a_task_is_run_or_cancelled_but_once():
    task = Task(lambda: 3, "task")
    assert (task.cancel(), task.cancel(), task.is_cancelled) == (True, True, True)
    task.run()
    assert (task.value, task.is_cancelled) == (None, True)
    other = Task(lambda: 3, "task")
    other.run()
    assert (other.cancel(), other.value) == (False, 3)


def test_an_error_is_told_of_unless_it_was_seen_or_expected():
    with told() as errors:
        for failure, look in (
            (Failure(KeyError("lost")), False),
            (Failure(KeyError("seen")), True),
            (Failure(KeyError("expected"), is_expected=True), False),
        ):
            task = Task(lambda: 3, "task")
            task.take()
            task.settle(None, failure)
            if look:
                assert task.seen() is failure
            del task
    assert [str(error.exc_value) for error in errors] == ["'lost'"]
