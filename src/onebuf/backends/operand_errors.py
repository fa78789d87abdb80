"""Errors of operands: values that an operation does not take, found while it runs."""

from __future__ import annotations

from onebuf.errors import ArgumentError, IndexRangeError


def index_out_of_range(index: int, extent: int) -> IndexRangeError:
    """The error of an index outside of an axis."""
    return IndexRangeError(f"an index needs to be in {-extent}..{extent - 1}, got {index}")


def negative_power(exponent: int) -> ArgumentError:
    """The error of an integer raised to a negative power."""
    return ArgumentError(
        f"pow: Integers to negative integer powers are not allowed, got the exponent {exponent}; "
        f"convert with astype('float64') first"
    )
