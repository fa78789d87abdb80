"""NumPy's ``out``: results written to memory that the caller has, by its rules of casting."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from onebuf.buffer.handle import Handle
from onebuf.errors import ArgumentError, ArgumentTypeError, DTypeError, ShapeError
from onebuf.graph import STORED, Node
from onebuf.late import Late

if TYPE_CHECKING:
    from onebuf import engine
else:
    engine = Late("onebuf.engine")


CASTINGS = ("no", "equiv", "safe", "same_kind", "same_value", "unsafe")


def written(name: str, out: Any, result: Handle, casting: str = "same_kind") -> Any:
    """``out``, a buffer or an array of NumPy's, with the elements of ``result``."""
    if isinstance(out, tuple) and len(out) == 1:
        (out,) = out
    if out is None:
        return result
    if not isinstance(out, Handle | np.ndarray):
        raise ArgumentTypeError(
            f"return arrays must be of ArrayType: {name} needs a buffer or None as out, got "
            f"{type(out).__name__}"
        )
    node: Node = result._node
    target = out if isinstance(out, np.ndarray) else out._node
    shape, dtype = target.shape, target.dtype
    if shape != node.shape:
        raise ShapeError(
            f"output array has wrong shape: {name} needs an out of shape {node.shape}, got a "
            f"non-broadcastable output operand of shape {shape} that it would have to broadcast to"
        )
    check_cast(name, node.dtype, dtype, casting)
    if isinstance(out, np.ndarray):
        np.copyto(out, np.asarray(result), casting="unsafe")
        return out
    if _copied_at_once(target, node):
        return out
    if out._is_number:
        out._unfix()
    engine.assign(out._node, node)
    return out


def check_cast(
    name: str, source: np.dtype[Any], target: np.dtype[Any], casting: str = "same_kind"
) -> None:
    """Raise where NumPy's rule called ``casting`` has no conversion between two types."""
    if casting not in CASTINGS:
        raise ArgumentError(
            f"casting must be one of {', '.join(map(repr, CASTINGS))}: {name} got {casting!r}"
        )
    if source is target:
        return
    if not np.can_cast(source, target, casting):  # type: ignore[arg-type]
        raise DTypeError(
            f"{name} cannot cast from {source.name} to {target.name} according to the rule "
            f"{casting!r} (Cannot cast ufunc {name!r} output from {source!r} to {target!r}); "
            f"convert with astype(...) first"
        )


def _copied_at_once(target: Any, node: Node) -> bool:
    """Whether the elements of a small result were copied: the usual case, without a check more."""
    new, array = node.array, target.array
    if new is None or array is None or new.size > _SMALL or target.readers or not new.ndim:
        return False
    if new.dtype is not array.dtype or not array.flags.writeable or target.op is not STORED:
        return False
    array[...] = new
    return True


_SMALL = 4096
