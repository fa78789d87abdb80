"""Opaque calls: what a library computes better than we would, as one node of the graph.

The result's shape and dtype are known before the call, so that it can be lazy like everything else;
its operands are whole and in memory when it runs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from onebuf.graph import LIBRARY, Node
from onebuf.ops.apply import general

DT = np.dtype[Any]


@dataclass(frozen=True, slots=True)
class Call:
    """A function on arrays, with the arguments that are not arrays."""

    function: Callable[..., Any]
    static: tuple[Any, ...] = ()

    def __call__(self, *arrays: Any) -> Any:
        """The result, as a new array."""
        return self.function(*arrays, *self.static)


def library(
    function: Callable[..., Any],
    nodes: tuple[Node, ...],
    static: tuple[Any, ...],
    shape: tuple[int, ...],
    dtype: DT,
) -> Node:
    """``function`` of the arrays of ``nodes``, followed by ``static`` arguments."""
    return general(LIBRARY, nodes, Call(function, static), shape, dtype)
