"""Functions of NumPy as operations of ours, for buffers that are traced.

The namespace leaves many functions to NumPy, which needs elements. A buffer inside of a function
that is being differentiated has none that may be read, so there these forms take their place. They
give the same values up to rounding; plain buffers never come here.
"""

from onebuf.numpy_api.by_operations import (
    elements,
    namesakes,
    order,
    polynomials,
    series,
    shapes,
    sums,
    writes,
)
from onebuf.numpy_api.by_operations.table import BY_OPERATIONS

# fmt: off
__all__ = [
    "BY_OPERATIONS", "elements", "namesakes", "order", "polynomials", "series", "shapes", "sums",
    "writes",
]
