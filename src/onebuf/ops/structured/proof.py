"""Proof: which layout the result of an elementwise operation certainly has.

A symmetry of the result is an operation of every operand's group that the function carries over: an
odd function of negated operands is negated, a product has the product of the signs, and functions
that are real on all real numbers carry conjugation over. An element of the result is 0 where all
operands are 0 and the function of zeros is 0; a product is 0 where a factor is. What does not
follow from these rules is not assumed: the result is expanded.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from onebuf.dtypes import DT, kind
from onebuf.graph import BINARY, CAST, UNARY, WHERE, Kind, Node, Op, settle
from onebuf.layout.layout import Layout
from onebuf.ops.structured.nodes import Structured
from onebuf.sparsity import Sparsity, product
from onebuf.symmetry import Group, Operation

_ODD = frozenset(
    UNARY[name]
    for name in (
        *("negative", "positive", "sin", "tan", "asin", "atan", "sinh", "tanh", "asinh", "atanh"),
        *("cbrt", "sign", "erf", "trunc", "round", "conj", "real", "imag"),
    )
) | {BINARY["add"], BINARY["subtract"]}
"""Functions that are negated if all operands are, and so are 0 of 0."""
_EVEN = frozenset(
    UNARY[name] for name in ("abs", "square", "cos", "cosh", "isnan", "isinf", "isfinite")
) | {BINARY["equal"], BINARY["not_equal"], BINARY["hypot"]}
"""Functions that stay as they are if all operands are negated."""
_CONJUGATED = frozenset(
    UNARY[name]
    for name in (
        *("negative", "positive", "square", "reciprocal", "sign", "conj", "abs", "real", "imag"),
        *("exp", "exp2", "expm1", "sin", "cos", "tan", "sinh", "cosh", "tanh", "asinh", "atan"),
        *("isnan", "isinf", "isfinite", "logical_not"),
    )
) | {
    CAST,
    *[BINARY[name] for name in ("add", "subtract", "multiply", "divide", "equal", "not_equal")],
    *[BINARY[name] for name in ("logical_and", "logical_or", "logical_xor")],
}
"""Functions of complex numbers that conjugation passes through, and that are real of real ones.

Roots and logarithms are not: those of negative numbers are complex.
"""
_MODULAR = frozenset({BINARY[name] for name in ("add", "subtract", "multiply")}) | {
    UNARY["negative"],
    UNARY["positive"],
}
"""Functions of integers that a sign passes through even where they wrap around."""
_BY_FACTOR = frozenset(BINARY[name] for name in ("multiply", "logical_and", "bitwise_and"))
"""Functions that are 0 where any operand is."""
_SUMS = frozenset({BINARY["add"], BINARY["subtract"]})
_OF_ZERO = frozenset(UNARY[name] for name in ("erf", "round", "real", "imag"))
"""Functions that NumPy lacks, and that are 0 of 0."""


def result_layout(
    op: Op, operands: Sequence[Node], parts: Sequence[Structured | None], dtype: DT
) -> Layout | None:
    """The layout that the result of ``op`` certainly has; None: nothing is known of it.

    ``parts`` are the operands that have a layout of the shape of the result. All others count as
    dense, except numbers.
    """
    shape = next(part.layout.shape for part in parts if part is not None)
    group = _common_group(op, operands, parts, dtype)
    sparsity = _common_sparsity(op, operands, parts)
    if group.is_trivial and sparsity is None:
        return None
    return Layout(shape, group, sparsity)


def _common_group(
    op: Op, operands: Sequence[Node], parts: Sequence[Structured | None], dtype: DT
) -> Group:
    known = [part.layout.group for part in parts if part is not None]
    trivial = Group(rank=known[0].rank)
    others = [node for node, part in zip(operands, parts, strict=True) if part is None]
    if any(node.numel != 1 for node in others):
        return trivial
    is_complex = any(
        kind(node.dtype) == "c" for node, part in zip(operands, parts, strict=True) if part
    )
    tables = [{one.permutation: one for one in group} for group in known]
    found = []
    for permutation in tables[0]:
        if all(permutation in table for table in tables):
            mine = [table[permutation] for table in tables]
            carried = _carried(op, mine, bool(others), is_complex, dtype, operands)
            if carried is not None:
                found.append(carried)
    if len(found) < 2:
        return trivial
    group = Group(*found)
    return next((one for one in known if one == group), group)


def _carried(
    op: Op,
    mine: Sequence[Operation],
    with_numbers: bool,
    is_complex: bool,
    dtype: DT,
    operands: Sequence[Node],
) -> Operation | None:
    """The operation of the result if operands have ``mine``, one permutation; None: unknown."""
    sign = _sign(op, [one.sign for one in mine], with_numbers, operands, dtype)
    if sign is None:
        return None
    conjugate = mine[0].conjugate
    if any(one.conjugate != conjugate for one in mine):
        return None
    if is_complex and conjugate:
        if op not in _CONJUGATED:
            return None
        numbers = [node for node in operands if node.numel == 1] if with_numbers else []
        if not all(_is_real_number(node) for node in numbers):
            return None
        if op in _SUMS and not all(_is_nonzero_number(node) for node in numbers):
            return None  # to add 0j makes the zeros of imaginary parts positive, on both sides
        if op is UNARY["imag"]:
            sign = -sign
        conjugate = kind(dtype) == "c"
    elif kind(dtype) == "c":
        conjugate = False  # real elements are equal, and so what becomes of them: zeros have signs
    return Operation(mine[0].permutation, sign, conjugate)


def _sign(
    op: Op, signs: Sequence[int], with_numbers: bool, operands: Sequence[Node], dtype: DT
) -> int | None:
    """The sign of the result where operands have ``signs``; None: it cannot be told."""
    if all(sign > 0 for sign in signs):
        return 1
    # The most negative integer is its own negative, and no longer that if it is converted.
    has_integers = any(kind(node.dtype) not in "fc" for node in operands)
    is_kept = op in _MODULAR and all(node.dtype == dtype for node in operands)
    if has_integers and not is_kept:
        return None
    product_of_signs = 1 if signs.count(-1) % 2 == 0 else -1
    if op is BINARY["multiply"]:
        return product_of_signs
    if op is BINARY["divide"]:
        # Elements that are 0 because they are their own negatives may be divided by 0.
        is_safe = product_of_signs > 0 or _is_nonzero_number(operands[1])
        return product_of_signs if is_safe else None
    if signs.count(-1) < len(signs) or with_numbers:
        return None
    if op is CAST:
        return {"b": 1, "u": None}.get(kind(dtype), -1)
    return 1 if op in _EVEN else -1 if op in _ODD else None


def _is_nonzero_number(node: Node) -> bool:
    value = _number(node) if node.numel == 1 else None
    return value is not None and bool(np.all(value != 0))


def _is_real_number(node: Node) -> bool:
    value = _number(node)
    return kind(node.dtype) != "c" or (value is not None and bool(value.imag == 0))


def _number(node: Node) -> np.ndarray[Any, Any] | None:
    """The one value of a node; None: it is still to be computed."""
    value = node.base.arg if node.base.op.kind is Kind.CONSTANT else settle(node)
    return None if value is None else np.asarray(value).reshape(())


def _common_sparsity(
    op: Op, operands: Sequence[Node], parts: Sequence[Structured | None]
) -> Sparsity | None:
    """What is certainly 0 in the result."""
    patterns = [None if part is None else part.layout.sparsity for part in parts]
    there = [pattern for pattern in patterns if pattern is not None]
    if not there:
        return None
    if op in _BY_FACTOR:
        found = there[0]
        for other in there[1:]:
            if other != found:
                letters = "".join([chr(ord("a") + axis) for axis in range(len(found.shape))])
                found = product(f"{letters},{letters}->{letters}", found, other)
        return found
    pairs = zip(operands, patterns, strict=True)
    is_dense = [pattern is None and node.numel != 1 for node, pattern in pairs]
    if any(is_dense) or not _keeps_zero(op, operands, patterns):
        return None
    found = there[0]
    for other in there[1:]:
        found = found if other == found else found | other
    return found


def _keeps_zero(op: Op, operands: Sequence[Node], patterns: Sequence[Sparsity | None]) -> bool:
    """Whether ``op`` of zeros, and of the numbers among its operands, is 0."""
    if op is CAST or op in _OF_ZERO:
        return True
    values = []
    for node, pattern in zip(operands, patterns, strict=True):
        if pattern is not None:
            values.append(np.zeros((), node.dtype))
            continue
        value = _number(node)
        if value is None:
            return False
        values.append(value)
    function = np.where if op is WHERE else getattr(np, op.numpy or "", None)
    if function is None:
        return False
    with np.errstate(all="ignore"):
        return not np.any(function(*values))
