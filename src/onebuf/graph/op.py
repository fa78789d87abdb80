"""Operations: the vocabulary of the graph, as a table with one row per operation.

The kind of an operation says how its result relates to its operands, which is all that shape
inference and scheduling ask. An elementwise operation also says how many operands it has, which
dtype it gives, which function of NumPy it is, and whether that function's bits are the only right
ones. Lists of operations elsewhere are derived from these rows, or a test holds them to be complete
(tests/graph/test_op.py). A table of another layer, such as one of gradient rules, has an `Op` as
its key: an operation is compared by identity, so its row is its name there.
"""

from __future__ import annotations

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


class Rule(StrEnum):
    """Which dtype an operation gives, by the dtypes of its operands."""

    SAME = "same"
    """The operand's."""
    NUMBER = "number"
    """That in which operands meet: integers stay integers."""
    INTEGER = "integer"
    """The same for operations on bits, which floats do not have."""
    FLOAT = "float"
    """A floating one: integers become floats that are wide enough."""
    BOOL = "bool"
    """bool."""
    PART = "part"
    """That of a part of a complex number."""
    COMPLEX = "complex"
    """That of the complex number with such parts."""
    CHOICE = "choice"
    """That in which all operands but the first meet."""
    WORD = "word"
    """uint32, or uint64 for two words."""
    TOTAL = "total"
    """The operand's, but 64 bits wide for integers."""
    INDEX = "index"
    """int64."""


class Op:
    """A row of the table: an operation, compared by identity and found by name."""

    __slots__ = ("name", "kind", "arity", "rule", "numpy", "is_exact")

    def __init__(
        self,
        name: str,
        kind: Kind,
        arity: int | None = None,
        rule: Rule | None = None,
        numpy: str | None = None,
        is_exact: bool = True,
    ) -> None:
        self.name = name
        self.kind = kind
        self.arity = arity
        """How many operands it has; None: that is no property of the operation."""
        self.rule = rule
        """The dtype of its result; None: a node says it."""
        self.numpy = numpy
        """The name of NumPy's ufunc; None: NumPy has none."""
        self.is_exact = is_exact
        """Whether one result is right to the bit; else our own kernels compute it in every tier."""

    def __repr__(self) -> str:
        return self.name


def _row(name: str, arity: int, rule: Rule, is_exact: bool = True, *, in_numpy: bool = True) -> Op:
    return Op(name, Kind.ELEMENTWISE, arity, rule, name if in_numpy else None, is_exact)


STORED = Op("stored", Kind.STORED)
PLACED = Op("placed", Kind.STORED)
"""Stored on a device, where the host does not reach: from the first byte of a block, row-major."""
FUTURE = Op("future", Kind.STORED)
"""To be stored, without gaps and row-major, by a task that is not done yet."""
INPUT = Op("input", Kind.STORED)
"""To be given: a parameter of a function that is being traced (`onebuf.tracing`)."""
CUSTOM = Op("custom", Kind.COPY)
"""Its first operand, with a gradient that a program gave for the others; only in traces."""
MOVE = Op("move", Kind.COPY)
"""The same elements on another device, which is its argument; only in traces."""
VIEW = Op("view", Kind.VIEW)
CONSTANT = Op("constant", Kind.CONSTANT)
"""A value that operations share, and that has no owner."""
FULL = Op("full", Kind.CONSTANT)
"""One value everywhere, in a buffer that may be written to."""
EMPTY = Op("empty", Kind.GENERATE)
ARANGE = Op("arange", Kind.GENERATE)
RANDOM_BITS = Op("random_bits", Kind.GENERATE)
RANDOM_WORDS = {Op("random_bits", Kind.ELEMENTWISE, 3, Rule.WORD): bits for bits in (32, 64)}
"""Random bits as a function of (position, key, stream), each of uint64; by how many bits."""
FREED = Op("freed", Kind.LIBRARY)
FAILED = Op("failed", Kind.LIBRARY)
SOURCE = Op("source", Kind.SOURCE)
ON_DEMAND = Op("on_demand", Kind.SOURCE)
"""Generated when it is asked for: by its operand, an expression of the index, or by a function."""
CAST = Op("cast", Kind.ELEMENTWISE, 1)
WHERE = Op("where", Kind.ELEMENTWISE, 3, Rule.CHOICE)
COMPLEX = Op("complex", Kind.ELEMENTWISE, 2, Rule.COMPLEX)
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

_ROWS = (
    _row("abs", 1, Rule.NUMBER),
    _row("acos", 1, Rule.FLOAT, is_exact=False),
    _row("acosh", 1, Rule.FLOAT, is_exact=False),
    _row("asin", 1, Rule.FLOAT, is_exact=False),
    _row("asinh", 1, Rule.FLOAT, is_exact=False),
    _row("atan", 1, Rule.FLOAT, is_exact=False),
    _row("atanh", 1, Rule.FLOAT, is_exact=False),
    _row("bitwise_invert", 1, Rule.INTEGER),
    _row("cbrt", 1, Rule.FLOAT, is_exact=False),
    _row("ceil", 1, Rule.NUMBER),
    _row("conj", 1, Rule.SAME),
    _row("cos", 1, Rule.FLOAT, is_exact=False),
    _row("cosh", 1, Rule.FLOAT, is_exact=False),
    _row("erf", 1, Rule.FLOAT, is_exact=False, in_numpy=False),
    _row("erfc", 1, Rule.FLOAT, is_exact=False, in_numpy=False),
    _row("exp", 1, Rule.FLOAT, is_exact=False),
    _row("exp2", 1, Rule.FLOAT, is_exact=False),
    _row("expm1", 1, Rule.FLOAT, is_exact=False),
    _row("floor", 1, Rule.NUMBER),
    _row("imag", 1, Rule.PART, in_numpy=False),
    _row("isfinite", 1, Rule.BOOL),
    _row("isinf", 1, Rule.BOOL),
    _row("isnan", 1, Rule.BOOL),
    _row("log", 1, Rule.FLOAT, is_exact=False),
    _row("log10", 1, Rule.FLOAT, is_exact=False),
    _row("log1p", 1, Rule.FLOAT, is_exact=False),
    _row("log2", 1, Rule.FLOAT, is_exact=False),
    _row("logical_not", 1, Rule.BOOL),
    _row("negative", 1, Rule.NUMBER),
    _row("positive", 1, Rule.SAME),
    _row("real", 1, Rule.PART, in_numpy=False),
    _row("reciprocal", 1, Rule.NUMBER),
    _row("round", 1, Rule.SAME, in_numpy=False),
    _row("sign", 1, Rule.NUMBER),
    _row("signbit", 1, Rule.BOOL),
    _row("sin", 1, Rule.FLOAT, is_exact=False),
    _row("sinh", 1, Rule.FLOAT, is_exact=False),
    _row("sqrt", 1, Rule.FLOAT),
    _row("square", 1, Rule.NUMBER),
    _row("tan", 1, Rule.FLOAT, is_exact=False),
    _row("tanh", 1, Rule.FLOAT, is_exact=False),
    _row("trunc", 1, Rule.NUMBER),
    _row("add", 2, Rule.NUMBER),
    _row("atan2", 2, Rule.FLOAT, is_exact=False),
    _row("bitwise_and", 2, Rule.INTEGER),
    _row("bitwise_left_shift", 2, Rule.INTEGER),
    _row("bitwise_or", 2, Rule.INTEGER),
    _row("bitwise_right_shift", 2, Rule.INTEGER),
    _row("bitwise_xor", 2, Rule.INTEGER),
    _row("copysign", 2, Rule.FLOAT),
    _row("divide", 2, Rule.FLOAT),
    _row("equal", 2, Rule.BOOL),
    _row("floor_divide", 2, Rule.NUMBER),
    _row("greater", 2, Rule.BOOL),
    _row("greater_equal", 2, Rule.BOOL),
    _row("hypot", 2, Rule.FLOAT, is_exact=False),
    _row("less", 2, Rule.BOOL),
    _row("less_equal", 2, Rule.BOOL),
    _row("logaddexp", 2, Rule.FLOAT, is_exact=False),
    _row("logical_and", 2, Rule.BOOL),
    _row("logical_or", 2, Rule.BOOL),
    _row("logical_xor", 2, Rule.BOOL),
    _row("maximum", 2, Rule.NUMBER),
    _row("minimum", 2, Rule.NUMBER),
    _row("multiply", 2, Rule.NUMBER),
    _row("nextafter", 2, Rule.FLOAT),
    _row("not_equal", 2, Rule.BOOL),
    _row("pow", 2, Rule.NUMBER, is_exact=False),
    _row("remainder", 2, Rule.NUMBER),
    _row("subtract", 2, Rule.NUMBER),
)
UNARY = {op.name: op for op in _ROWS if op.arity == 1}
BINARY = {op.name: op for op in _ROWS if op.arity == 2}
INEXACT = frozenset(op for op in _ROWS if not op.is_exact)
"""Functions whose last bit is a choice."""
REDUCE = {
    name: Op(name, Kind.REDUCE, 1, rule)
    for name, rule in (
        *(("all", Rule.BOOL), ("any", Rule.BOOL), ("argmax", Rule.INDEX), ("argmin", Rule.INDEX)),
        *(("max", Rule.SAME), ("min", Rule.SAME), ("prod", Rule.TOTAL), ("sum", Rule.TOTAL)),
    )
}
SCAN = {name: Op(f"cumulative_{name}", Kind.SCAN) for name in ("prod", "sum")}
"""Running results; the argument of a node is the axis that they run along."""
