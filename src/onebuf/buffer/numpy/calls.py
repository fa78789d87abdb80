"""Fallback to NumPy: its function is called on windows, and arrays in its result become buffers.

Every function that has no implementation for buffers comes here, so this has to hold for all of
them: buffers anywhere in the arguments (in lists, in tuples, by name), results of any shape (none,
one, a named tuple of several, text), and ``out``, which comes back as the very object that went in.

NumPy needs elements, and where a function is traced to differentiate it, elements that were read
would be constants. There the function is made of operations of ours, if there is such a form of it;
if not, the trace refuses. The forms are in layers above, which say where (`install_forms`).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from onebuf import dtypes
from onebuf.buffer.exchange.export import window
from onebuf.buffer.handle import Handle
from onebuf.errors import ArgumentTypeError, ExportError, NotBatched, NotDifferentiable
from onebuf.graph import Node, Number
from onebuf.late import Late
from onebuf.machine import Tracer
from onebuf.ops import adopted, quiet_context

if TYPE_CHECKING:
    from onebuf import engine
    from onebuf.ops.numpy import counting
else:
    counting = Late("onebuf.ops.numpy.counting")
    engine = Late("onebuf.engine")


def on_arrays(
    kind: type[Handle], function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """``function`` of windows on the buffers among its arguments.

    NumPy may write to whatever it is given, so pending readers of all of it are realised first.
    Floating-point events are as silent as they are for buffers everywhere.
    """
    call = NumpyCall(kind)
    call.expect(kwargs.get("out"))
    arrays = [call.give(x) for x in args]
    named = {name: call.give(x) for name, x in kwargs.items()}
    if call.traced:
        return _traced(call.traced, kind, function, args, kwargs)
    if function is np.unique:
        function = counting.unique
    try:
        return call.take(quiet_context().run(function, *arrays, **named))
    except ValueError as error:
        if "read-only" in str(error) and call.copies:
            return _written_through(kind, function, args, kwargs)
        if "__array__ method not producing an array" not in str(error):
            raise
        arrays = [call.give(_unwrapped(x)) for x in arrays]
        named = {name: call.give(_unwrapped(x)) for name, x in named.items()}
        return call.take(quiet_context().run(function, *arrays, **named))


Form = Callable[..., Any]
_form_of: Callable[[Any], Form | None] = {}.get


def install_forms(form_of: Callable[[Any], Form | None]) -> None:
    """Let ``form_of`` find the form of a function of NumPy that is made of operations."""
    global _form_of
    _form_of = form_of


def _traced(
    nodes: list[Node],
    kind: type[Handle],
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Any:
    """``function`` where some operands, ``nodes``, are traced: of elements if those may be read."""
    call = NumpyCall(kind, reads_traces=True)
    call.expect(kwargs.get("out"))
    try:
        for node in nodes:
            node.device.refuse(getattr(function, "__name__", "NumPy"), node)  # type: ignore[union-attr]
        arrays = [call.give(x) for x in args]
        named = {name: call.give(x) for name, x in kwargs.items()}
    except (NotBatched, NotDifferentiable):
        given = {name: x for name, x in kwargs.items() if name != "out" or x is not None}
        ours = _by_operations(function, args, given)
        if ours is None:
            raise
        return ours(*args, **given)
    before = [array.copy() for _, array in call.copies]
    result = quiet_context().run(function, *arrays, **named)
    for (buffer, array), old in zip(call.copies, before, strict=True):
        if array.tobytes() != old.tobytes():
            engine.assign(buffer._node, adopted(array.copy()))
    return call.take(result)


def _by_operations(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Form | None:
    """A form of ``function`` that is made of operations and takes these arguments, if any."""
    ours = _form_of(function)
    if ours is None:
        return None
    try:
        inspect.signature(ours).bind(*args, **kwargs)
    except TypeError:
        return None
    return ours


def _written_through(
    kind: type[Handle], function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """``function``, which writes to a buffer with a layout: to a copy, then through it."""
    call = NumpyCall(kind, is_writing=True)
    call.expect(kwargs.get("out"))
    arrays = [call.give(x) for x in args]
    named = {name: call.give(x) for name, x in kwargs.items()}
    before = [array.copy() for _, array in call.copies]
    result = quiet_context().run(function, *arrays, **named)
    for (buffer, array), old in zip(call.copies, before, strict=True):
        if array.tobytes() != old.tobytes():
            same = (array == old) | ((array != array) & (old != old))
            engine.change("put", buffer._node, partial(np.copyto, src=array, where=~same))
    return call.take(result)


def _unwrapped(x: Any) -> Any:
    """The buffer by which the program's own object answers ``__array__``; else ``x`` itself."""
    if isinstance(x, np.ndarray | np.generic | type) or not hasattr(x, "__array__"):
        return x
    found = x.__array__()
    return found if isinstance(found, Handle) else x


class NumpyCall:
    """One call of NumPy: which array stands for which of the caller's objects."""

    __slots__ = ("copies", "given", "is_writing", "kind", "reads_traces", "traced")

    def __init__(
        self, kind: type[Handle], is_writing: bool = False, reads_traces: bool = False
    ) -> None:
        self.kind = kind
        self.is_writing = is_writing
        self.reads_traces = reads_traces
        self.traced: list[Node] = []
        """Operands that are traced, and that may not be read before their traces allow it."""
        self.copies: list[tuple[Handle, dtypes.Array]] = []
        """Buffers whose elements NumPy cannot reach, which are traced or have a layout without
        strides, and copies of them: it may write to those if it ``is_writing``, or traced."""
        self.given: dict[int, tuple[Any, Any]] = {}
        """What the caller passed, and the array that took its place, by the id of the array."""

    def expect(self, out: Any) -> None:
        """Note arrays that are to come back as they are; refuse what cannot be written."""
        for part in out if isinstance(out, tuple) else (out,):
            if isinstance(part, np.ndarray):
                self.given[id(part)] = (part, part)
            elif isinstance(part, Handle) and part._is_number:
                raise ArgumentTypeError(
                    f"return arrays must be of ArrayType: out needs memory, got a number, {part}; "
                    f"make memory for it with onebuf.empty(())"
                )
            elif isinstance(part, Handle) and part._node.on_demand is not None:
                raise ExportError(
                    f"out needs elements in memory, but those of {part._node.on_demand.name} are "
                    f"read and written on demand; assign the result instead: b[...] = result"
                )

    def give(self, x: Any) -> Any:
        """``x`` with the buffers in it turned into windows."""
        if isinstance(x, Handle):
            if isinstance(x._node.device, Tracer):
                return self._of_traced(x)
            if x._is_number and engine.is_here(x._node):
                return engine.read(x._node)[()]
            array = window(x._node)
            if not x._node.has_strides and engine.is_here(x._node):
                array = np.array(array) if self.is_writing else array
                self.copies.append((x, array))
            if x._node.on_demand is not None:
                array.flags.writeable = False  # what is written to a copy would be lost
            engine.settle_readers(x._node)
            self.given[id(array)] = (x, array)
            return array
        if isinstance(x, list | tuple) and any(isinstance(part, _NESTED) for part in x):
            parts = [self.give(part) for part in x]
            return type(x)(*parts) if hasattr(x, "_fields") else type(x)(parts)
        return x

    def _of_traced(self, x: Handle) -> Any:
        """The elements of a traced buffer, once they may be read; else the buffer itself."""
        if self.reads_traces:
            array = np.array(engine.read(x._node))
            if x._is_number:
                return array[()]
            self.copies.append((x, array))
            self.given[id(array)] = (x, array)
            return array
        self.traced.append(x._node)
        return x

    def take(self, result: Any) -> Any:
        """``result`` with the arrays in it turned into buffers; what was passed comes back."""
        passed = self.given.get(id(result))
        if passed is not None:
            return passed[0]
        if isinstance(result, list | tuple):
            parts = [self.take(part) for part in result]
            return type(result)(*parts) if hasattr(result, "_fields") else type(result)(parts)
        if isinstance(result, np.generic) and dtypes.is_supported(result.dtype):
            return self.kind._value(Number.of(result, result.dtype))
        if type(result) is np.ndarray and dtypes.is_supported(result.dtype):
            return self.kind(result)  # type: ignore[call-arg]
        return result


_NESTED = (Handle, list, tuple)
