"""Running op graphs: one lazy node for each operation, which the engine then fuses.

A graph is evaluated as if its operations were written on buffers, so nothing is computed here but
what is small and stored. Inputs are checked first and results last; a failure leaves every buffer
as it was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from onebuf.buffer import Buffer
from onebuf.buffer.exchange.construction import as_node
from onebuf.errors import DTypeError, OpGraphError, ShapeError
from onebuf.graph import Node, settle
from onebuf.machine import CPU, Device
from onebuf.op_graph.check import complete
from onebuf.op_graph.inference import Axes, apply
from onebuf.op_graph.operation_table import row_of
from onebuf.op_graph.rewrite.lowering import lowered
from onebuf.op_graph.static_arguments import shorten
from onebuf.op_graph.structure import Structure
from onebuf.op_graph.vertices import OperationNode, TensorNode
from onebuf.ops import constant, copied, full


def run(
    graph: Structure, inputs: Mapping[str, Any], sinks: Sequence[TensorNode]
) -> tuple[Buffer, ...]:
    """New buffers with the elements of ``sinks``."""
    given = _given(graph, inputs, sinks)
    found = _evaluate(graph, given, sinks, None)
    memory = {id(_memory(node)) for node in given.values()}
    return tuple([_new(found[sink.number], memory) for sink in sinks])


def write(graph: Structure, target: Buffer, inputs: Mapping[str, Any], sink: Any) -> None:
    """Write the elements of a sink to those of ``target``."""
    chosen = _sink(graph, sink)
    if target.shape != chosen.shape:
        raise ShapeError(
            f"compute needs a buffer of the shape of {chosen.title}, {chosen.shape}, got "
            f"{target.shape}; make one with empty({chosen.shape}), or reshape this one"
        )
    if target.dtype != chosen.dtype:
        raise DTypeError(
            f"compute needs a buffer of the dtype of {chosen.title}, {chosen.dtype.name}, got "
            f"{target.dtype.name}; convert with astype, or add a cast to the graph"
        )
    given = _given(graph, inputs, [chosen])
    found = _evaluate(graph, given, [chosen], target.device)
    target[...] = type(target)._value(found[chosen.number])


def _sink(graph: Structure, sink: Any) -> TensorNode:
    """The tensor that is asked for: the only sink, if none is named."""
    if sink is not None:
        chosen = graph.node(sink)
        if not isinstance(chosen, TensorNode):
            raise OpGraphError(f"compute writes a tensor, got the operation {chosen.title}")
        return chosen
    sinks = graph.sinks
    if len(sinks) != 1:
        names = ", ".join([one.title for one in sinks[:8]]) or "none"
        raise OpGraphError(
            f"compute needs a graph with one sink, got {len(sinks)}: {names}; choose one with sink="
        )
    return sinks[0]


def _ancestors(graph: Structure, sinks: Sequence[TensorNode]) -> set[int]:
    """The numbers of all nodes that lead to ``sinks``, which are among them."""
    found = {sink.number for sink in sinks}
    todo = list(found)
    while todo:
        for edge in graph._incoming[todo.pop()]:
            if edge.source.number not in found:
                found.add(edge.source.number)
                todo.append(edge.source.number)
    return found


def _given(
    graph: Structure, inputs: Mapping[str, Any], sinks: Sequence[TensorNode]
) -> dict[int, Node]:
    """A node for each input that ``sinks`` need, by its number."""
    complete(graph)
    tensors = {one.name: one for one in graph.inputs if one.name is not None}
    for name in inputs:
        if name not in tensors:
            has = ", ".join(list(tensors)[:8]) or "none"
            raise OpGraphError(f"the graph has no input {shorten(name)}; its inputs: {has}")
    found = {tensors[name].number: _input(tensors[name], value) for name, value in inputs.items()}
    needed = _ancestors(graph, sinks)
    missing = []
    for tensor in graph.inputs:
        if tensor.number in found or tensor.number not in needed:
            continue
        if tensor.bound is None:
            missing.append(tensor.title)
        else:
            found[tensor.number] = tensor.bound
    if missing:
        raise OpGraphError(
            f"the graph needs elements for its inputs, got none for {', '.join(missing[:8])}; pass "
            f"them by name"
        )
    return found


def _input(tensor: TensorNode, value: Any) -> Node:
    """What was given for an input, as a node; an error unless it fits."""
    has_dtype = hasattr(value, "dtype")
    node = as_node(value, None if has_dtype else tensor.dtype, None, {}, None)
    if node.shape != tensor.shape:
        raise ShapeError(f"input {tensor.title} needs shape {tensor.shape}, got {node.shape}")
    if node.dtype != tensor.dtype:
        raise DTypeError(
            f"input {tensor.title} needs {tensor.dtype.name}, got {node.dtype.name}; convert it "
            f"with astype"
        )
    return node


def _evaluate(
    graph: Structure,
    given: Mapping[int, Node],
    sinks: Sequence[TensorNode],
    device: Device | None,
) -> dict[int, Node]:
    """The nodes of ``sinks``, by number; what has no operands is made on ``device``."""
    needed = _ancestors(graph, sinks)
    homes = list(dict.fromkeys([node.device for node in given.values() if node.device is not None]))
    home = homes[0] if homes else device or CPU
    found = dict(given)
    for tensor in graph.sources:
        if tensor.value is not None and tensor.number in needed:
            found[tensor.number] = constant(tensor.shape, tensor.value, tensor.dtype)
    kept = {sink.number for sink in sinks}
    reads = _reads(graph, needed)
    for operation in complete(graph):
        if operation.number not in needed:
            continue
        operands = [edge.source.number for edge in graph._incoming[operation.number]]
        node = _computed(graph, operation, [found[number] for number in operands], home)
        found[graph._outgoing[operation.number][0].target.number] = node
        for number in operands:
            reads[number] -= 1
            if not reads[number] and number not in kept:
                del found[number]  # so that no name keeps what no one reads any more
    return found


def _reads(graph: Structure, needed: set[int]) -> dict[int, int]:
    """How often each tensor is read on the way to the sinks."""
    return {
        number: sum(edge.target.number in needed for edge in graph._outgoing[number])
        for number in needed
    }


def _computed(
    graph: Structure, operation: OperationNode, operands: list[Node], home: Device
) -> Node:
    """The result of one operation."""
    if operands and not home.is_host and all(node.device is None for node in operands):
        first = operands[0]
        operands = [full(first.shape, first.arg, first.dtype, home), *operands[1:]]
    if operation.opaque is not None:
        made = operation.opaque(*operands)
    else:
        arrived = graph._incoming[operation.number]
        (left,) = graph._outgoing[operation.number]
        labels = None
        if left.labels is not None:
            labels = Axes(tuple([edge.labels or () for edge in arrived]), left.labels)
        made = apply(row_of(operation.name), operands, operation.arguments, labels, home)
    return made if home.is_host else lowered(made, operands, operation.title)


def _memory(node: Node) -> Any:
    """The block that the elements of a node are in; None while they are pending."""
    return node.block if settle(node) is not None else node.base.block


def _new(node: Node, memory: set[int]) -> Buffer:
    """A buffer of ``node`` that shares nothing with ``memory``, to which it adds its own."""
    block = _memory(node)
    if block is None:
        return Buffer._value(node)
    if id(block) in memory:
        return Buffer._value(copied(node))
    memory.add(id(block))
    return Buffer._value(node)
