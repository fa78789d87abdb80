"""Checks: how a guard compares one property of one value, as code.

Each method adds lines to the code of a guard. ``name`` is the variable that has the value, and
``where`` says in words where it was found.
"""

from __future__ import annotations

from types import FunctionType
from typing import Any

import numpy as np

from onebuf.buffer import Buffer
from onebuf.capture.guard.guard_code import GuardCode
from onebuf.capture.reads.exact import exact_keys, is_same
from onebuf.capture.replays import form
from onebuf.graph import PLACED, VIEW, Node
from onebuf.machine import CPU

FEW = 8
"""So many buffers are told apart pair by pair, more by their ids in a set."""


class Checks:
    """Checks that are added to the code of one guard."""

    def __init__(self, code: GuardCode) -> None:
        self.code = code
        self.buffers: dict[int, tuple[str, str]] = {}
        """Variable and result of each distinct buffer, by id."""
        self.results: list[str] = []
        """The variable of each buffer; some may be the same."""

    def is_new(self, name: str, where: str, value: Any, result: str) -> bool:
        """Whether a buffer is met for the first time; its variable is ``result``."""
        first = self.buffers.get(id(value))
        if first is None:
            self.buffers[id(value)] = name, result
            self.results.append(result)
            return True
        self.code.fail_if(f"{name} is not {first[0]}", name, where, "is another buffer")
        self.results.append(first[1])
        return False

    def buffer(self, name: str, where: str, value: Any) -> None:
        node: Node = value._node
        found = self.code.variable()
        if not self.is_new(name, where, value, name):
            return
        is_plain = value.__class__ is Buffer and node.device is CPU and node.shape
        fits = form(node.array) if is_plain and node.array is not None else None
        if fits is not None:
            self.code.unless = f"{self.code.reference(fits)}({name})"
        self.same_class(name, where, value.__class__)
        self.code.set(found, f"{name}._node")
        self.field(f"{found}.shape", where, "shape", node.shape)
        dtype = self.code.reference(node.dtype)
        self.code.fail_if(
            f"{found}.dtype is not {dtype} and {found}.dtype != {dtype}",
            *(f"{found}.dtype", where, "dtype", node.dtype),
        )
        device = self.code.reference(node.device)
        self.code.fail_if(
            f"{found}.device is not {device}", f"{found}.device", where, "device", node.device
        )
        if not node.shape and hasattr(value, "_base"):
            is_number = value._base is None
            self.code.fail_if(
                f"({name}._base is None) is not {is_number}",
                *(f"{name}._base is None", where, "being a number", is_number),
            )
        self.layout(found, where, node)
        self.code.unless = ""

    def layout(self, name: str, where: str, node: Node) -> None:
        """Check how the elements of a node lie in memory."""
        if node.array is not None:
            if node.shape:
                self.field(f"{name}.array.strides", where, "strides", node.array.strides)
            else:
                self.code.fail_if(f"{name}.array is None", "None", where, "is not stored")
            return
        self.operation(name, where, node)
        if node.op is VIEW:
            self.field(f"{name}.arg.key", where, "layout", node.arg.key)
            self.operation(f"{name}.srcs[0]", where, node.srcs[0])

    def operation(self, name: str, where: str, node: Node) -> None:
        what = "memory" if node.op is PLACED else "operation"
        operation = self.code.reference(node.op)
        self.code.fail_if(f"{name}.op is not {operation}", f"{name}.op", where, what, node.op)

    def field(self, source: str, where: str, what: str, expected: Any) -> None:
        constant = repr(expected) if _is_sizes(expected) else self.code.reference(expected)
        self.code.fail_if(f"{source} != {constant}", source, where, what, expected)

    def same_class(self, name: str, where: str, kind: type) -> None:
        found = f"{name}.__class__"
        constant = self.code.reference(kind)
        self.code.fail_if(f"{found} is not {constant}", found, where, "class", kind)

    def length(self, name: str, where: str, count: int) -> None:
        self.code.fail_if(f"len({name}) != {count}", f"len({name})", where, "length", count)

    def changed(self, source: str, where: str, before: Any) -> None:
        """Check a content that is too long to be shown."""
        constant = self.code.reference(before)
        self.code.fail_if(f"{source} != {constant}", "None", where, "has another content")

    def value(self, name: str, where: str, value: Any) -> None:
        kind = value.__class__
        constant = self.code.reference(value)
        if value is None or kind is bool or value is ...:
            condition = f"{name} is not {constant}"
        elif kind is int or kind is str or (kind is float and value and value == value):
            other = f"{name}.__class__ is not {kind.__name__} or {name} != {constant}"
            condition = f"{name} is not {constant} and ({other})"
        else:
            same = self.code.reference(is_same)
            condition = f"{name} is not {constant} and not {same}({name}, {constant})"
        self.code.fail_if(condition, name, where, "", value)

    def array(self, name: str, where: str, value: np.ndarray[Any, Any]) -> None:
        if self.is_new(name, where, value, name):
            self.same_class(name, where, value.__class__)
            for field in ("shape", "dtype", "strides"):
                self.field(f"{name}.{field}", where, field, getattr(value, field))

    def distinct(self) -> None:
        """Check that buffers that were different objects still are."""
        names = [name for name, _ in self.buffers.values()]
        if 1 < len(names) <= FEW:
            pairs = [(a, b) for n, a in enumerate(names) for b in names[:n]]
            same = " or ".join([f"{a} is {b}" for a, b in pairs])
            self.code.fail_if(same, "None", "two different buffers", "became one")
        elif len(names) > FEW:
            ids = ", ".join([f"id({name})" for name in names])
            condition = f"len({{{ids}}}) != {len(names)}"
            self.code.fail_if(condition, "None", "two different buffers", "became one")

    def keys(self, name: str, where: str, keys: list[tuple[type, Any]]) -> None:
        """Check the keys of a dict, given as `exact_keys` gives them."""
        if all(kind is str for kind, _ in keys):
            self.field(f"tuple({name})", where, "keys", tuple([key for _, key in keys]))
        else:
            exact = self.code.reference(exact_keys)
            self.code.fail_if(
                f"{exact}({name}) != {self.code.reference(keys)}",
                *(f"{exact}({name})", where, "keys", keys),
            )

    def function(self, name: str, where: str, function: FunctionType) -> None:
        code = self.code
        code.fail_if(
            f"{name}.__code__ is not {code.reference(function.__code__)}",
            *(name, where, "", function),
        )
        code.fail_if(
            f"{name}.__globals__ is not {code.reference(function.__globals__)}",
            *("None", where, "has globals of another module"),
        )
        for part in ("__defaults__", "__kwdefaults__"):
            if getattr(function, part) is None:
                source = f"{name}.{part}"
                code.fail_if(f"{source} is not None", source, where, "defaults", None)


def _is_sizes(value: Any) -> bool:
    return value.__class__ is tuple and all(one.__class__ is int for one in value)
