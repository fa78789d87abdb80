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

TOGETHER = 32
"""So many comparisons are one branch."""
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
        """The variable of each node, by id, in the order of the walk."""
        self.counts: dict[int, int] = {}
        """How many readers refer to each node, by id."""
        self.nodes: list[Node] = []
        self.wanted = {id(node) for node in wanted} | unshared(wanted)
        self.seen: dict[int, str] = {}
        """The same variables, in the order in which readers give them their nodes."""
        self.check("len(wanted) != " + str(len(wanted)))
        self.unpack(wanted, "wanted")
        todo = list(reversed(wanted))
        while todo:
            node = todo.pop()
            me = id(node)
            if me in self.names:
                continue
            self.names[me] = self.seen[me]
            self.nodes.append(node)
            self.compare(node, self.names[me])
            if node.srcs:
                self.unpack(node.srcs, f"{self.names[me]}.srcs")
                todo.extend(reversed(node.srcs))
        self.lines.append("again = None")  # which held one of the nodes that are counted below
        if _COUNT is not None:
            self.check_holders(states)
        if len(made) > 1:
            distinct = ", ".join([f"id({self.variables[number]})" for number in made])
            self.check(f"len({{{distinct}}}) != {len(made)}")

    @property
    def variables(self) -> list[str]:
        """The variable of each node of the walk."""
        return list(self.names.values())

    def unpack(self, nodes: Sequence[Node], sequence: str) -> None:
        """Give variables to the nodes of a sequence; those that have one have to be the same."""
        targets: list[str] = []
        differences: list[str] = []
        for node in nodes:
            me = id(node)
            self.counts[me] = self.counts.get(me, 0) + 1
            if me not in self.seen:
                self.seen[me] = f"n{len(self.seen)}"
                targets.append(self.seen[me])
            elif differences:  # rarely: it needs a variable of its own
                targets.append(f"again{len(targets)}")
                differences.append(f"{targets[-1]} is not {self.seen[me]}")
            else:
                targets.append("again")
                differences.append(f"again is not {self.seen[me]}")
        self.lines.append(f"{', '.join(targets)}, = {sequence}")
        if differences:
            self.check(" or ".join(differences))
            self.lines += [f"{name} = None" for name in targets if name[:5] == "again" != name]

    def compare(self, node: Node, name: str) -> None:
        """Compare the fields of one node."""
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
        # The operation says how many sources there are if no code can run after it was compared: a
        # signal handler may compute the node, which has none then.
        if node.srcs and (node.op.arity != len(node.srcs) or node.arg is not None):
            differences.append(f"len({name}.srcs) != {len(node.srcs)}")
        self.check(" or ".join(differences))

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
        differences = []
        for number, node in enumerate(self.nodes):
            is_known = node.array is not None or node.op.kind is Kind.CONSTANT
            if is_known or id(node) in self.wanted:
                continue
            name = self.names[id(node)]
            # Each reader has a reference, and so has the variable.
            alone = self.counts[id(node)] + _ONE_NAME
            if not states[number]:
                differences.append(f"{count}({name}) != {alone}")
            else:
                differences.append(f"{count}({name}) == {alone}")
                differences.append(f"{'not ' * (states[number] > 1)}{name}.replays")
        for first in range(0, len(differences), TOGETHER):  # few branches are compiled sooner
            self.check(" or ".join(differences[first : first + TOGETHER]))
