"""Operations: the vocabulary of the graph, as data.

An operation is a name and a kind. The kind says how its result relates to its operands, which is
all that shape inference and scheduling ask; what it computes is the backends' business.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """How the elements of a result depend on the elements of the operands."""

    STORED = "stored"
    """Elements in memory."""
    VIEW = "view"
    """The base's own elements, seen through a layout."""
    CONSTANT = "constant"
    """One value everywhere."""
    GENERATE = "generate"
    """A function of the index alone."""
    SOURCE = "source"
    """Read on demand, by region, from elsewhere."""
    ELEMENTWISE = "elementwise"
    """Element by element, after broadcasting."""
    REDUCE = "reduce"
    """Axes folded into one element."""
    SCAN = "scan"
    """Elements combined with all before them along an axis."""
    COPY = "copy"
    """The same elements in memory of their own."""
    PAD = "pad"
    """The operand inside a border of one value."""
    JOIN = "join"
    """Operands one after another along an axis."""
    GATHER = "gather"
    """Elements chosen by an operand of indices."""
    LIBRARY = "library"
    """An opaque call that needs its operands whole and in memory."""


@dataclass(frozen=True, slots=True, eq=False)
class Op:
    """An operation: compared by identity, found by name."""

    name: str
    kind: Kind

    def __repr__(self) -> str:
        return self.name


STORED = Op("stored", Kind.STORED)
PLACED = Op("placed", Kind.STORED)
"""Stored on a device, where the host does not reach: from the first byte of a block, row-major."""
VIEW = Op("view", Kind.VIEW)
CONSTANT = Op("constant", Kind.CONSTANT)
"""A value that operations share and nobody owns."""
FULL = Op("full", Kind.CONSTANT)
"""One value everywhere, in a buffer that may be written to."""
EMPTY = Op("empty", Kind.GENERATE)
ARANGE = Op("arange", Kind.GENERATE)
RANDOM_BITS = Op("random_bits", Kind.GENERATE)
RANDOM_WORDS = {Op("random_bits", Kind.ELEMENTWISE): bits for bits in (32, 64)}
"""Random bits as a function of (position, key, stream), each of uint64; by how many bits."""
FREED = Op("freed", Kind.LIBRARY)
FAILED = Op("failed", Kind.LIBRARY)
SOURCE = Op("source", Kind.SOURCE)
CAST = Op("cast", Kind.ELEMENTWISE)
WHERE = Op("where", Kind.ELEMENTWISE)
COMPLEX = Op("complex", Kind.ELEMENTWISE)
"""Complex numbers of their real and their imaginary parts; kernels are made of it, not graphs."""
COPY = Op("copy", Kind.COPY)
PAD = Op("pad", Kind.PAD)
CONCAT = Op("concat", Kind.JOIN)
WRITE = Op("write", Kind.JOIN)
"""Elements that are computed straight into memory that exists; no buffer holds such a node."""
TAKE = Op("take", Kind.GATHER)
TAKE_ALONG = Op("take_along_axis", Kind.GATHER)
MATMUL = Op("matmul", Kind.LIBRARY)
LIBRARY = Op("library", Kind.LIBRARY)

UNARY = {
    name: Op(name, Kind.ELEMENTWISE)
    for name in (
        *("abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "bitwise_invert", "ceil"),
        *("conj", "cos", "cosh", "exp", "expm1", "floor", "imag", "isfinite", "isinf", "isnan"),
        *("log", "log10", "log1p", "log2", "logical_not", "negative", "positive", "real"),
        *("reciprocal", "round", "sign", "signbit", "sin", "sinh", "sqrt", "square", "tan"),
        *("tanh", "trunc"),
    )
}
BINARY = {
    name: Op(name, Kind.ELEMENTWISE)
    for name in (
        *("add", "atan2", "bitwise_and", "bitwise_left_shift", "bitwise_or"),
        *("bitwise_right_shift", "bitwise_xor", "copysign", "divide", "equal", "floor_divide"),
        *("greater", "greater_equal", "hypot", "less", "less_equal", "logaddexp"),
        *("logical_and", "logical_or", "logical_xor", "maximum", "minimum", "multiply"),
        *("nextafter", "not_equal", "pow", "remainder", "subtract"),
    )
}
REDUCE = {
    name: Op(name, Kind.REDUCE)
    for name in ("all", "any", "argmax", "argmin", "max", "min", "prod", "sum")
}
SCAN = {name: Op(f"cumulative_{name}", Kind.SCAN) for name in ("prod", "sum")}
"""Running results; the argument of a node is the axis that they run along."""
