"""Batching rules of library calls, by the names that callers know them by.

Most functions of NumPy take stacks of what they work on: matrices in the last two axes, or an axis
by number. Their calls are made anew with their axes moved by one. All others are pure functions of
arrays as well, and are called for one example after another within one node.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from onebuf import ops
from onebuf.batching.operand import Batch, Operand, not_batched
from onebuf.batching.picks import pick, put, scatter_add, scatter_add_along, scatter_put
from onebuf.dtypes import DT, Array
from onebuf.graph import Node
from onebuf.ops.library import LibraryCall, Part, Shared

CallRule = Callable[[Node, Sequence[Operand], Batch], Node]
"""(the node of one example, its operands, what rules share) -> the node of the batch."""


def library(node: Node, operands: Sequence[Operand], batch: Batch) -> Node:
    """The result of the call for all examples."""
    rule = LIBRARY_RULES.get(call_of(node).name, _each)
    return rule(node, operands, batch)


def call_of(node: Node) -> LibraryCall:
    """The call that ``node`` is the result of, or one of the results."""
    arg: LibraryCall | Part = node.arg
    return arg.shared.call if isinstance(arg, Part) else arg


def _made(
    node: Node,
    call: LibraryCall,
    nodes: tuple[Node, ...],
    batch: Batch,
    shape: tuple[int, ...] | None = None,
) -> Node:
    """The node of a batched call; ``shape`` is that of its result, if other axes are wanted."""
    wanted = (batch.size, *node.shape)
    arg: Any = call
    if isinstance(node.arg, Part):  # the first of the parts makes the call that all of them share
        arg = Part(batch.calls.setdefault(node.arg.shared, Shared(call)), node.arg.number)
    found = ops.general(node.op, nodes, arg, wanted if shape is None else shape, node.dtype)
    return found if shape is None else ops.reshape(found, wanted)


def _native(node: Node, operands: Sequence[Operand], batch: Batch) -> Node:
    """A function of one operand that takes stacks as they are."""
    return _made(node, call_of(node), (operands[0].node,), batch)


def _along(place: int) -> CallRule:
    """A function of one operand whose static argument number ``place`` is an axis, or several."""

    def rule(node: Node, operands: Sequence[Operand], batch: Batch) -> Node:
        call = call_of(node)
        static = list(call.static)
        static[place] = _moved(static[place])
        return _made(node, call._replace(static=tuple(static)), (operands[0].node,), batch)

    return rule


def _by_keyword(node: Node, operands: Sequence[Operand], batch: Batch) -> Node:
    """A routine of linear algebra, one of whose keywords is ``axis``."""
    call = call_of(node)
    function: Any = call.function
    keywords = dict(function.keywords)
    keywords["axis"] = _moved(keywords["axis"])
    moved = call._replace(function=replace(function, keywords=tuple(keywords.items())))
    return _made(node, moved, tuple([one.repeated(batch.size) for one in operands]), batch)


def _extreme(node: Node, operands: Sequence[Operand], batch: Batch) -> Node:
    """An extreme of complex numbers, or its position, along some axes or among all elements."""
    call = call_of(node)
    x = operands[0].node
    axis, out, keepdims = call.static
    if axis is not None:
        return _made(node, call._replace(static=(_moved(axis), out, keepdims)), (x,), batch)
    flat = ops.reshape(x, (batch.size, node.srcs[0].numel))
    return _made(node, call._replace(static=(1, out, False)), (flat,), batch, (batch.size,))


def _solve(node: Node, operands: Sequence[Operand], batch: Batch) -> Node:
    """Linear equations; right-hand sides that are vectors become matrices of one column."""
    matrix, right = operands
    shape = (batch.size, *node.shape)
    if len(right.shape) == 1:
        right = Operand(ops.expand_dims(right.node, len(right.node.shape)), right.is_batched)
        shape = (*shape, 1)
    ndim = max(len(matrix.shape), len(right.shape))
    nodes = (matrix.aligned(ndim), right.aligned(ndim))
    return _made(node, call_of(node), nodes, batch, shape)


def _search(sought: int) -> CallRule:
    """A search for each element of operand number ``sought`` in the others."""

    def rule(node: Node, operands: Sequence[Operand], batch: Batch) -> Node:
        if any(one.is_batched for place, one in enumerate(operands) if place != sought):
            return _each(node, operands, batch)
        return _made(node, call_of(node), tuple([one.node for one in operands]), batch)

    return rule


def _each(node: Node, operands: Sequence[Operand], batch: Batch) -> Node:
    """A function that is called for one example after another."""
    call = call_of(node)
    if isinstance(node.arg, Part):
        raise not_batched(node, call.name)
    which = tuple([operand.is_batched for operand in operands])
    # Another name, because rules that know the call by its name expect the axes of one example.
    name = f"{call.name} of each example"
    function = ForEach(call.function, which, node.shape, node.dtype)
    nodes = tuple([operand.node for operand in operands])
    return _made(node, call._replace(function=function, name=name), nodes, batch)


@dataclass(frozen=True, slots=True)
class ForEach:
    """A function of arrays applied to each example; ``is_batched`` says which arrays have them.

    ``shape`` and ``dtype`` are those of the result of one example.

    >>> ForEach(np.dot, (True, False), (), np.dtype("float64"))(np.eye(2), np.array([3.0, 4.0]))
    array([3., 4.])
    """

    function: Callable[..., Any]
    is_batched: tuple[bool, ...]
    shape: tuple[int, ...]
    dtype: DT

    def __call__(self, *given: Any) -> Array:
        """The results of all examples; static arguments follow the arrays."""
        count = len(self.is_batched)
        arrays, static = given[:count], given[count:]
        pairs = list(zip(arrays, self.is_batched, strict=True))
        size = next(len(array) for array, is_batched in pairs if is_batched)
        results = np.empty((size, *self.shape), self.dtype)
        for i in range(size):
            one = [array[i, ...] if is_batched else array for array, is_batched in pairs]
            results[i] = self.function(*one, *static)
        return results


def _moved(axis: Any) -> Any:
    """An axis of an example, or several of them, counted with the batch axis in front."""
    return axis + 1 if isinstance(axis, int) else tuple([one + 1 for one in axis])


_STACKS = (
    *("cholesky", "det", "eig", "eigh", "eigvals", "eigvalsh", "inv", "matrix_norm"),
    *("matrix_power", "mean", "pinv", "qr", "round", "slogdet", "svd", "svdvals"),
)
_RUNNING = ("logical_and", "logical_or", "maximum", "minimum")

LIBRARY_RULES: dict[str, CallRule] = {
    **dict.fromkeys(_STACKS, _native),
    **dict.fromkeys(("argsort", "fftshift", "ifftshift", "sort"), _along(0)),
    **{f"{name}.accumulate": _along(0) for name in _RUNNING},
    **dict.fromkeys(("fft", "hfft", "ifft", "ihfft", "irfft", "rfft"), _along(1)),
    **dict.fromkeys(("fftn", "ifftn", "irfftn", "rfftn"), _along(1)),
    **dict.fromkeys(("cross", "vector_norm"), _by_keyword),
    **dict.fromkeys(("argmax", "argmin", "max", "min"), _extreme),
    "isin": _search(0),
    "pick": pick,
    "put": put,
    "scatter_add": scatter_add,
    "scatter_add_along": scatter_add_along,
    "scatter_put": scatter_put,
    "searchsorted": _search(1),
    "solve": _solve,
}
"""The rule of each library call that takes a whole batch at once."""
