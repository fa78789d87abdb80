"""Proof by structure: the symmetry that an expression certainly has, whatever its operands hold.

``x + x.T``, ``x @ x.T`` and the outer product of a vector with itself are symmetric because the
expression with its axes exchanged is the same expression again. Both are written down in a form in
which operands that may change places are sorted, and the forms are compared. Expressions that are
too large, or that hold other operations, prove nothing.
"""

from __future__ import annotations

from collections.abc import Hashable
from itertools import combinations

from onebuf.graph import BINARY, CAST, COPY, MATMUL, VIEW, Kind, Node, Op, settle
from onebuf.layout import View
from onebuf.memory import address_of
from onebuf.ops.movement import view_of
from onebuf.ops.structured.nodes import structured
from onebuf.symmetry import Group, Operation, Permutation, Symmetric

MOST_NODES = 64
"""A larger expression is not looked at."""
_COMMUTE = frozenset(
    BINARY[name]
    for name in (
        *("add", "multiply", "maximum", "minimum", "logical_and", "logical_or", "logical_xor"),
        *("bitwise_and", "bitwise_or", "bitwise_xor", "equal", "not_equal", "hypot", "logaddexp"),
    )
)
"""Operations whose operands may change places."""


class _Unknown(Exception):
    """The expression holds something that proves nothing."""


def is_carried(node: Node, operation: Operation) -> bool:
    """Whether ``node`` certainly has a symmetry."""
    part = structured(node)
    if part is not None and not part.is_turned and operation in part.layout.group:
        return True
    if operation.sign < 0 or operation.conjugate:
        return False
    rank = len(node.shape)
    axes = tuple([operation.permutation.image(axis) for axis in range(rank)])
    try:
        return _form(node, tuple(range(rank)), [0]) == _form(node, axes, [0])
    except _Unknown:
        return False


def proven_symmetry(node: Node) -> Group | None:
    """The exchanges of two axes that leave ``node`` as it certainly is; None: there are none."""
    rank = len(node.shape)
    found = [
        Permutation(rank, pair)
        for pair in combinations(range(rank), 2)
        if node.shape[pair[0]] == node.shape[pair[1]]
        and is_carried(node, Operation(Permutation(rank, pair)))
    ]
    if len(found) == 1:
        return Symmetric(*found[0].cycles[0])
    return Group(*found) if found else None


def _form(node: Node, axes: tuple[int, ...], count: list[int]) -> Hashable:
    """``node`` with its axes in another order, in a form that is equal for equal expressions."""
    count[0] += 1
    if count[0] > MOST_NODES:
        raise _Unknown
    if settle(node) is not None:
        return _memory(node, axes)
    op = node.op
    if op is VIEW:
        return _view(node, axes, count)
    if op.kind is Kind.CONSTANT:
        return (op, node.arg.tobytes(), node.dtype)
    if op is COPY:
        return _form(node.srcs[0], axes, count)
    if op is MATMUL and all(len(src.shape) == 2 for src in node.srcs):
        factors = node.srcs if axes == (0, 1) else node.srcs[::-1]
        return (op, *[_form(factor, axes, count) for factor in factors])
    if op.kind is Kind.ELEMENTWISE and (node.arg is None or op is CAST):
        return (op, node.dtype, *_operands(op, node, axes, count))
    if axes == tuple(range(len(axes))):
        return id(node)
    raise _Unknown


def _operands(op: Op, node: Node, axes: tuple[int, ...], count: list[int]) -> list[Hashable]:
    forms = [_form(src, _of_operand(src, axes), count) for src in node.srcs]
    return sorted(forms, key=hash) if op in _COMMUTE else forms


def _of_operand(src: Node, axes: tuple[int, ...]) -> tuple[int, ...]:
    """The order of an operand's own axes; those that it lacks must be the first ones."""
    missing = len(axes) - len(src.shape)
    if not missing or src.numel == 1:
        return axes[: len(src.shape)] if src.numel == 1 else axes
    if axes[:missing] != tuple(range(missing)):
        raise _Unknown
    return tuple([axis - missing for axis in axes[missing:]])


def _memory(node: Node, axes: tuple[int, ...]) -> Hashable:
    array = settle(node)
    assert array is not None
    if array.size == 1:
        return (array.tobytes(), node.dtype)
    order = [(array.shape[axis], array.strides[axis]) for axis in axes]
    return (address_of(array), node.dtype, *order)


def _view(node: Node, axes: tuple[int, ...], count: list[int]) -> Hashable:
    """A view of pending elements: of a transposed operand, the operand with its axes exchanged."""
    view = node.arg
    if view.__class__ is not View:
        part = structured(node)
        if part is None:
            raise _Unknown
        mine = tuple([part.axes[axis] for axis in axes])
        permutation = Permutation(mine)
        if Operation(permutation) in part.layout.group:
            mine = tuple(range(len(mine)))
        return (id(part.storage), part.layout, mine)
    whole = view_of(node)
    if whole.mask is not None:
        raise _Unknown
    base = node.srcs[0]
    stride = View.contiguous(base.shape).stride
    pairs = [(whole.shape[axis], whole.stride[axis]) for axis in axes]
    if not whole.offset and sorted(pairs) == sorted(zip(base.shape, stride, strict=True)):
        places = list(zip(base.shape, stride, strict=True))
        return _form(base, tuple([places.index(pair) for pair in pairs]), count)
    return (id(base), whole.offset, *pairs)
