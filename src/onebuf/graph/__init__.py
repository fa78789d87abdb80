"""The graph: what is to be computed, as immutable nodes with their shapes and dtypes."""

from onebuf.graph import engine_lock
from onebuf.graph.infer import (
    elementwise_dtype,
    reduce_axes,
    reduce_dtype,
    reduction,
)
from onebuf.graph.leaf import (
    Element,
    Foreign,
    Freed,
    Fresh,
    Leaf,
    Loose,
    LooseBlock,
    Number,
    Part,
)
from onebuf.graph.node import (
    Node,
    Readers,
    attach,
    attaching,
    fail,
    make,
    settle,
    strided,
)
from onebuf.graph.op import (
    ARANGE,
    BINARY,
    CAST,
    COMPLEX,
    CONCAT,
    CONSTANT,
    COPY,
    CUSTOM,
    EMPTY,
    FAILED,
    FREED,
    FULL,
    FUTURE,
    INEXACT,
    INPUT,
    LIBRARY,
    MATMUL,
    MOVE,
    ON_DEMAND,
    PAD,
    PLACED,
    RANDOM_BITS,
    RANDOM_WORDS,
    REDUCE,
    SCAN,
    SOURCE,
    STORED,
    TAKE,
    TAKE_ALONG,
    UNARY,
    VIEW,
    WHERE,
    WRITE,
    Kind,
    Op,
    Rule,
)
from onebuf.graph.origin import here
from onebuf.graph.placed import is_stored, on_block, place_on, placed_block
from onebuf.graph.promise import Promise, StillToCome, arrived, future, promises_of
from onebuf.graph.readers import enter, forget, living_views, references, waiting

# fmt: off
__all__ = [
    "ARANGE", "BINARY", "CAST", "COMPLEX", "CONCAT", "CONSTANT", "COPY", "CUSTOM", "EMPTY",
    "FAILED", "FREED", "FULL", "FUTURE", "INEXACT", "INPUT", "LIBRARY", "MATMUL", "MOVE",
    "ON_DEMAND", "PAD", "PLACED", "RANDOM_BITS", "RANDOM_WORDS", "REDUCE", "SCAN", "SOURCE",
    "STORED", "TAKE", "TAKE_ALONG", "UNARY", "VIEW", "WHERE", "WRITE", "Element", "Foreign",
    "Freed", "Fresh", "Kind", "Leaf", "Loose", "LooseBlock", "Node", "Number", "Op", "Part",
    "Promise",
    "Readers", "Rule", "StillToCome", "arrived", "attach", "attaching", "elementwise_dtype",
    "engine_lock", "enter", "fail", "forget", "future", "here", "is_stored", "living_views", "make",
    "on_block", "place_on", "placed_block", "promises_of", "reduce_axes", "reduce_dtype",
    "reduction", "references", "settle", "strided", "waiting",
]
