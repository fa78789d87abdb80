"""Reductions, matrix products and scans."""

from __future__ import annotations

from itertools import chain, combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

import onebuf
from onebuf.errors import ArgumentError, AxisError, ShapeError
from onebuf.testing.comparison import assert_close, assert_same
from onebuf.testing.contract import Contract, Pairs, numpys
from onebuf.testing.strategies import (
    ALL,
    COMPLEX,
    FLOATS,
    LOOKS,
    NARROW,
    REAL,
    elements,
    seeds,
    small,
)

AXES: tuple[Any, ...] = (
    None,
    *chain.from_iterable([combinations(range(3), count) for count in range(1, 4)]),
)
EXACT = ("sum", "prod", "min", "max", "any", "all")
POSITIONS = ("argmax", "argmin")
INEXACT = ("mean", "var", "std")
SUM_NEAR = 1e-5
"""How far a sum of small numbers may be off, in any order."""


class ReductionsContract(Contract):
    """What folds have to do."""

    @pytest.mark.parametrize("fold", EXACT)
    def test_every_choice_of_axes(self, fold: str) -> None:
        name = "int32" if fold in ("sum", "max", "any") else "float32"
        with self.allowing(name, "int64"):
            array = small(name, (2, 3, 4), 1)
            x = self.send(array)
            for axes in AXES:
                for keep in (False, True):
                    got = getattr(onebuf, fold)(x, axis=axes, keepdims=keep)
                    wanted = numpys(fold, array, axis=axes, keepdims=keep)
                    assert_same(self.fetch(got), wanted, f"{fold} of {axes}", signed=False)

    @pytest.mark.parametrize("name", [*REAL, "bool"])
    def test_every_dtype(self, name: str) -> None:
        folds = EXACT if name != "bool" else ("sum", "any", "all")
        array = small(name, (3, 4), 2)
        with self.allowing(name, "int64", "uint64"):
            x = self.send(array)
            pairs: Pairs = {
                fold: (getattr(onebuf, fold)(x, axis=0) + 0, numpys(fold, array, axis=0) + 0)
                for fold in folds
                if fold not in ("any", "all")
            }
            pairs |= {
                fold: (getattr(onebuf, fold)(x, axis=0), numpys(fold, array, axis=0))
                for fold in ("any", "all")
            }
            self.check(pairs)

    @pytest.mark.parametrize("name", COMPLEX)
    @pytest.mark.parametrize("fold", ["sum", "prod", "any", "all", "mean"])
    def test_folds_of_complex_numbers_are_right_or_refused(self, fold: str, name: str) -> None:
        with self.refusable():
            array = small(name, (3, 4), 2)
            got = self.fetch(getattr(onebuf, fold)(self.send(array), axis=1))
            assert_close(got, numpys(fold, array, axis=1), fold)

    @pytest.mark.parametrize("name", REAL)
    def test_positions_of_the_first_extreme(self, name: str) -> None:
        array = small(name, (5, 7), 3)
        with self.allowing(name, "int64"):
            x = self.send(array)
            for axis in (None, 0) if name == "int32" else (1,):
                pairs: Pairs = {
                    fold: (getattr(onebuf, fold)(x, axis=axis), numpys(fold, array, axis=axis))
                    for fold in POSITIONS
                }
                self.check(pairs)

    @pytest.mark.parametrize("name", FLOATS)
    def test_means_and_spreads(self, name: str) -> None:
        array = small(name, (5, 8), 4)
        wide = array.astype(np.float64)
        with self.allowing(name):
            x = self.send(array)
            for axis in (None, 0, 1) if name == "float32" else (1,):
                pairs: Pairs = {
                    fold: (
                        getattr(onebuf, fold)(x, axis=axis),
                        numpys(fold, wide, axis=axis).astype(array.dtype),
                    )
                    for fold in INEXACT
                }
                self.check(pairs, INEXACT)

    @pytest.mark.parametrize("name", FLOATS)
    def test_nan_is_the_extreme_and_the_first_nan_its_position(self, name: str) -> None:
        with self.allowing(name):
            array = np.array([[1, np.nan, np.inf, np.nan], [-np.inf, 2, 3, 1]]).astype(
                elements(name, (1,)).dtype
            )
            x = self.send(array)
            pairs: Pairs = {
                fold: (getattr(onebuf, fold)(x, axis=1), numpys(fold, array, axis=1))
                for fold in ("min", "max", *POSITIONS)
            }
            self.check(pairs)

    def test_extremes_of_special_values(self) -> None:
        @self.for_all(st.sampled_from(["int8", "int64", "uint64", "float32"]), seeds)
        def check(name: str, seed: int) -> None:
            array = elements(name, (6, 9), seed)
            with self.allowing(name):
                x = self.send(array)
                for fold in ("min", "max"):
                    got = self.fetch(getattr(onebuf, fold)(x, axis=0))
                    assert_same(got, numpys(fold, array, axis=0), fold, signed=False)

    def test_whole_numbers_wrap(self) -> None:
        @self.for_all(seeds)
        def check(seed: int) -> None:
            with self.allowing("int64"):
                array = elements("int64", (4, 5), seed)
                x = self.send(array)
                assert_same(self.fetch(onebuf.sum(x, axis=0)), numpys("sum", array, axis=0))
                assert_same(self.fetch(onebuf.prod(x, axis=1)), numpys("prod", array, axis=1))

    def test_folds_of_nothing(self) -> None:
        array = np.zeros((0, 3), np.float32)
        x = self.send(array)
        for fold in ("sum", "prod", "any", "all"):
            for axis in (None, 0, 1):
                got = self.fetch(getattr(onebuf, fold)(x, axis=axis))
                assert_same(got, numpys(fold, array, axis=axis), f"{fold} of {axis}")
        for fold in ("max", "min", "argmax"):
            with pytest.raises(ArgumentError):
                getattr(onebuf, fold)(x, axis=0)
        with pytest.raises(AxisError):
            onebuf.sum(x, axis=2)

    def test_folds_of_views(self) -> None:
        array = elements("int32", (6, 8), 5)
        x = self.send(array)
        for look in LOOKS:
            for axis in (None, 0, 1):
                with self.allowing("int64"):
                    got = self.fetch(onebuf.sum(look(x), axis=axis))
                    assert_same(got, numpys("sum", look(array), axis=axis))
        wide = np.broadcast_to(array[:, :1], (6, 5))
        assert_same(self.fetch(onebuf.max(x[:, :1].expand(6, 5), axis=1)), wide.max(axis=1))

    def test_a_fold_of_a_chain_and_a_chain_of_a_fold(self) -> None:
        array = small("float32", (6, 8), 5)
        x = self.send(array)
        got = (x - onebuf.max(x * 2 + 1, axis=1, keepdims=True)) * onebuf.sum(x, axis=0)
        wanted = (array - np.max(array * 2 + 1, axis=1, keepdims=True)) * np.sum(array, axis=0)
        assert_same(self.fetch(got), wanted, signed=False)

    def test_softmax(self) -> None:
        array = np.random.default_rng(3).normal(size=(5, 33)).astype(np.float32)
        x = self.send(array)
        exps = onebuf.exp(x - onebuf.max(x, axis=1, keepdims=True))
        e = np.exp(array - array.max(axis=1, keepdims=True))
        got = self.fetch(exps / onebuf.sum(exps, axis=1, keepdims=True))
        assert_close(got, e / e.sum(axis=1, keepdims=True), "softmax")

    def test_many_elements(self) -> None:
        rng = np.random.default_rng(6)
        rows = self.large // 100
        array = rng.normal(size=(rows, 100)).astype(np.float32)
        x = self.send(array)
        for axis in (None, 0, 1):
            exact = array.astype(np.float64).sum(axis=axis).astype(np.float32)
            got = self.fetch(onebuf.sum(x, axis=axis))
            np.testing.assert_allclose(got, exact, rtol=SUM_NEAR, atol=1e-3)
            for fold in ("max", "argmin"):
                got = self.fetch(getattr(onebuf, fold)(x, axis=axis))
                assert_same(got, numpys(fold, array, axis=axis), f"{fold} of {axis}")

    @pytest.mark.parametrize("name", [*ALL])
    def test_products_of_matrices(self, name: str) -> None:
        one, two = small(name, (3, 4), 1), small(name, (4, 5), 2)
        if name in NARROW or name == "bfloat16":
            wanted = (one.astype(np.float32) @ two.astype(np.float32)).astype(one.dtype)
        else:
            wanted = one @ two
        with self.refusable() if name in COMPLEX else self.allowing(name):
            assert_same(self.fetch(self.send(one) @ self.send(two)), wanted, name, signed=False)

    def test_products_of_any_shapes(self) -> None:
        pairs = (
            *(((7,), (7,)), ((3, 7), (7,)), ((7,), (7, 2)), ((2, 3, 4), (4, 5))),
            *(((2, 1, 3, 4), (5, 4, 2)), ((3, 0), (0, 2)), ((0, 3), (3, 2)), ((1, 1), (1, 1))),
        )
        for one, two in pairs:
            arrays = small("float32", one, 1), small("float32", two, 2)
            got = self.fetch(onebuf.matmul(self.send(arrays[0]), self.send(arrays[1])))
            assert_same(got, numpys("matmul", *arrays), f"{one} @ {two}", signed=False)
        with pytest.raises(ShapeError):
            self.send(small("float32", (3, 4))) @ self.send(small("float32", (3, 4)))

    def test_products_of_views(self) -> None:
        one, two = small("int32", (6, 4), 1), small("int32", (5, 8), 2)
        got = self.send(one)[::2] @ self.send(two)[:, ::2].T
        assert_same(self.fetch(got), one[::2] @ two[:, ::2].T)
        got = onebuf.einsum("ij,kj->ki", self.send(one), self.send(one))
        assert_same(self.fetch(got), np.einsum("ij,kj->ki", one, one))

    def test_a_larger_product(self) -> None:
        edge = max(8, int(self.large ** (1 / 3)))
        rng = np.random.default_rng(1)
        one, two = rng.normal(size=(2, edge, edge + 3)).astype(np.float32)
        got = self.fetch(self.send(one) @ self.send(two).T)
        wanted = (one.astype(np.float64) @ two.astype(np.float64).T).astype(np.float32)
        np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-4)

    @pytest.mark.parametrize("name", ["int32", "int64", "uint8", "float32", "float64"])
    def test_running_sums(self, name: str) -> None:
        array = small(name, (5, 7), 3)
        for axis in (0, 1):
            wanted = numpys("cumulative_sum", array, axis=axis)
            with self.allowing(name, wanted.dtype.name):
                got = onebuf.cumulative_sum(self.send(array), axis=axis)
                assert_same(self.fetch(got), wanted, f"axis {axis}", signed=False)

    @pytest.mark.parametrize("name", ["float16", "bfloat16", *NARROW, *COMPLEX])
    def test_running_sums_of_other_dtypes_are_right_or_refused(self, name: str) -> None:
        array = small(name, (2, 5), 3)
        with self.refusable():
            got = self.fetch(onebuf.cumulative_sum(self.send(array), axis=1))
            if name in COMPLEX:
                wanted = np.cumsum(array, axis=1)
            else:
                wanted = np.cumsum(array.astype(np.float32), axis=1).astype(array.dtype)
            assert_same(got, wanted, name, signed=False)

    def test_running_products_and_first_elements(self) -> None:
        array = small("int32", (2, 6), 3)
        x = self.send(array)
        with self.allowing("int64"):
            got = self.fetch(onebuf.cumulative_prod(x, axis=1))
            assert_same(got, numpys("cumulative_prod", array, axis=1))
            got = self.fetch(onebuf.cumulative_sum(x, axis=1, include_initial=True))
            assert_same(got, numpys("cumulative_sum", array, axis=1, include_initial=True))
            got = self.fetch(onebuf.count_nonzero(x, axis=1))
            assert_same(got, numpys("count_nonzero", array, axis=1))
