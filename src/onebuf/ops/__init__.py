"""What each operation means: functions from nodes to nodes."""

from onebuf.ops.allocation import adopted, new_array, place, pooled
from onebuf.ops.apply import (
    SCALARS,
    Scalar,
    as_operand,
    binary,
    cast,
    constant,
    general,
    install,
    power,
    ternary_where,
    unary,
)
from onebuf.ops.contraction import matmul, take, take_along_axis
from onebuf.ops.creation import arange, as_shape, empty, full
from onebuf.ops.eager import PAIRS, SINGLES, SWAPPED
from onebuf.ops.library import library, several
from onebuf.ops.movement import (
    concat,
    copied,
    diagonal,
    expand,
    expand_dims,
    flip,
    index,
    pad,
    permute,
    reshape,
    seen,
    shrink,
    squeeze,
    stack,
    view_of,
    windows,
)
from onebuf.ops.quiet import quiet_context, quietly
from onebuf.ops.random.distributions import Draw, bits64, integers, normal, uniform
from onebuf.ops.random.philox import random_words, word_at
from onebuf.ops.reduction import reduce
from onebuf.ops.scans import scan
from onebuf.ops.sorting import argsort, sort, sortable
from onebuf.ops.statistics import mean, std, var, widened

# fmt: off
__all__ = [
    "PAIRS", "SCALARS", "SINGLES", "SWAPPED", "Draw", "Scalar", "adopted", "arange", "argsort",
    "as_operand", "as_shape", "binary", "bits64", "cast", "concat", "constant", "copied",
    "diagonal", "empty", "expand", "expand_dims", "flip", "full", "general", "index", "install",
    "integers", "library", "matmul", "mean", "new_array", "normal", "pad", "permute", "place",
    "pooled", "power", "quiet_context", "quietly", "random_words", "reduce", "reshape", "scan",
    "seen", "several", "shrink", "sort", "sortable", "squeeze", "stack", "std", "take",
    "take_along_axis", "ternary_where", "unary", "uniform", "var", "view_of", "widened", "windows",
    "word_at",
]
