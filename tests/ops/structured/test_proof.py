"""Results have the layout that can be proven, and no other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from random_layouts import ANTIHERMITIAN, dense_array

import onebuf
from onebuf import Buffer, Layout
from onebuf.sparsity import Block, Element
from onebuf.symmetry import Antisymmetric, Group, Hermitian, Symmetric

N = 4
SYM, ANTI, HERM = Symmetric(0, 1), Antisymmetric(0, 1), Hermitian(0, 1)
PATTERN = Element((N, N), [(0, 1), (2, 2), (3, 0)])
OTHER = Element((N, N), [(0, 1), (1, 1)])
MIRRORED = Element((N, N), [(0, 1), (1, 0), (2, 2)])


def buffer_of(layout: Layout, dtype: Any = float, seed: int = 0) -> Buffer:
    """A buffer with a layout."""
    made: Buffer = onebuf.allocator().construct(layout, dense_array(layout, dtype, seed))
    return made


def with_group(group: Group, dtype: Any = float, seed: int = 0) -> Buffer:
    return buffer_of(Layout((N, N), group), dtype, seed)


def sparse(pattern: Any, seed: int = 0) -> Buffer:
    return buffer_of(Layout((N, N), sparsity=pattern), float, seed)


s, a = with_group(SYM), with_group(ANTI)
h, k = with_group(HERM, complex), with_group(ANTIHERMITIAN, complex)
i8 = with_group(ANTI, "int8")
dense = onebuf.asarray(np.arange(16.0).reshape(N, N))

SYMMETRIES: dict[str, tuple[Callable[[], Any], Group | None]] = {
    "number times symmetric": (lambda: 2 * s, SYM),
    "symmetric plus number": (lambda: s + 1, SYM),
    "symmetric plus symmetric": (lambda: s + s * s, SYM),
    "exp of symmetric": (lambda: onebuf.exp(s), SYM),
    "comparison of symmetric": (lambda: s < 2, SYM),
    "where of symmetric": (lambda: onebuf.where(s > 0, s, 0), SYM),
    "cast of symmetric": (lambda: s.astype("int32"), SYM),
    "symmetric plus dense": (lambda: s + dense, None),
    "symmetric plus antisymmetric": (lambda: s + a, None),
    "negative of antisymmetric": (lambda: -a, ANTI),
    "number times antisymmetric": (lambda: a * 3, ANTI),
    "antisymmetric by number": (lambda: a / 2, ANTI),
    "antisymmetric by 0": (lambda: a / 0, None),
    "number by antisymmetric": (lambda: 1 / a, None),
    "reciprocal of antisymmetric": (lambda: onebuf.reciprocal(a), None),
    "antisymmetric by symmetric": (lambda: a / s, None),
    "antisymmetric by antisymmetric": (lambda: a / a, SYM),
    "antisymmetric plus number": (lambda: a + 1, None),
    "antisymmetric times itself": (lambda: a * a, SYM),
    "antisymmetric times symmetric": (lambda: a * s, ANTI),
    "sum of antisymmetric": (lambda: a + a, ANTI),
    "abs of antisymmetric": (lambda: abs(a), SYM),
    "cos of antisymmetric": (lambda: onebuf.cos(a), SYM),
    "sin of antisymmetric": (lambda: onebuf.sin(a), ANTI),
    "exp of antisymmetric": (lambda: onebuf.exp(a), None),
    "floor of antisymmetric": (lambda: onebuf.floor(a), None),
    "comparison of antisymmetric": (lambda: a < 1, None),
    "equality of antisymmetric": (lambda: a == a, SYM),
    "antisymmetric as float32": (lambda: a.astype("float32"), ANTI),
    "antisymmetric as bool": (lambda: a.astype(bool), SYM),
    "antisymmetric as uint8": (lambda: abs(a).astype("uint8"), SYM),
    "negative of integers": (lambda: -i8, ANTI),
    "sum of integers": (lambda: i8 + i8, ANTI),
    "product of integers": (lambda: i8 * i8, SYM),
    "abs of integers": (lambda: abs(i8), None),
    "integers as floats": (lambda: i8.astype(float), None),
    "integers plus floats": (lambda: i8 + a, None),
    "conj of hermitian": (lambda: onebuf.conj(h), HERM),
    "real of hermitian": (lambda: onebuf.real(h), SYM),
    "imag of hermitian": (lambda: onebuf.imag(h), ANTI),
    "abs of hermitian": (lambda: abs(h), SYM),
    "exp of hermitian": (lambda: onebuf.exp(h), HERM),
    "root of hermitian": (lambda: onebuf.sqrt(h), None),
    "log of hermitian": (lambda: onebuf.log(h), None),
    "hermitian by number": (lambda: h * 2, HERM),
    "hermitian by complex": (lambda: h * 2j, None),
    "antihermitian by number": (lambda: k * 2, ANTIHERMITIAN),
    "square of antihermitian": (lambda: k * k, HERM),
    "real of antihermitian": (lambda: onebuf.real(k), ANTI),
    "imag of antihermitian": (lambda: onebuf.imag(k), SYM),
    "equality of hermitian": (lambda: h == h, SYM),
    "slice of symmetric": (lambda: s[1:], None),
    "x + x.T": (lambda: dense + dense.T, SYM),
    "x * x.T": (lambda: dense * dense.T, SYM),
    "x + 1 + x.T + 1": (lambda: (dense + 1) + (dense + 1).T, SYM),
    "x + 2 x.T": (lambda: dense * 2 + dense.T, None),
    "integers times number": (lambda: i8 * 2, ANTI),
    "x - x.T": (lambda: dense - dense.T, None),
    "x @ x.T": (lambda: dense @ dense.T, SYM),
    "x @ x": (lambda: dense @ dense, None),
    "x @ y.T": (lambda: dense @ (dense + 1).T, None),
    "outer product": (lambda: dense[0][:, None] * dense[0][None, :], SYM),
    "outer product of two": (lambda: dense[0][:, None] * dense[1][None, :], None),
}


@pytest.mark.parametrize("name", SYMMETRIES)
def test_a_result_has_the_symmetry_that_is_proven(name: str) -> None:
    function, expected = SYMMETRIES[name]
    with onebuf.config(eager_numel=0):
        result = function()
        assert result.symmetry == expected
    if expected is not None:
        array = np.asarray(result)
        for one in expected:
            moved = array.T if one.permutation.cycles else array
            there = array.conj() if one.conjugate else array
            assert np.array_equal(moved, -there if one.sign < 0 else there, equal_nan=True)


SPARSITIES: dict[str, tuple[Callable[[Any, Any], Any], Any]] = {
    "times number": (lambda x, y: x * 2, PATTERN),
    "by number": (lambda x, y: x / 2, PATTERN),
    "by 0": (lambda x, y: x / 0, None),
    "plus number": (lambda x, y: x + 1, None),
    "plus 0": (lambda x, y: x + 0, PATTERN),
    "power of 2": (lambda x, y: x**2, PATTERN),
    "power of 0": (lambda x, y: x**0, None),
    "abs": (lambda x, y: abs(x), PATTERN),
    "sin": (lambda x, y: onebuf.sin(x), PATTERN),
    "expm1": (lambda x, y: onebuf.expm1(x), PATTERN),
    "cos": (lambda x, y: onebuf.cos(x), None),
    "exp": (lambda x, y: onebuf.exp(x), None),
    "sum": (lambda x, y: x + y, PATTERN | OTHER),
    "difference": (lambda x, y: x - y, PATTERN | OTHER),
    "product": (lambda x, y: x * y, Element((N, N), [(0, 1)])),
    "product with dense": (lambda x, y: x * dense, PATTERN),
    "sum with dense": (lambda x, y: x + dense, None),
    "not equal": (lambda x, y: x != 0, PATTERN),
    "equal": (lambda x, y: x == 0, None),
    "more than": (lambda x, y: x > 1, PATTERN),
    "less than": (lambda x, y: x < 1, None),
    "as integers": (lambda x, y: x.astype("int8"), PATTERN),
    "maximum with 0": (lambda x, y: onebuf.maximum(x, 0), PATTERN),
    "maximum with 1": (lambda x, y: onebuf.maximum(x, 1), None),
    "copy": (lambda x, y: x.copy(), PATTERN),
}


@pytest.mark.parametrize("name", SPARSITIES)
def test_a_result_has_the_sparsity_that_is_proven(name: str) -> None:
    function, expected = SPARSITIES[name]
    x, y = sparse(PATTERN, 1), sparse(OTHER, 2)
    result = function(x, y)
    assert result.sparsity == expected
    if expected is not None:
        assert result.layout.stored == expected.nonzero_count
        assert not np.asarray(result)[~expected.mask()].any()


def test_a_sum_of_elements_and_boxes_has_both() -> None:
    boxes = Block((N, N), [((1, 1), (3, 3))])
    found = (sparse(PATTERN) + sparse(boxes)).sparsity
    assert np.array_equal(found.mask(), PATTERN.mask() | boxes.mask())


def test_a_symmetry_and_a_sparsity_both_stay() -> None:
    x = buffer_of(Layout((N, N), SYM, MIRRORED))
    assert (x * 2).layout == x.layout
    assert (x * s).layout == x.layout
    assert (x + s).symmetry == SYM
    assert (x + s).sparsity is None


def test_results_of_turned_operands_are_turned() -> None:
    x = sparse(PATTERN)
    assert np.array_equal(np.asarray((x.T * 2).T), np.asarray(x) * 2)
    assert (x.T * 2).T.layout == x.layout


def test_the_most_negative_integer_is_its_own_negative() -> None:
    x = onebuf.allocator().allocate(Layout((2, 2), ANTI), "int8")
    x[0, 1] = -128
    array = np.asarray(x)
    assert array.tolist() == [[0, -128], [-128, 0]]
    assert np.asarray(abs(x)).tolist() == np.abs(array).tolist()
    assert np.asarray(x.astype(float)).tolist() == array.tolist()
    assert np.asarray(x * 1.5).tolist() == (array * 1.5).tolist()
