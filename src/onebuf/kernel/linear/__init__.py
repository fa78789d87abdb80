"""The linear form: the program of one work-item, for devices that run many at once.

The CPU renderer does not need it, so `onebuf.kernel` does not import it.
"""

from onebuf.kernel.linear.heuristics import Traits, suggest
from onebuf.kernel.linear.instruction import (
    Code,
    Given,
    Global,
    Instruction,
    Linear,
    Local,
    Special,
)
from onebuf.kernel.linear.lowering import lower
from onebuf.kernel.linear.opts import (
    GROUP,
    GROUPTOP,
    LOCAL,
    UNROLL,
    UPCAST,
    How,
    Limits,
    Opt,
    reduce_axes,
    split_axes,
)
from onebuf.kernel.linear.split_fold import Split, split
from onebuf.kernel.linear.verifier import verify

# fmt: off
__all__ = [
    "GROUP", "GROUPTOP", "LOCAL", "UNROLL", "UPCAST", "Code", "Given", "Global", "How",
    "Instruction", "Limits", "Linear", "Local", "Opt", "Special", "Split", "Traits", "lower",
    "reduce_axes", "split", "split_axes", "suggest", "verify",
]
