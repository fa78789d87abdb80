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
    "partials",
]
