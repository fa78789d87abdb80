"""Sparsity as a value: which elements of a tensor are zero, known before they are computed.

A sparsity names what may be nonzero: single elements (`Element`), boxes (`Block`), or tiles whose
norms reach a threshold (`Norm`). What it calls zero is zero; what it calls nonzero may happen to be
zero as well. Sparsities are immutable, hashable and pure: they hold no element of the tensor.

``a | b`` is the sparsity of a sum, `product` that of a product.
"""

from onebuf.sparsity.block import Block
from onebuf.sparsity.element import Element
from onebuf.sparsity.norm import Norm
from onebuf.sparsity.product import product
from onebuf.sparsity.sparsity import Sparsity

__all__ = ["Block", "Element", "Norm", "Sparsity", "product"]
