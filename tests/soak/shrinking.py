"""Shrinking: the smallest part of a program that still goes wrong."""

from __future__ import annotations

import time

from soak.programs import Action, State
from soak.running import check_all, quiet, step

SECONDS = 60.0


def failure(program: list[Action]) -> tuple[list[str], BaseException] | None:
    """What a program did until it went wrong, and how; None if it does not."""
    state = State()
    try:
        with quiet():
            for one in program:
                step(state, one)
            check_all(state)
    except BaseException as error:
        return state.log, error
    return None


def shrunk(
    program: list[Action], seconds: float = SECONDS
) -> tuple[list[Action], list[str], BaseException] | None:
    """The program with as many actions left out as can be; None if it does not go wrong again."""
    found = next(filter(None, (failure(program) for _ in range(5))), None)
    if found is None:
        return None
    end = time.monotonic() + seconds
    size = max(1, len(program) // 2)
    while size:
        first = 0
        while first < len(program) and time.monotonic() < end:
            fewer = program[:first] + program[first + size :]
            again = failure(fewer)
            if again is None or type(again[1]) is not type(found[1]):
                first += size
            else:
                program, found = fewer, again
        size //= 2
    return (program, *found)
