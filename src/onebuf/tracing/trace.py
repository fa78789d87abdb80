"""A trace: what a function does with buffers, recorded while it is called once.

The function gets buffers whose nodes are INPUTs on a `Tracer`. An operation on them makes pending
nodes as any other does, and nothing runs. A write does not change memory: the node that was written
becomes one that says what the memory holds from now on, and those that read it before read a node
that says what it held then (`onebuf.tracing.update`). So the graph that is left has values alone.

A read needs elements. A trace knows the real node behind every INPUT, so it computes them; what
else a read means, and whether it is allowed, is up to the kind of trace: gradients only look, a
capture takes note of the value. When the function has returned the trace is closed, and a buffer
that it left behind somewhere cannot be read any more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from onebuf.dtypes import Array
from onebuf.engine import read
from onebuf.errors import LeakError
from onebuf.graph import INPUT, MOVE, Node, make
from onebuf.machine import CPU, Device, Tracer, home_of, with_home
from onebuf.tracing.rebuild import Rebuild
from onebuf.tracing.update import overwritten, register, updated

_current: ContextVar[Trace | None] = ContextVar("trace", default=None)


def current() -> Trace | None:
    """The innermost trace that is open here, if any."""
    return _current.get()


class Parameter:
    """What an INPUT stands for: ``node`` has its elements, or will have."""

    __slots__ = ("node",)

    def __init__(self, node: Node) -> None:
        self.node = node


class Trace:
    """A recording; the driver of its tracers."""

    survives_fork = True
    what = "a traced function"

    def __init__(self) -> None:
        outer = current()
        self.depth: int = 0 if outer is None else outer.depth + 1
        self.is_open = False
        self.written: dict[int, tuple[Parameter, Node]] = {}
        """The parameters whose memory was written, by id, and the nodes that say what it holds."""
        self._tracers: dict[int, Tracer] = {}
        self._lifted: dict[int, Node] = {}
        self._inputs: dict[int, Node] = {}
        self._values = Rebuild(self, self.value_of)

    @contextmanager
    def recording(self) -> Iterator[None]:
        """The time in which operations are recorded."""
        token = _current.set(self)
        self.is_open = True
        try:
            with with_home(self.tracer(CPU)):
                yield
        finally:
            self.is_open = False
            _current.reset(token)

    def tracer(self, device: Device | None) -> Tracer:
        """The tracer of this trace for a real device, or for one of an outer trace."""
        home = home_of(device or CPU)
        found = self._tracers.get(id(home))
        if found is None:
            found = self._tracers[id(home)] = Tracer(self, home)
        return found

    # -- what goes in ------------------------------------------------------------------------------

    def input(self, node: Node) -> Node:
        """A new INPUT that stands for ``node``."""
        home = self.tracer(node.device)
        parameter = Parameter(node)
        made = make(INPUT, (), parameter, node.shape, node.dtype, unique=True, device=home)
        self._inputs[id(parameter)] = made
        return made

    def lifted(self, node: Node) -> Node:
        """The INPUT that stands for ``node``, which the function found elsewhere."""
        found = self._lifted.get(id(node))
        if found is None:
            self.check_open(node)
            found = self._lifted[id(node)] = self.input(node)
        return found

    @property
    def inputs(self) -> list[Node]:
        """The INPUTs, with the elements that they had before anything was written."""
        return list(self._inputs.values())

    def value_of(self, parameter: Parameter) -> Node:
        """The real node that a parameter stands for."""
        return parameter.node

    # -- what a driver does ------------------------------------------------------------------------

    def realize(self, nodes: Sequence[Node]) -> None:
        """Nothing: what is traced is computed later."""
        for node in nodes:
            self.check_open(node)

    def gather(self, node: Node, out: Array | None = None) -> Array:
        """The elements of ``node``, computed from those that the function was called with."""
        self.check_open(node)
        found = self.read(node)
        if out is None:
            return found
        np.copyto(out, found, casting="unsafe")
        return out

    def read(self, node: Node) -> Array:
        """What a read of ``node`` gives; kinds of traces that take note of it have their own."""
        return read(self._values.of(node))

    def assign(self, target: Node, value: Node) -> None:
        """Let the elements that ``target`` sees be those of ``value``, of its dtype."""
        self.check_open(target)
        if isinstance(value.device, Tracer) and value.device.depth > self.depth:
            raise value.device.trace.leaked(value)
        if value.device is not None and value.device is not target.device:
            value = self.lifted(value)
        base = target.base
        view = target.view
        old = overwritten(base, value, lambda before, new: updated(before, view, new))
        self._values.replaced(base, old)
        if old.op is INPUT:
            self._inputs[id(old.arg)] = old
            self.written[id(old.arg)] = (old.arg, base)

    def moved(self, node: Node, device: Device) -> Node:
        """The elements of ``node`` on another real device."""
        self.check_open(node)
        made = Node(
            MOVE, (node,), device, node.shape, node.dtype, node.made_at, self.tracer(device)
        )
        register(made, node)
        return made

    def explain(self, nodes: Sequence[Node]) -> str:
        """Text in place of a schedule."""
        return f"{len(nodes)} recorded for {self.what}: computed when it has returned"

    def made(self, node: Node) -> None:
        """Nothing: a node that is needed is found from the results."""

    def refuse(self, name: str, node: Node) -> None:
        """Nothing: reading is allowed."""

    def leaked(self, value: Node) -> LeakError:
        """The error for a value that is written to memory outside of the function."""
        made = "" if value.origin is None else f" (made at {value.origin})"
        return LeakError(
            f"a value of {self.what}{made} was written to a buffer outside of it; pass that buffer "
            f"to the function as an argument, or return the value"
        )

    def check_open(self, node: Node) -> None:
        """Raise for a node that outlived the call in which it was made."""
        if not self.is_open:
            made = "" if node.origin is None else f", made at {node.origin},"
            raise LeakError(
                f"a buffer of shape {node.shape}{made} was left behind by {self.what}, and has no "
                f"elements outside of it; return it from the function instead"
            )

    def __reduce__(self) -> Any:
        raise TypeError(f"a buffer inside of {self.what} cannot be pickled; return it first")
