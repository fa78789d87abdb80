"""Writing in place by kernels: new elements are computed straight into memory that exists.

What is written is an operand of a WRITE, which is planned and compiled like every other node. So a
whole expression and the write at its end go over memory once, on all cores. Where a kernel would
read something that it has written before, the plan computes the new elements in memory of their
own first.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.array_utils import byte_bounds

from onebuf.dtypes import Array
from onebuf.engine.run.pending_readers import is_mapped_twice
from onebuf.engine.run.realize import write_compiled
from onebuf.graph import WRITE, Node, Op
from onebuf.graph.promise import await_futures
from onebuf.layout import View
from onebuf.memory import ALIGNMENT, address_of
from onebuf.ops import binary, cast, copied, expand, reshape, unary
from onebuf.options import options
from onebuf.scheduler.fuse.concat import WriteTarget


def is_worth(array: Array) -> bool:
    """Whether a kernel may write to the elements of ``array`` sooner than NumPy's loops."""
    now = options()
    return array.nbytes > now.eager_nbytes and now.tier != "interpret" and array.flags.aligned


def fitted(value: Node, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Node:
    """``value``, which is known to fit, as elements of this shape and dtype."""
    while len(value.shape) > len(shape):
        value = reshape(value, value.shape[1:])
    return expand(cast(value, dtype), shape)


def write_op(
    op: Op, target: Node, array: Array, operands: tuple[Any, ...], seconds: float | None
) -> bool:
    """Write ``op`` of ``operands`` to ``target``, as `write` does."""
    at_home = [target if is_same_place(x, array) else x for x in operands]
    # No name may hold the result: what is held is stored, besides being written.
    compute: Any = unary if len(at_home) == 1 else binary
    return write(target, array, fitted(compute(op, *at_home), target.shape, target.dtype), seconds)


def is_same_place(x: Any, array: Array) -> bool:
    """Whether ``x`` is a node whose elements are those of ``array``, each at the same index."""
    if not isinstance(x, Node):
        return False
    other = x.array
    return other is array or (
        other is not None
        and other.dtype is array.dtype
        and other.shape == array.shape
        and other.strides == array.strides
        and address_of(other) == address_of(array)
    )


def write(target: Node, array: Array, new: Node, seconds: float | None = None) -> bool:
    """Write ``new`` to ``target``, whose elements are ``array``; False if that is not compiled.

    Pending readers of the old elements have to be settled before. Nothing was written if it fails.
    ``seconds`` is what it takes without a kernel, if that is known.
    """
    await_futures([new])  # whose elements may overlap these
    is_apart = _is_apart(new, target, array)
    if not is_apart and new.base.array is not None:
        new = copied(new)
    size = array.itemsize
    stride = tuple([step // size for step in array.strides])
    view = View(array.shape, stride, address_of(array) % ALIGNMENT // size)
    place = WriteTarget(view, is_apart, target)
    node = Node(WRITE, (new,), place, array.shape, array.dtype, new.made_at)
    return write_compiled(node, seconds)


def _is_apart(new: Node, target: Node, array: Array) -> bool:
    """Whether nothing in memory that ``new`` is computed from overlaps ``array``, but itself."""
    if is_mapped_twice(target):
        return False
    low, high = byte_bounds(array)
    todo, seen = [new], {id(target)}
    while todo:
        node = todo.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if node.array is None:
            todo.extend(node.srcs)
        elif node.array.size:
            first, last = byte_bounds(node.array)
            if first < high and low < last:
                return False
    return True
