"""LAPACK of one small matrix gives the bits of NumPy's functions, and leaves the rest to them."""

from __future__ import annotations

import numpy as np
import pytest

import onebuf as xp
from onebuf.events import listening
from onebuf.graph import Loose, Number
from onebuf.ops.numpy import small_lapack
from onebuf.ops.numpy.small_lapack import at_once

DTYPES = ("float32", "float64", "complex64", "complex128")


def matrix(dtype: str, rows: int = 4, seed: int = 0) -> np.ndarray:
    numbers = np.random.default_rng(seed)
    made = numbers.normal(size=(rows, rows)) + 1j * numbers.normal(size=(rows, rows))
    return (made if dtype.startswith("complex") else made.real).astype(dtype)


def positive(dtype: str) -> np.ndarray:
    made = matrix(dtype)
    return (made @ made.conj().T + 4 * np.eye(4)).astype(dtype)


def same(found: xp.Buffer, wanted: np.ndarray) -> None:
    assert found.dtype == wanted.dtype
    assert np.asarray(found).tobytes() == np.ascontiguousarray(wanted).tobytes()
    assert found.shape == wanted.shape


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("rows", [1, 2, 5])
def test_inverses_and_determinants_are_numpys_to_the_bit(dtype, order, rows):
    a = np.array(matrix(dtype, rows), order=order)
    x = xp.asarray(a)
    same(xp.linalg.inv(x), np.linalg.inv(a))
    same(xp.linalg.det(x), np.asarray(np.linalg.det(a)))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("right", [(4,), (4, 3)])
def test_solutions_are_numpys_to_the_bit(dtype, right):
    a, b = matrix(dtype), np.ones(right, dtype)
    same(xp.linalg.solve(xp.asarray(a), xp.asarray(b)), np.linalg.solve(a, b))


@pytest.mark.parametrize("dtype", DTYPES)
def test_triangular_factors_are_numpys_to_the_bit(dtype):
    a = positive(dtype)
    same(xp.linalg.cholesky(xp.asarray(a)), np.linalg.cholesky(a))
    same(xp.linalg.cholesky(xp.asarray(a), upper=True), np.linalg.cholesky(a, upper=True))


@pytest.mark.skipif(not small_lapack._TYPES, reason="this NumPy keeps its loops elsewhere")
@pytest.mark.parametrize("dtype", DTYPES)
def test_the_short_way_is_taken(dtype):
    node = xp.asarray(positive(dtype))._node
    assert isinstance(at_once(small_lapack.inv, node), Loose)
    assert isinstance(at_once(small_lapack.det, node), Number)
    assert isinstance(at_once(small_lapack.cholesky, node), Loose)
    assert isinstance(at_once(small_lapack.solve, node, xp.ones(4, dtype=dtype)._node), Loose)


@pytest.mark.parametrize(
    "operand",
    [
        np.eye(2, dtype="int64"),
        np.ones((2, 3)),
        np.ones((2, 2, 2)),
        np.ones((0, 0)),
        np.eye(80),
    ],
    ids=str,
)
def test_other_operands_are_left_to_numpys_function(operand):
    node = xp.asarray(operand)._node
    assert at_once(small_lapack.inv, node) is None
    assert at_once(small_lapack.det, node) is None
    assert at_once(small_lapack.solve, node, node) is None


def test_right_hand_sides_that_do_not_fit_are_left_to_numpys_function():
    a = xp.eye(2)._node
    for right in (xp.ones(3), xp.ones((2, 2, 2)), xp.ones(2, dtype=xp.float32), xp.ones((2, 0))):
        assert at_once(small_lapack.solve, a, right._node) is None


def test_a_singular_matrix_is_the_same_error_as_of_a_large_one():
    x = xp.zeros((3, 3))
    for name, arguments in (("inv", (x,)), ("solve", (x, xp.ones(3))), ("cholesky", (x - 1.0,))):
        with pytest.raises(np.linalg.LinAlgError, match=f"{name} cannot handle this matrix"):
            getattr(xp.linalg, name)(*arguments)
    assert float(xp.linalg.det(x)) == 0.0


def test_nothing_of_numpys_error_state_is_left_behind():
    with np.errstate(all="raise"):
        before = np.geterr()
        xp.linalg.inv(xp.eye(2) * 1e-320)
        xp.linalg.det(xp.eye(2) * 1e200)
        assert np.geterr() == before


@pytest.mark.skipif(not small_lapack._TYPES, reason="this NumPy keeps its loops elsewhere")
def test_where_somebody_listens_numpys_function_is_asked():
    node = xp.eye(2)._node
    assert at_once(small_lapack.inv, node) is not None
    with listening(lambda event: None):
        assert at_once(small_lapack.inv, node) is None
        assert at_once(small_lapack.det, node) is None
