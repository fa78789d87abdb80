"""Plans for a graph as a whole, made once and run many times.

The plan of a graph that a program asks for now (`onebuf.engine.plan.decide`) weighs the time of
compiling, is cut into pieces if the graph is large, and stores what the program still holds. A
captured function is known to run again and to hold nothing but its results, so it is planned in one
piece and compiled at once, and everything between leaves and results lies in one arena.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType

from onebuf.engine.plan.build import make_plan
from onebuf.engine.plan.decide import decision_for
from onebuf.engine.plan.declared_donation import GivenUp
from onebuf.engine.step.plan import Plan
from onebuf.graph import Node
from onebuf.options import config
from onebuf.scheduler.plan_key import walk_of


def whole_plan(
    wanted: Sequence[Node], donated: GivenUp = MappingProxyType({})
) -> tuple[Plan, list[Node]]:
    """The plan that stores ``wanted`` in memory of their own, and the walk that it counts nodes by.

    ``donated`` are the leaves that every run gives up: results may take their memory
    (`onebuf.engine.plan.declared_donation`).
    `onebuf.engine.plan.decide.ReadFirst` if elements have to be read on demand first.
    """
    walk = walk_of(wanted).nodes
    with config(tier="compile"):
        decision = decision_for(wanted, walk)
    results = {id(node.base) for node in wanted}
    private = frozenset([id(node) for node in walk if id(node) not in results])
    return make_plan(decision.items, walk, private, donated=donated), walk
