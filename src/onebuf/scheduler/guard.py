"""Guards: a plan key as generated Python code, which recognises a graph without building a key.

A program computes the same expressions again and again, and for small arrays the walk that builds
a plan key takes longer than running the plan. A guard is a function without loops: it compares each
field that `onebuf.scheduler.plan_key` puts into a key with the value that it had, and returns the
nodes that the plan needs, or None at the first difference. `onebuf.engine.plan.form` goes on from
there with what the plan does.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any

from onebuf.graph import STORED, Kind, Node
from onebuf.scheduler.plan_key import key_fields, unshared

Guard = Callable[[Sequence[Node]], list[Node] | None]

MOST_NODES = 200
"""Longer walks get no guard: compiling the function would take too long."""

_OPERATIONS = frozenset({Kind.ELEMENTWISE, Kind.REDUCE, Kind.SCAN})
"""The kinds of operations whose results are stored without gaps when they are computed."""
_COUNT = getattr(sys, "getrefcount", None)


def _count_of_one_name() -> int:
    """The reference count of an object that one local variable refers to."""
    one = object()
    return 0 if _COUNT is None else int(_COUNT(one))


_ONE_NAME = _count_of_one_name()


def write_guard(
    wanted: Sequence[Node], needed: Sequence[int], made: Sequence[int], states: bytes
) -> Guard:
    """A guard for graphs with the plan key of ``wanted``.

    ``needed`` are the nodes to return, by their number in the walk of `onebuf.scheduler.plan_key`;
    ``made`` are those that become stored, which have to be distinct nodes; ``states`` has what
    `onebuf.engine.plan.liveness` knows of each node of the walk.
    """
    text = GuardText(wanted, made, states)
    names = text.variables
    text.lines.append(f"return [{', '.join([names[number] for number in needed])}]")
    return text.compiled("wanted")  # type: ignore[no-any-return]


class Text:
    """The text of a function without loops, and the objects that it names."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.known: dict[str, Any] = {}
        self._consts: dict[int, str] = {}

    def check(self, difference: str) -> None:
        """Return None if there is this difference."""
        self.lines.append(f"if {difference}: return None")

    def const(self, value: Any) -> str:
        """The name of an object."""
        name = self._consts.get(id(value))
        if name is None:
            name = self._consts[id(value)] = f"k{len(self.known)}"
            self.known[name] = value
        return name

    def compiled(self, *parameters: str) -> Any:
        """The function of ``parameters`` that the lines are the body of."""
        names = ", ".join([*parameters, *[f"{name}={name}" for name in self.known]])
        text = "\n".join([f"def guard({names}):", *[f"  {line}" for line in self.lines]])
        namespace = dict(self.known)
        exec(text, namespace)
        return namespace["guard"]


class GuardText(Text):
    """The text of a guard; other code may follow it.

    It reads the nodes from the sequence ``wanted``. Where a graph differs it returns None. If it
    is ``open``, a leaf without gaps may also be a pending operation with the same shape and dtype;
    such leaves are appended to ``late``.
    """

    def __init__(
        self, wanted: Sequence[Node], made: Sequence[int], states: bytes, is_open: bool = False
    ) -> None:
        super().__init__()
        self.is_open = is_open
        self.names: dict[int, str] = {}
        """The first variable of each node, by id, in the order of the walk."""
        self.counts: dict[int, int] = {}
        """How many readers, and so how many variables, refer to each node, by id."""
        self.nodes: list[Node] = []
        self.wanted = {id(node) for node in wanted} | unshared(wanted)
        count = len(wanted)
        self.check("len(wanted) != " + str(count))
        self.lines.append(f"{', '.join([f'w{place}' for place in range(count)])}, = wanted")
        todo = [(node, f"w{place}") for place, node in reversed(list(enumerate(wanted)))]
        while todo:
            node, name = todo.pop()
            me = id(node)
            self.counts[me] = self.counts.get(me, 0) + 1
            if me in self.names:
                self.check(f"{name} is not {self.names[me]}")
                continue
            self.names[me] = name
            self.nodes.append(node)
            number = len(self.names)
            names = [f"n{number}_{place}" for place in range(len(node.srcs))]
            self.compare(node, name, names)
            todo.extend(reversed(list(zip(node.srcs, names, strict=True))))
        if _COUNT is not None:
            self.check_holders(states)
        if len(made) > 1:
            distinct = ", ".join([f"id({self.variables[number]})" for number in made])
            self.check(f"len({{{distinct}}}) != {len(made)}")

    @property
    def variables(self) -> list[str]:
        """The variable of each node of the walk."""
        return list(self.names.values())

    def compare(self, node: Node, name: str, sources: list[str]) -> None:
        """Compare the fields of one node, and give its sources variables."""
        array = node.array
        if self.is_open and node.op is STORED and array is not None and array.flags.c_contiguous:
            self.compare_open(node, name)
            return
        differences = [f"{name}.op is not {self.const(node.op)}"]
        for part in key_fields(node.op).names:
            value = attrgetter(part)(node)
            if value is None:
                differences.append(f"{name}.{part} is not None")
            else:
                differences.append(f"{name}.{part} != {self.const(value)}")
        if sources and node.op.arity != len(sources):
            differences.append(f"len({name}.srcs) != {len(sources)}")
        self.check(" or ".join(differences))
        if sources:
            self.lines.append(f"{', '.join(sources)}, = {name}.srcs")

    def compare_open(self, node: Node, name: str) -> None:
        """Compare a leaf that may be pending still."""
        dtype, shape = self.const(node.dtype), self.const(node.shape)
        self.check(f"{name}.dtype != {dtype} or {name}.shape != {shape}")
        strides = self.const(attrgetter("array.strides")(node))
        kinds, home = self.const(_OPERATIONS), self.const(node.device)
        self.lines += [
            f"if {name}.op is {self.const(STORED)}:",
            f"  if {name}.array.strides != {strides}: return None",
            f"elif {name}.op.kind not in {kinds} or {name}.device is not {home}: return None",
            f"else: late.append({name})",
        ]

    def check_holders(self, states: bytes) -> None:
        """Compare which nodes are held outside of the graph, by reference counts."""
        count = self.const(_COUNT)
        for number, node in enumerate(self.nodes):
            is_known = node.array is not None or node.op.kind is Kind.CONSTANT
            if is_known or id(node) in self.wanted:
                continue
            name = self.names[id(node)]
            # Each reader has a reference, and so has each variable.
            alone = 2 * self.counts[id(node)] + _ONE_NAME - 1
            if not states[number]:
                self.check(f"{count}({name}) != {alone}")
            else:
                self.check(f"{count}({name}) == {alone}")
                self.check(f"{'not ' * (states[number] > 1)}{name}.replays")
