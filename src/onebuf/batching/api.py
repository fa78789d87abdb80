"""`vmap`: a function of one example, turned into a function of many.

The function is traced once, with a buffer that stands for any one example. The graph of that call
is then built again for all examples at once (`onebuf.batching.transform`). So a function is called
once however many examples there are, and there is no loop over them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from onebuf import ops, pytree
from onebuf.batching.axes import Axis, axes_of
from onebuf.batching.batch_trace import BatchTrace
from onebuf.batching.operand import Operand
from onebuf.batching.transform import batched
from onebuf.buffer import Buffer
from onebuf.errors import ArgumentError, ArgumentTypeError, ShapeError
from onebuf.graph import Foreign, Leaf, Node
from onebuf.layout import normalize_axis
from onebuf.tracing import Rebuild


def vmap(function: Callable[..., Any], in_axes: Any = 0, out_axes: Any = 0) -> Callable[..., Any]:
    """A function that applies ``function`` to every example of a batch, without a loop.

    ``in_axes`` says which axis of each positional argument counts the examples: an integer for all
    of them, or a tuple with an integer or None for each. With None, the argument is the same for
    every example. For an argument that is a tuple, a list or a dict, ``in_axes`` may be one, too.
    Keyword arguments have their examples along axis 0. ``out_axes`` says in the same way where the
    axis of examples goes in results; None is for a result that is the same for every example.

    Writes to arguments are seen inside of ``function`` alone.

    Raises
    ------
    NotBatched
        If ``function`` reads an element that differs by example, as ``if x > 0`` does, or draws
        numbers at random.

    Examples
    --------
    >>> import onebuf
    >>> def distance(x, y):
    ...     return onebuf.sqrt(((x - y) ** 2).sum())
    >>> points = onebuf.asarray([[0.0, 0.0], [3.0, 4.0], [6.0, 8.0]])
    >>> onebuf.vmap(distance, in_axes=(0, None))(points, points[0]).tolist()
    [0.0, 5.0, 10.0]
    >>> rows = onebuf.vmap(distance, in_axes=(None, 0))
    >>> onebuf.vmap(rows, in_axes=(0, None))(points, points).shape
    (3, 3)
    """

    @wraps(function)
    def mapped(*args: Any, **kwargs: Any) -> Any:
        given = list(in_axes) if isinstance(in_axes, tuple | list) else in_axes
        axes = axes_of(given, list(args), "in_axes") + axes_of(0, kwargs, "in_axes")
        leaves, structure = pytree.flatten((list(args), kwargs))
        pairs = [_argument(leaf, axis) for leaf, axis in zip(leaves, axes, strict=True)]
        size = _size([pair for pair in pairs if isinstance(pair, Operand)])
        trace = BatchTrace()
        with trace.recording():
            positional, named = structure.unflatten([trace.argument(pair) for pair in pairs])
            result = function(*positional, **named)
        return _results(trace, result, out_axes, size)

    return mapped


def _argument(leaf: Any, axis: Axis) -> Any:
    """A leaf of the arguments; if it has examples, an operand with their axis in front."""
    if axis is None:
        return leaf
    if isinstance(leaf, np.ndarray | np.generic):
        leaf = Buffer(leaf)
    if not isinstance(leaf, Buffer):
        raise ArgumentTypeError(
            f"vmap needs buffers for arguments with an axis of examples, got {leaf!r}; give it "
            f"None in in_axes to have it the same for every example"
        )
    if not leaf.shape:
        raise ShapeError(
            "vmap needs buffers of at least 1 dimension for arguments with an axis of examples, "
            "got shape (); give it None in in_axes to have it the same for every example"
        )
    node = leaf._node
    place = normalize_axis(axis, len(node.shape), "vmap")
    others = [n for n in range(len(node.shape)) if n != place]
    return Operand(ops.permute(node, (place, *others)) if place else node, True)


def _size(operands: list[Operand]) -> int:
    """How many examples there are."""
    sizes = {operand.node.shape[0] for operand in operands}
    if not sizes:
        raise ArgumentError(
            "vmap needs at least one argument with an axis of examples, got in_axes of None, or "
            "no arguments; call the function itself"
        )
    if len(sizes) > 1:
        listed = ", ".join([str(operand.node.shape[0]) for operand in operands])
        raise ShapeError(
            f"vmap needs as many examples in each argument, got {listed} of them; choose another "
            f"axis with in_axes"
        )
    return sizes.pop()


def _results(trace: BatchTrace, result: Any, out_axes: Any, size: int) -> Any:
    """What the function returned, for all examples."""
    leaves, structure = pytree.flatten(result)
    axes = axes_of(out_axes, result, "out_axes")
    nodes = [_node(leaf, axis) for leaf, axis in zip(leaves, axes, strict=True)]
    values = Rebuild(trace, trace.value_of)
    wanted = [node for node in nodes if node is not None]
    found = iter(batched(wanted, trace.examples(), size, values.of))
    results = [
        leaf if node is None else _placed(next(found), axis, size)
        for leaf, node, axis in zip(leaves, nodes, axes, strict=True)
    ]
    return structure.unflatten(results)


def _node(leaf: Any, axis: Axis) -> Node | None:
    """The node of a result; None for what is no buffer and is to be returned as it is."""
    if isinstance(leaf, Buffer):
        return leaf._node
    if axis is None:
        return None
    if isinstance(leaf, bool | int | float | complex | np.ndarray | np.generic):
        return Buffer(np.asarray(leaf))._node
    raise ArgumentTypeError(
        f"vmap needs a function that returns buffers or numbers, got {leaf!r}; give it None in "
        f"out_axes to have it returned as it is"
    )


def _placed(found: Operand, axis: Axis, size: int) -> Buffer:
    """A result as a buffer of its own, with the examples along ``axis``."""
    if axis is None:
        if found.is_batched:
            raise ArgumentError(
                f"vmap needs results that are the same for every example where out_axes is None, "
                f"got one of shape {found.shape} that differs; give it an axis"
            )
        return Buffer._value(_own(found.node))
    node = _own(found.node if found.is_batched else ops.copied(found.repeated(size)))
    place = normalize_axis(axis, len(node.shape), "vmap")
    order = list(range(1, len(node.shape)))
    order.insert(place, 0)
    return Buffer._value(ops.permute(node, order) if place else node)


def _own(node: Node) -> Node:
    """``node``; of a view of memory that others may have, a copy."""
    is_view = node.__class__ is Leaf or node.__class__ is Foreign
    return ops.copied(node) if is_view else node
