"""Handle: the base of all groups of a buffer's methods, and how buffers are made of nodes."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, Self

from onebuf.errors import ArgumentTypeError
from onebuf.graph import CONSTANT, Element, Fresh, Loose, Node, Number, Op
from onebuf.interop import Exporter
from onebuf.late import Late
from onebuf.machine import Device
from onebuf.native import HandleFields
from onebuf.ops import copied

if TYPE_CHECKING:
    from onebuf import engine
else:
    engine = Late("onebuf.engine")


def claim(node: Node) -> Node:
    """``node`` for a buffer that is to own it; of a node that another buffer owns, a copy."""
    owner = node.base
    if owner.claimed or owner.op is CONSTANT:
        if isinstance(node, Number):
            return node
        node = owner = copied(node)
    owner.claimed = True
    return node


_new = object.__new__


class Place(Enum):
    """What a buffer without axes has in place of a base if it is memory, and no value."""

    PLACE = "memory that may be written"


PLACE: Final = Place.PLACE


class Handle(Exporter, HandleFields):
    """A handle on a node.

    A method gives either a *value*, which has memory of its own now or later, or a *view* of the
    same elements.

    A value without axes is a number: an element that was read, a sum over everything. As with
    NumPy's numbers, it can be a key of a dict, and ``t += 1`` makes another number. What was made
    as memory without axes (``zeros(())``, ``asarray(3)``, ``x[0, ...]``) is a *place*.
    """

    __slots__ = ()

    _at: type[Device] | None = Device
    """The placement, a class of devices, on which a buffer of this class makes others of it; None
    for a kind that depends on the node. Operators give the class of their operands in any case."""
    _node: Node
    _base: Any
    """The buffer that the elements belong to, if it is another one; PLACE in a place that is
    no part of another; else None."""

    @classmethod
    def _value(cls, node: Node) -> Self:
        """A buffer that owns ``node``; of a node that another buffer owns, a copy."""
        device = node.device
        if device.__class__ is not cls._at and (device is not None or cls._at is None):
            cls = kind_of(node, cls)  # type: ignore[assignment]
        made = node.__class__
        if (made is Fresh or made is Loose) and not node.claimed:  # what small operations give
            node.claimed = True
        else:
            if node.op in _ops:
                cls = kind_of(node, cls)  # type: ignore[assignment]
            node = claim(node)
        self = _new(cls)
        self._node = node
        self._base = None
        return self

    @classmethod
    def _place(cls, node: Node) -> Self:
        """A buffer that owns ``node``, which was made as memory: it can be written, axes or not."""
        self = cls._value(node)
        if not node.shape:
            self._base = PLACE
        return self

    def _alike(self, node: Node) -> Self:
        """A buffer that owns ``node``, and is a number if this one is."""
        return self._value(node) if self._is_number else self._place(node)

    @property
    def _is_number(self) -> bool:
        """Whether this is one number, which never changes."""
        return self._base is None and not self._node.shape

    def _unfix(self) -> None:
        """Give a computed number memory to write to, for programs that take it for an array."""
        node = self._node
        if isinstance(node, Element):
            raise ArgumentTypeError(
                f"a number does not support item assignment, and this one, {node.scalar}, was read "
                f"from a buffer: write to that, or make memory of the number with asarray(x)"
            )
        if isinstance(node, Number):
            self._node = copied(node)
            self._node.claimed = True

    def _shown(self) -> Node:
        """The node whose memory others may have: of a number, that of a copy."""
        if not self._is_number:
            return self._node
        engine.realize([self._node])
        return copied(self._node)

    def _view(self, node: Node) -> Self:
        """A buffer on the same elements as this one; a value if ``node`` had to be a copy.

        A number stays one; given axes, it has memory of its own, or places that cannot be written.
        """
        mine = self._node
        if not mine.shape and self._base is None and node.numel == 1:
            return self._value(copied(node))
        block = node.block
        if (node.base is not mine.base) if block is None else (block is not mine.block):
            theirs = node.base
            if not theirs.is_placed or theirs.block is not mine.base.block:
                return self._value(node)
        view = _new(self.__class__)
        node.claimed = True
        view._node = node
        base = self._base
        view._base = self if base is None or base is PLACE else base
        return view


_kinds: dict[tuple[type[Device], Op | None], Callable[[], type[Handle]]] = {}
"""Classes of buffers by placement, which is the class of the device, and by what the node does."""
_ops: set[Op] = set()
"""The operations that have a class of their own."""


def register(kind: Callable[[], type[Handle]], placement: type[Device], *ops: Op) -> None:
    """Let buffers on ``placement`` be of the class that ``kind`` gives: all, or those of ``ops``.

    ``kind`` is called when the first such buffer is made, so that its module is imported late.
    """
    for op in ops or (None,):
        _kinds[placement, op] = kind
    _ops.update(ops)


_named: dict[str, Callable[[], type[Handle]]] = {}
"""Classes of buffers that others make, by name."""


def register_name(name: str, kind: Callable[[], type[Handle]]) -> None:
    """Let `kind_named` find the class that ``kind`` gives."""
    _named[name] = kind


def kind_named(name: str) -> type[Any]:
    """A class of buffers by its name, for those that make such buffers and are imported first."""
    return _named[name]()


_default: list[Callable[[], type[Handle]]] = []


def set_default(kind: Callable[[], type[Handle]]) -> None:
    """Let ordinary buffers be of the class that ``kind`` gives."""
    _default[:] = [kind]


def class_on(device: Device) -> type[Handle]:
    """The class of ordinary buffers on ``device``."""
    return _kinds.get((device.__class__, None), _default[0])()


def kind_of(node: Node, kind: type[Handle]) -> type[Handle]:
    """The class of a buffer of ``node`` that is made by one of class ``kind``."""
    at = Device if node.device is None else node.device.__class__
    found = _kinds.get((at, node.op)) or _kinds.get((at, None))
    if found is not None:
        return found()
    return next(base for base in kind.__mro__ if getattr(base, "_at", None) is at)
