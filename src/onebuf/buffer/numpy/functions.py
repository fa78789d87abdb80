"""``__array_function__``: NumPy's functions with an implementation of ours.

``np.concatenate([x, y])`` of pending buffers is a pending buffer. A function that is not here, and
a call with a parameter that is not in the signatures below, goes to NumPy (see `calls`). So the
table need not be complete; what it has must mean exactly the same.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Sequence
from inspect import CO_VARARGS
from types import ModuleType
from typing import Any

import numpy as np

from onebuf import ops
from onebuf.buffer.handle import Handle
from onebuf.buffer.operators import operand
from onebuf.dtypes import as_dtype, kind
from onebuf.graph import BINARY, Node
from onebuf.layout import broadcast_shapes, normalize_axes, normalize_axis

Answer = Callable[..., Any]
FUNCTIONS: dict[Any, tuple[Answer, int, frozenset[str]]] = {}
"""By function of NumPy: ours, the most positional arguments that it takes, and all their names."""


def answer(cls: type[Handle], function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Our answer to a call of NumPy's ``function``; NotImplemented where NumPy has to give it."""
    found = FUNCTIONS.get(function)
    if found is None:
        name = function.__name__
        is_ours = name in OF_THE_NAMESPACE and getattr(np, name, None) is function
        return _by_namespace(name, args, kwargs) if is_ours else NotImplemented
    ours, most, names = found
    if len(args) > most or not kwargs.keys() <= names:
        return NotImplemented
    return ours(cls, *args, **kwargs)


OF_THE_NAMESPACE = frozenset(
    {
        *("append", "argsort", "array_split", "average", "column_stack", "compress", "cov"),
        *("cumprod", "cumsum", "diff", "dot", "dstack", "flatnonzero", "gradient", "hsplit"),
        *("hstack", "inner", "isclose", "kron", "nan_to_num", "nansum", "outer", "ptp", "repeat"),
        *("roll", "rot90", "round", "select", "sort", "split", "take", "tile", "trace"),
        *("trapezoid", "vdot", "vsplit", "vstack"),
    }
)
"""Functions of NumPy that the namespace has under the same name, lazily and with its arguments."""


def namespace() -> ModuleType:
    """The root, which is above all of this, and imported whenever there is a buffer."""
    return sys.modules["onebuf"]


def _by_namespace(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    ours = getattr(namespace(), name)
    try:
        inspect.signature(ours).bind(*args, **kwargs)
    except TypeError:
        return NotImplemented  # NumPy knows the argument, or says what is wrong
    return ours(*args, **kwargs)


def answers(function: Any) -> Callable[[Answer], Answer]:
    """Enter what follows as the answer to ``function``."""

    def enter(ours: Answer) -> Answer:
        code = ours.__code__
        names = code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]
        most = sys.maxsize if code.co_flags & CO_VARARGS else code.co_argcount - 1
        FUNCTIONS[function] = (ours, most, frozenset(names))
        return ours

    return enter


def nodes_of(parts: Any) -> list[Node] | None:
    """The nodes of several buffers and arrays; None if something else is among them."""
    if not isinstance(parts, list | tuple):
        return None
    nodes = [operand(part) if isinstance(part, Handle | np.ndarray) else None for part in parts]
    return [node for node in nodes if node is not None] if None not in nodes else None  # type: ignore[misc]


# -- facts -----------------------------------------------------------------------------------------


@answers(np.shape)
def _shape(cls: type[Handle], a: Any) -> tuple[int, ...]:
    return a.shape  # type: ignore[no-any-return]


@answers(np.ndim)
def _ndim(cls: type[Handle], a: Any) -> int:
    return a.ndim  # type: ignore[no-any-return]


@answers(np.size)
def _size(cls: type[Handle], a: Any) -> int:
    return a.size  # type: ignore[no-any-return]


@answers(np.result_type)
def _result_type(cls: type[Handle], *arrays_and_dtypes: Any) -> np.dtype[Any]:
    return np.result_type(
        *[x._node.dtype if isinstance(x, Handle) else x for x in arrays_and_dtypes]
    )


@answers(np.iscomplexobj)
def _iscomplexobj(cls: type[Handle], x: Any) -> bool:
    return kind(x.dtype) == "c"


# -- movement --------------------------------------------------------------------------------------


@answers(np.reshape)
def _reshape(cls: type[Handle], a: Any, shape: Any) -> Any:
    return a.reshape(shape)


@answers(np.ravel)
def _ravel(cls: type[Handle], a: Any) -> Any:
    return a.ravel()


@answers(np.transpose)
@answers(np.permute_dims)
def _transpose(cls: type[Handle], a: Any, axes: Any = None) -> Any:
    return a.transpose(axes)


@answers(np.swapaxes)
def _swapaxes(cls: type[Handle], a: Any, axis1: int, axis2: int) -> Any:
    axes = list(range(a.ndim))
    one, two = (normalize_axis(axis, a.ndim, "swapaxes") for axis in (axis1, axis2))
    axes[one], axes[two] = two, one
    return a.permute(axes)


@answers(np.moveaxis)
def _moveaxis(cls: type[Handle], a: Any, source: Any, destination: Any) -> Any:
    origins = normalize_axes(_axes(source), a.ndim, "moveaxis")
    targets = normalize_axes(_axes(destination), a.ndim, "moveaxis")
    if len(origins) != len(targets):
        return NotImplemented  # NumPy says what is wrong
    order = [axis for axis in range(a.ndim) if axis not in origins]
    for target, origin in sorted(zip(targets, origins, strict=True)):
        order.insert(target, origin)
    return a.permute(order)


def _axes(axes: Any) -> tuple[int, ...]:
    return tuple(axes) if isinstance(axes, Sequence) else (axes,)


@answers(np.expand_dims)
def _expand_dims(cls: type[Handle], a: Any, axis: Any) -> Any:
    return a.expand_dims(axis)


@answers(np.squeeze)
def _squeeze(cls: type[Handle], a: Any, axis: Any = None) -> Any:
    return a.squeeze(axis)


@answers(np.flip)
def _flip(cls: type[Handle], m: Any, axis: Any = None) -> Any:
    return m.flip(axis)


@answers(np.diagonal)
def _diagonal(cls: type[Handle], a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    return a.diagonal(offset, axis1, axis2)


@answers(np.broadcast_to)
def _broadcast_to(cls: type[Handle], array: Any, shape: Any) -> Any:
    return array.expand(ops.as_shape(shape))


@answers(np.broadcast_arrays)
def _broadcast_arrays(cls: type[Handle], *args: Any) -> Any:
    if not all(isinstance(x, Handle | np.ndarray) for x in args):
        return NotImplemented
    shape = broadcast_shapes((), *[x.shape for x in args])
    buffers = [x if isinstance(x, Handle) else cls(x) for x in args]  # type: ignore[call-arg]
    return tuple([x if x.shape == shape else x.expand(shape) for x in buffers])  # type: ignore[attr-defined]


@answers(np.lib.stride_tricks.sliding_window_view)
def _sliding_window_view(cls: type[Handle], x: Any, window_shape: Any, axis: Any = None) -> Any:
    sizes = ops.as_shape(window_shape)
    axes = normalize_axes(axis, x.ndim, "sliding_window_view")
    if len(sizes) != len(axes):
        return NotImplemented  # NumPy says what is wrong
    for size, one in zip(sizes, axes, strict=True):
        x = x.sliding_window(size, one)
    return x


# -- new values ------------------------------------------------------------------------------------


@answers(np.copy)
def _copy(cls: type[Handle], a: Any) -> Any:
    return a.copy()


@answers(np.astype)
def _astype(cls: type[Handle], x: Any, dtype: Any, copy: bool = True) -> Any:
    return x.astype(dtype, copy=copy)


@answers(np.empty_like)
def _empty_like(cls: type[Handle], prototype: Any, dtype: Any = None) -> Any:
    return cls._place(ops.empty(prototype.shape, as_dtype(dtype or prototype.dtype)))


@answers(np.zeros_like)
def _zeros_like(cls: type[Handle], a: Any, dtype: Any = None) -> Any:
    return cls._place(ops.full(a.shape, 0, as_dtype(dtype or a.dtype)))


@answers(np.ones_like)
def _ones_like(cls: type[Handle], a: Any, dtype: Any = None) -> Any:
    return cls._place(ops.full(a.shape, 1, as_dtype(dtype or a.dtype)))


@answers(np.concatenate)
def _concatenate(cls: type[Handle], arrays: Any, axis: int | None = 0) -> Any:
    nodes = nodes_of(arrays)
    return NotImplemented if nodes is None else cls._value(ops.concat(nodes, axis))


@answers(np.stack)
def _stack(cls: type[Handle], arrays: Any, axis: int = 0) -> Any:
    nodes = nodes_of(arrays)
    return NotImplemented if nodes is None else cls._value(ops.stack(nodes, axis))


@answers(np.where)
def _where(cls: type[Handle], condition: Any, x: Any = None, y: Any = None) -> Any:
    nodes = [operand(part) for part in (condition, x, y)]
    known = [node.dtype for node in nodes[1:] if isinstance(node, Node)]
    if not isinstance(nodes[0], Node) or kind(nodes[0].dtype) != "b" or not known or None in nodes:
        return NotImplemented
    one, two = (ops.as_operand(node, known[0], nodes[0].device) for node in nodes[1:])
    return cls._value(ops.ternary_where(nodes[0], one, two))


@answers(np.pad)
def _pad(
    cls: type[Handle], array: Any, pad_width: Any, mode: Any = "constant", constant_values: Any = 0
) -> Any:
    is_one = isinstance(constant_values, (*ops.SCALARS, np.generic))
    if mode != "constant" or not is_one or isinstance(pad_width, dict):
        return NotImplemented
    widths = np.broadcast_to(np.asarray(pad_width), (array.ndim, 2)).tolist()
    return array.pad(widths, constant_values)


def dot(x: Any, y: Any) -> Node | None:
    """The node of NumPy's ``dot`` of two operands, where that is a product or a matrix product."""
    if not isinstance(x, Node) or not isinstance(y, Node):
        return None
    if not x.shape or not y.shape:
        return ops.binary(BINARY["multiply"], x, y)
    is_product = len(y.shape) == 1 or len(x.shape) == 1 or len(x.shape) == 2 == len(y.shape)
    return ops.matmul(x, y) if is_product else None


@answers(np.dot)
def _dot(cls: type[Handle], a: Any, b: Any) -> Any:
    product = dot(operand(a), operand(b))
    return NotImplemented if product is None else cls._value(product)


@answers(np.einsum)
def _einsum(cls: type[Handle], *operands: Any, optimize: Any = True) -> Any:
    return namespace().einsum(*operands, optimize=optimize)


# -- reductions ------------------------------------------------------------------------------------

_ORDERED = ("max", "min")


def _fold(name: str) -> Answer:
    def ours(cls: type[Handle], a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
        if name in _ORDERED and kind(a.dtype) == "c":
            return NotImplemented
        return getattr(a, name)(axis=axis, keepdims=keepdims)

    return ours


def _position(name: str) -> Answer:
    def ours(cls: type[Handle], a: Any, axis: int | None = None, *, keepdims: bool = False) -> Any:
        if kind(a.dtype) == "c":
            return NotImplemented
        return getattr(a, name)(axis=axis, keepdims=keepdims)

    return ours


def _spread(name: str) -> Answer:
    def ours(
        cls: type[Handle], a: Any, axis: Any = None, *, ddof: float = 0, keepdims: bool = False
    ) -> Any:
        if kind(a.dtype) == "c":
            return NotImplemented
        return getattr(a, name)(axis=axis, correction=ddof, keepdims=keepdims)

    return ours


for _name in ("sum", "prod", "mean", "all", "any", "max", "min"):
    answers(getattr(np, _name))(_fold(_name))
answers(np.amax)(_fold("max"))
answers(np.amin)(_fold("min"))
answers(np.argmax)(_position("argmax"))
answers(np.argmin)(_position("argmin"))
answers(np.std)(_spread("std"))
answers(np.var)(_spread("var"))
