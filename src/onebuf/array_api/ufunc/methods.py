"""The methods of ufuncs: reduce, accumulate, reduceat, outer and at.

Where one of our reductions or scans means the same, the result is a node of the graph; the rest is
NumPy's method on windows, whose results are buffers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from onebuf import dtypes, ops
from onebuf.array_api.arguments import buffer_of, into, node_of
from onebuf.array_api.ufunc.reduction import as_axes, reduced
from onebuf.buffer import Buffer
from onebuf.buffer.native_core import accumulating, delegate
from onebuf.buffer.numpy.calls import on_arrays
from onebuf.dtypes import is_added
from onebuf.errors import ArgumentError
from onebuf.graph import REDUCE, Node, reduce_dtype
from onebuf.late import Late
from onebuf.layout import normalize_axis

if TYPE_CHECKING:
    from onebuf import engine
else:
    engine = Late("onebuf.engine")

_FOLDS: dict[np.ufunc, str] = {
    np.add: "sum",
    np.multiply: "prod",
    np.maximum: "max",
    np.minimum: "min",
    np.logical_and: "all",
    np.logical_or: "any",
}
"""The reduction that is a ufunc between all elements."""
_FACTS = ("nin", "nout", "nargs", "ntypes", "types", "identity", "signature")


def attach(function: Callable[..., Any], theirs: np.ufunc) -> None:
    """Give ``function`` the attributes and methods of ``theirs``."""
    facts: dict[str, Any] = function.__dict__
    for fact in _FACTS:
        facts[fact] = getattr(theirs, fact)
    facts["theirs"] = theirs
    for method in (_reduce, _accumulate, _reduceat, _outer, _at):
        made = method(function, theirs)
        facts[made.__name__] = made


def _reduce(function: Callable[..., Any], theirs: np.ufunc) -> Callable[..., Any]:
    fold = _FOLDS.get(theirs)

    def reduce(
        array: Any,
        axis: Any = 0,
        dtype: Any = None,
        out: Any = None,
        keepdims: bool = False,
        initial: Any = None,
        where: Any = True,
    ) -> Any:
        """The operation between all elements along ``axis``."""
        if fold is not None:
            return reduced(fold, array, axis, dtype, out, keepdims, initial, where)
        named: dict[str, Any] = {"dtype": dtype, "out": out, "keepdims": keepdims, "where": where}
        if initial is not None:
            named["initial"] = initial
        return _delegated(theirs.reduce, buffer_of(theirs.__name__, array), as_axes(axis), **named)

    return reduce


def _accumulate(function: Callable[..., Any], theirs: np.ufunc) -> Callable[..., Any]:
    fold = _FOLDS.get(theirs)

    def accumulate(array: Any, axis: int = 0, dtype: Any = None, out: Any = None) -> Any:
        """The operation between each element and all before it along ``axis``."""
        node = node_of(theirs.__name__, array, "array")
        if not node.shape:
            raise ArgumentError(f"{theirs.__name__}.accumulate needs at least 1 dimension, got 0")
        axis = normalize_axis(axis, len(node.shape), f"{theirs.__name__}.accumulate")
        if fold in ("sum", "prod"):
            wanted = reduce_dtype(REDUCE[fold], node.dtype) if dtype is None else dtype
            result = ops.scan(fold, ops.cast(node, dtypes.as_dtype(wanted)), axis)
        elif fold is not None and dtype is None:
            kept = dtypes.bool if fold in ("all", "any") else node.dtype
            result = _running(theirs, node, axis, kept)
        else:
            return _delegated(
                theirs.accumulate, buffer_of(theirs.__name__, array), axis, dtype=dtype, out=out
            )
        return into(theirs.__name__, out, Buffer._value(result))

    if fold is None:
        return accumulate
    is_wide = fold in ("sum", "prod")
    return accumulating(theirs.__name__, is_wide, needs_axis=False)(accumulate)


def _running(theirs: np.ufunc, node: Node, axis: int, dtype: np.dtype[Any]) -> Node:
    name = f"{theirs.__name__}.accumulate"
    return ops.library(theirs.accumulate, (node,), (axis,), node.shape, dtype, name)


def _reduceat(function: Callable[..., Any], theirs: np.ufunc) -> Callable[..., Any]:
    def reduceat(
        array: Any, indices: Any, axis: int = 0, dtype: Any = None, out: Any = None
    ) -> Any:
        """`reduce` of the slices that start at ``indices``."""
        return _delegated(theirs.reduceat, array, indices, axis, dtype=dtype, out=out)

    return delegate(theirs.reduceat)(reduceat)


def _outer(function: Callable[..., Any], theirs: np.ufunc) -> Callable[..., Any]:
    def outer(A: Any, B: Any, /, **kwargs: Any) -> Any:
        """The operation of every element of one operand with every element of another."""
        one, two = buffer_of(theirs.__name__, A, "A"), buffer_of(theirs.__name__, B, "B")
        return function(one.reshape((*one.shape, *(1,) * two.ndim)), two, **kwargs)

    return outer


def _at(function: Callable[..., Any], theirs: np.ufunc) -> Callable[..., Any]:
    def at(a: Any, indices: Any, b: Any = None, /) -> None:
        """The operation in place at ``indices``, which may name an element more than once."""
        if isinstance(a, Buffer) and isinstance(b, Buffer) and _is_widened(theirs, a, b):
            b = b.astype(a.dtype)  # NumPy converts element by element, thirty times as slowly
        if a.__class__ is indices.__class__ is Buffer:
            nodes = [x._node for x in (a, indices, b) if x.__class__ is Buffer]
            values = nodes[2:] if b is None or b.__class__ is Buffer else [b]
            is_plain = b is None or b.__class__ is Buffer or b.__class__ in ops.SCALARS
            is_plain = is_plain and not any(is_added(node.dtype) for node in nodes)
            if is_plain and engine.write_at(theirs, a._node, indices._node, *values):
                return
        _delegated(theirs.at, a, indices, *(() if b is None else (b,)))

    return at


def _is_widened(theirs: np.ufunc, a: Buffer, b: Buffer) -> bool:
    """Whether ``theirs`` converts ``b`` to the dtype of ``a`` and computes in that."""
    char = a.dtype.char
    if a.dtype is b.dtype or is_added(b.dtype) or f"{char}{char}->{char}" not in theirs.types:
        return False
    return bool(np.result_type(a.dtype, b.dtype) == a.dtype)


def _delegated(method: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """NumPy's method on windows; its result, as a buffer."""
    return on_arrays(Buffer, method, args, kwargs)
