"""Guards: a plan key as generated Python code, which recognises a graph without building a key.

A program computes the same expressions again and again, and for small arrays the walk that builds
a plan key takes longer than running the plan. A guard is a function without loops: it compares each
field that `onebuf.scheduler.plan_key` puts into a key with the value that it had, and returns the
nodes that the plan needs, or None at the first difference.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any

from onebuf.graph import Kind, Node
from onebuf.scheduler.plan_key import key_fields, unshared

Guard = Callable[[Sequence[Node]], list[Node] | None]

MOST_NODES = 200
"""Longer walks get no guard: compiling the function would take too long."""

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
    return _Writer(wanted).guard(needed, made, states)


class _Writer:
    def __init__(self, wanted: Sequence[Node]) -> None:
        self.lines: list[str] = []
        self.known: dict[str, Any] = {}
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

    def compare(self, node: Node, name: str, sources: list[str]) -> None:
        """Compare the fields of one node, and give its sources variables."""
        self.check(f"{name}.op is not {self.const(node.op)}")
        for part in key_fields(node.op).names:
            self.check(f"{name}.{part} != {self.const(attrgetter(part)(node))}")
        if sources:
            self.check(f"len({name}.srcs) != {len(sources)}")
            self.lines.append(f"{', '.join(sources)}, = {name}.srcs")

    def check(self, difference: str) -> None:
        self.lines.append(f"if {difference}: return None")

    def const(self, value: Any) -> str:
        name = f"k{len(self.known)}"
        self.known[name] = value
        return name

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

    def guard(self, needed: Sequence[int], made: Sequence[int], states: bytes) -> Guard:
        names = list(self.names.values())
        if _COUNT is not None:
            self.check_holders(states)
        if len(made) > 1:
            distinct = ", ".join([f"id({names[number]})" for number in made])
            self.check(f"len({{{distinct}}}) != {len(made)}")
        self.lines.append(f"return [{', '.join([names[number] for number in needed])}]")
        parameters = ", ".join(["wanted", *[f"{name}={name}" for name in self.known]])
        text = "\n".join([f"def guard({parameters}):", *[f"  {line}" for line in self.lines]])
        namespace = dict(self.known)
        exec(text, namespace)
        return namespace["guard"]  # type: ignore[no-any-return]
