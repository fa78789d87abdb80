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
)

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
]
