"""The trace of a function of one example.

Its parameters stand for any one of the examples, so they have no elements: what would need some is
an error, which names the line.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from onebuf.batching.operand import Operand
from onebuf.buffer import Buffer
from onebuf.buffer.exchange.construction import draws_noted
from onebuf.errors import NotBatched
from onebuf.graph import EMPTY, Node, here, make
from onebuf.tracing import Parameter, Trace


class BatchTrace(Trace):
    """The trace of a function of one example."""

    what = "a function that is mapped over examples"

    def __init__(self) -> None:
        super().__init__()
        self._examples: dict[int, Node] = {}
        """For each parameter that stands for one example, by id, the node of all of them."""

    @contextmanager
    def recording(self) -> Iterator[None]:
        """The time in which operations are recorded, and no numbers are drawn at random."""
        token = draws_noted.set(NoDraws())
        try:
            with super().recording():
                yield
        finally:
            draws_noted.reset(token)

    def argument(self, given: Any) -> Any:
        """What the function gets: a buffer of one example, or one that all examples share."""
        if isinstance(given, Buffer):
            return given._alike(self.input(given._node))
        if not isinstance(given, Operand):
            return given
        node = given.node
        one = make(EMPTY, (), None, node.shape[1:], node.dtype, unique=True, device=node.device)
        made = self.input(one)
        self._examples[id(made.arg)] = node
        return Buffer._place(made)

    def examples(self) -> dict[Node, Node]:
        """The nodes that stand for one example, each with the node of all of them."""
        found = self._examples
        return {node: found[id(node.arg)] for node in self.inputs if id(node.arg) in found}

    def value_of(self, parameter: Parameter) -> Node:
        """The node that all examples share; a parameter that stands for one has none to read."""
        if id(parameter) in self._examples:
            raise NotBatched(
                f"vmap needs a function that does not read elements which differ by example, got "
                f"{here() or 'one that does'}; choose with onebuf.where in place of if, and "
                f"compute with onebuf's functions in place of Python's and NumPy's"
            )
        return parameter.node


class NoDraws(list[Any]):
    """A list of draws to which none can be added: it would be the same draw for all examples."""

    def append(self, draw: Any) -> NoReturn:
        """Raise."""
        raise NotBatched(
            f"vmap needs a function that draws no random numbers, since it is called once for all "
            f"examples, got {here() or 'one that does'}; draw them before, with an axis of "
            f"examples, and pass them as an argument"
        )
