"""`jit`: functions that are captured once and replayed after.

A call looks for a capture whose guard holds, and replays it. If there is none the function is
called in the ordinary way, on buffers without elements, and that is the capture. What cannot be
captured is called as it is, and `Jitted.explain` says why.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Sequence
from threading import RLock
from types import MethodType
from typing import Any

import numpy as np
from numpy.lib.array_utils import byte_bounds

from onebuf import pytree
from onebuf.buffer import Buffer
from onebuf.capture.capture import Capture, NotCaptured, Other, captured
from onebuf.capture.dynamic.family import Dynamic, axes_of
from onebuf.capture.guard.call import Call
from onebuf.capture.guard.guards import Guard, reach, write_guard
from onebuf.capture.replays import QuickReplay, Replays
from onebuf.engine import force
from onebuf.errors import ArgumentError, ArgumentTypeError
from onebuf.graph import is_stored, settle
from onebuf.machine import Device
from onebuf.memory import address_of
from onebuf.tracing import current

MOST_CAPTURES = 64
"""A function keeps so many captures; a new one replaces that which was used least recently."""
MOST_REFUSALS = 8
"""A function with so many calls that could not be captured is called as it is from then on."""
MOST_READS = 8
"""A function that read so many different values is called as it is from then on."""
_NOTHING = object()
"""In place of a result that there is not."""
_capturing = RLock()
"""Functions are captured one at a time: meanwhile, buffers that they reach have no elements."""


def _unlock_after_fork() -> None:
    global _capturing
    _capturing = RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_unlock_after_fork)


class Entry:
    """A capture, when it holds, and which of the bound buffers it is given."""

    __slots__ = ("guard", "bind", "capture", "quick", "firsts")

    def __init__(
        self, guard: Guard, capture: Capture, bound: Sequence[Any], firsts: list[int]
    ) -> None:
        self.guard = guard
        self.bind = guard.bind
        self.capture = capture
        self.firsts = firsts
        is_plain = firsts == [*range(len(bound))] and all(isinstance(x, Buffer) for x in bound)
        self.quick: QuickReplay | None = None
        if is_plain and capture.direct is not None:
            self.quick = guard.then(capture.direct)

    def given(self, bound: Sequence[Any]) -> list[Buffer]:
        """The buffers of a call, each once; NumPy's arrays as buffers on them."""
        return [_buffer(bound[place]) for place in self.firsts]


class Jitted(Replays):
    """A function that is captured and replayed; see `jit`."""

    def __init__(self, function: Callable[..., Any], dynamic: Any = None, donate: Any = ()) -> None:
        super().__init__()
        self._function = function
        self._call = Call(function)
        self._donate = tuple(donate) if isinstance(donate, tuple | list) else (donate,)
        for name in self._donate:
            if name not in self._call.names:
                raise ArgumentError(
                    f"donate needs names of parameters, {', '.join(self._call.names)}; got {name!r}"
                )
        axes = axes_of(dynamic, self._call)
        self._dynamic = None if axes is None else Dynamic(axes)
        self._made_with = (dynamic, self._donate)
        self._entries: tuple[Entry, ...]
        """The captures, the last used one in front; replaced as a whole, for other threads."""
        self._set_entries(())
        self._refusal = ""
        """Why it is called as it is; empty: it is captured."""
        self._refusals = 0
        self._last_refusal = ""
        self.captures = 0
        """How often the function was captured."""
        functools.update_wrapper(self, function)

    def __reduce__(self) -> Any:
        """By name, or as a function that is still to be captured."""
        name: str = getattr(self, "__qualname__", "")
        found: Any = sys.modules.get(self.__module__)
        for part in name.split("."):
            found = getattr(found, part, None)
        return name if found is self else (Jitted, (self._function, *self._made_with))

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def _slowly(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What the function returns, if no quick replay fits."""
        if current() is not None:
            return self._function(*args, **kwargs)
        for entry in self._entries:
            bound = entry.bind(args, kwargs)
            if bound is not None:
                result = self._replayed(entry, bound)
                if result is not _NOTHING:
                    return result
        return self._called(args, kwargs)

    def _replayed(self, entry: Entry, bound: Sequence[Any]) -> Any:
        """The result of a replay; `_NOTHING` if the capture does not fit after all."""
        given = entry.given(bound)
        if _overlap(entry.capture, given):
            return _NOTHING
        try:
            result = entry.capture.replay(given)
        except Other:
            return _NOTHING
        self.replays += 1
        if entry is not self._entries[0]:
            self._set_entries((entry, *[one for one in self._entries if one is not entry]))
        return result

    def _called(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What the function returns, by a capture that was just made, or by calling it."""
        if self._refusal:
            return self._function(*args, **kwargs)
        before = self._entries
        is_new = self._settled(args, kwargs)
        with _capturing:
            # Another thread may have captured it, or the arguments have elements now.
            for entry in self._entries if is_new or self._entries is not before else ():
                bound = entry.bind(args, kwargs)
                result = _NOTHING if bound is None else self._replayed(entry, bound)
                if result is not _NOTHING:
                    return result
            return self._captured(args, kwargs)

    def _settled(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Compute arguments that are pending; whether there were any."""
        leaves, _ = pytree.flatten(self._call.normalise(*args, **kwargs))
        pending = [x._node for x in leaves if isinstance(x, Buffer) and not is_stored(x._node)]
        for node in pending:
            force(node)
            settle(node)
        return bool(pending)

    def _captured(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Capture a call, and its result."""
        state = reach(self._call, args, kwargs)
        for _, buffer in state.buffers:
            force(buffer._node)
            settle(buffer._node)
        guard = write_guard(self._call, args, kwargs, state)
        bound = guard.bind(args, kwargs)
        reason = state.refusal or ("" if bound is not None else guard.why_not(args, kwargs))
        if not reason and bound is not None:
            firsts = sorted({id(one): n for n, one in reversed([*enumerate(bound)])}.values())
            given = [_buffer(bound[place]) for place in firsts]
            reason = next(filter(None, map(_why_not, given)), "")
        if reason or bound is None:
            return self._refused(reason, args, kwargs)
        call = _with_buffers(self._function, args, kwargs, bound, given, firsts)
        capture, is_first = None, False
        if self._dynamic is not None:
            capture = self._dynamic.known(self._call, args, kwargs, given)
            if capture is not None:
                self.replays += 1
            else:
                self.captures += 1
                arguments = [bound[place] for place in firsts]
                capture = self._dynamic.captured(
                    self._call, args, kwargs, guard, call, given, arguments
                )
        else:
            self.captures += 1
        if capture is None:
            try:
                donated = self._donated(args, kwargs, given)
                found = functools.partial(_found, self._call, args, kwargs)
                left: Callable[[], Sequence[Buffer]] = found if state.stored else tuple
                capture, is_first = captured(call, given, donated, left), True
            except NotCaptured as error:
                return self._refused(str(error), args, kwargs)
        if _overlap(capture, given):
            return self._refused("a buffer that is written overlaps another one", args, kwargs)
        self._keep(Entry(guard, capture, bound, firsts))
        return capture.replay(given, is_first=is_first)

    def _donated(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], given: Sequence[Buffer]
    ) -> list[int]:
        """The given buffers, by number, that the caller gives up."""
        if not self._donate:
            return []
        values = zip(self._call.names, self._call.normalise(*args, **kwargs), strict=True)
        trees = [value for name, value in values if name in self._donate]
        leaves = {id(leaf) for leaf in pytree.flatten(trees)[0]}
        return [number for number, buffer in enumerate(given) if id(buffer) in leaves]

    def _keep(self, entry: Entry) -> None:
        self._set_entries((entry, *self._entries[: MOST_CAPTURES - 1]))
        reads = [one.capture.reads for one in self._entries if one.capture.reads]
        if len(reads) > MOST_READS:
            self._give_up(f"it reads values that change from call to call, at {reads[0][0].line}")
        elif self.captures > 2 * MOST_CAPTURES and self.replays < self.captures:
            self._give_up("what it depends on changes from call to call")

    def _set_entries(self, entries: tuple[Entry, ...]) -> None:
        self._entries = entries
        quick: list[QuickReplay] = []
        for entry in entries:
            if entry.quick is None:
                break  # what was used last comes first, however it is replayed
            quick.append(entry.quick)
        self.quick = tuple(quick)

    def _give_up(self, reason: str) -> None:
        self._refusal = reason
        self._set_entries(())

    def _refused(self, reason: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call the function; if that was often the end of it, it is not captured any more."""
        self._refusals += 1
        self._last_refusal = reason
        if self._refusals > MOST_REFUSALS:
            self._give_up(reason)
        return self._function(*args, **kwargs)

    def explain(self) -> str:
        """What was captured: regions, kernels, and where the function read a value."""
        name = getattr(self._function, "__qualname__", "the function")
        if self._refusal:
            return f"{name} is not captured: {self._refusal}"
        lines = [f"{name}: {self.captures} captures, {self.replays} replays"]
        if self._last_refusal:
            lines.append(f"{self._refusals} calls were not captured: {self._last_refusal}")
        for number, entry in enumerate(self._entries, 1):
            lines.append(f"capture {number}: {entry.capture.explain()}")
        if self._dynamic is not None:
            lines += self._dynamic.explain()
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"jit({self._function!r})"


def jit(
    function: Callable[..., Any] | None = None, *, dynamic: Any = None, donate: Any = ()
) -> Any:
    """``function``, captured at its first call and replayed after.

    Arguments and results are buffers, numbers, texts and containers of them. A call whose shapes,
    dtypes, layouts, devices or constants differ from those that were captured is captured anew, and
    so is one after something else has changed that the function read: a variable, an attribute, a
    buffer that it found there. Writes to buffers are part of the capture.

    With ``dynamic``, one capture serves many lengths: True for the first axis of every buffer among
    the arguments, an axis or a tuple of axes, or a dict of these by the names of parameters.
    Extents that are equal in the first call are one length, and up to three lengths vary at once.
    To find out how it depends on them, the first call runs the function's Python code for the real
    lengths and for three or more others, without elements; so it should not keep lengths elsewhere.
    What it decides by a length, as in ``if x.shape[0] > 32``, is guarded. A function that makes a
    float, a text, a ``range`` or a key of a length, that takes ``len(x)``, which is a plain
    integer, or that reads a value, is captured for each length. `Jitted.explain` says which lengths
    are served, and why others are not.

    Parameters that ``donate`` names are given up by the caller: results may take their memory, and
    the buffers are freed. A function with ``dynamic`` donates nothing.

    >>> import onebuf
    >>> @onebuf.jit
    ... def f(x):
    ...     return (x * 2 + 1).sum()
    >>> f(onebuf.arange(3.0)).item(), f(onebuf.arange(3.0) + 1).item()
    (9.0, 15.0)
    >>> f.captures
    1
    >>> g = onebuf.jit(lambda x: x - x.mean(), dynamic=True)
    >>> [g(onebuf.arange(float(n))).shape for n in (2, 3, 100)], g.captures
    ([(2,), (3,), (100,)], 1)
    """
    if function is None:
        return lambda one: jit(one, dynamic=dynamic, donate=donate)
    if not callable(function):
        raise ArgumentTypeError(f"jit needs a function, got {type(function).__name__}")
    return function if isinstance(function, Jitted) else Jitted(function, dynamic, donate)


def _found(call: Call, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Buffer]:
    """The buffers that a function reaches now."""
    return [buffer for _, buffer in reach(call, args, kwargs).buffers]


def _buffer(found: Any) -> Buffer:
    return found if isinstance(found, Buffer) else Buffer(found, copy=False)


def _why_not(buffer: Buffer) -> str:
    """Why a buffer cannot be given to a capture; empty if it can."""
    node = buffer._node
    device = node.device
    if not node.has_strides or not is_stored(node):
        return f"a buffer of shape {node.shape} has a layout, or elements on demand"
    if device is not None and type(device) is not Device:
        return f"a buffer is on {device}"
    return ""


def _with_buffers(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    bound: Sequence[Any],
    given: Sequence[Buffer],
    firsts: Sequence[int],
) -> Callable[[], Any]:
    """A call in which NumPy's arrays are buffers on them."""
    arrays = {
        id(bound[place]): buffer
        for place, buffer in zip(firsts, given, strict=True)
        if isinstance(bound[place], np.ndarray)
    }
    if arrays:
        args, kwargs = pytree.map(lambda leaf: arrays.get(id(leaf), leaf), (args, kwargs))
    return lambda: function(*args, **kwargs)


def _overlap(capture: Capture, given: Sequence[Buffer]) -> bool:
    """Whether a buffer that the capture writes shares memory with another one that it is given."""
    if not capture.writes:
        return False
    addresses = [_address(buffer) for buffer in given]
    if addresses == capture.apart:  # extents and strides are the capture's, and stay
        return False
    spans = [_span(buffer) for buffer in given]
    written = {write.given for write in capture.writes}
    order = sorted(range(len(spans)), key=lambda n: spans[n])
    end, last = 0, -1
    for n in order:
        low, high = spans[n]
        if low < end and (n in written or last in written):
            return True
        if high > end:
            end, last = high, n
    capture.apart = addresses
    return False


def _address(buffer: Buffer) -> int:
    array = buffer._node.array
    return 0 if array is None else address_of(array)


def _span(buffer: Buffer) -> tuple[int, int]:
    array = buffer._node.array
    return (0, 0) if array is None or not array.size else byte_bounds(array)
