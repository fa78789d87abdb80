"""Guards: a form as a function that recognises the graphs that have it.

A program computes the same expressions again and again, and walking over a graph to find its plan
takes longer than running it if there is little to compute. The last walk is therefore written down
as a Python function without loops: it goes through a new graph, compares it with what was seen, and
returns the nodes that the plan needs, or None at the first difference.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from operator import attrgetter
from typing import Any

from onebuf.graph import Node
from onebuf.scheduler.form import look_of

Guard = Callable[[Sequence[Node]], list[Node] | None]

MOST_NODES = 200
"""Longer walks are not written down: compiling the function would take too long."""


def write_guard(wanted: Sequence[Node], needed: Sequence[int], made: Sequence[int]) -> Guard:
    """A guard for graphs like that of ``wanted``.

    ``needed`` are the nodes to return, by their number in the walk of `onebuf.scheduler.form`;
    ``made`` are those that become stored, which must not be one node.
    """
    return _Writer(wanted).guard(needed, made)


class _Writer:
    def __init__(self, wanted: Sequence[Node]) -> None:
        self.lines: list[str] = []
        self.known: dict[str, Any] = {}
        self.names: dict[int, str] = {}
        count = len(wanted)
        self.check("len(wanted) != " + str(count))
        todo = [(node, f"wanted[{place}]") for place, node in reversed(list(enumerate(wanted)))]
        while todo:
            node, name = todo.pop()
            if id(node) in self.names:
                self.check(f"{name} is not {self.names[id(node)]}")
                continue
            mine = self.names[id(node)] = f"n{len(self.names)}"
            if mine != name:
                self.lines.append(f"{mine} = {name}")
            names = [f"{mine}_{place}" for place in range(len(node.srcs))]
            self.compare(node, mine, names)
            todo.extend(reversed(list(zip(node.srcs, names, strict=True))))

    def compare(self, node: Node, name: str, sources: list[str]) -> None:
        """Checks of one node, after which its sources have names."""
        self.check(f"{name}.op is not {self.const(node.op)}")
        for part in look_of(node.op).names:
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

    def guard(self, needed: Sequence[int], made: Sequence[int]) -> Guard:
        for one, two in combinations(made, 2):
            self.check(f"n{one} is n{two}")
        self.lines.append(f"return [{', '.join(f'n{number}' for number in needed)}]")
        parameters = ", ".join(["wanted", *[f"{name}={name}" for name in self.known]])
        text = "\n".join([f"def guard({parameters}):", *[f"  {line}" for line in self.lines]])
        namespace = dict(self.known)
        exec(text, namespace)
        return namespace["guard"]  # type: ignore[no-any-return]
