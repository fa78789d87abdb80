"""Batching: a function of one example, applied to many examples at once."""

from onebuf.batching import custom
from onebuf.batching.api import vmap
from onebuf.batching.operand import Operand
from onebuf.batching.transform import batched

__all__ = ["Operand", "batched", "custom", "vmap"]
