"""Realising by forms: a graph that is known well is recognised and computed by written functions.

What is looked for is found by the line of the program that made the node. Nothing is planned here:
what is new is left to `onebuf.engine.run.realize`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from onebuf import switch
from onebuf.engine.plan.decide import forms_of
from onebuf.errors import OutOfMemory
from onebuf.events import listeners
from onebuf.graph import VIEW, Node, engine_lock
from onebuf.machine import CPU

if TYPE_CHECKING:
    from onebuf.engine.plan.form import Form

MOST_TRIES = 4
"""So many ends of a large graph are computed otherwise before all of it is."""
RunPiece = Callable[[Node], bool]
"""Computes a node that no form matches; whether it could."""
Found: TypeAlias = "tuple[Form, tuple[Node, ...]]"
"""A form, and the nodes to launch it with."""


def by_form(node: Node, run_piece: RunPiece, own: bool = False) -> bool:
    """Compute ``node`` if it is pending and has a form; whether that was so.

    In a large graph there may be an end that no form matches: ``run_piece`` computes it.
    """
    if node.array is not None or node.op is VIEW or node.device is not CPU:
        return False
    forms = forms_of(node, own)
    if not forms or switch.on or listeners():
        return False
    with engine_lock.lock:
        for _ in range(MOST_TRIES):
            turn = engine_lock.begin()
            try:
                done = _run(node, forms, turn)
            except OutOfMemory:  # which comes again, with a word about where, if it is not over
                return False
            finally:
                engine_lock.turns.discard(turn)
            if isinstance(done, bool):
                return done
            if not run_piece(done):
                return False
    return False


def _run(node: Node, forms: Sequence[Form], turn: object) -> bool | Node:
    """Compute ``node`` by one of ``forms``; whether that was done, or what has to be before."""
    late: list[Node] = []
    for form in forms:
        nodes = form.match((node,), late)
        if nodes is None:
            late.clear()
        elif late:
            return _run_pieces([(form, nodes)], late, turn)
        else:
            return form.launch(nodes, turn) is True
    return False


def _run_pieces(found: list[Found], late: list[Node], turn: object) -> bool | Node:
    """Compute what is ``late`` by forms, and what needs it, which was ``found``.

    Operands are launched before what needs them, all in one turn: if that ends in between, because
    code that ran there has computed or written, the rest is left. A node is returned if no form
    matches it.
    """
    seen = {id(node) for node in late}
    while late:
        node = late.pop()
        piece = _matched(node, seen, late)
        if piece is None:
            return node
        found.append(piece)
    while found:
        form, nodes = found.pop()
        if form.launch(nodes, turn) is not True:
            return False
        del nodes  # so that this is not what holds the graph
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
