"""The tasks of futures: what is expected of them, how they are begun, and what they bring."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Generator
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial
from inspect import isawaitable
from typing import TYPE_CHECKING, Any

from onebuf import dtypes, ops
from onebuf.buffer import Buffer
from onebuf.buffer.exchange.construction import as_node
from onebuf.dtypes import DT
from onebuf.engine import realize
from onebuf.engine.run.delivery import deliver
from onebuf.errors import ArgumentTypeError, DeviceError, DTypeError, OnebufError, ShapeError
from onebuf.graph import Node, engine_lock, promises_of
from onebuf.late import Late
from onebuf.machine import Device
from onebuf.machine import device as find_device
from onebuf.options import options
from onebuf.tasks.dependencies import start_after
from onebuf.tasks.failure import Failure
from onebuf.tasks.task import Outcome, Task
from onebuf.tasks.waiting import wait
from onebuf.tasks.workers import start

if TYPE_CHECKING:
    from onebuf.tasks import adoption
else:
    adoption = Late("onebuf.tasks.adoption")


@dataclass(frozen=True, slots=True)
class Expected:
    """What a task was said to bring; None: whatever it does."""

    shape: tuple[int, ...] | None
    dtype: DT | None
    device: Device | None

    @classmethod
    def of(cls, shape: Any, dtype: Any, device: str | Device | None) -> Expected:
        """The arguments of a user, checked."""
        return cls(
            None if shape is None else ops.as_shape(shape),
            None if dtype is None else dtypes.as_dtype(dtype),
            None if device is None else find_device(device),
        )

    @property
    def is_known(self) -> bool:
        """Whether it can be computed with before it is there."""
        return self.shape is not None and self.dtype is not None

    def facts(self) -> dict[str, Any]:
        """For people."""
        known = {
            "shape": self.shape,
            "dtype": None if self.dtype is None else self.dtype.name,
            "device": self.device or (find_device(None) if self.is_known else None),
        }
        return {key: "?" if value is None else value for key, value in known.items()}

    def received(self, name: str, value: Any) -> Buffer:
        """What a task returned, as a buffer; an error if it is not what was expected."""
        buffer = value if isinstance(value, Buffer) else self._made(name, value)
        wanted = find_device(None) if self.device is None and self.is_known else self.device
        if wanted is not None and buffer.device is not wanted:
            raise DeviceError(
                f"{name} was to bring elements on {wanted}, got a buffer on {buffer.device}; "
                f"submit it with device={str(buffer.device)!r}, or let it return x.to_device(...)"
            )
        if self.dtype is not None and buffer.dtype != self.dtype:
            raise DTypeError(
                f"{name} was to bring elements of {self.dtype.name}, got {buffer.dtype.name}; "
                f"submit it with dtype={buffer.dtype.name!r}, or let it return x.astype(...)"
            )
        if self.shape is not None and buffer.shape != self.shape:
            raise ShapeError(
                f"{name} was to bring elements of shape {self.shape}, got {buffer.shape}; submit "
                f"it with shape={buffer.shape}, or without one"
            )
        return buffer

    def _made(self, name: str, value: Any) -> Buffer:
        """A buffer of something else; what has no dtype of its own gets the one expected."""
        dtype = None if hasattr(value, "dtype") else self.dtype
        default = options().default_float
        narrow = {} if default.itemsize == 8 else _narrow(default)
        try:
            made = Buffer._place(as_node(value, dtype, None, narrow, None))
        except OnebufError as error:
            raise ArgumentTypeError(
                f"{name} has to return a buffer, an array or nested lists of numbers, got "
                f"{type(value).__name__}: {error}"
            ) from error
        return made if self.device is None else made.to_device(self.device)


def _narrow(default: DT) -> dict[DT, DT]:
    return {dtypes.float64: default, dtypes.complex128: dtypes.complex64}


class Promised(Task):
    """A task that brings the elements of a buffer."""

    __slots__ = ("_leaf", "expected")

    def __init__(self, name: str, expected: Expected) -> None:
        super().__init__(_nothing, name)
        self.expected = expected
        self._leaf: weakref.ref[Node] | None = None

    def promise(self, leaf: Node) -> None:
        """Let ``leaf``, a FUTURE node, have the elements when they are there."""
        self._leaf = weakref.ref(leaf)

    def bring(self, value: Any) -> Buffer | None:
        """What the task returned, computed; None if a node has it."""
        if isawaitable(value) and not isinstance(value, Buffer):
            value = adoption.run_now(value)
        buffer = self.expected.received(self.name, value)
        task = getattr(buffer, "_task", None)
        if task is not None:
            task.arrive()
        realize([buffer._node])
        if self._leaf is None:
            return buffer
        leaf = self._leaf()
        if leaf is not None:
            deliver(leaf, buffer._node)
        return None

    def arrive(self, timeout: float | None = None) -> None:
        """Return when the task is done; raise its error if it has one."""
        self.end(timeout)
        failure = self.seen()
        if failure is not None:
            raise failure.again()

    def awaited(self) -> Generator[Any, None, None]:
        """What ``__await__`` yields from until the task is done; raises its error."""
        if not self.is_done:
            yield from adoption.until_done(self)
        self.arrive()

    def end(self, timeout: float | None = None) -> None:
        """Return when the task is done; others can have the engine's lock until then."""
        if self.is_done:
            wait(self, timeout)  # which looks at the timeout
            return
        with engine_lock.aside():
            wait(self, timeout)

    @property
    def has_failed(self) -> bool:
        """Whether there will be no elements."""
        return self.failure is not None


def _nothing() -> None:
    raise AssertionError("a task without a call was run")


def begin(
    task: Promised,
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    executor: Any = None,
) -> None:
    """Let ``function`` be called, once all futures among its arguments are there."""
    context = copy_context()
    if executor is None:
        task.call = partial(context.run, _run, task, function, args, kwargs)
        start_after(task, tasks_in((args, kwargs)))
        return
    if not callable(getattr(executor, "submit", None)):
        raise ArgumentTypeError(
            f"executor needs to be one of concurrent.futures, with a method submit, got "
            f"{type(executor).__name__}"
        )

    def hand_over(_: Task) -> None:
        start(Task(lambda: _hand_over(task, executor, function, args, kwargs), task.name))

    start_after(task, tasks_in((args, kwargs)), hand_over)


def _run(
    task: Promised, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Buffer | None:
    try:
        return task.bring(function(*brought(args), **brought(kwargs)))
    finally:
        del task, function, args, kwargs  # the traceback of an error would keep them


def _hand_over(
    task: Promised,
    executor: Any,
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> None:
    """Let an executor call ``function``; an error in that is the task's."""
    if task.is_done:
        return
    try:
        future = executor.submit(function, *brought(args), **brought(kwargs))
    except BaseException as error:
        if task.take():
            task.settle(None, Failure(error))
        return
    adopt(task, future)


def adopt(task: Promised, future: Any) -> None:
    """Let ``task`` bring what a future of `concurrent.futures` gives."""
    context = copy_context()
    task.call = lambda: context.run(task.bring, adoption.outcome(task.name, future))
    adoption.adopt(task, future)


def queue(
    task: Promised, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    """Apply ``function`` to futures whose shapes are not known as soon as the last one is there.

    That is done in the thread which brings it, before anybody is told: so who writes to it
    afterwards writes afterwards. Of others, which may be written to until then, a copy is kept.
    """
    awaited = {id(one): one for one in _leaves((args, kwargs), is_unknown)}
    tasks = [one._task for one in awaited.values()]
    task.after = tuple(tasks)
    task.loop = next((one.loop for one in tasks if one.loop is not None), None)
    context = copy_context()
    found: dict[int, Any] = {}
    left = list(range(len(tasks)))

    def apply() -> Outcome:
        try:
            return task, context.run(_applied, task, function, args, kwargs, found), None
        except BaseException as error:
            return task, None, Failure(error)

    def step(me: int, one: Promised) -> Outcome | None:
        if one.failure is not None:
            failure = one.seen()
            return (task, None, failure) if task.take() else None
        value = one.value
        try:
            found[me] = _held(value)
        except BaseException as error:  # no memory, say
            return (task, None, Failure(error)) if task.take() else None
        if left.pop() != 0 or not task.take():
            return None
        found[me] = value
        return apply()

    if not tasks and task.take():  # all have come since it was found that one had not
        task.settle(*apply()[1:])
    for me, one in awaited.items():
        one._task.before_done(partial(step, me, one._task))


def _applied(
    task: Promised,
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    found: dict[int, Any],
) -> Buffer:
    put = _mapped((args, kwargs), lambda x: found.get(id(x), x))
    result = function(*put[0], **put[1])
    return task.expected.received(task.name, result)


def is_unknown(value: Any) -> bool:
    """Whether ``value`` is a future whose shape or dtype is not known yet."""
    return isinstance(getattr(value, "_task", None), Promised) and not value._is_known


def tasks_in(value: Any) -> list[Promised]:
    """The tasks that the buffers in ``value`` depend on."""
    found: dict[int, Promised] = {}
    for buffer in _leaves(value, lambda x: isinstance(x, Buffer)):
        task = getattr(buffer, "_task", None)
        for one in promises_of([buffer._node]) if task is None else [task]:
            if isinstance(one, Promised):
                found[id(one)] = one
    return list(found.values())


def brought(value: Any) -> Any:
    """``value`` with the results of all futures in it; raises the error of one that failed."""
    return _mapped(value, lambda x: x.result() if hasattr(x, "_task") else x)


def held(value: Any) -> Any:
    """``value`` with the elements that its buffers have now, whatever is written to them later."""
    return _mapped(value, _held)


def _held(value: Any) -> Any:
    if not isinstance(value, Buffer) or is_unknown(value) or value._is_number:
        return value
    return Buffer._value(ops.copied(value._node))


def _leaves(value: Any, wanted: Callable[[Any], bool]) -> list[Any]:
    """What is ``wanted`` in nested lists, tuples and dicts."""
    found, todo, seen = [], [value], set()
    while todo:
        one = todo.pop()
        kind = one.__class__
        if kind is tuple or kind is list or kind is dict:
            if id(one) not in seen:
                seen.add(id(one))
                todo.extend(one.values() if kind is dict else one)
        elif wanted(one):
            found.append(one)
    return found


def _mapped(value: Any, change: Callable[[Any], Any]) -> Any:
    """``value`` with all that nested lists, tuples and dicts hold put through ``change``."""
    made: dict[int, Any] = {}

    def put(one: Any) -> Any:
        kind = one.__class__
        if kind is not tuple and kind is not list and kind is not dict:
            return change(one) if isinstance(one, Buffer) else one
        if id(one) not in made:
            if kind is tuple:
                made[id(one)] = tuple([put(part) for part in one])
            elif kind is list:
                made[id(one)] = new = []
                new.extend([put(part) for part in one])
            else:
                made[id(one)] = table = {}
                table.update({key: put(part) for key, part in one.items()})
        return made[id(one)]

    return put(value)
