"""Failures: an error that is raised again is each time as if it were the first."""

import copyreg
import traceback

import pytest

from onebuf.errors import KernelError, TaskError
from onebuf.tasks.failure import Failure


class Strange(Exception):
    def __init__(self, one, *, two):
        super().__init__(one)
        self.two = two


class Doubled(Exception):
    def __init__(self, text):
        super().__init__(text + text)


def caught(error):
    def origin():
        raise error

    try:
        origin()
    except BaseException as found:
        return Failure(found)


@pytest.mark.parametrize(
    "error",
    [
        KeyError("k"),
        OSError(2, "no such file", "name"),
        UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid"),
        StopIteration(3),
        SystemExit(2),
        KeyboardInterrupt(),
        ExceptionGroup("several", [ValueError(1), KeyError(2)]),
        Strange(1, two=2),
        Doubled("ab"),
        KernelError("rule", 3, "message"),
        TaskError("t"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_comes_again_as_it_was(error):
    failure = caught(error)
    length = len(traceback.extract_tb(failure.traceback))
    text = str(error)
    for _ in range(100):
        again = failure.again()
        assert type(again) is type(error)
        assert (again.args, str(again), vars(again)) == (error.args, text, vars(error))
        assert len(traceback.extract_tb(again.__traceback__)) == length
        with pytest.raises(type(error)) as raised:
            raise again
        assert "origin" in "".join(traceback.format_exception(raised.value))


def test_what_is_done_to_a_copy_is_not_done_to_the_error():
    error = ValueError("v")
    error.add_note("one")
    failure = caught(error)
    again = failure.again()
    again.add_note("two")
    again.__cause__ = KeyError("later")
    assert (failure.again().__notes__, failure.again().__cause__) == (["one"], None)


def test_causes_and_contexts_come_along():
    try:
        try:
            raise KeyError("first")
        except KeyError as first:
            raise ValueError("second") from first
    except ValueError as error:
        failure = Failure(error)
    again = failure.again()
    assert isinstance(again.__cause__, KeyError)
    assert again.__suppress_context__
    assert "KeyError: 'first'" in "".join(traceback.format_exception(again))


def test_ways_that_others_entered_for_pickling_are_not_taken():
    class Refused(ValueError):
        pass

    copyreg.pickle(Refused, lambda error: (Refused, ("something else",)))
    try:
        failure = Failure(Refused("a text"))
        again = failure.again()
        assert (again.args, again is failure.error) == (("a text",), False)
    finally:
        del copyreg.dispatch_table[Refused]
