"""The operations that an op graph may contain: one table, looked up by name and by nothing else.

A row says how many operands an operation has, which static arguments, and which function of
`onebuf.ops` it is. That function is also its rule for shapes and dtypes
(`onebuf.op_graph.inference`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import partial
from math import prod
from typing import Any

from onebuf import ops
from onebuf.dtypes import uint32, uint64
from onebuf.errors import ArgumentError, OpGraphError, ShapeError
from onebuf.graph import BINARY, RANDOM_BITS, REDUCE, UNARY, Node
from onebuf.layout import View, normalize_axis
from onebuf.machine import CPU, Device
from onebuf.op_graph.static_arguments import (
    AXES,
    BOOLEAN,
    DTYPE,
    INTEGER,
    INTEGERS,
    KEY,
    MOST_AXES,
    NATURAL,
    PAIRS,
    REAL,
    REQUIRED,
    SCALAR,
    SELECTION,
    SHAPE,
    WORD,
    Argument,
    shorten,
)

MOST_OPERANDS = 1 << 20
"""Of operations that take any number."""
MOST_FACTORS = 256
"""Of Einstein sums: an order for more is not found in reasonable time."""


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """An operation: its name, its operands, its arguments and what it means."""

    name: str
    least: int
    """The fewest operands."""
    most: int
    apply: Callable[..., Node]
    """(*nodes, **arguments); without operands (device, **arguments)."""
    arguments: Mapping[str, Argument] = field(default_factory=dict)
    takes_labels: bool = False
    """Whether operands may meet by the labels of their axes."""
    needs_labels: bool = False
    """Whether they have to."""

    @property
    def operands(self) -> str:
        """How many operands it has, for people."""
        if self.most == MOST_OPERANDS:
            return f"at least {self.least} operand" + ("s" if self.least != 1 else "")
        if self.most != self.least:
            return f"{self.least} to {self.most} operands"
        return f"{self.least} operand" + ("s" if self.least != 1 else "")

    def parse(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """All static arguments in canonical form, defaults filled in."""
        unknown = [name for name in given if name not in self.arguments]
        if unknown:
            has = ", ".join(self.arguments) or "none"
            raise OpGraphError(
                f"{self.name} has no argument {shorten(unknown[0])}; its arguments: {has}"
            )
        found = {}
        for name, argument in self.arguments.items():
            if name in given:
                found[name] = argument.parse(self.name, name, given[name])
            elif argument.default is REQUIRED:
                raise OpGraphError(f"{self.name} needs {argument.needs} as {name}, got none")
            else:
                found[name] = argument.default
        return found

    def check_count(self, count: int, who: str) -> None:
        """Raise unless it has so many operands; ``who`` names the node."""
        if not self.least <= count <= self.most:
            raise OpGraphError(f"{who} needs {self.operands}, got {count}")


def _elementwise(apply: Callable[..., Node], op: Any) -> Callable[..., Node]:
    return partial(apply, op)


def _index(x: Node, key: tuple[Any, ...]) -> Node:
    return ops.index(x, tuple([slice(*one) if isinstance(one, tuple) else one for one in key]))


def _flip(x: Node, axes: tuple[int, ...] | None) -> Node:
    return ops.flip(x, tuple(range(len(x.shape))) if axes is None else axes)


def strided(x: Node, shape: tuple[int, ...], stride: tuple[int, ...], offset: int) -> Node:
    """The elements of ``x``, in row-major order, through a view."""
    view = View(shape, stride, offset)
    low, high = view.span
    if view.numel and not 0 <= low < high <= x.numel:
        raise ShapeError(
            f"strided needs positions among the {x.numel} elements of shape {x.shape}, got "
            f"{low} to {high - 1}"
        )
    flat = ops.reshape(x, (x.numel,))
    if not view.numel:
        return ops.reshape(ops.index(flat, slice(0, 0)), shape)
    inner = ops.view_of(flat)
    unit = inner.stride[0]
    steps = tuple([step * unit for step in stride])
    return ops.seen(flat, View(shape, steps, inner.offset + offset * unit))


def _pad(x: Node, widths: tuple[tuple[int, int], ...], value: Any) -> Node:
    if value.dtype.kind == "c" and x.dtype.kind != "c":
        raise ArgumentError(f"pad needs a real value for {x.dtype.name}, got {value}")
    return ops.pad(x, widths, ops.quietly(x.dtype.type, value))


def _arange(device: Device, start: Any, stop: Any, step: Any, dtype: Any) -> Node:
    if step and abs((stop - start) / step) >= 1 << 62:
        raise ArgumentError(f"arange needs fewer than 2**62 elements, got {(stop - start) / step}")
    return ops.arange(start, stop, step, dtype, device)


def _full(device: Device, shape: tuple[int, ...], value: Any, dtype: Any) -> Node:
    return ops.full(shape, value, dtype, device)


def _empty(device: Device, shape: tuple[int, ...], dtype: Any) -> Node:
    return ops.empty(shape, dtype, device)


def _random_bits(device: Device, key: Any, stream: int, first: int, count: int, dtype: Any) -> Node:
    if dtype not in (uint32, uint64):
        raise ArgumentError(f"random_bits needs uint32 or uint64, got {dtype.name}")
    if 2 * (first + count) >= 1 << 63:
        raise ArgumentError(f"random_bits needs words below 2**62, got {first + count}")
    arg = (key, stream, first)
    return ops.general(RANDOM_BITS, (), arg, (count,), dtype, device=device)


def _einsum(*nodes: Node) -> Node:
    raise OpGraphError("einsum needs labels on each operand and on its result")


def _reduction(name: str) -> Row:
    def apply(x: Node, axis: Any, keepdims: bool) -> Node:
        return ops.reduce(REDUCE[name], x, axis, keepdims)

    arguments = {"axis": AXES.with_default(None), "keepdims": BOOLEAN.with_default(False)}
    return Row(name, 1, 1, apply, arguments)


def _scan(name: str) -> Row:
    def apply(x: Node, axis: int) -> Node:
        return ops.scan(name, x, normalize_axis(axis, len(x.shape), f"cumulative_{name}"))

    return Row(f"cumulative_{name}", 1, 1, apply, {"axis": INTEGER})


_AXIS = {"axis": INTEGER.with_default(0)}
_LAST = {"axis": INTEGER.with_default(-1)}
_SPREAD = {
    "axis": AXES.with_default(None),
    "correction": REAL.with_default(0),
    "keepdims": BOOLEAN.with_default(False),
}
_SORT = {"axis": INTEGER.with_default(-1), "descending": BOOLEAN.with_default(False)}
_DIAGONAL = {
    "offset": INTEGER.with_default(0),
    "axis1": INTEGER.with_default(0),
    "axis2": INTEGER.with_default(1),
}

_ROWS = (
    *[Row(n, 1, 1, _elementwise(ops.unary, op), takes_labels=True) for n, op in UNARY.items()],
    *[Row(n, 2, 2, _elementwise(ops.binary, op), takes_labels=True) for n, op in BINARY.items()],
    Row("where", 3, 3, ops.ternary_where, takes_labels=True),
    Row("cast", 1, 1, lambda x, dtype: ops.cast(x, dtype), {"dtype": DTYPE}, takes_labels=True),
    Row("copy", 1, 1, ops.copied, takes_labels=True),
    Row("einsum", 1, MOST_FACTORS, _einsum, takes_labels=True, needs_labels=True),
    Row("matmul", 2, 2, ops.matmul),
    *[_reduction(name) for name in REDUCE],
    Row(
        *("mean", 1, 1, ops.mean),
        {"axis": AXES.with_default(None), "keepdims": BOOLEAN.with_default(False)},
    ),
    Row("var", 1, 1, ops.var, _SPREAD),
    Row("std", 1, 1, ops.std, _SPREAD),
    *[_scan(name) for name in ("prod", "sum")],
    Row("sort", 1, 1, ops.sort, _SORT),
    Row("argsort", 1, 1, ops.argsort, _SORT),
    Row("reshape", 1, 1, ops.reshape, {"shape": INTEGERS}),
    Row("permute", 1, 1, ops.permute, {"axes": INTEGERS}),
    Row("expand", 1, 1, ops.expand, {"shape": INTEGERS}),
    Row("index", 1, 1, _index, {"key": SELECTION}),
    Row("flip", 1, 1, _flip, {"axes": AXES.with_default(None)}),
    Row("squeeze", 1, 1, ops.squeeze, {"axes": AXES.with_default(None)}),
    Row("expand_dims", 1, 1, ops.expand_dims, {"axis": INTEGER}),
    Row("diagonal", 1, 1, ops.diagonal, _DIAGONAL),
    Row(
        *("windows", 1, 1, ops.windows),
        {"size": INTEGER, "axis": INTEGER, "step": INTEGER.with_default(1)},
    ),
    Row("strided", 1, 1, strided, {"shape": SHAPE, "stride": INTEGERS, "offset": NATURAL}),
    Row("pad", 1, 1, _pad, {"widths": PAIRS, "value": SCALAR.with_default(SCALAR.read(0))}),
    Row("concat", 1, MOST_OPERANDS, lambda *x, axis: ops.concat(x, axis), _AXIS),
    Row("stack", 1, MOST_OPERANDS, lambda *x, axis: ops.stack(x, axis), _AXIS),
    Row("take", 2, 2, ops.take, _AXIS),
    Row("take_along_axis", 2, 2, ops.take_along_axis, _LAST),
    Row("arange", 0, 0, _arange, {"start": REAL, "stop": REAL, "step": REAL, "dtype": DTYPE}),
    Row("full", 0, 0, _full, {"shape": SHAPE, "value": SCALAR, "dtype": DTYPE}),
    Row("empty", 0, 0, _empty, {"shape": SHAPE, "dtype": DTYPE}),
    Row(
        *("random_bits", 0, 0, _random_bits),
        {"key": KEY, "stream": WORD, "first": NATURAL, "count": NATURAL, "dtype": DTYPE},
    ),
)
TABLE = {row.name: row for row in _ROWS}
"""Every operation, by name."""
ALIASES = {"contract": "einsum"}


def row_of(name: Any) -> Row:
    """The operation of that name; an error for anything else.

    >>> row_of("add").operands
    '2 operands'
    >>> row_of("__import__")
    Traceback (most recent call last):
    onebuf.errors.OpGraphError: there is no operation '__import__'; ...
    """
    if isinstance(name, str):
        found = TABLE.get(ALIASES.get(name, name))
        if found is not None:
            return found
    close = get_close_matches(name, TABLE, 1, 0.7) if isinstance(name, str) else []
    hint = f"did you mean {close[0]!r}?" if close else "onebuf.op_graph.OPERATIONS names them all"
    raise OpGraphError(f"there is no operation {shorten(name)}; {hint}")


def apply_row(
    row: Row, nodes: tuple[Node, ...], arguments: Mapping[str, Any], device: Device = CPU
) -> Node:
    """What an operation means, on nodes."""
    if nodes:
        return row.apply(*nodes, **arguments)
    return row.apply(device, **arguments)


MOST_ELEMENTS = 1 << 63
"""More elements than an index of 64 bits can count."""


def check_size(shape: tuple[int, ...], who: str) -> None:
    """Raise unless a shape has at most 64 axes and fewer than 2**63 elements; ``who`` has it."""
    if len(shape) > MOST_AXES:
        raise OpGraphError(f"{who} needs at most {MOST_AXES} axes, got {len(shape)}")
    if prod([extent for extent in shape if extent]) >= MOST_ELEMENTS:
        raise OpGraphError(f"{who} needs fewer than 2**63 elements, got shape {shape}")
