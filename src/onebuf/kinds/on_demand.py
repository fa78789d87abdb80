"""OnDemandBuffer: elements that are made when they are asked for, and never stored."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

from onebuf.buffer import Buffer
from onebuf.dtypes import as_dtype
from onebuf.engine import compute_region, force
from onebuf.errors import ArgumentError, ArgumentTypeError, DTypeError, LayoutError
from onebuf.graph import ON_DEMAND, Node, make
from onebuf.interop.generator import Box, Generator
from onebuf.kinds.index_expression import on_demand_node, record
from onebuf.kinds.plain_operators import give_plain_results
from onebuf.layout import View
from onebuf.machine import Device
from onebuf.machine import device as find_device
from onebuf.ops import as_shape, cast, copied

if TYPE_CHECKING:
    from onebuf.buffer.layout.allocator import Allocator
    from onebuf.layout.layout import Layout

Per = Literal["element", "region"]
_FEW = 1000
"""So many elements are shown as text."""
_BLOCK = 4096
"""Elements that a loop over a vector reads at a time."""
_CORNERS = frozenset(
    [
        *[("first", "last"), ("low", "high"), ("lo", "hi"), ("start", "stop"), ("start", "end")],
        *[("begin", "end"), ("lower", "upper"), ("starts", "stops"), ("lows", "highs")],
    ]
)
"""What the two corners of a box are called."""
_BOXES = frozenset({"box", "region", "bounds", "tile", "window", "slices", "area"})
"""What a box is called."""


class OnDemandBuffer(Buffer):
    """A buffer that makes elements when they are asked for: see `on_demand`.

    Nothing is stored: reading twice makes the elements twice. Slices, permutations and other views
    are on demand as well, and only what they show is made. What is computed from it is an ordinary
    buffer. It cannot be written; `copy` gives a buffer that can.

    >>> from onebuf import on_demand
    >>> table = on_demand((10**6, 10**6), lambda i, j: i * 10 + j)
    >>> table[3:5, 999_998:].tolist(), table[-1, -1].item()
    ([[1000028, 1000029], [1000038, 1000039]], 10999989)
    """

    __slots__ = ()

    _at = None

    def copy(self, order: str = "C") -> Buffer:  # type: ignore[override]
        """The elements in memory of their own, made now."""
        made = copied(self._node if order == "C" else self.T._node)
        force(made)
        found = Buffer._place(made)
        return found if order == "C" else found.T

    __copy__ = copy  # type: ignore[assignment]

    def __deepcopy__(self, memo: dict[int, Any]) -> Buffer:  # type: ignore[override]
        return self.copy()

    @classmethod
    def _constructed(cls, allocator: Allocator, layout: Layout, value: Any, dtype: Any) -> Any:
        """What an allocator of this kind makes: elements are a function of the index, or one."""
        if not layout.is_plain:
            raise LayoutError(
                f"a buffer that is made on demand stores nothing, so it needs a plain layout, got "
                f"{layout}; construct(layout, fn) of an ordinary allocator stores what is unique"
            )
        if not callable(value) and not isinstance(value, int | float | complex):
            raise ArgumentTypeError(
                f"a buffer that is made on demand needs a function of the index, or a number, got "
                f"{type(value).__name__}"
            )

        def constant(*index: Buffer) -> Any:
            return sum([i * 0 for i in index], value)

        make_elements = value if callable(value) else constant
        return on_demand(layout.shape, make_elements, dtype, device=allocator.device)

    def forget(self) -> None:
        """Let go of what a cache has kept: the elements are made anew when they are next read."""
        source = self._node.on_demand
        if isinstance(source, Generator):
            source.forget()

    @property
    def kept_nbytes(self) -> int:
        """Bytes of elements that its cache keeps now; 0 without a cache."""
        source = self._node.on_demand
        return source.kept_nbytes if isinstance(source, Generator) else 0

    def _plain(self) -> Buffer:
        """The same elements in a handle whose operators give ordinary buffers."""
        plain = object.__new__(Buffer)
        plain._node = self._node
        plain._base = self
        return plain

    def __iter__(self) -> Iterator[Any]:
        if self.ndim != 1:
            return (self[number] for number in range(len(self)))
        starts = range(0, len(self), _BLOCK)
        return (number for start in starts for number in self[start : start + _BLOCK].copy())

    def __str__(self) -> str:
        return super().__str__() if self.numel <= _FEW else repr(self)

    def __repr__(self) -> str:
        if self._node.on_demand is None:
            return super().__repr__()
        return (
            f"{type(self).__name__}(<on demand>, shape={self.shape}, dtype={self.dtype.name}, "
            f"device={self.device})"
        )


give_plain_results(OnDemandBuffer, OnDemandBuffer._plain)


def on_demand(
    shape: int | Sequence[int],
    fn: Callable[..., Any],
    dtype: Any = None,
    cache: int = 0,
    *,
    per: Per | None = None,
    device: str | Device | None = None,
) -> OnDemandBuffer:
    """A buffer whose elements ``fn`` makes when they are asked for.

    ``fn`` is one of two things. An *expression* takes one index buffer for each axis, int64 and
    shaped so that they broadcast, and gives a buffer that is computed from them element by element.
    It is called once, and kernels that read the buffer compute it as they go: it takes no
    memory. A *region function* takes a box, or the two corners of one, ``first`` and ``last`` (the
    indices one past the end), and gives an array of just that shape and of ``dtype``. It is called
    for every region that is read.

    Which one it is shows by its parameters: a function with as many as there are axes is called
    with index buffers, and is an expression if it gives a buffer. One with another number of them,
    or whose parameters are called ``first, last`` (``low, high``; ``start, stop``; ...) or ``box``,
    is a region function. ``per="element"`` and ``per="region"`` say it outright.

    With ``cache``, up to so many bytes of what was made are kept for the next time. An expression
    is then made by region, too.

    >>> squares = on_demand(10**12, lambda i: i * i)
    >>> squares[10**6].item(), squares[:4].tolist()
    (1000000000000, [0, 1, 4, 9])
    >>> import numpy as np
    >>> ones = on_demand((5, 7), lambda box: np.ones(box.shape), dtype="float64")
    >>> ones.sum().item()
    35.0
    """
    extents = as_shape(shape)
    wanted = None if dtype is None else as_dtype(dtype)
    if not callable(fn):
        raise ArgumentTypeError(f"on_demand needs a function that makes elements, got {fn!r}")
    if type(cache) is not int or cache < 0:
        raise ArgumentError(f"cache needs a number of bytes, 0 or more, got {cache!r}")
    if per not in (None, "element", "region"):
        raise ArgumentError(f"per needs 'element', 'region' or None, got {per!r}")
    name = f"on_demand({getattr(fn, '__name__', type(fn).__name__)})"
    where = find_device(device)
    root = _expression(fn, extents, wanted, per, where)
    if root is None:
        node = _by_region(fn, extents, dtype, name, cache, where)
    else:
        node = _by_element(root, extents, wanted, name, cache)
    return OnDemandBuffer._place(node)


def _by_element(root: Node, shape: tuple[int, ...], dtype: Any, name: str, cache: int) -> Node:
    """The node of an expression."""
    if dtype is not None and root.dtype != dtype:
        raise DTypeError(
            f"{name} needed to give elements of {dtype.name}, got {root.dtype.name}; convert them "
            f"with astype, or leave out dtype"
        )

    def make_box(box: Box) -> Any:
        part = View.contiguous(shape).shrink(box)
        return compute_region(root, part)

    source = Generator(make_box, shape, root.dtype, name, cache)
    return on_demand_node(root, source, is_inlined=not cache)


def _by_region(
    fn: Callable[..., Any], shape: tuple[int, ...], dtype: Any, name: str, cache: int, where: Device
) -> Node:
    """The node of a region function."""
    if dtype is None:
        raise ArgumentTypeError(
            f"{name} gives no buffer that is computed from index buffers, so it is called by "
            f"region, and needs the type of its elements: on_demand(..., dtype='float64')"
        )
    if not where.is_host:
        raise ArgumentError(
            f"a function that is called by region makes elements on the host, got device {where}; "
            f"move what it makes: x.to_device(...)"
        )
    source = Generator(of_box(fn), shape, as_dtype(dtype), name, cache)
    return make(ON_DEMAND, (), source, shape, source.dtype, unique=True)


def of_box(fn: Callable[..., Any]) -> Callable[[Box], Any]:
    """A region function as one that takes a box, whether it takes that or the two corners."""
    return fn if _count(fn, 2) != 2 else lambda box: fn(box.first, box.last)


def expression_of(fn: Callable[..., Any], shape: tuple[int, ...], dtype: Any) -> Node | None:
    """What ``fn`` computes from index buffers of the host; None if it is a region function."""
    wanted = None if dtype is None else as_dtype(dtype)
    root = _expression(fn, shape, wanted, None, find_device(None))
    if root is None and wanted is None:
        raise ArgumentTypeError(
            f"{getattr(fn, '__name__', 'the function')} is called by region, and needs the type of "
            f"its elements: dtype='float64'"
        )
    return root if root is None or wanted is None else cast(root, wanted)


def _expression(
    fn: Callable[..., Any], shape: tuple[int, ...], dtype: Any, per: Per | None, where: Device
) -> Node | None:
    """What ``fn`` computes from index buffers; None if it is called by region."""
    if per == "region":
        return None
    names = _parameters(fn)
    rank = len(shape)
    is_region = _names_a_box(names) or (names is not None and not _takes(fn, rank))
    if per is None and is_region:
        return None
    may_be_region = per is None and dtype is not None and (_takes(fn, 1) or _takes(fn, 2))
    try:
        root = record(fn, shape, where)
    except Exception:
        if may_be_region:
            return None
        raise
    if root is None and not may_be_region:
        raise ArgumentTypeError(
            "an on-demand expression needs to give a buffer that is computed from its index "
            "buffers, got something else; a function that is called by region needs dtype="
        )
    return root


def _parameters(fn: Callable[..., Any]) -> tuple[str, ...] | None:
    """The names of the positional parameters without defaults; None if they are not known."""
    try:
        parameters = inspect.signature(fn).parameters.values()
    except (TypeError, ValueError):
        return None
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return tuple([p.name for p in parameters if p.kind in kinds and p.default is p.empty])


def _names_a_box(names: tuple[str, ...] | None) -> bool:
    if names is None:
        return False
    return names in _CORNERS or (len(names) == 1 and names[0] in _BOXES)


def _takes(fn: Callable[..., Any], count: int) -> bool:
    """Whether ``fn`` can be called with so many positional arguments."""
    try:
        inspect.signature(fn).bind(*range(count))
    except TypeError:
        return False
    except ValueError:  # it does not say
        return True
    return True


def _count(fn: Callable[..., Any], most: int) -> int:
    """How many arguments a region function takes: two corners, or one box."""
    names = _parameters(fn)
    if names is not None and len(names) in (1, most):
        return len(names)
    return 1 if _takes(fn, 1) else most
