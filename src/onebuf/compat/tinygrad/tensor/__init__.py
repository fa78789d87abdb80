"""``tinygrad.tensor``: tensors and functions with gradients, as tinygrad spells them.

A `Tensor` has a tensor of onebuf inside, which does the work; this folder has the spellings, one
module for each kind of operation, and tinygrad's rules for types.
"""

from onebuf.compat.tinygrad.tensor.function import Function
from onebuf.compat.tinygrad.tensor.tensor import Tensor

__all__ = ["Function", "Tensor"]
