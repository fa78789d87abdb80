"""OpGraph: tensors and operations as nodes, joined by labelled, directed edges.

Edges lead from tensors to the operations that read them, and from each operation to its one result.
So the graph has two kinds of nodes, no cycle, and at most one operation that makes a tensor;
whatever breaks this is refused when it is added. `OpGraph.check` proves the rest, which is known
only when a graph is complete: that each operation has its operands and gives the tensor that it
leads to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from onebuf.buffer.exchange.construction import as_node
from onebuf.dtypes import DT, as_dtype, meet_scalar, typed_scalar
from onebuf.errors import ArgumentTypeError, OpGraphError
from onebuf.late import Late
from onebuf.op_graph.check import complete, new_edge, reaches
from onebuf.op_graph.inference import Kind, axes_of, infer
from onebuf.op_graph.labels import parse_labels
from onebuf.op_graph.operation_table import row_of
from onebuf.op_graph.static_arguments import SHAPE, shorten
from onebuf.op_graph.structure import Structure
from onebuf.op_graph.vertices import Edge, Labels, OperationNode, TensorNode, Vertex

if TYPE_CHECKING:
    from onebuf.buffer import Buffer
    from onebuf.op_graph import evaluation, extraction, json_reader, json_writer
    from onebuf.op_graph.drawing import listing, svg
else:
    evaluation = Late("onebuf.op_graph.evaluation")
    extraction = Late("onebuf.op_graph.extraction")
    json_reader = Late("onebuf.op_graph.json_reader")
    json_writer = Late("onebuf.op_graph.json_writer")
    listing = Late("onebuf.op_graph.drawing.listing")
    svg = Late("onebuf.op_graph.drawing.svg")

Operand = TensorNode | str | tuple[Any, Any] | complex
"""A tensor, its name, one of them with labels, or a number."""


class OpGraph(Structure):
    """Tensors and operations as nodes, joined by labelled, directed edges.

    Built by hand, taken from lazy buffers (`of`) or read from text (`from_json`).

    >>> g = OpGraph()
    >>> a = g.tensor("A", (2, 2), "float32")
    >>> b = g.tensor("B", (2, 2), "float32")
    >>> c = g.operation("add", (a, "i,j"), (b, "j,i"), result="i,j", name="C")
    >>> len(g.nodes), len(g.edges), g.sources, g.sinks
    (4, 3, (<tensor 'A' float32[2, 2]>, <tensor 'B' float32[2, 2]>), (<tensor 'C' float32[2, 2]>,))
    >>> g(A=[[1, 2], [3, 4]], B=[[10, 20], [30, 40]])
    Buffer([[11., 32.],
            [23., 44.]], shape=(2, 2), dtype=float32, device=CPU)
    """

    __slots__ = ()

    # -- from elsewhere ----------------------------------------------------------------------------

    @classmethod
    def of(cls, *buffers: Any, **named: Any) -> OpGraph:
        """The graph of what ``buffers`` still have to compute, with one sink for each.

        Memory that they read becomes source tensors, bound to it. A buffer in ``named`` is a source
        of that name, also if it is to be computed itself.

        >>> import onebuf
        >>> with onebuf.config(eager_numel=0):
        ...     x = onebuf.asarray([1.0, 2.0])
        ...     g = OpGraph.of(x * x + 1, x=x)
        >>> [node.name for node in g.operations], [node.name for node in g.inputs]
        (['multiply', 'add'], ['x'])
        """
        graph = cls()
        extraction.extract(graph, buffers, named)
        return graph

    @classmethod
    def from_json(cls, text: str | bytes, limit: int = 100_000) -> OpGraph:
        """The graph that `to_json` wrote; an error for anything else.

        The text may come from a stranger: it names operations of a table and nothing else, shapes
        and dtypes are inferred anew, and more than ``limit`` nodes are refused at once.
        """
        graph = cls()
        json_reader.read(graph, text, limit)
        return graph

    def to_json(self, indent: int | None = None) -> str:
        """The graph as text: structure, shapes, dtypes, labels, and the values of constants.

        Memory that tensors are bound to is not part of it: they become inputs.
        """
        return json_writer.write(self, indent)

    # -- building ----------------------------------------------------------------------------------

    def tensor(
        self,
        name: str | None = None,
        shape: Sequence[int] | int | None = None,
        dtype: Any = None,
        *,
        value: Any = None,
    ) -> TensorNode:
        """A new tensor: an input by its shape and dtype, or bound to ``value``, a buffer or array.

        >>> import numpy as np
        >>> g = OpGraph()
        >>> g.tensor("x", value=np.zeros((2, 3)))
        <tensor 'x' float64[2, 3]>
        """
        bound = None
        if value is not None:
            wanted = None if dtype is None else as_dtype(dtype)
            bound = as_node(value, wanted, None, {}, None)
            if shape is not None and _shape(shape) != bound.shape:
                raise OpGraphError(
                    f"tensor {name!r} needs elements of shape {_shape(shape)}, got {bound.shape}"
                )
            return self._add_tensor(name, bound.shape, bound.dtype, None, bound)
        if shape is None or dtype is None:
            raise ArgumentTypeError(
                f"a tensor needs a shape and a dtype, or elements as value=; got shape={shape!r} "
                f"and dtype={dtype!r}"
            )
        return self._add_tensor(name, _shape(shape), as_dtype(dtype), None, None)

    def constant(
        self, value: Any, dtype: Any = None, shape: Sequence[int] | int = ()
    ) -> TensorNode:
        """A new tensor with one value everywhere.

        >>> OpGraph().constant(0.5, "float32").value
        np.float32(0.5)
        """
        if not isinstance(value, bool | int | float | complex | np.generic):
            raise ArgumentTypeError(f"a constant needs one number, got {shorten(value)}")
        wanted = as_dtype(np.asarray(value).dtype if dtype is None else dtype)
        if isinstance(value, complex | np.complexfloating) and wanted.kind != "c":
            raise OpGraphError(f"{wanted.name} cannot hold complex numbers, got {value!r}")
        plain = value.item() if isinstance(value, np.generic) and value.dtype != wanted else value
        typed = plain if isinstance(plain, np.generic) else wanted.type(typed_scalar(plain, wanted))
        return self._add_tensor(None, _shape(shape), wanted, typed, None)

    def operation(
        self,
        operation: str,
        /,
        *operands: Operand,
        result: str | Sequence[str] | None = None,
        name: str | None = None,
        **arguments: Any,
    ) -> TensorNode:
        """A new operation on tensors of this graph; returns the tensor of its result.

        Parameters
        ----------
        operation
            Its name, one of `onebuf.op_graph.OPERATIONS`.
        *operands
            Tensors or their names; pairs of one and the labels of its axes; or numbers, which take
            the dtype of the first tensor.
        result
            The labels of the result's axes, if operands have labels.
        name
            The name of the result.
        **arguments
            Static arguments of the operation.

        >>> g = OpGraph()
        >>> m = g.tensor("M", (2, 3), "float32")
        >>> g.operation("contract", (m, "i,k"), (m, "j,k"), result="i,j")
        <tensor '%2' float32[2, 2]>
        >>> g.operation("sum", m, axis=0)
        <tensor '%4' float32[3]>
        """
        row = row_of(operation)
        canonical = row.parse(arguments)
        pairs = [self._operand(operand, row.name) for operand in operands]
        row.check_count(len(pairs), row.name)
        known = [tensor for tensor, _ in pairs if isinstance(tensor, TensorNode)]
        kinds = []
        for tensor, _ in pairs:
            if isinstance(tensor, TensorNode):
                kinds.append(Kind(tensor.shape, tensor.dtype))
            else:
                kinds.append(Kind((), _scalar_dtype(row.name, known, tensor)))
        result_labels = None if result is None else parse_labels(result)
        labels = axes_of(row, [labels for _, labels in pairs], result_labels, row.name)
        found = infer(row, kinds, canonical, labels, row.name)
        self._check_name(name)
        read = [
            tensor if isinstance(tensor, TensorNode) else self.constant(tensor, kind.dtype)
            for (tensor, _), kind in zip(pairs, kinds, strict=True)
        ]
        return self._add_complete(row.name, canonical, read, labels, found, name)

    def add_operation(self, operation: str, /, **arguments: Any) -> OperationNode:
        """A new operation without edges, for `add_edge`."""
        row = row_of(operation)
        made = OperationNode(len(self._nodes), row.name, row.parse(arguments))
        self._add(made)
        self._order = None
        return made

    def add_edge(self, source: Vertex | str, target: Vertex | str, labels: Any = None) -> Edge:
        """A new edge: to an operation, whose next operand it is, or from one to its result.

        >>> g = OpGraph()
        >>> a, b = (g.tensor(name, (3,), "int32") for name in "AB")
        >>> negate = g.add_operation("negative")
        >>> g.add_edge(a, negate), g.add_edge(negate, b)
        (<edge A -> negative (%2)>, <edge negative (%2) -> B>)
        >>> g.add_edge(a, b)
        Traceback (most recent call last):
        onebuf.errors.OpGraphError: an edge joins a tensor and an operation, got the tensors A and B
        """
        edge = new_edge(self, self.node(source), self.node(target), labels)
        if self._incoming[edge.source.number] and reaches(self, edge.target, edge.source):
            raise OpGraphError(
                f"an edge from {edge.source.title} to {edge.target.title} would close a cycle: "
                f"{edge.source.title} is computed from {edge.target.title}"
            )
        self._connect(edge)
        self._order = None
        return edge

    def check(self) -> None:
        """Raise unless the graph is complete: operands and results are there, and fit."""
        complete(self)

    # -- running -----------------------------------------------------------------------------------

    def run(self, inputs: Mapping[str, Any] | None = None, /, **named: Any) -> tuple[Buffer, ...]:
        """What the sinks are for these inputs, by name, as new lazy buffers.

        Tensors that are bound to memory need no input.

        >>> g = OpGraph()
        >>> x = g.tensor("x", (3,), "int64")
        >>> _, _ = g.operation("sum", x), g.operation("multiply", x, 2)
        >>> [y.to_python() for y in g.run(x=[1, 2, 3])]
        [6, [2, 4, 6]]
        """
        return evaluation.run(self, _merged(inputs, named), self.sinks)

    def __call__(self, inputs: Mapping[str, Any] | None = None, /, **named: Any) -> Any:
        """`run`, which for one sink gives that buffer alone."""
        found = self.run(inputs, **named)
        return found[0] if len(found) == 1 else found

    def write_to(
        self, target: Buffer, inputs: Mapping[str, Any] | None = None, sink: Any = None
    ) -> None:
        """Write a sink to the elements of a buffer; this is `Buffer.compute`."""
        evaluation.write(self, target, inputs or {}, sink)

    # -- drawing -----------------------------------------------------------------------------------

    def draw(self, form: str = "text") -> str:
        """The graph for people: as "text", or as "svg".

        >>> g = OpGraph()
        >>> a, b = g.tensor("A", (2,), "int32"), g.tensor("B", (2,), "int32")
        >>> c = g.operation("add", a, b, name="C")
        >>> print(g.draw())
        OpGraph: 3 tensors, 1 operation, 3 edges
          A  int32[2]  input
          B  int32[2]  input
          C  int32[2]  = add(A, B)  sink
        """
        if form == "text":
            return listing.draw(self)
        if form == "svg":
            return svg.draw(self)
        raise OpGraphError(f"draw needs 'text' or 'svg', got {shorten(form)}")

    def to_svg(self) -> str:
        """The graph as the text of an SVG picture."""
        return svg.draw(self)

    _repr_svg_ = to_svg

    # -- inside ------------------------------------------------------------------------------------

    def _operand(self, operand: Operand, who: str) -> tuple[TensorNode | complex, Labels | None]:
        """A tensor of this graph, or a number, and the labels of its axes."""
        labels = None
        if isinstance(operand, tuple):
            if len(operand) != 2:
                raise ArgumentTypeError(
                    f"{who} needs a tensor and its labels as a pair, got {shorten(operand)}"
                )
            operand, text = operand
            labels = parse_labels(text)
        if isinstance(operand, bool | int | float | complex | np.generic):
            return operand, labels
        tensor = self.node(operand)  # type: ignore[arg-type]
        if not isinstance(tensor, TensorNode):
            raise OpGraphError(f"{who} needs tensors as operands, got the operation {tensor.title}")
        return tensor, labels


def _shape(shape: Sequence[int] | int) -> tuple[int, ...]:
    return SHAPE.parse("a tensor", "shape", (shape,) if isinstance(shape, int) else shape)  # type: ignore[no-any-return]


def _scalar_dtype(who: str, tensors: Sequence[TensorNode], value: Any) -> DT:
    """The dtype that a number takes next to the first tensor."""
    if not tensors or isinstance(value, np.generic):
        return as_dtype(np.asarray(value).dtype)
    scalar: type = type(value)
    dtype = meet_scalar(tensors[0].dtype, scalar)
    try:
        typed_scalar(value, dtype)
    except OverflowError as error:
        raise OpGraphError(f"{who}: {error}") from error
    return dtype


def _merged(inputs: Mapping[str, Any] | None, named: Mapping[str, Any]) -> dict[str, Any]:
    if inputs is not None and not isinstance(inputs, Mapping):
        raise ArgumentTypeError(
            f"inputs are a mapping from names to buffers, got {type(inputs).__name__}"
        )
    return {**(inputs or {}), **named}
