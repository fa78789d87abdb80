"""Rules of linear algebra against finite differences: real and complex, in batches, twice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from directional_differences import check, check_twice

import onebuf
from onebuf import linalg
from onebuf.errors import NotDifferentiable
from onebuf.linalg.standard import MATRIX_NORMS

both = pytest.mark.parametrize("dtype", ["float64", "complex128"])


def draw(dtype: str, *shape: int, ridge: float = 0.0) -> Any:
    """Random matrices, with a multiple of the identity added."""
    random = np.random.default_rng(sum(shape))
    found = random.standard_normal(shape)
    if dtype == "complex128":
        found = found + 1j * random.standard_normal(shape)
    return found + ridge * np.eye(*shape[-2:]) if ridge else found


def hermitian(x: Any) -> Any:
    return (x + linalg.matrix_transpose(x).conj()) / 2


def sizes(x: Any) -> Any:
    """What does not depend on the phase of a vector: its elements, but for a sign that is fixed."""
    return onebuf.abs(x) if x.dtype.kind == "c" else x


INVERTIBLE: dict[str, Callable[[Any], Any]] = {
    "inv": linalg.inv,
    "det": linalg.det,
    "slogdet": linalg.slogdet,
    "cube": lambda x: linalg.matrix_power(x, 3),
    "inverse square": lambda x: linalg.matrix_power(x, -2),
    "first power": lambda x: linalg.matrix_power(x, 1),
    "power zero": lambda x: linalg.matrix_power(x, 0),
}


@both
@pytest.mark.parametrize("name", INVERTIBLE)
def test_functions_of_invertible_matrices(name: str, dtype: str) -> None:
    matrices = draw(dtype, 2, 3, 3, ridge=3)
    check(INVERTIBLE[name], matrices)
    check_twice(INVERTIBLE[name], matrices)


@both
@pytest.mark.parametrize(
    ("left", "right"),
    [((3, 3), (3,)), ((2, 3, 3), (3,)), ((2, 3, 3), (3, 2)), ((3, 3), (2, 3, 1))],
    ids=str,
)
def test_solve_sums_over_the_axes_it_broadcasts(left: Any, right: Any, dtype: str) -> None:
    check(linalg.solve, draw(dtype, *left, ridge=3), draw(dtype, *right))
    check_twice(linalg.solve, draw(dtype, *left, ridge=3), draw(dtype, *right))


@pytest.mark.parametrize("rank", [1, 2])
def test_det_has_a_gradient_at_singular_matrices(rank: int) -> None:
    matrix = draw("float64", 3, rank) @ draw("float64", rank, 3)
    cofactors = onebuf.grad(linalg.det)(onebuf.asarray(matrix))
    minors = [
        [np.linalg.det(np.delete(np.delete(matrix, i, 0), j, 1)) for j in range(3)]
        for i in range(3)
    ]
    signs = (-1.0) ** np.add.outer(np.arange(3), np.arange(3))
    np.testing.assert_allclose(np.asarray(cofactors), signs * minors, atol=1e-12)


@both
@pytest.mark.parametrize("upper", [False, True])
def test_cholesky_has_a_hermitian_gradient(upper: bool, dtype: str) -> None:
    def factor(x: Any) -> Any:
        return linalg.cholesky(hermitian(x), upper=upper)

    matrices = draw(dtype, 2, 3, 3, ridge=9)
    check(factor, matrices)
    check_twice(factor, matrices)
    one = np.asarray(matrices[0] @ matrices[0].conj().T)
    gradient = onebuf.grad(lambda x: onebuf.real(linalg.cholesky(x)).sum())(onebuf.asarray(one))
    np.testing.assert_allclose(np.asarray(gradient), np.asarray(gradient).conj().T)


@both
@pytest.mark.parametrize("shape", [(2, 3, 4), (4, 3)], ids=str)
def test_pinv(shape: tuple[int, ...], dtype: str) -> None:
    check(linalg.pinv, draw(dtype, *shape))
    check(lambda x: linalg.pinv(x, rtol=1e-12), draw(dtype, *shape))
    check_twice(linalg.pinv, draw(dtype, *shape))


@both
@pytest.mark.parametrize("half", ["L", "U"])
def test_eigh(half: str, dtype: str) -> None:
    def parts(x: Any) -> Any:
        values, vectors = linalg.eigh(hermitian(x), half)
        return values, sizes(vectors), linalg.eigvalsh(hermitian(x), half)

    check(parts, draw(dtype, 2, 3, 3))
    check_twice(parts, draw(dtype, 2, 3, 3))


def test_eigh_of_equal_eigenvalues_leaves_out_their_rotation() -> None:
    def rebuilt(x: Any) -> Any:
        values, vectors = linalg.eigh(x)
        return ((vectors * values) @ vectors.T * onebuf.asarray(weights)).sum()

    weights = np.arange(9.0).reshape(3, 3)
    gradient = onebuf.grad(rebuilt)(onebuf.eye(3))
    assert np.isfinite(np.asarray(gradient)).all()


@both
def test_eig(dtype: str) -> None:
    def parts(x: Any) -> Any:
        values, vectors = linalg.eig(x)
        return values, onebuf.abs(vectors), linalg.eigvals(x)

    check(parts, draw(dtype, 2, 3, 3))
    check_twice(parts, draw(dtype, 2, 3, 3))


def test_eigvals_of_large_matrices_may_be_in_another_order_than_those_of_eig() -> None:
    random = np.random.default_rng(0)
    for _ in range(20):  # LAPACK may deflate in another order if it needs no vectors
        matrix = random.standard_normal((150, 150))
        values, others = np.linalg.eigvals(matrix), np.linalg.eig(matrix)[0]
        if np.abs(values - others).max() > 1e-3:
            break
    place = int(np.argmax(np.abs(values - others)))
    gradient = onebuf.grad(lambda x: onebuf.real(linalg.eigvals(x))[place])(onebuf.asarray(matrix))
    direction = random.standard_normal(matrix.shape)

    def moved(step: float) -> Any:
        near = np.linalg.eigvals(matrix + step * direction)
        return near[np.argmin(np.abs(near - values[place]))].real

    wanted = (moved(1e-7) - moved(-1e-7)) / 2e-7
    np.testing.assert_allclose(np.sum(np.asarray(gradient) * direction), wanted, rtol=1e-4)


@both
@pytest.mark.parametrize("shape", [(2, 3, 3), (4, 3), (3, 4)], ids=str)
def test_svd(shape: tuple[int, ...], dtype: str) -> None:
    def parts(x: Any) -> Any:
        left, values, right = linalg.svd(x, full_matrices=False)
        return sizes(left), values, sizes(right), left @ right, linalg.svdvals(x)

    check(parts, draw(dtype, *shape))
    check_twice(parts, draw(dtype, *shape))


@both
@pytest.mark.parametrize(
    "function",
    [
        lambda x: linalg.pinv(x, hermitian=True),
        lambda x: linalg.svd(x, hermitian=True).S,
        lambda x: linalg.svd(x, hermitian=True).U,
        lambda x: linalg.eigh(x).eigenvectors,
        lambda x: linalg.eigvalsh(x),
    ],
)
def test_functions_that_read_one_triangle_have_hermitian_gradients(
    function: Callable[[Any], Any], dtype: str
) -> None:
    def number(x: Any) -> Any:
        found = function(x)
        return (onebuf.real(found) * onebuf.arange(found.shape[-1], dtype=onebuf.float64)).sum()

    matrix = draw(dtype, 3, 3, ridge=3)
    matrix = onebuf.asarray(matrix + matrix.conj().T)
    gradient = np.asarray(onebuf.grad(number)(matrix))
    np.testing.assert_allclose(gradient, gradient.conj().T, atol=1e-14)


@both
def test_svd_of_a_hermitian_matrix(dtype: str) -> None:
    check(lambda x: linalg.svd(hermitian(x), hermitian=True).S, draw(dtype, 3, 3))


@pytest.mark.parametrize("shape", [(4, 3), (3, 4)], ids=str)
def test_full_matrices_have_gradients_through_what_is_not_arbitrary(shape: Any) -> None:
    narrow = "U" if shape[0] < shape[1] else "Vh"
    check(lambda x: (linalg.svd(x).S, getattr(linalg.svd(x), narrow)), draw("float64", *shape))
    wide = "Vh" if narrow == "U" else "U"
    with pytest.raises(NotDifferentiable, match="full_matrices=False"):
        onebuf.grad(lambda x: getattr(linalg.svd(x), wide).sum())(onebuf.ones(shape))


@both
@pytest.mark.parametrize("shape", [(2, 3, 3), (4, 3), (3, 4)], ids=str)
def test_qr(shape: tuple[int, ...], dtype: str) -> None:
    check(linalg.qr, draw(dtype, *shape))
    check_twice(linalg.qr, draw(dtype, *shape))
    check(lambda x: linalg.qr(x).R, draw(dtype, *shape))
    check(lambda x: linalg.qr(x).Q, draw(dtype, *shape))


def test_complete_qr_is_refused_where_columns_are_arbitrary() -> None:
    check(lambda x: linalg.qr(x, mode="complete"), draw("float64", 3, 4))
    with pytest.raises(NotDifferentiable, match="mode='reduced'"):
        onebuf.grad(lambda x: linalg.qr(x, mode="complete").R.sum())(onebuf.ones((4, 3)))


@both
def test_cross(dtype: str) -> None:
    check(linalg.cross, draw(dtype, 2, 3), draw(dtype, 4, 1, 3))
    check(lambda x, y: linalg.cross(x, y, axis=0), draw(dtype, 3, 2), draw(dtype, 3, 2))
    check_twice(linalg.cross, draw(dtype, 2, 3), draw(dtype, 3))


@both
@pytest.mark.parametrize("order", MATRIX_NORMS, ids=str)
def test_matrix_norms(order: Any, dtype: str) -> None:
    def norm(x: Any) -> Any:
        return linalg.matrix_norm(x, ord=order)

    check(norm, draw(dtype, 2, 3, 4))
    check(lambda x: linalg.matrix_norm(x, ord=order, keepdims=True), draw(dtype, 4, 3))
    check_twice(norm, draw(dtype, 2, 3, 4))


@both
@pytest.mark.parametrize("order", [2, 1, 3, 0.5, -2, np.inf, -np.inf], ids=str)
def test_vector_norms(order: Any, dtype: str) -> None:
    def norm(x: Any) -> Any:
        return linalg.vector_norm(x, axis=(0, 2), ord=order)

    check(norm, draw(dtype, 2, 3, 2))
    check(lambda x: linalg.vector_norm(x, ord=order, keepdims=True), draw(dtype, 3, 2))
    check_twice(norm, draw(dtype, 2, 3, 2))


@pytest.mark.parametrize("order", [2, 1, 3, 0, np.inf], ids=str)
def test_norms_of_zeros_have_a_gradient_of_zero(order: Any) -> None:
    gradient = onebuf.grad(lambda x: linalg.vector_norm(x, ord=order))(onebuf.zeros(3))
    assert np.asarray(gradient).tolist() == [0, 0, 0]


def test_equal_largest_elements_share_the_gradient() -> None:
    gradient = onebuf.grad(lambda x: linalg.vector_norm(x, ord=np.inf))(onebuf.ones(4))
    assert np.asarray(gradient).tolist() == [0.25] * 4


def test_a_decomposition_runs_once_for_results_and_gradients() -> None:
    calls = []
    original = np.linalg.eigh

    def counted(*args: Any, **kwargs: Any) -> Any:
        calls.append(args)
        return original(*args, **kwargs)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(np.linalg, "eigh", counted)
        x = onebuf.asarray(draw("float64", 3, 3))
        value, gradient = onebuf.value_and_grad(lambda x: linalg.eigh(hermitian(x))[1][0].sum())(x)
        onebuf.realize(value, gradient)
    assert len(calls) == 1


def test_a_captured_gradient_is_that_of_the_elements_it_is_called_with() -> None:
    gradient = onebuf.grad(lambda x: (linalg.eigh(hermitian(x))[1][0] * linalg.svdvals(x)).sum())
    captured = onebuf.jit(gradient)
    for extent in (0.0, 1.0, 2.0):
        x = onebuf.asarray(draw("float64", 3, 3) + extent * np.diag([1.0, 2.0, 4.0]))
        assert np.asarray(captured(x)).tolist() == np.asarray(gradient(x)).tolist()


@pytest.mark.parametrize("name", ["inv", "det", "pinv", "cube"])
def test_gradients_of_a_batch_are_those_of_its_examples(name: str) -> None:
    function = INVERTIBLE.get(name, linalg.pinv)
    matrices = onebuf.asarray(draw("float64", 4, 3, 3, ridge=3))
    gradient = onebuf.grad(lambda x: function(x).sum())
    found = np.asarray(onebuf.vmap(gradient)(matrices))
    np.testing.assert_allclose(found, np.stack([np.asarray(gradient(x)) for x in matrices]))
