"""Kernels: the computation of one pass over memory, independent of the language it is written in.

A `Nest` is a loop nest. The CPU renderer reads nests; `onebuf.kernel.linear` lowers a nest to the
program of one work-item, for devices that run many work-items at once.
"""

from onebuf.kernel.nest.chunked_fold import partials
from onebuf.kernel.nest.fold_ops import combines, combining, identity
from onebuf.kernel.nest.indexed_load import ADDRESSING, FLAG, INSIDE, wrapped
from onebuf.kernel.nest.loop_order import best_order, permuted, read_order, reordered
from onebuf.kernel.nest.nest import (
    ANY,
    CHUNK,
    FOLDS,
    INDEX,
    LANES,
    LOAD,
    SCALAR,
    SCANS,
    STORE,
    Fold,
    Nest,
    Pass,
    Slot,
    Step,
    accumulator_dtype,
    stride_class,
)

# fmt: off
__all__ = [
    "ADDRESSING", "ANY", "CHUNK", "FLAG", "FOLDS", "INDEX", "INSIDE", "LANES", "LOAD", "SCALAR",
    "SCANS", "STORE", "Fold", "Nest", "Pass", "Slot", "Step", "accumulator_dtype", "best_order",
    "combines", "combining", "identity", "partials", "permuted", "read_order", "reordered",
    "stride_class", "wrapped",
]
