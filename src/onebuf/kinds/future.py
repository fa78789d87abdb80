"""FutureBuffer: elements that a task is still to bring.

Of a future whose shape and dtype are known, the node is a leaf of the graph like any other:
expressions of it are lazy buffers, and who reads one waits. If they are not known there is no node
yet. Then operations are queued, to be applied when the elements are there
(`onebuf.kinds.future_methods`), and whatever needs the node (``_node``, which is not set) waits.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any, Self, cast

from onebuf.buffer import Buffer
from onebuf.buffer.display import describe
from onebuf.buffer.handle import PLACE, kind_of
from onebuf.engine import explain
from onebuf.errors import ArgumentTypeError, TaskError
from onebuf.graph import FREED, Node, future
from onebuf.kinds.future_methods import install
from onebuf.kinds.future_tasks import Expected, Promised, adopt, begin, held, queue
from onebuf.late import Late
from onebuf.machine import Device
from onebuf.machine import device as find_device
from onebuf.scheduler import is_readable

if TYPE_CHECKING:
    from onebuf.buffer.layout.allocator import Allocator
    from onebuf.layout.layout import Layout
    from onebuf.tasks import adoption
else:
    adoption = Late("onebuf.tasks.adoption")

_new = object.__new__


class FutureBuffer(Buffer):
    """A buffer whose elements a task brings: made by `onebuf.submit`, usable at once.

    Operators, indexing and methods never wait if ``shape`` and ``dtype`` were given. Reading
    elements does, and raises the task's own error if it failed, each time.

    >>> import numpy as np
    >>> import onebuf
    >>> x = onebuf.submit(np.arange, 4, shape=4, dtype="int64")
    >>> y = x * 2 + 1
    >>> y.tolist()
    [1, 3, 5, 7]
    >>> x.done(), x.result()
    (True, Buffer([0, 1, 2, 3], shape=(4,), dtype=int64, device=CPU))
    """

    __slots__ = ("_task",)

    _at = None
    _task: Promised

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise ArgumentTypeError(
            "a FutureBuffer is made of a task: onebuf.submit(function, *arguments), or of a future "
            "of concurrent.futures or asyncio: FutureBuffer.from_future(future)"
        )

    @classmethod
    def from_future(
        cls,
        future: Any,
        shape: Any = None,
        dtype: Any = None,
        *,
        device: str | Device | None = None,
        loop: Any = None,
    ) -> FutureBuffer:
        """A buffer of what a future brings: of `concurrent.futures`, of `asyncio`, or a coroutine.

        A coroutine runs on ``loop``, the loop of another thread, or on the one that this thread
        runs; if there is none, a worker runs it.
        """
        expected = Expected.of(shape, dtype, device)
        name = f"the future {type(future).__name__}"
        if hasattr(future, "__await__"):
            return _awaitable(future, name, expected, loop)
        if callable(getattr(future, "add_done_callback", None)) and hasattr(future, "exception"):
            made = _buffer_of(name, expected)
            adopt(made._task, future)
            return made
        raise ArgumentTypeError(
            f"from_future needs a future of concurrent.futures or asyncio, or a coroutine, got "
            f"{type(future).__name__}; of a function, make one with onebuf.submit(function)"
        )

    # -- the task ----------------------------------------------------------------------------------

    @classmethod
    def _constructed(cls, allocator: Allocator, layout: Layout, value: Any, dtype: Any) -> Any:
        """What an allocator of this kind makes: an ordinary buffer, by a task."""
        return submit(allocator.rebind(Buffer).construct, layout, value, dtype)

    def done(self) -> bool:
        """Whether the task is over: elements, an error, or cancelled."""
        return self._task.is_done

    def running(self) -> bool:
        """Whether the task has begun and is not over, as far as that is known."""
        foreign = self._task.foreign
        return self._task.is_running or (foreign is not None and foreign.running())

    def cancelled(self) -> bool:
        """Whether the task was cancelled, or one that it depends on."""
        return self._task.is_cancelled

    def cancel(self) -> bool:
        """Keep the task from running; False if it has begun, or is over."""
        return self._task.cancel()

    def result(self, timeout: float | None = None) -> Buffer:
        """The elements as an ordinary buffer on the same memory, when they are there.

        Raises the error of the task, or `onebuf.errors.TaskTimeout` after ``timeout`` seconds.
        """
        self._task.arrive(timeout)
        return self._ordinary(self._base)

    def exception(self, timeout: float | None = None) -> BaseException | None:
        """The error of the task, when it is over; None if it has none."""
        self._task.end(timeout)
        failure = self._task.seen()
        if failure is None:
            return None
        if self._task.is_cancelled:
            raise failure.again()
        return failure.again()

    def add_done_callback(self, function: Callable[[Self], Any]) -> None:
        """Call ``function`` with this buffer when the task is over: in the thread that ended it,
        or now."""
        if not callable(function):
            raise ArgumentTypeError(f"add_done_callback needs a function, got {function!r}")
        self._task.when_done(lambda: function(self))

    def __await__(self) -> Generator[Any, None, Buffer]:  # type: ignore[override]
        yield from self._task.awaited()
        return self.result()

    # -- the buffer --------------------------------------------------------------------------------

    def __getattr__(self, name: str) -> Any:
        if name not in ("_node", "_base"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        try:
            self._task.arrive()
        except AttributeError as error:  # which `getattr` would take for a missing attribute
            raise TaskError(f"{self._task.name} failed: {error!r}") from error
        self._adopt(self._task.value)
        return object.__getattribute__(self, name)

    def _adopt(self, brought: Buffer) -> None:
        """Have the node of what the task brought; a node is set last, and says that all is."""
        base = brought._base
        self._base = base
        self._node = brought._node

    @property
    def _is_known(self) -> bool:
        """Whether the node is there, or can be had without waiting and without an error."""
        try:
            object.__getattribute__(self, "_node")
        except AttributeError:
            return self._task.is_done and self._task.failure is None
        return True

    def _ordinary(self, base: Any) -> Buffer:
        """An ordinary buffer on the same elements."""
        node = self._node
        made = _new(kind_of(node, Buffer))
        made._node = node
        made._base = base
        return cast(Buffer, made)

    def _plain(self) -> Buffer:
        """An ordinary buffer that is a view of this one; a number, if this is one."""
        base = self._base
        if base is None and not self._node.shape:
            return self._ordinary(None)
        return self._ordinary(self if base is None or base is PLACE else base)

    def _view(self, node: Node) -> Any:
        return self._plain()._view(node)

    @property
    def is_realized(self) -> bool:
        """Whether the elements are in memory; does not wait."""
        return self._is_known and is_readable(self._node)

    def explain(self) -> str:
        """Which passes over memory computing the elements still takes; does not wait."""
        if self._is_known:
            return explain([self._node])
        return f"waits for {self._task.name}, which says what its shape and dtype are"

    def __repr__(self) -> str:
        task, name = self._task, type(self).__name__
        if task.is_done and task.failure is None:
            if self._node.op is FREED:
                return f"{name}(<freed>)"
            shown = repr(self._plain())
            head, _, rest = shown.partition("(")
            return f"{name}({rest}".replace("\n", "\n" + " " * (len(name) - len(head)))
        state = "running" if self.running() else "waiting"
        if task.failure is not None:
            state = "cancelled" if task.is_cancelled else f"failed: {task.failure.error!r}"
        return describe(name, None, f"future, {state}", task.expected.facts())

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return self.result().__reduce_ex__(protocol)

    __hash__ = object.__hash__  # asyncio keeps what it awaits in dicts


def submit(
    function: Any,
    /,
    *args: Any,
    shape: Any = None,
    dtype: Any = None,
    device: str | Device | None = None,
    executor: Any = None,
    **kwargs: Any,
) -> FutureBuffer:
    """The buffer that ``function(*args, **kwargs)`` returns, run in another thread.

    With ``shape`` and ``dtype``, expressions of the buffer are built without waiting, as lazy
    ones; without them, operations on it are queued. What the function returns may be a buffer, an
    array or nested lists; it has to be what was promised. Futures among the arguments, also inside
    of lists, tuples and dicts, are awaited first, without a thread that waits.

    ``executor`` runs it elsewhere: any executor of `concurrent.futures`, also with processes. In
    place of a function there may be a future or a coroutine, as in `FutureBuffer.from_future`.

    >>> import onebuf
    >>> a = submit(onebuf.linspace, 0, 1, 5)
    >>> b = submit(onebuf.sum, a)
    >>> (a / b).tolist()
    [0.0, 0.1, 0.2, 0.3, 0.4]
    """
    if not callable(function):
        if args or kwargs or executor is not None:
            raise ArgumentTypeError(
                f"submit needs a function to call with the arguments, got {function!r}"
            )
        return FutureBuffer.from_future(function, shape, dtype, device=device)
    expected = Expected.of(shape, dtype, device)
    made = _buffer_of(_name_of(function), expected)
    begin(made._task, function, args, kwargs, executor)
    return made


def _later(function: Callable[..., Any], *args: Any, **kwargs: Any) -> FutureBuffer:
    """The future result of an operation on futures, as it would be if it were computed now.

    What the other operands hold now is what counts, whatever is written to them until then.
    """
    made = _buffer_of(_name_of(function), Expected.of(None, None, None))
    queue(made._task, function, held(args), held(kwargs))
    return made


install(FutureBuffer, _later)


def _buffer_of(name: str, expected: Expected) -> FutureBuffer:
    task = Promised(name, expected)
    made = _new(FutureBuffer)
    made._task = task
    if expected.shape is not None and expected.dtype is not None:
        node = future(task, expected.shape, expected.dtype, find_device(expected.device))
        node.claimed = True
        task.promise(node)
        made._base = None if node.shape else PLACE
        made._node = node
    return made


def _awaitable(awaitable: Any, name: str, expected: Expected, loop: Any) -> FutureBuffer:
    """A buffer of what an awaitable gives."""
    made = _buffer_of(name, expected)
    task = made._task
    if isinstance(awaitable, FutureBuffer):
        begin(task, _same, (awaitable,), {})
        return made
    found = adoption.on_loop(awaitable, loop)
    if found is None:
        begin(task, _same, (awaitable,), {})  # what it returns is awaited, as a coroutine is
    else:
        adopt(task, found)
        task.loop = task.loop or loop
    return made


def _same(value: Any) -> Any:
    return value


def _name_of(function: Any) -> str:
    name = getattr(function, "__qualname__", None) or getattr(function, "__name__", None)
    return f"the task {name or type(function).__name__}"
