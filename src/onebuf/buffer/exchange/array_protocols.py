"""Interchange protocols of a buffer: NumPy's, DLPack, Arrow, the array API standard, pickle."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from onebuf import dtypes
from onebuf.buffer.exchange.export import (
    as_numpy,
    check_shared,
    export_memory,
    interface,
    reduce_parts,
    restore_parts,
    window,
)
from onebuf.buffer.handle import Handle
from onebuf.buffer.layout.structure import layout_of
from onebuf.buffer.numpy.calls import on_arrays
from onebuf.buffer.operators import operand
from onebuf.errors import ArgumentError, ArgumentTypeError, OnebufError
from onebuf.graph import BINARY, UNARY, Node, Op
from onebuf.late import Late
from onebuf.layout import View
from onebuf.ops import binary, copied, expanded, matmul, unary

if TYPE_CHECKING:
    from onebuf import engine
    from onebuf.buffer.numpy import functions
    from onebuf.interop import arrow, dlpack
    from onebuf.ops.structured import nodes
else:
    arrow = Late("onebuf.interop.arrow")
    functions = Late("onebuf.buffer.numpy.functions")
    nodes = Late("onebuf.ops.structured.nodes")
    engine = Late("onebuf.engine")
    dlpack = Late("onebuf.interop.dlpack")

_UFUNCS: dict[Any, Op] = {
    getattr(np, op.numpy): op for op in (UNARY | BINARY).values() if op.numpy is not None
}
_PLAIN = np.ndarray.__array_ufunc__

API_VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12")


class ForeignProtocols(Handle):
    """NumPy's protocols, DLPack, Arrow, and pickle: all share memory where they can."""

    __slots__ = ()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return as_numpy(self._node if copy is False else self._shown(), dtype, copy)

    @property
    def __array_interface__(self) -> dict[str, Any]:
        return interface(self, self._shown())

    def __buffer__(self, flags: int) -> memoryview:
        return export_memory(self._shown(), flags)

    def __dlpack__(
        self,
        /,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        check_shared(self._node, copy)
        return dlpack.export(
            window(self._shown()),
            stream=stream,
            max_version=max_version,
            dl_device=dl_device,
            copy=copy,
        )

    def __dlpack_device__(self, /) -> tuple[int, int]:
        return dlpack.DEVICE

    def __array_namespace__(self, /, *, api_version: str | None = None) -> Any:
        if api_version is not None and api_version not in API_VERSIONS:
            raise ArgumentError(
                f"needed one of the versions {', '.join(API_VERSIONS)} of the array API standard, "
                f"got {api_version!r}"
            )
        return functions.namespace()

    def __arrow_array__(self, type: Any = None) -> Any:
        return arrow.to_arrow(window(self._shown()), type)  # only pyarrow calls this: it is there

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if method == "__call__" and not kwargs:
            operands: list[Any] = [operand(x) for x in inputs]
            op = _UFUNCS.get(ufunc)
            if op is not None and None not in operands:
                apply: Any = unary if len(operands) == 1 else binary
                return self._value(apply(op, *operands))
            if ufunc is np.matmul and all(isinstance(node, Node) for node in operands):
                return self._value(matmul(*operands))
        if method == "__call__" and kwargs.keys() == {"out"} and len(kwargs["out"]) == 1:
            (out,) = kwargs["out"]
            if _write_ours(_UFUNCS.get(ufunc), inputs, out):
                return out
        for other in [x for x in inputs if not _is_plain(x)]:
            if other.__array_ufunc__ is None:
                return NotImplemented
            # NumPy may not have asked it yet; if it leaves the answer to us, it knows arrays.
            result = other.__array_ufunc__(ufunc, method, *inputs, **kwargs)
            if result is not NotImplemented:
                return result
        return on_arrays(type(self), getattr(ufunc, method), inputs, kwargs)

    def __array_function__(
        self, function: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        if not all(issubclass(kind, Handle | np.ndarray) for kind in types):
            return NotImplemented
        result = functions.answer(type(self), function, args, kwargs)
        if result is NotImplemented:
            return on_arrays(type(self), function, args, kwargs)
        return result

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        layout = layout_of(self._node)
        if layout is not None:
            return _with_layout, (type(self), self._value(copied(self._node.base)), layout)
        node = self._node if self._node.has_strides else engine.taken(expanded(self._node))
        block, dtype, view = reduce_parts(node)
        facts = (type(self), block, dtype, view.shape, view.stride, view.offset, self._is_number)
        return _restore, facts


def _write_ours(op: Op | None, inputs: tuple[Any, ...], out: Any) -> bool:
    """Compute ``op`` into ``out``, if that is ours to do: with the bits that it has without one.

    What NumPy computes alike, and what it refuses, is left to it.
    """
    operands = [operand(x) for x in inputs]
    if op is None or None in operands or not isinstance(out, Handle | np.ndarray):
        return False
    types = [node.dtype for node in operands if isinstance(node, Node)]
    if op.is_exact and op not in _ODD and all(dtypes.kind(dtype) != "c" for dtype in types):
        return False
    if isinstance(out, Handle) and (
        out._is_number or not engine.is_here(out._node) or out._node.on_demand is not None
    ):
        return False
    apply: Any = unary if len(operands) == 1 else binary
    try:
        node = apply(op, *operands)
    except OnebufError:
        return False
    target = out._node if isinstance(out, Handle) else out
    if node.shape != target.shape or not np.can_cast(node.dtype, target.dtype, "same_kind"):
        return False
    if isinstance(out, Handle):
        engine.assign(out._node, node)
    else:
        np.copyto(out, engine.read(node), casting="same_kind")
    return True


_ODD = frozenset({UNARY["isfinite"], UNARY["signbit"]})
"""What NumPy 2.4 gets wrong where results have gaps between them in memory."""


def _is_plain(x: Any) -> bool:
    """Whether ``x`` leaves it to us what becomes of it in a ufunc."""
    if isinstance(x, Handle | np.ndarray):
        return True
    return getattr(type(x), "__array_ufunc__", _PLAIN) is _PLAIN


def _with_layout(kind: Any, storage: Any, layout: Any) -> Any:
    """A buffer that sees the elements of another through a layout."""
    if storage.shape != (layout.stored,):
        raise ArgumentTypeError(
            f"a pickled buffer needs the {layout.stored} elements that its layout stores, got "
            f"shape {storage.shape}"
        )
    return kind._place(nodes.with_layout(storage._node, layout))


def _restore(
    kind: Any,
    block: Any,
    dtype: str,
    shape: tuple[int, ...],
    stride: tuple[int, ...],
    offset: int,
    is_number: bool = False,
) -> Any:
    view = View(shape, stride, offset)
    node = restore_parts(block, dtypes.as_dtype(dtype), view)
    return kind._value(node) if is_number else kind._place(node)
