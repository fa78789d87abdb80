"""Construction: nodes from buffers, foreign memory, nested lists and single numbers."""

from __future__ import annotations

import itertools
import os
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import numpy as np

from onebuf import dtypes, events
from onebuf.buffer.exchange.nested import parse
from onebuf.buffer.exchange.traced_list import has_traced, stacked
from onebuf.dtypes import DT
from onebuf.errors import CopyError
from onebuf.events import listeners, tell
from onebuf.graph import Foreign, Leaf, Node
from onebuf.late import Late
from onebuf.machine import CPU, Device, Tracer
from onebuf.machine import device as find_device
from onebuf.memory import Block
from onebuf.ops import cast, copied, place, pooled, quietly
from onebuf.options import options
from onebuf.quick import quick_limit

if TYPE_CHECKING:
    from onebuf import engine
    from onebuf.buffer.exchange import sparse_import
    from onebuf.interop import foreign as foreign_memory
    from onebuf.ops.random import distributions
    from onebuf.ops.random.distributions import Draw
else:
    distributions = Late("onebuf.ops.random.distributions")
    sparse_import = Late("onebuf.buffer.exchange.sparse_import")
    engine = Late("onebuf.engine")
    foreign_memory = Late("onebuf.interop.foreign")

_ndarray = np.ndarray
_NUMBERS: dict[type, DT] = {bool: dtypes.bool, int: dtypes.int64, float: dtypes.float64}
_WIDENED = dtypes.float64, dtypes.int64
_FAR = 2**63
_SPARSE = ("scipy.sparse", "sparse.")
"""Modules with classes of sparse arrays."""
_CONTIGUOUS = 0x1 | 0x2
"""NumPy's flags of arrays without gaps, in C's order or Fortran's."""
_USUAL = 0x100 | 0x400
"""Those of arrays that are aligned and writeable."""
_FLAGS = _USUAL | 1 << 31
"""With the one that says that writing to the array is a mistake."""


def as_node(
    data: Any,
    dtype: Any,
    copy: bool | None,
    defaults: dict[DT, DT],
    device: str | Device | None,
) -> Node:
    """A node for ``data``, on its own memory where ``copy`` and ``dtype`` allow.

    ``defaults`` says which types Python's numbers become, in place of NumPy's.
    """
    if data.__class__ is _ndarray and _is_plain(data, dtype, device):
        if not copy:
            return Foreign(data.view())  # the rest is found out below, in more steps
        if data.size <= options().quick_numel and not listeners():
            node = place(data.shape, data.dtype, data.size)
            node.array[...] = data  # type: ignore[index]
            return node
    if data.__class__ in _NUMBERS and copy is not False and _is_for_host(device):
        wanted = _type_of_number(data, dtype, defaults)
        if wanted is not None:
            node = place((), wanted, 1)
            node.array.fill(data)  # type: ignore[union-attr]
            return node
    if data.__class__ is list and copy is not False and device is None and find_device() is CPU:
        return pooled(parse(data, None if dtype is None else dtypes.as_dtype(dtype), defaults))
    wanted = None if dtype is None else dtypes.as_dtype(dtype)
    held = getattr(data, "_node", None)
    if isinstance(held, Node):
        if copy and (wanted is None or wanted is held.dtype) and _is_small(held, device):
            node = place(held.shape, held.dtype, held.numel)
            node.array[...] = held.array  # type: ignore[index]
            return node
        if not held.shape and data._is_number and copy is not False:
            copy = True  # numbers never change, and what is made of them here may
        return _on(_converted(held, wanted, copy), device, copy)
    if has_traced(data):
        node = stacked(data, lambda part: as_node(part, None, None, defaults, None))
        return _on(_converted(node, wanted, None), device, copy)
    return _on(_on_host(data, wanted, copy, defaults), device, copy)


def _is_plain(array: np.ndarray[Any, Any], dtype: Any, device: str | Device | None) -> bool:
    """Whether ``array`` is memory as buffers have it, in the dtype and place that are asked for."""
    flags = array.flags.num
    if flags & _FLAGS != _USUAL or not flags & _CONTIGUOUS or not dtypes.is_own(array.dtype):
        return False
    if dtype is not None and dtype is not array.dtype and dtypes.as_dtype(dtype) != array.dtype:
        return False
    return find_device().is_host if device is None else find_device(device) is CPU


def _is_for_host(device: str | Device | None) -> bool:
    """Whether new elements are to be on the host."""
    return find_device(device) is CPU


def _is_small(node: Node, device: str | Device | None) -> bool:
    """Whether ``node`` is stored on the host, where it is to be copied to, and has few elements."""
    array = node.array
    if array is None or node.device is not CPU or not _is_for_host(device):
        return False
    return array.size <= quick_limit()


def _type_of_number(number: Any, dtype: Any, defaults: dict[DT, DT]) -> DT | None:
    """The type that a number of Python's becomes, where nothing is to be checked; else None."""
    found = _NUMBERS[number.__class__]
    wanted = defaults.get(found, found) if dtype is None else dtypes.as_dtype(dtype)
    if found is dtypes.int64 and not -_FAR < number < _FAR:
        return None
    return wanted if wanted is found or (wanted, found) == _WIDENED else None


def _on(node: Node, device: str | Device | None, copy: bool | None) -> Node:
    """``node``, on ``device`` if there is one."""
    home = find_device(device)
    if home is (node.device or CPU) or (device is None and not isinstance(home, Tracer)):
        return node
    if device is None:  # in a function that is being traced
        return node if isinstance(node.device, Tracer) else engine.moved(node, home)
    if copy is not False:
        return engine.moved(node, find_device(device))
    if not engine.is_here(node) or find_device(device).is_host:
        raise CopyError(
            f"copy=False cannot bring elements from {node.device} to {device}; leave out one of "
            f"them"
        )
    return engine.shared(node, find_device(device))


def _on_host(data: Any, wanted: DT | None, copy: bool | None, defaults: dict[DT, DT]) -> Node:
    if type(data).__module__.startswith(_SPARSE):
        return _converted(sparse_import.sparse_node(data, copy), wanted, copy and None)
    foreign = foreign_memory.view_foreign(data, copy=copy)
    if foreign is None:
        if copy is False:
            raise CopyError(
                f"copy=False needs an object that exports memory, got {type(data).__name__}; "
                f"Python's numbers have to be copied, so leave out copy=False"
            )
        return pooled(parse(data, wanted, defaults))
    array, reason = foreign
    if reason is not None:
        if listeners():
            tell(events.Copied(array.nbytes, reason))
        dtypes.check_real(array.dtype, wanted or array.dtype)
        return _into_pool(array, wanted)
    return _converted(Leaf(array.view(), Block.foreign(array)), wanted, copy)


def _converted(node: Node, wanted: DT | None, copy: bool | None) -> Node:
    if wanted is None or wanted == node.dtype:
        return engine.taken(copied(node)) if copy else node
    if copy is False:
        raise CopyError(
            f"copy=False cannot turn {node.dtype.name} into {wanted.name}; leave out one of them"
        )
    return engine.taken(cast(node, wanted))


def _into_pool(array: np.ndarray[Any, Any], dtype: DT | None) -> Node:
    node = place(array.shape, dtypes.as_dtype(dtype or array.dtype), array.size)
    quietly(_fill, node.array, array)
    return node


def _fill(out: np.ndarray[Any, Any], array: np.ndarray[Any, Any]) -> None:
    np.copyto(out, array, casting="unsafe")


draws_noted: ContextVar[list[tuple[Bits, Draw]] | None] = ContextVar("draws", default=None)
"""Where draws are noted down, and from which supply: for functions that are replayed."""


class Bits:
    """A supply of random bits: a key, and the number of the next stream below it."""

    _state: tuple[tuple[int, int], itertools.count[int]]

    def __init__(self, seed: int | None = None) -> None:
        self.seed(seed)

    def seed(self, seed: int | None = None) -> None:
        """Start again from ``seed``; from the system's own randomness if None."""
        number = int.from_bytes(os.urandom(8), "little") if seed is None else seed
        self.state = (number & 0xFFFFFFFF, (number >> 32) & 0xFFFFFFFF), 1

    @property
    def key(self) -> tuple[int, int]:
        """What the streams are numbered below; a new object whenever the supply starts again."""
        return self._state[0]

    @property
    def state(self) -> tuple[tuple[int, int], int]:
        """The key and the number of the next stream: the supply can be continued from these."""
        key, numbers = self._state
        coming = next(numbers)
        self._state = key, itertools.count(coming)
        return key, coming

    @state.setter
    def state(self, state: tuple[tuple[int, int], int]) -> None:
        key, coming = state
        self._state = key, itertools.count(coming)

    def draw(self) -> Draw:
        """The next stream; no other caller gets the same one."""
        key, numbers = self._state
        draw = distributions.Draw(
            key, next(numbers)
        )  # which no other thread or signal handler can split
        noted = draws_noted.get()
        if noted is not None:
            noted.append((self, draw))
        return draw


BITS = Bits()
"""The supply that `onebuf.random` and the factories of Buffer draw from."""

draw_bits = BITS.draw
