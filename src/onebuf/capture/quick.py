"""Quick programs: the steps of a plan one after another, as a generated function without loops.

All that differs between two runs of a kernel is addresses: of what the call was given, of the
results and of the arena. The function reads or makes these, packs them in front of the words that
stay, and calls the kernels (`onebuf.capture.quick_lines`).

Nothing is attached to a node before the function has ended, so one that fails or is interrupted has
done nothing. Nodes are variables of the function: they hold their memory until the last step that
needs it, which ends with letting go of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from onebuf.buffer import Buffer
from onebuf.capture.quick_lines import Lines, NotQuick
from onebuf.engine.step.plan import Plan
from onebuf.graph import Node

Run = Callable[[Sequence[Node]], list[Node]]
Direct = Callable[..., Any]
"""From buffers, as arguments, to a buffer."""


class Quick:
    """A program as text: a function from leaves to results."""

    __slots__ = ("run", "_writer", "_results")

    def __init__(self, writer: Lines, results: list[str]) -> None:
        self.run: Run = writer.compiled(None, [*writer.lines, f"return [{', '.join(results)}]"])
        self._writer = writer
        self._results = results

    def direct(self, count: int, kind: type[Any], base: Any) -> Direct | None:
        """The same from ``count`` buffers to the only result, as a buffer of class ``kind``.

        None if it may come upon an index that is outside: then the plan has to be run.
        """
        if self._writer.is_fallible:
            return None
        (result,) = self._results
        if kind is Buffer:
            found = self._writer.at_once(count, result, base)
            if found is not None:
                return found
        known = f"{self._writer.const(object.__new__)}({self._writer.const(kind)})"
        lines = (
            f"{result}.claimed = True",  # `Handle._value`, spelled out for speed
            f"made = {known}",
            f"made._node = {result}",
            f"made._base = {self._writer.const(base)}",
            "return made",
        )
        return self._writer.compiled(count, [*self._writer.lines, *lines])  # type: ignore[no-any-return]


def quick(
    plan: Plan,
    leaves: Sequence[Node],
    asked: Sequence[Node],
    sources: dict[int, tuple[int, int]],
    wanted: Sequence[Node],
) -> Quick | None:
    """The function that runs ``plan`` on leaves and gives the nodes ``wanted``; None if it cannot.

    ``asked`` are the nodes that the plan needs, by number. ``sources`` says of those that are
    leaves, or see elements of one, which leaf that is and how many bytes further on they begin.
    """
    try:
        writer = Lines(plan, leaves, asked, sources)
        return Quick(writer, writer.results(wanted))
    except NotQuick:
        return None
