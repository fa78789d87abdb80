"""Realising by forms: a graph that is known well is recognised and computed by written functions.

What is looked for is found by the line of the program that made the node. Nothing is planned here:
whatever is new, or not to be done in one go, is left to `onebuf.engine.run.realize`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from onebuf import switch
from onebuf.engine.plan.decide import forms_of
from onebuf.errors import OutOfMemory
from onebuf.events import listeners
from onebuf.graph import VIEW, Node, engine_lock
from onebuf.machine import CPU

if TYPE_CHECKING:
    from onebuf.engine.plan.form import Form

Found: TypeAlias = "tuple[Form, tuple[Node, ...]]"
"""A form, and the nodes to launch it with."""


def by_form(node: Node, own: bool = False) -> bool:
    """Compute ``node`` if it is pending and forms are known for all of it; whether that was so."""
    if node.array is not None or node.op is VIEW or node.device is not CPU:
        return False
    forms = forms_of(node, own)
    if not forms or switch.on or listeners():
        return False
    with engine_lock.lock:
        turn = engine_lock.begin()
        try:
            late: list[Node] = []
            for form in forms:
                nodes = form.match((node,), late)
                if nodes is not None:
                    if late:
                        return _run_pieces([(form, nodes)], late, turn)
                    return form.launch(nodes, turn) is True
                late.clear()
            return False
        except OutOfMemory:  # which comes again, with a word about where, if it is not over
            return False
        finally:
            engine_lock.turns.discard(turn)


def _run_pieces(found: list[Found], late: list[Node], turn: object) -> bool:
    """Compute what is ``late`` by forms, and what needs it, which was ``found``.

    Operands are launched before what needs them, all in one turn: if that ends in between, because
    code that ran there has computed or written, the rest is left.
    """
    seen = {id(node) for node in late}
    while late:
        piece = _matched(late.pop(), seen, late)
        if piece is None:
            return False
        found.append(piece)
    while found:
        form, nodes = found.pop()
        if form.launch(nodes, turn) is not True:
            return False
        del nodes
    return True


def _matched(node: Node, seen: set[int], late: list[Node]) -> Found | None:
    """The form of a piece that ends with ``node``; its leaves that are new go to ``late``."""
    more: list[Node] = []
    for form in forms_of(node, False):
        nodes = form.match((node,), more)
        if nodes is not None:
            late += [leaf for leaf in more if id(leaf) not in seen]
            seen.update(map(id, more))
            return form, nodes
        more.clear()
    return None
