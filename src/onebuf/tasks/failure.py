"""Failures: an error that is raised again and again, each time as if for the first time.

Raising an exception writes to it: its traceback grows by the frames that it passes, and with it
what these frames hold. An error that belongs to a value is raised at each access to the value, by
any thread. So a copy of it is raised, with the traceback that the error came with. Where a copy
would not be the same (its class makes something else of its arguments), the error itself is
raised, with its traceback as it was.
"""

from __future__ import annotations

from types import TracebackType
from typing import Any


class Failure:
    """An error with the traceback that it came with.

    >>> failure = Failure(KeyError("name"))
    >>> failure.again()
    KeyError('name')
    >>> failure.again() is failure.again()
    False
    """

    __slots__ = ("error", "is_expected", "traceback")

    def __init__(self, error: BaseException, is_expected: bool = False) -> None:
        """``is_expected``: it is no loss if nobody hears of it, as of what was cancelled."""
        self.is_expected = is_expected
        self.traceback = _own_part(error.__traceback__)
        self.error = error.with_traceback(self.traceback)

    def again(self) -> BaseException:
        """The error, to be raised."""
        error = self.error
        made = _copied(error)
        return (error if made is None else made).with_traceback(self.traceback)


def _own_part(traceback: TracebackType | None) -> TracebackType | None:
    """A traceback without the frames that led to the task, which are ours."""
    while traceback is not None and traceback.tb_next is not None:
        if not _is_machinery(str(traceback.tb_frame.f_globals.get("__name__"))):
            break
        traceback = traceback.tb_next
    return traceback


def _is_machinery(module: str) -> bool:
    """Whether a module only leads to the task, so that its frames say nothing of the error."""
    names = module.split(".")
    return names[0] == "onebuf" and ("tasks" in names or names[-1].startswith("future"))


def _made_again(error: BaseException) -> Any:
    """What the error's own class makes of it, as `copy.copy` does.

    That would ask `copyreg` first, where packages for pickling (tblib) enter ways of their own for
    every exception that was raised, with the same notes and without some texts.
    """
    if hasattr(error, "__copy__"):
        return error.__copy__()
    reduced = error.__reduce_ex__(4)
    if not isinstance(reduced, tuple):
        return None
    function, args, *rest = reduced
    made = function(*args)
    state = rest[0] if rest else None
    if state and hasattr(made, "__setstate__"):
        made.__setstate__(state)
    return made


def _copied(error: BaseException) -> BaseException | None:
    """An exception that is the same as ``error``; None if its class does not make one."""
    try:
        made = _made_again(error)
    except Exception:  # its constructor takes other arguments than it keeps
        return None
    if made is error or type(made) is not type(error):
        return None
    if len(made.args) != len(error.args):
        return None
    if any(one is not two for one, two in zip(made.args, error.args, strict=True)):
        return None
    made.__cause__ = error.__cause__
    made.__context__ = error.__context__
    made.__suppress_context__ = error.__suppress_context__
    if hasattr(error, "__notes__"):
        made.__notes__ = list(error.__notes__)
    return made
