"""Opaque calls: what a library computes better than we would, as one node of the graph.

The result's shape and dtype are known before the call, so that it can be lazy like everything else;
its operands are whole and in memory when it runs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from onebuf.errors import ArgumentError, ArgumentTypeError, IndexRangeError, OnebufError
from onebuf.graph import LIBRARY, Node
from onebuf.ops.apply import general

DT = np.dtype[Any]

_REFUSALS = (
    (IndexError, IndexRangeError),
    (ValueError, ArgumentError),
    (TypeError, ArgumentTypeError),
)


@dataclass(frozen=True, slots=True)
class Call:
    """A function on arrays, with the arguments that are not arrays."""

    function: Callable[..., Any]
    static: tuple[Any, ...] = ()
    name: str = ""

    def __call__(self, *arrays: Any) -> Any:
        """The result, as a new array; what the library refuses is an error that names the call."""
        try:
            return self.function(*arrays, *self.static)
        except OnebufError:
            raise
        except (IndexError, ValueError, TypeError) as error:
            refused = next(ours for theirs, ours in _REFUSALS if isinstance(error, theirs))
            raise refused(f"{self.name} cannot handle these values: {error}") from error


def library(
    function: Callable[..., Any],
    nodes: tuple[Node, ...],
    static: tuple[Any, ...],
    shape: tuple[int, ...],
    dtype: DT,
    name: str = "",
) -> Node:
    """``function`` of the arrays of ``nodes``, followed by ``static`` arguments.

    ``name`` is what callers know it by, if that is not its own.
    """
    name = name or getattr(function, "__name__", "the call")
    return general(LIBRARY, nodes, Call(function, static, name), shape, dtype)
