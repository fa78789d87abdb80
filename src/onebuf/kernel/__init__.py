"""Kernels: what one pass over memory computes, before anyone says how."""

from onebuf.kernel.nest import (
    ANY,
    CHUNK,
    FOLDS,
    INDEX,
    LANES,
    LOAD,
    SCALAR,
    STORE,
    Fold,
    Nest,
    Slot,
    Step,
    accumulator_dtype,
)
from onebuf.kernel.ordering import best_order, permuted, reordered
from onebuf.kernel.partial import partials

__all__ = [
    "ANY",
    "CHUNK",
    "FOLDS",
    "INDEX",
    "LANES",
    "LOAD",
    "SCALAR",
    "STORE",
    "Fold",
    "Nest",
    "Slot",
    "Step",
    "accumulator_dtype",
    "best_order",
    "partials",
    "permuted",
    "reordered",
]
