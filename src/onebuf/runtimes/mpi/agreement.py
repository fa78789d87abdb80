"""Agreement: what all places tell one another at the end of every collective call.

Each place sends one short row of integers to all: which call this is, how it went, a value (where
it put its elements) and which elements it has dropped. A call returns when the rows of all places
are there, so an agreement is a barrier too. In the usual case it is one message of 128 bytes.

Every place has to make the same calls in the same order. A row has a checksum of the call; if
checksums differ, the calls of all places are told in an error, at every place.
"""

from __future__ import annotations

import os
from collections import Counter, deque
from dataclasses import dataclass
from enum import IntEnum
from time import monotonic, sleep
from traceback import format_exception
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from onebuf.dtypes import Array
from onebuf.errors import PlaceError, RuntimeClosed, TaskTimeout

ROW = 16
"""Integers in a row."""
HEAD = 5
"""Integers before those of dropped elements: checksum, status, value, nbytes of text, count."""
CLOSE = "close"
"""The call after which a place makes no more."""
SEPARATOR = "\0"
"""Between the parts of a text."""
SPIN_SECONDS = 1e-3
"""How long a place that waits asks again and again, before it sleeps in between."""


class Status(IntEnum):
    """How a call went at a place."""

    DONE = 0
    FULL = 1
    """There was no memory for the result; there may be some after this agreement."""
    FAILED = 2


class Outcome(NamedTuple):
    """What all places said, by place."""

    statuses: list[int]
    values: list[int]


@dataclass(slots=True)
class _Begun:
    """An exchange of rows that was begun and is not over."""

    call: str
    text: bytes
    dropped: list[int]
    rows: Array
    request: Any
    has_rows: bool = False


class Agreement:
    """Agreements of the places of ``comm``, which nothing else uses.

    ``timeout`` is how many seconds an agreement may take; None: any time.
    """

    def __init__(self, comm: Any, timeout: float | None = None) -> None:
        self.timeout = timeout
        self.dropped: deque[int] = deque()
        """Numbers of elements that this place has dropped, and has not told of yet."""
        self.free: list[int] = []
        """Numbers of elements that every place has dropped: nothing can read them any more."""
        self._comm = comm
        self._calls = 0
        self._droppings: Counter[int] = Counter()
        self._begun: _Begun | None = None

    @property
    def number(self) -> int:
        """The number of the call that comes next: the same at every place."""
        return self._calls

    @property
    def is_pending(self) -> bool:
        """Whether a call was left while it waited for the other places."""
        return self._begun is not None

    def reach(
        self,
        call: str,
        status: Status = Status.DONE,
        value: int = 0,
        error: BaseException | None = None,
        timeout: float | None = None,
        can_resume: bool = False,
    ) -> Outcome:
        """Tell all places about a call, and hear them.

        If any of them failed, this raises a `PlaceError` with what the first one said, except at
        places that failed themselves. The traceback there is a note of the error. If some make
        another call, this raises a `PlaceError` at all; a `RuntimeClosed` if they close or end.

        Parameters
        ----------
        call
            What is called, in words; it has to be equal at all places.
        status, value, error
            How it went, a number to give to all places, and what was raised.
        timeout
            Seconds to wait; None: as long as the agreement's own timeout says.
        can_resume
            Whether the same call goes on waiting if it is made again after a `TaskTimeout`.
        """
        begun = self._begun
        if begun is None:
            begun = self._begun = self._begin(call, status, value, error)
        elif not can_resume or begun.call != call or begun.has_rows:
            raise PlaceError(
                f"this place left a call while it waited for the others ({begun.call}), so it is "
                f"no longer in step with them and cannot do: {call}; end the program"
            )
        self._wait(begun.request, call, timeout)
        begun.has_rows = True
        rows = begun.rows
        if (rows[:, 0] != rows[0, 0]).any():
            calls = [words[0] for words in self._texts(begun, timeout)]
            self._begun = None
            error_type = RuntimeClosed if CLOSE in calls else PlaceError
            raise error_type(_out_of_step(calls))
        self._count(begun, timeout)
        statuses = rows[:, 1].tolist()
        if Status.FAILED in statuses:
            texts = self._texts(begun, timeout)
            self._begun = None
            first = statuses.index(Status.FAILED)
            if status != Status.FAILED:
                _, words, trace = texts[first]
                problem = PlaceError(f"place {first} failed: {words}", place=first)
                problem.add_note(f"At place {first}:\n{trace}".rstrip())
                raise problem
        self._begun = None
        return Outcome(statuses, rows[:, 2].tolist())

    def _begin(self, call: str, status: Status, value: int, error: BaseException | None) -> _Begun:
        text = SEPARATOR.join([call, *_told(error)]).encode(errors="replace")
        dropped = [self.dropped.popleft() for _ in range(len(self.dropped))]
        row = np.zeros(ROW, np.int64)
        row[:HEAD] = (crc32(call.encode()), status, value, len(text), len(dropped))
        row[HEAD : HEAD + len(dropped)] = dropped[: ROW - HEAD]
        self._calls += 1
        rows = np.empty((self._comm.size, ROW), np.int64)
        return _Begun(call, text, dropped, rows, self._comm.Iallgather(row, rows))

    def _count(self, begun: _Begun, timeout: float | None) -> None:
        """Count who has dropped what; long lists are sent in a message of their own."""
        counts = begun.rows[:, 4]
        if counts.max() > ROW - HEAD:
            mine = np.array(begun.dropped, np.int64)
            told = self._gathered(mine, counts, begun.call, timeout).tolist()
        else:
            lists = zip(begun.rows[:, HEAD:].tolist(), counts.tolist(), strict=True)
            told = [number for dropped, count in lists for number in dropped[:count]]
        for number in told:
            self._droppings[number] += 1
            if self._droppings[number] == self._comm.size:
                del self._droppings[number]
                self.free.append(number)

    def _texts(self, begun: _Begun, timeout: float | None) -> list[list[str]]:
        """Of all places, the call, the error and its traceback, in words."""
        counts = begun.rows[:, 3]
        mine = np.frombuffer(begun.text, np.uint8)
        flat = self._gathered(mine, counts, begun.call, timeout).tobytes()
        ends = np.cumsum(counts).tolist()
        starts = [0, *ends[:-1]]
        pairs = zip(starts, ends, strict=True)
        return [flat[start:end].decode().split(SEPARATOR) for start, end in pairs]

    def _gathered(self, mine: Array, counts: Array, call: str, timeout: float | None) -> Array:
        """Arrays of different lengths from all places, one after another."""
        found = np.empty(int(counts.sum()), mine.dtype)
        request = self._comm.Iallgatherv(mine, [found, counts.tolist()])
        self._wait(request, call, timeout)
        return found

    def _wait(self, request: Any, call: str, timeout: float | None) -> None:
        """Return when a request is done. Not inside of MPI, so that it can be interrupted."""
        if request.Test():
            return
        limit = self.timeout if timeout is None else timeout
        begin = monotonic()
        while not request.Test():
            spent = monotonic() - begin
            if limit is not None and spent > limit:
                raise TaskTimeout(
                    f"place {self._comm.rank} waited {limit:g} seconds for the other places to "
                    f"reach: {call}; they may be slower, or do other calls"
                )
            if spent < SPIN_SECONDS:
                _let_others_run()
            else:
                sleep(min(SPIN_SECONDS, spent / 16))


def _told(error: BaseException | None) -> tuple[str, str]:
    """An error and its traceback, in words."""
    if error is None:
        return "", ""
    words = f"{type(error).__name__}: {error}".replace(SEPARATOR, " ")
    return words, "".join(format_exception(error)).replace(SEPARATOR, " ")


def _out_of_step(calls: list[str]) -> str:
    """The error for places that make different calls."""
    places: dict[str, list[int]] = {}
    for place, call in enumerate(calls):
        places.setdefault(call, []).append(place)
    told = "; ".join(
        f"place{'s' * (len(found) > 1)} {', '.join(map(str, found))}: {call}"
        for call, found in places.items()
    )
    return (
        f"every place has to make the same distributed calls in the same order, and they differ "
        f"({told}); move the call out of what only some places run, or use fetch and store there"
    )


_let_others_run = getattr(os, "sched_yield", lambda: sleep(0))
