"""The protocols by which other libraries take a buffer's memory, or its place in their calls."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from onebuf import dtypes
from onebuf.buffer.exchange import as_numpy, interface, reduce_parts, restore_parts, window
from onebuf.buffer.handle import Handle
from onebuf.buffer.operators import operand
from onebuf.graph import BINARY, UNARY, Node, Op
from onebuf.interop import DEVICE, export
from onebuf.layout import View
from onebuf.ops import binary, unary

_UFUNCS: dict[Any, Op] = {
    getattr(np, name): op
    for name, op in (UNARY | BINARY).items()
    if isinstance(getattr(np, name, None), np.ufunc)
}


class ForeignProtocols(Handle):
    """NumPy's protocols, DLPack, Arrow, and pickle: all share memory where they can."""

    __slots__ = ()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return as_numpy(self._node, dtype, copy)

    @property
    def __array_interface__(self) -> dict[str, Any]:
        return interface(self._node)

    def __buffer__(self, flags: int) -> memoryview:
        return window(self._node).data

    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        return export(
            window(self._node),
            stream=stream,
            max_version=max_version,
            dl_device=dl_device,
            copy=copy,
        )

    def __dlpack_device__(self) -> tuple[int, int]:
        return DEVICE

    def __arrow_array__(self, type: Any = None) -> Any:
        # Only pyarrow calls this, so it is there; nothing else imports it.
        return importlib.import_module("onebuf.interop.arrow").to_arrow(window(self._node), type)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        op = _UFUNCS.get(ufunc)
        if op is not None and method == "__call__" and not kwargs:
            operands: list[Any] = [operand(x) for x in inputs]
            if None not in operands:
                apply: Any = unary if len(operands) == 1 else binary
                return self._value(apply(op, *operands))
        return _on_arrays(type(self), getattr(ufunc, method), inputs, kwargs)

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        block, dtype, view = reduce_parts(self._node)
        return _restore, (type(self), block, dtype, view.shape, view.stride, view.offset)


def _on_arrays(kind: type, function: Any, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Any other call of a ufunc: on windows, with results that are not ``out`` made buffers."""
    outs = kwargs.get("out", ())
    if outs:
        kwargs["out"] = tuple([_array(out) for out in outs])
    for name in ("where", "axis"):
        if name in kwargs:
            kwargs[name] = _array(kwargs[name])
    result = function(*[_array(x) for x in inputs], **kwargs)
    if outs:
        return outs[0] if len(outs) == 1 else outs
    if isinstance(result, tuple):
        return tuple([kind(part) for part in result])
    return None if result is None else kind(result)


def _array(x: Any) -> Any:
    node = getattr(x, "_node", None)
    return window(node) if isinstance(node, Node) else x


def _restore(
    kind: Any,
    block: Any,
    dtype: str,
    shape: tuple[int, ...],
    stride: tuple[int, ...],
    offset: int,
) -> Any:
    view = View(shape, stride, offset)
    return kind._value(restore_parts(block, dtypes.as_dtype(dtype), view))
