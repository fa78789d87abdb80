"""Nodes and edges of an op graph: tensors, operations, and which is an operand of which.

An edge leads from a tensor to an operation that reads it, or from an operation to its result. All
three are values: a graph (`onebuf.op_graph.op_graph`) holds them and never changes one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from onebuf.dtypes import DT
from onebuf.graph import Node

Labels = tuple[str, ...]
"""A label for each axis of a tensor."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TensorNode:
    """A tensor: elements that are given, or the result of an operation."""

    number: int
    """Its place among the nodes of its graph."""
    name: str | None
    shape: tuple[int, ...]
    dtype: DT
    value: np.generic | None = None
    """The one value that all elements have, if this is a constant."""
    bound: Node | None = None
    """Where the elements are, if memory was given with the tensor."""

    @property
    def title(self) -> str:
        """What people call it: its name, else its number."""
        return f"%{self.number}" if self.name is None else self.name

    @property
    def kind(self) -> str:
        """The dtype and the shape, for people."""
        return f"{self.dtype.name}{list(self.shape)}"

    def __repr__(self) -> str:
        return f"<tensor {self.title!r} {self.kind}>"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class OperationNode:
    """An operation of the table, with its static arguments."""

    number: int
    """Its place among the nodes of its graph."""
    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    opaque: Callable[..., Node] | None = None
    """What computes it from its operands, if the table cannot say it; such graphs have no text."""

    @property
    def title(self) -> str:
        """What people call it: the operation and its number."""
        return f"{self.name} (%{self.number})"

    def __repr__(self) -> str:
        given = "".join([f", {name}={value!r}" for name, value in self.arguments.items()])
        return f"<operation {self.name!r} %{self.number}{given}>"


Vertex: TypeAlias = TensorNode | OperationNode


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Edge:
    """A directed edge, with the labels that its operation gives the axes of its tensor."""

    source: Vertex
    target: Vertex
    labels: Labels | None = None
    """None: the operation goes by position, not by labels."""
    position: int = 0
    """Which operand it is, for edges to an operation."""

    @property
    def label(self) -> str:
        """The labels as they are written: ``"i,j"``; empty if there are none."""
        return ",".join(self.labels or ())

    @property
    def tensor(self) -> TensorNode:
        """The end that is a tensor."""
        found = self.source if isinstance(self.source, TensorNode) else self.target
        assert isinstance(found, TensorNode)
        return found

    def __repr__(self) -> str:
        label = "" if self.labels is None else f" {self.label!r}"
        return f"<edge {self.source.title} -> {self.target.title}{label}>"
