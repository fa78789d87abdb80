"""Random expressions on arrays of one shape, which can be computed again and again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

import onebuf

Array = np.ndarray[Any, Any]
Tree = tuple[Any, ...]

EXACT = ("negative", "square", "abs", "sqrt", "floor", "positive", "sign")
FUNCTIONS = ("exp", "tanh", "sin", "log1p")
COMBINING = ("add", "subtract", "multiply", "divide", "maximum", "minimum", "copysign")
COMPLEX = {
    **dict.fromkeys(("floor", "sign", "exp", "tanh", "sin", "log1p"), "conj"),
    **dict.fromkeys(("sqrt", "abs"), "negative"),
    **dict.fromkeys(("maximum", "minimum", "copysign"), "multiply"),
}
"""What is done to complex numbers instead of what kernels do to real ones alone."""


@dataclass(frozen=True)
class Leaf:
    """An array of 5 by 37 elements, in one of several orders in memory."""

    dtype: Any
    seed: int
    special: float
    every: int
    """Every which element is the special one."""
    order: str

    def array(self) -> Array:
        """Its elements."""
        rng = np.random.default_rng(self.seed)
        whole: Array = rng.normal(size=(10, 74)) * 3
        if np.dtype(self.dtype).kind == "c":
            whole = whole + 1j * rng.normal(size=(10, 74))
        whole.flat[:: self.every] = self.special
        array = whole.astype(self.dtype)
        return {
            "first": array[:5, :37],
            "steps": array[::2, ::2],
            "backwards": array[4::-1, 36::-1],
            "columns": np.asfortranarray(array[:5, :37]),
        }[self.order]


LEAVES = {
    "seed": st.integers(0, 99),
    "special": st.sampled_from([0.0, -0.0, np.inf, np.nan]),
    "every": st.integers(50, 90),
    "order": st.sampled_from(["first", "steps", "backwards", "columns"]),
}


@dataclass(frozen=True)
class Expression:
    """A tree of operations, and what is at its leaves."""

    tree: Tree
    leaves: tuple[Leaf, ...]

    def build(self) -> Any:
        """The buffer of its result, by the options that hold now."""
        buffers = [onebuf.asarray(leaf.array()) for leaf in self.leaves]
        return _build(self.tree, buffers)


def _build(tree: Tree, leaves: list[Any]) -> Any:
    name, *rest = tree
    if name == "leaf":
        return leaves[rest[0] % len(leaves)]
    if name == "cast":
        x = _build(rest[0], leaves)
        is_complex = np.dtype(x.dtype).kind == "c"
        return onebuf.astype(x, rest[1] if not is_complex else rest[2])
    operands = [_build(each, leaves) for each in rest if isinstance(each, tuple)]
    is_complex = any(np.dtype(x.dtype).kind == "c" for x in operands)
    if name == "flip":
        return onebuf.flip(operands[0])
    if name == "where":
        one, two = operands
        return onebuf.where(onebuf.equal(one, two), two, one + 1)
    if name in ("sum", "max", "min"):
        (x,) = operands
        if is_complex or name == "sum":
            return x - onebuf.sum(x, axis=rest[1], keepdims=True)
        return x * getattr(onebuf, name)(onebuf.abs(x), axis=rest[1], keepdims=True)
    return getattr(onebuf, COMPLEX.get(name, name) if is_complex else name)(*operands)


def expressions(dtypes: tuple[Any, ...], exact: bool = False) -> st.SearchStrategy[Expression]:
    """Expressions of arrays of ``dtypes``; ``exact``: without what depends on an order."""
    real = [dtype for dtype in dtypes if np.dtype(dtype).kind != "c"] or ["float32"]
    other = [dtype for dtype in dtypes if np.dtype(dtype).kind == "c"] or ["complex64"]
    unary = EXACT if exact else EXACT + FUNCTIONS
    folds = ("max", "min") if exact else ("max", "min", "sum")
    axes = st.sampled_from([0, 1, None])
    trees = st.recursive(
        st.tuples(st.just("leaf"), st.integers(0, 5)),
        lambda below: st.one_of(
            st.tuples(st.sampled_from(unary), below),
            st.tuples(st.sampled_from(COMBINING), below, below),
            st.tuples(st.just("where"), below, below),
            st.tuples(st.just("flip"), below),
            st.tuples(st.just("cast"), below, st.sampled_from(real), st.sampled_from(other)),
            *([] if exact and len(other) > 1 else [st.tuples(st.sampled_from(folds), below, axes)]),
        ),
        max_leaves=8,
    )
    leaves = st.builds(Leaf, st.sampled_from(dtypes), **LEAVES)
    return st.builds(Expression, trees, st.lists(leaves, min_size=1, max_size=3).map(tuple))


def assert_same_bits(one: Array, two: Array) -> None:
    """The same dtype, shape and bits; the bits of a NaN alone may be any."""
    assert (one.shape, one.dtype) == (two.shape, two.dtype)
    if one.dtype.kind == "c":
        assert_same_bits(one.real, two.real)
        assert_same_bits(one.imag, two.imag)
        return
    whole = f"u{one.itemsize}"
    bits = [np.ascontiguousarray(x).view(whole) for x in (one, two)]
    differ = bits[0] != bits[1]
    if one.dtype.kind in "fV":
        differ &= ~(np.isnan(one) & np.isnan(two))
    assert not differ.any(), (one[differ][:5], two[differ][:5])
