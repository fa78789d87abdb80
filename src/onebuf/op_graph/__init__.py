"""Op graphs: tensors and operations as a graph that can be built, drawn, written down and run.

A graph is a recipe: unlike the nodes behind a lazy buffer, it may have inputs without elements, can
be run again and again, and can be sent to others as JSON.
"""

from onebuf.op_graph.op_graph import OpGraph
from onebuf.op_graph.operation_table import TABLE
from onebuf.op_graph.vertices import Edge, OperationNode, TensorNode

OPERATIONS = tuple(sorted(TABLE))
"""The names of all operations that an op graph may contain."""

__all__ = ["OPERATIONS", "Edge", "OpGraph", "OperationNode", "TensorNode"]
