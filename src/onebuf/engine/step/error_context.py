"""Errors of steps: which line of the user's program asked for the work, and which index was wrong.

A kernel that meets an index out of range stops, and only says that it did: which one it was depends
on threads and on the order of loops. So all indices are checked once more, and the error is the
same as without the kernel.
"""

from __future__ import annotations

from collections.abc import Callable

from onebuf.backends.numpy.gather import outside
from onebuf.dtypes import Array
from onebuf.errors import DivergenceError, IndexRangeError
from onebuf.graph import Node


class OutsideError(Exception):
    """Indices of one of ``picks`` are outside; never seen by users."""

    def __init__(self, picks: tuple[Node, ...]) -> None:
        super().__init__("an index is outside")
        self.picks = picks


def explained(fault: OutsideError, read: Callable[[Node], Array]) -> Exception:
    """The error for the user, who gets the line that asked for the elements."""
    for node in fault.picks:
        source, indices = node.srcs
        error = _outside(node, source.shape[node.arg], indices, read)
        if error is not None:
            say_where(error, node.op.name, node)
            return error
    return RuntimeError("a kernel found an index out of range, and the check finds none")


def _outside(
    node: Node, extent: int, indices: Node, read: Callable[[Node], Array]
) -> Exception | None:
    try:
        return outside(node.op, node.arg, extent, read(indices))
    except DivergenceError:
        return IndexRangeError(
            f"{node.op.name} along axis {node.arg} needs indices in {-extent}..{extent - 1}, and "
            f"those of some replica are outside; read() shows all of them"
        )


def say_where(error: Exception, name: str, node: Node) -> None:
    """Add to an error where in the user's program the work comes from."""
    if node.origin is not None:
        error.add_note(f"while computing {name}, asked for at {node.origin}")


def line_of(node: Node) -> str | None:
    """The line of the user's program that made ``node``, for people."""
    origin = node.origin
    return None if origin is None else str(origin)
