"""einsum: Einstein's notation on buffers. Loaded when it is first named."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from onebuf import dtypes
from onebuf.buffer.buffer import Buffer
from onebuf.buffer.exchange.construction import as_node
from onebuf.buffer.handle import Handle
from onebuf.buffer.numpy.order import memory_order
from onebuf.engine import assign
from onebuf.errors import ArgumentError, ArgumentTypeError, DTypeError, ShapeError
from onebuf.graph import UNARY, Node
from onebuf.ops import cast, unary
from onebuf.ops.einstein.einsum import einsum as sum_nodes
from onebuf.ops.einstein.subscripts import parse_lists, parse_text

CASTINGS = ("no", "equiv", "safe", "same_kind", "unsafe")
"""NumPy's rules for which conversions are allowed, the strictest first."""


def einsum(
    *operands: Any,
    optimize: Any = True,
    dtype: Any = None,
    out: Any = None,
    order: str = "K",
    casting: str = "safe",
) -> Any:
    """The sum of products that ``subscripts`` describes, as lazy as its operands.

    ``einsum(subscripts, *operands)``, or ``einsum(x, [0, 1], y, [1, 2], [0, 2])`` with whole
    numbers in place of letters. An index that the result does not have is summed over; without
    ``->``, the result has those that occur once, in the order of the alphabet. ``...`` stands for
    axes that are not named, and broadcasts.

    Parameters
    ----------
    *operands
        Subscripts such as ``"ij,jk->ik"``, and one buffer, array, list or number for each operand
        in them.
    optimize
        In which order to take more than two operands together: True for what opt_einsum thinks
        best, the name of one of its strategies, a path, or False for the order given.
    dtype
        The type to compute in; by default the one that the operands promote to.
    out
        A buffer that the result is written to.
    order
        "F" for a result in column-major order, "C" for row-major; "A" and "K" leave it open.
    casting
        Which conversions to ``dtype`` and to ``out`` are allowed, in NumPy's words.

    Returns
    -------
    Buffer
        A view where one operand is only moved or cut along diagonals, else a new value.

    >>> import onebuf
    >>> x = onebuf.Buffer([[1, 2], [3, 4]])
    >>> einsum("ij,jk->ik", x, x)
    Buffer([[ 7, 10],
            [15, 22]], shape=(2, 2), dtype=int32, device=CPU)
    >>> einsum("ii", x).item(), einsum(x, [0, 1], [1]).to_python()
    (5, [4, 6])
    """
    if not operands:
        raise ArgumentError("einsum needs subscripts and operands, got nothing")
    order = memory_order("einsum", order, "K")
    if casting not in CASTINGS:
        raise ArgumentError(
            f"casting must be one of {', '.join(map(repr, CASTINGS))}: einsum got {casting!r}"
        )
    first, *rest = operands
    if isinstance(first, str):
        nodes = _nodes(rest, dtype, casting)
        summation = parse_text(first, [len(node.shape) for node in nodes])
    else:
        pairs, output = _split(operands)
        nodes = _nodes([value for value, _ in pairs], dtype, casting)
        terms = [term for _, term in pairs]
        summation = parse_lists(terms, output, [len(node.shape) for node in nodes])
    node = sum_nodes(summation, nodes, optimize)
    if out is not None:
        return _written(out, node, casting)
    result = _wrapped(operands, nodes, node)
    if order == "F":
        return result.T.contiguous().T
    return result.contiguous() if order == "C" else result


def _split(operands: tuple[Any, ...]) -> tuple[list[tuple[Any, Any]], Any]:
    """(operand, labels) pairs, and the labels of the result if there are any."""
    paired = len(operands) // 2 * 2
    output = operands[-1] if len(operands) % 2 else None
    return list(zip(operands[0:paired:2], operands[1:paired:2], strict=True)), output


def _nodes(values: Sequence[Any], dtype: Any, casting: str) -> list[Node]:
    if not values:
        raise ArgumentError("einsum needs at least one operand, got none")
    nodes = [as_node(value, None, None, {}, None) for value in values]
    if dtype is None:
        return nodes
    wanted = dtypes.as_dtype(dtype)
    return [_cast(node, wanted, casting, "an operand") for node in nodes]


def _cast(node: Node, dtype: np.dtype[Any], casting: str, what: str) -> Node:
    if not np.can_cast(node.dtype, dtype, casting):  # type: ignore[arg-type]
        raise DTypeError(
            f"einsum cannot cast {what} from {node.dtype.name} to {dtype.name} according to the "
            f"rule {casting!r}; choose another dtype, or casting='unsafe'"
        )
    if casting == "unsafe" and dtypes.kind(node.dtype) == "c" and dtypes.kind(dtype) not in "cb":
        node = unary(UNARY["real"], node)
    return cast(node, dtype)


def _written(out: Any, node: Node, casting: str) -> Any:
    """``out``, with the elements of ``node``."""
    if not isinstance(out, Handle):
        raise ArgumentTypeError(f"einsum needs a buffer as out, got {type(out).__name__}")
    if out._node.shape != node.shape:
        raise ShapeError(
            f"einsum needs an out of shape {node.shape}, got {out._node.shape}; leave out out="
        )
    assign(out._node, _cast(node, out._node.dtype, casting, "the result"))
    return out


def _wrapped(operands: Sequence[Any], nodes: Sequence[Node], node: Node) -> Any:
    """A buffer of ``node``, of the kind of the first buffer among the operands."""
    buffers = [value for value in operands if isinstance(value, Handle)]
    if not buffers:
        return Buffer._value(node)
    return buffers[0]._view(node) if len(nodes) == 1 else buffers[0]._value(node)
