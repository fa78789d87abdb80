"""Kernels: what one pass over memory computes, before anyone says how.

A `Nest` says what; `onebuf.kernel.linear` makes a program for one work-item of it, for devices that
run many at once. The compiler of the host needs nests alone.
"""

from onebuf.kernel.nest.chunked_fold import partials
from onebuf.kernel.nest.fold_ops import combines
from onebuf.kernel.nest.indexed_load import FLAG, INSIDE, wrapped
from onebuf.kernel.nest.loop_order import best_order, permuted, reordered
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
    Slot,
    Step,
    accumulator_dtype,
    stride_class,
)

__all__ = [
    "ANY",
    "CHUNK",
    "FLAG",
    "FOLDS",
    "INDEX",
    "INSIDE",
    "LANES",
    "LOAD",
    "SCALAR",
    "SCANS",
    "STORE",
    "Fold",
    "Nest",
    "Slot",
    "Step",
    "accumulator_dtype",
    "best_order",
    "combines",
    "partials",
    "permuted",
    "reordered",
    "stride_class",
    "wrapped",
]
