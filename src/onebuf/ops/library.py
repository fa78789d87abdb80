"""Library calls: what LAPACK, FFT or NumPy computes, as opaque nodes of the graph.

The results' shapes and dtypes are known before the call, so that it can be lazy like everything
else; its operands are whole and in memory when it runs. A call with several results is a node for
each, and runs once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from onebuf.dtypes import DT, Array
from onebuf.errors import ArgumentError, ArgumentTypeError, IndexRangeError, OnebufError
from onebuf.events import listeners
from onebuf.graph import LIBRARY, Node, Number
from onebuf.machine import CPU, Device
from onebuf.ops.allocation import adopted, place, pooled
from onebuf.ops.apply import general, small_arrays
from onebuf.ops.quiet import quiet_context, quietly
from onebuf.options import options

Kind = tuple[tuple[int, ...], DT]
"""The shape and dtype of a result."""

_REFUSALS = (
    (IndexError, IndexRangeError),
    (ValueError, ArgumentError),
    (TypeError, ArgumentTypeError),
)


class LibraryCall(NamedTuple):
    """A function on arrays, with the arguments that are not arrays."""

    function: Callable[..., Any]
    static: tuple[Any, ...] = ()
    name: str = ""

    def __call__(self, *arrays: Any) -> Any:
        """The result, as a new array."""
        return _called(self.function, self.static, self.name, arrays)


def _called(
    function: Callable[..., Any], static: tuple[Any, ...], name: str, arrays: tuple[Any, ...]
) -> Any:
    """What ``function`` finds; what the library refuses is an error that names the call."""
    try:
        return function(*arrays, *static)
    except OnebufError:
        raise
    except (IndexError, ValueError, TypeError) as error:
        refused = next(ours for theirs, ours in _REFUSALS if isinstance(error, theirs))
        raise refused(f"{name} cannot handle these values: {error}") from error


class Shared:
    """A call with several results, of which the first one asked for computes all."""

    __slots__ = ("_found", "call")

    def __init__(self, call: LibraryCall) -> None:
        self.call = call
        self._found: dict[int, Array] = {}

    @property
    def name(self) -> str:
        """What callers know the call by."""
        return self.call.name

    def take(self, part: int, arrays: tuple[Array, ...]) -> Array:
        """Result number ``part``, which is not kept: each is taken once."""
        if part not in self._found:
            self._found = dict(enumerate(self.call(*arrays)))
        return self._found.pop(part)


class Part(NamedTuple):
    """One of the results of a shared call."""

    shared: Shared
    number: int

    def __call__(self, *arrays: Any) -> Any:
        """The result, as a new array."""
        return self.shared.take(self.number, arrays)


def several(
    function: Callable[..., Any],
    nodes: tuple[Node, ...],
    static: tuple[Any, ...],
    kinds: Sequence[Kind],
    name: str,
) -> tuple[Node, ...]:
    """The results of ``function``, known as ``name``: an array for each of ``kinds``."""
    call = LibraryCall(function, static, name)
    arrays = small_arrays(nodes)
    if arrays is not None:
        return tuple([adopted(np.asarray(found)) for found in quietly(call.__call__, *arrays)])
    shared = Shared(call)
    parts = enumerate(kinds)
    return tuple([general(LIBRARY, nodes, Part(shared, i), *kind) for i, kind in parts])


def sibling(node: Node, number: int, shape: tuple[int, ...], dtype: DT) -> Node:
    """Another result of the call that the pending ``node`` is a part of; the call still runs once.

    ``number`` says which result, and ``shape`` and ``dtype`` what it is like.
    """
    if node.arg.number == number:
        return node
    return general(LIBRARY, node.srcs, Part(node.arg.shared, number), shape, dtype)


def library(
    function: Callable[..., Any],
    nodes: tuple[Node, ...],
    static: tuple[Any, ...],
    shape: tuple[int, ...],
    dtype: DT,
    name: str = "",
    device: Device = CPU,
) -> Node:
    """``function`` of the arrays of ``nodes``, followed by ``static`` arguments.

    ``name`` is what callers know it by, if that is not its own. Without operands it is computed on
    the host, for ``device``.
    """
    name = name or getattr(function, "__name__", "the call")
    if prod(shape) <= options().quick_numel and device is CPU and not listeners():
        arrays = small_arrays(nodes)
        if arrays is not None:
            found = quiet_context().run(_called, function, static, name, arrays)
            return _kept(found, arrays, shape, dtype) if nodes else pooled(np.asarray(found, dtype))
    call = LibraryCall(function, static, name)
    return general(LIBRARY, nodes, call, shape, dtype, device=device)


def _kept(found: Any, arrays: tuple[Array, ...], shape: tuple[int, ...], dtype: DT) -> Node:
    """The result of a call, in the memory that the library took for it if that is new."""
    if not shape and found.__class__ is dtype.type:
        return Number.of(found, dtype)
    if found.__class__ is not np.ndarray or found.dtype is not dtype or found.shape != shape:
        result = place(shape, dtype, prod(shape))
        quietly(_fill, result.array, found)
        return result
    for array in arrays:
        if found is array:
            found = found.copy()
    return adopted(found)


def _fill(out: Array, found: Any) -> None:
    np.copyto(out, found, casting="unsafe")
