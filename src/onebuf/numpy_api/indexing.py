"""Choosing, placing and enumerating elements, under NumPy's names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from onebuf import dtypes, ops
from onebuf.array_api.arguments import buffer_of, into, public
from onebuf.array_api.searching import where as choose_by
from onebuf.array_api.sorting import nonzero
from onebuf.buffer import Buffer
from onebuf.buffer.native_core import delegate
from onebuf.buffer.numpy.calls import on_arrays
from onebuf.errors import ArgumentError, DTypeError
from onebuf.numpy_api.delegation import delegated
from onebuf.ops.numpy import short_calls


@delegate(np.select)
@public
def select(condlist: Sequence[Any], choicelist: Sequence[Any], default: Any = 0) -> Buffer:
    """Each element from the first choice whose condition holds, else ``default``.

    >>> select([Buffer([True, False, False]), Buffer([True, True, False])], [1, 2], 3).to_python()
    [1, 2, 3]
    """
    if len(condlist) != len(choicelist) or not condlist:
        raise ArgumentError(
            f"select: needed as many conditions as choices, at least one of each; got "
            f"{len(condlist)} and {len(choicelist)}"
        )
    conditions = [buffer_of("select", test, "condlist") for test in condlist]
    for test in conditions:
        if test.dtype != dtypes.bool:
            raise DTypeError(f"select needs conditions of bool, got {test.dtype.name}")
    parts = [*choicelist, default]
    known = [x.dtype for x in parts if isinstance(x, Buffer | np.ndarray | np.generic)]
    numbers = [x for x in parts if isinstance(x, int | float | complex)]
    wanted = np.result_type(*known, *numbers) if known else np.result_type(*map(type, numbers))
    result: Any = default
    for test, choice in zip(conditions[::-1], list(choicelist)[::-1], strict=True):
        result = choose_by(test, choice, result)
    return result.astype(wanted, copy=False)  # type: ignore[no-any-return]


@delegate(np.compress)
@public
def compress(condition: Any, a: Any, axis: int | None = None, out: Any = None) -> Buffer:
    """The slices along ``axis`` where ``condition`` holds; of the flat elements if that is None.

    >>> compress([True, False, True], [5, 6, 7]).to_python()
    [5, 7]
    """
    x = buffer_of("compress", a, "a")
    if axis is None:
        x, axis = x.reshape(-1), 0
    mask = buffer_of("compress", condition, "condition")
    if mask.ndim != 1:
        raise ArgumentError(f"compress needs a condition of 1 dimension, got {mask.ndim}")
    axis = axis + x.ndim if axis < 0 else axis
    if mask.shape[0] == x.shape[axis] and mask.dtype == dtypes.bool:
        return into("compress", out, x[(slice(None),) * axis + (mask,)])
    return on_arrays(Buffer, np.compress, (mask, x, axis, out), {})  # type: ignore[no-any-return]


@delegate(short_calls.extract)
@public
def extract(condition: Any, arr: Any) -> Buffer:
    """The flat elements of ``arr`` where ``condition`` holds."""
    test = buffer_of("extract", condition, "condition").reshape(-1)
    mask = test if test.dtype == dtypes.bool else test != 0
    return buffer_of("extract", arr, "arr").reshape(-1)[mask]


@delegate(np.flatnonzero)
@public
def flatnonzero(a: Any) -> Buffer:
    """The flat indices of the elements that are not zero.

    >>> flatnonzero([[0, 3], [4, 0]]).to_python()
    [1, 2]
    """
    return nonzero(buffer_of("flatnonzero", a, "a").reshape(-1))[0]


@delegate(short_calls.argwhere)
@public
def argwhere(a: Any) -> Buffer:
    """The indices of the elements that are not zero, a row for each."""
    x = buffer_of("argwhere", a, "a")
    if not x.ndim:
        return Buffer._value(ops.full((int(bool(x)), 0), 0, dtypes.int64))
    return Buffer._value(ops.stack([part._node for part in nonzero(x)], 1))


@public
def copyto(dst: Any, src: Any, casting: str = "same_kind", where: Any = True) -> None:
    """Write ``src``, broadcast, to ``dst`` where ``where`` holds."""
    on_arrays(Buffer, np.copyto, (dst, src), {"casting": casting, "where": where})


@public
def ix_(*args: Any) -> tuple[Buffer, ...]:
    """Vectors of indices shaped so that together they name a grid.

    >>> [part.shape for part in ix_([0, 1], [2, 3, 4])]
    [(2, 1), (1, 3)]
    """
    return tuple(on_arrays(Buffer, np.ix_, args, {}))


class ndenumerate:
    """Pairs of an index and the element there, in row-major order."""

    def __init__(self, arr: Any) -> None:
        self._pairs = np.ndenumerate(np.asarray(arr))

    def __iter__(self) -> Iterator[tuple[tuple[int, ...], Any]]:
        return self

    def __next__(self) -> tuple[tuple[int, ...], Any]:
        return next(self._pairs)


@public
def fill_diagonal(a: Any, val: Any, wrap: bool = False) -> None:
    """Write ``val`` to the main diagonal of ``a``."""
    on_arrays(Buffer, np.fill_diagonal, (a, val, wrap), {})


choose = delegated(np.choose)
diag_indices = delegated(np.diag_indices)
diag_indices_from = delegated(np.diag_indices_from)
mask_indices = delegated(np.mask_indices)
place = delegated(np.place)
put = delegated(np.put)
put_along_axis = delegated(np.put_along_axis)
putmask = delegated(np.putmask)
ravel_multi_index = delegated(np.ravel_multi_index)
tril_indices = delegated(np.tril_indices)
tril_indices_from = delegated(np.tril_indices_from)
triu_indices = delegated(np.triu_indices)
triu_indices_from = delegated(np.triu_indices_from)
unravel_index = delegated(np.unravel_index, short=short_calls.unravel_index)
ndindex = np.ndindex
