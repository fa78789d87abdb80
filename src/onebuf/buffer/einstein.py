"""einsum: Einstein's notation on buffers. Loaded when it is first named."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from onebuf import dtypes
from onebuf.buffer.handle import Handle
from onebuf.buffer.operators import node_of
from onebuf.errors import ArgumentTypeError
from onebuf.graph import Node
from onebuf.ops import cast
from onebuf.ops.einsum import einsum as sum_nodes
from onebuf.ops.subscripts import parse_lists, parse_text


def einsum(*operands: Any, optimize: Any = True, dtype: Any = None) -> Any:
    """The sum of products that ``subscripts`` describes, as lazy as its operands.

    ``einsum(subscripts, *operands)``, or ``einsum(x, [0, 1], y, [1, 2], [0, 2])`` with whole
    numbers in place of letters. An index that the result does not have is summed over; without
    ``->``, the result has those that occur once, in the order of the alphabet. ``...`` stands for
    axes that are not named, and broadcasts.

    Parameters
    ----------
    *operands
        Subscripts such as ``"ij,jk->ik"``, and one buffer for each operand in them.
    optimize
        In which order to take more than two operands together: True for what opt_einsum thinks
        best, the name of one of its strategies, a path, or False for the order given.
    dtype
        The type to compute in; by default the one that the operands promote to.

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
        raise ArgumentTypeError("einsum needs subscripts and operands, got nothing")
    first, *rest = operands
    if isinstance(first, str):
        values: Sequence[Any] = rest
        nodes = _nodes(values, dtype)
        summation = parse_text(first, [len(node.shape) for node in nodes])
    else:
        pairs, output = _split(operands)
        values = [value for value, _ in pairs]
        nodes = _nodes(values, dtype)
        terms = [term for _, term in pairs]
        summation = parse_lists(terms, output, [len(node.shape) for node in nodes])
    return _wrapped(values, sum_nodes(summation, nodes, optimize))


def _split(operands: tuple[Any, ...]) -> tuple[list[tuple[Any, Any]], Any]:
    """(operand, labels) pairs, and the labels of the result if there are any."""
    paired = len(operands) // 2 * 2
    output = operands[-1] if len(operands) % 2 else None
    return list(zip(operands[0:paired:2], operands[1:paired:2], strict=True)), output


def _nodes(values: Sequence[Any], dtype: Any) -> list[Node]:
    if not values:
        raise ArgumentTypeError("einsum needs at least one operand, got none")
    nodes = [node_of("einsum", value) for value in values]
    if dtype is None:
        return nodes
    wanted = dtypes.as_dtype(dtype)
    return [cast(node, wanted) for node in nodes]


def _wrapped(values: Sequence[Any], node: Node) -> Any:
    buffers = [value for value in values if isinstance(value, Handle)]
    if not buffers:
        kinds = ", ".join(type(value).__name__ for value in values)
        raise ArgumentTypeError(
            f"einsum needs a buffer among its operands, got {kinds}; convert with "
            f"onebuf.asarray(...)"
        )
    return buffers[0]._view(node) if len(values) == 1 else buffers[0]._value(node)
