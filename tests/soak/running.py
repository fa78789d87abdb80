"""Running random programs: options, errors, interrupts and threads are drawn as well.

After every action the state has to be that of NumPy. An action that fails because an error was
injected has not happened; a write has happened or not, and nothing in between.
"""

from __future__ import annotations

import faulthandler
import random
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import numpy as np

import onebuf as ob
from onebuf import switch
from onebuf.errors import OutOfMemory
from onebuf.testing.faults.interrupts import Interrupt
from soak.programs import ACTIONS, MOST_VARIABLES, Action, Change, State, Variable

HUNG_SECONDS = 60.0
ERRORS = (KeyboardInterrupt, KeyboardInterrupt, MemoryError, OutOfMemory, RecursionError)
THREADED = 0.12
"""How many actions are run next to others, in threads."""


class Difference(AssertionError):
    """A buffer is not what NumPy says."""


def check(name: str, buffer: ob.Buffer, array: np.ndarray[Any, Any]) -> None:
    """Raise unless a buffer has the elements of an array."""
    got = np.array(buffer)
    if got.dtype != array.dtype or got.shape != array.shape or not np.array_equal(got, array):
        raise Difference(
            f"{name}: got {got.dtype}{list(got.shape)} {got.reshape(-1)[:12]}\n"
            f"expected {array.dtype}{list(array.shape)} {array.reshape(-1)[:12]}"
        )


def run_program(program: list[Action]) -> State:
    """Run a program; `Difference`, or whatever error comes, if it goes wrong."""
    state = State()
    with quiet():
        for one in program:
            step(state, one)
        check_all(state)
    return state


def check_all(state: State) -> None:
    """Compare every variable, and every window, in an order of no importance."""
    for number, (buffer, array) in enumerate(state.variables):
        check(f"v{number}", buffer, array)
    for window, array in state.windows:
        if not np.array_equal(window, array):
            raise Difference(f"a window: got {window}, expected {array}")


def step(state: State, one: Action) -> None:
    """Do one action."""
    name, number = one
    draw = random.Random(number)
    options = {
        "tier": draw.choice(["auto", "interpret", "interpret", "compile", "compile"]),
        "eager_numel": draw.choice([0, 0, 32768]),
        "donate_nbytes": draw.choice([0, 0, 0, 1 << 20, None]),
        "threads": draw.choice([None, 1]),
    }
    if not state.variables:
        name = "new"
    with ob.config(**options):
        change = ACTIONS[name](state, draw)
        if change is not None:
            text = ", ".join(f"{key}={value!r}" for key, value in options.items())
            state.log.append(f"{change.text}    # {text}")
            _apply(state, change, draw)
        _after(state, draw)


def _apply(state: State, change: Change, draw: random.Random) -> None:
    injected, how = _injection(state, change, draw)
    if how:
        state.log[-1] += f"; {how}"
    failed = False
    result: Any = None
    with _others(state, change, draw), injected as has_come:
        try:
            result = change.on_buffers()
            if draw.random() < (0.5 if isinstance(result, list) else 0.2) and result is not None:
                ob.realize(*_listed(result))
        except BaseException as error:
            if not has_come or isinstance(error, Difference):
                raise
            failed = True
    failed = failed or (bool(has_come) and (result is None or change.target >= 0))
    if change.target >= 0:
        _written(state.variables[change.target], change, failed)
    elif not failed:
        if change.replaces >= 0:
            del state.variables[change.replaces]
        buffers, arrays = _listed(result), _listed(change.on_arrays())
        state.variables += map(Variable, buffers, arrays)
        first = len(state.variables) - len(buffers)
        names = [f"v{number}" for number in range(first, len(state.variables))]
        state.log[-1] = f"{', '.join(names)} = {state.log[-1]}"


def _listed(result: Any) -> list[Any]:
    return result if isinstance(result, list) else [result]


def _written(target: Variable, change: Change, failed: bool) -> None:
    """Write to the array as well, unless the write to the buffer has failed."""
    old = target.array.copy()
    change.on_arrays()
    if failed:
        got = np.array(target.buffer)
        if np.array_equal(got, target.array):
            return
        if not np.array_equal(got, old):
            raise Difference(
                f"after a failed write: got {got.reshape(-1)[:12]}, "
                f"neither the old {old.reshape(-1)[:12]} nor the new "
                f"{target.array.reshape(-1)[:12]}"
            )
        target.array[...] = old


def _after(state: State, draw: random.Random) -> None:
    """Look at something, forget something."""
    while len(state.variables) > MOST_VARIABLES or (state.variables and draw.random() < 0.1):
        number = draw.randrange(len(state.variables))
        state.log.append(f"del v{number}")
        del state.variables[number]
    if state.variables and draw.random() < 0.3:
        number = draw.randrange(len(state.variables))
        state.log.append(f"check v{number}")
        check(f"v{number}", *state.variables[number])
    if state.variables and draw.random() < 0.05:
        state.log.append("realize all")
        ob.realize(*[variable.buffer for variable in state.variables])
    if draw.random() < 0.05:
        state.log.append("check all")
        check_all(state)


# -- errors and interrupts -------------------------------------------------------------------------


def _injection(state: State, change: Change, draw: random.Random) -> tuple[Any, str]:
    """What comes in between: a context that says if it has, and a text for people."""
    kind = draw.random() * (0.5 if change.computes else 1.0)
    error = draw.choice(ERRORS)
    if kind < 0.15:
        after = draw.randrange(12)
        return _raising(after, error), f"{error.__name__} at switch point {after}"
    if kind < 0.30:
        number = int(10 ** draw.uniform(0, 3.3))
        return Interrupt(number, error), f"{error.__name__} at instant {number}"
    if kind < 0.40:
        after = draw.randrange(8)
        number = draw.randrange(len(state.variables)) if state.variables else -1
        return _entered(state, change, after, number), f"v{number} is read at switch point {after}"
    return nullcontext(False), ""


@contextmanager
def _raising(after: int, error: type[BaseException]) -> Iterator[list[str]]:
    """Raise at a switch point; gives a list that is empty until then."""
    me = threading.get_ident()
    left = [after]
    has_come: list[str] = []

    def hook(name: str) -> None:
        if threading.get_ident() == me:
            left[0] -= 1
            if left[0] == -1:
                has_come.append(name)
                raise error(f"injected at {name}")

    with switch.hooked(hook):
        yield has_come


@contextmanager
def _entered(state: State, change: Change, after: int, number: int) -> Iterator[bool]:
    """Code that computes with buffers in the middle of an action, as a signal handler does."""
    me = threading.get_ident()
    left = [after]

    def hook(name: str) -> None:
        if threading.get_ident() != me:
            return
        left[0] -= 1
        if left[0] != -1 or number < 0:
            return
        buffer, array = state.variables[number]
        is_written = change.target >= 0 and np.shares_memory(
            state.variables[change.target].array, array
        )
        got = np.array((buffer + 1) * 2)
        if not is_written and not np.array_equal(got, (array + 1) * 2):
            raise Difference(f"v{number}, read at {name}: got {got}, expected {(array + 1) * 2}")

    with switch.hooked(hook):
        yield False


# -- threads ---------------------------------------------------------------------------------------


@contextmanager
def _others(state: State, change: Change, draw: random.Random) -> Iterator[None]:
    """Threads that compute with variables, or write to others, while an action is done."""
    if draw.random() >= THREADED or not state.variables:
        yield
        return
    target = state.variables[change.target].array if change.target >= 0 else None
    free = [
        number
        for number, (_, array) in enumerate(state.variables)
        if target is None or not np.shares_memory(array, target)
    ]
    chosen = draw.sample(free, min(2, len(free)))
    state.log[-1] += f"; threads read {chosen}"
    errors: list[BaseException] = []
    seed = draw.getrandbits(32)
    threads = [
        threading.Thread(target=_read, args=(state, number, seed + number, errors), daemon=True)
        for number in chosen
    ]
    with switch.hooked(_dawdling(seed)):
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            for thread in threads:
                thread.join(HUNG_SECONDS)
            if any(thread.is_alive() for thread in threads):
                faulthandler.dump_traceback(all_threads=True)
                raise Difference("threads hang")
    if errors:
        raise errors[0]


def _read(state: State, number: int, seed: int, errors: list[BaseException]) -> None:
    draw = random.Random(seed)
    buffer, array = state.variables[number]
    wanted = array * 3 - 1
    tier = draw.choice(["auto", "interpret", "compile"])
    try:
        with ob.config(tier=tier, eager_numel=0, donate_nbytes=0):
            check(f"v{number} in a thread", buffer * 3 - 1, wanted)
            check(f"v{number} in a thread", buffer.copy(), array)
    except BaseException as error:
        errors.append(error)


def _dawdling(seed: int) -> Callable[[str], None]:
    draw = random.Random(seed)

    def hook(name: str) -> None:
        if draw.random() < 0.2:
            time.sleep(draw.choice([0, 0, 1e-5, 1e-4]))

    return hook


@contextmanager
def quiet() -> Iterator[None]:
    """No warnings, and no word of injected errors in finalisers: Python forgets these."""
    hook = sys.unraisablehook
    sys.unraisablehook = lambda _: None
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            yield
    finally:
        sys.unraisablehook = hook
