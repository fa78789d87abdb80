"""What each operation means: functions from nodes to nodes."""

from typing import TYPE_CHECKING, Any

from onebuf.late import Late, load
from onebuf.ops import apply, contraction
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
    install_late,
    power,
    ternary_where,
    unary,
)
from onebuf.ops.contraction import expanded, matmul, take, take_along_axis
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
from onebuf.ops.reduction import reduce
from onebuf.ops.scans import scan
from onebuf.ops.statistics import mean, std, var, widened

if TYPE_CHECKING:
    from onebuf.ops.random.distributions import Draw, bits64, integers, normal, uniform
    from onebuf.ops.sorting import argsort, sort, sortable
    from onebuf.ops.structured import elementwise, folds, gather, index_nodes, products
else:
    elementwise = Late("onebuf.ops.structured.elementwise")
    folds = Late("onebuf.ops.structured.folds")
    gather = Late("onebuf.ops.structured.gather")
    index_nodes = Late("onebuf.ops.structured.index_nodes")
    products = Late("onebuf.ops.structured.products")

# Operations meet layouts without strides here: the modules below know operations, not the reverse.
apply.install_layouts(lambda *call: elementwise.lifted(*call), lambda *call: folds.folded(*call))
contraction.install_layouts(
    lambda *call: products.multiplied(*call),
    lambda *call: gather.taken(*call),
    lambda node: index_nodes.spelled_out(node),
)


_LATER = {
    **dict.fromkeys(("argsort", "sort", "sortable"), "onebuf.ops.sorting"),
    **dict.fromkeys(
        ("Draw", "bits64", "integers", "normal", "uniform"), "onebuf.ops.random.distributions"
    ),
}
"""What few programs use, by the module that has it."""


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(load(_LATER[name]), name)
    return value


# fmt: off
__all__ = [
    "PAIRS", "SCALARS", "SINGLES", "SWAPPED", "Draw", "Scalar", "adopted", "arange", "argsort",
    "as_operand", "as_shape", "binary", "bits64", "cast", "concat", "constant", "copied",
    "diagonal", "empty", "expand", "expand_dims", "expanded", "flip", "full", "general", "index",
    "install", "install_late", "integers", "library", "matmul", "mean", "new_array", "normal",
    "pad", "permute", "place", "pooled", "power", "quiet_context", "quietly", "reduce", "reshape",
    "scan", "seen", "several", "shrink", "sort", "sortable", "squeeze", "stack", "std", "take",
    "take_along_axis", "ternary_where", "unary", "uniform", "var", "view_of", "widened", "windows",
]
