"""Kernels: what one pass over memory computes, before anyone says how.

A `Nest` says what; `lower` makes a `Linear` program of it, shared out among work-items as some
optimisations say. The compiler of the host needs nests alone: what is there for linear programs
is imported when it is first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from onebuf.kernel.moving import FLAG, INSIDE, wrapped
from onebuf.kernel.nest import (
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
from onebuf.kernel.ordering import best_order, permuted, reordered
from onebuf.kernel.partial import partials
from onebuf.late import load

if TYPE_CHECKING:
    from onebuf.kernel.folding import combines
    from onebuf.kernel.heuristics import Traits, suggest
    from onebuf.kernel.linear import Code, Given, Global, Instruction, Linear, Local, Special
    from onebuf.kernel.lowering import lower
    from onebuf.kernel.optimising import (
        GROUP,
        GROUPTOP,
        LOCAL,
        UNROLL,
        UPCAST,
        How,
        Limits,
        Opt,
        reduce_axes,
        share_out,
    )
    from onebuf.kernel.splitting import Split, Stage, split
    from onebuf.kernel.verifying import verify

_LATER = {
    "folding": ("combines",),
    "heuristics": ("Traits", "suggest"),
    "linear": ("Code", "Given", "Global", "Instruction", "Linear", "Local", "Special"),
    "lowering": ("lower",),
    "optimising": (
        *("GROUP", "GROUPTOP", "LOCAL", "UNROLL", "UPCAST", "How", "Limits", "Opt"),
        *("reduce_axes", "share_out"),
    ),
    "splitting": ("Split", "Stage", "split"),
    "verifying": ("verify",),
}
_HOMES = {name: module for module, names in _LATER.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(load(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


__all__ = [
    "ANY",
    "CHUNK",
    "FLAG",
    "FOLDS",
    "GROUP",
    "GROUPTOP",
    "INDEX",
    "INSIDE",
    "LANES",
    "LOAD",
    "LOCAL",
    "SCALAR",
    "SCANS",
    "STORE",
    "UNROLL",
    "UPCAST",
    "Code",
    "Fold",
    "Given",
    "Global",
    "How",
    "Instruction",
    "Limits",
    "Linear",
    "Local",
    "Nest",
    "Opt",
    "Slot",
    "Special",
    "Split",
    "Stage",
    "Step",
    "Traits",
    "accumulator_dtype",
    "best_order",
    "combines",
    "lower",
    "partials",
    "permuted",
    "reduce_axes",
    "reordered",
    "share_out",
    "split",
    "stride_class",
    "suggest",
    "verify",
    "wrapped",
]
