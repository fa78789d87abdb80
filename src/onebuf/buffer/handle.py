"""What all groups of a buffer's methods build on: a node, and two ways to make a buffer of one."""

from __future__ import annotations

import importlib
from typing import Any, Self

from onebuf.graph import CONSTANT, PLACED, Node
from onebuf.interop import Exporter
from onebuf.machine import Device
from onebuf.ops import copied


def claim(node: Node) -> Node:
    """``node`` for a buffer that is to own it; of a node that another buffer owns, a copy."""
    owner = node.base
    if owner.claimed or owner.op is CONSTANT:
        node = owner = copied(node)
    owner.claimed = True
    return node


_new = object.__new__


class Handle(Exporter):
    """A handle on a node.

    A method gives either a *value*, which has memory of its own now or later, or a *view* of the
    same elements.
    """

    __slots__ = ("__weakref__", "_base", "_node")

    _at: type[Device] = Device
    """The class of devices that buffers of this class are on."""
    _node: Node
    _base: Any
    """The buffer that the elements belong to, if it is another one."""

    @classmethod
    def _value(cls, node: Node) -> Self:
        """A buffer that owns ``node``; of a node that another buffer owns, a copy."""
        device = node.device
        if device is not None and device.__class__ is not cls._at:
            cls = kind_at(device.__class__, cls)  # type: ignore[assignment]
        self = cls.__new__(cls)
        self._node = claim(node)
        self._base = None
        return self

    def _view(self, node: Node) -> Self:
        """A buffer on the same elements as this one; a value if ``node`` had to be a copy."""
        mine = self._node
        block = node.block
        if (node.base is not mine.base) if block is None else (block is not mine.block):
            theirs = node.base
            if theirs.op is not PLACED or theirs.block is not mine.base.block:
                return self._value(node)
        view = _new(self.__class__)
        node.claimed = True
        view._node = node
        view._base = self if self._base is None else self._base
        return view


def kind_at(at: type[Device], kind: type[Handle]) -> type[Handle]:
    """The class of a buffer on devices of class ``at``, made by one of class ``kind``."""
    if at.buffers is not None:
        module, name = at.buffers
        return getattr(importlib.import_module(module), name)  # type: ignore[no-any-return]
    return next(base for base in kind.__mro__ if getattr(base, "_at", None) is at)
