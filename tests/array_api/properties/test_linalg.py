"""The linalg extension: decompositions, equations and norms, computed as NumPy's LAPACK does.

Matrices are drawn so that the answer is well determined: far from singular, with distinct singular
values. Factors that are unique up to a sign are checked by what they multiply to.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from array_api.properties.arrays import (
    COMPLEX,
    FLOATS,
    INTEGERS,
    NARROW,
    Array,
    Operand,
    agree,
    assert_apart,
    covers,
    each,
    examples,
    modes,
    of_array,
    operands,
    several_axes,
)
from buffer.cases import in_mode
from hypothesis import given
from hypothesis import strategies as st

import onebuf as xp
from onebuf import OnebufError, dtypes

some = examples(25)
FLOATING = FLOATS + COMPLEX
ULPS = 512
batches = st.lists(st.integers(0, 2), max_size=1).map(tuple)
extents = st.integers(0, 4)
seeds = st.integers(0, 999)


@st.composite
def matrices(
    draw: st.DrawFn, square: bool = True, definite: bool = False, types: Any = FLOATING
) -> Operand:
    """Well-conditioned matrices: small random numbers next to a dominant diagonal."""
    dtype = draw(st.sampled_from(types))
    rows = draw(extents)
    columns = rows if square else draw(extents)
    shape = (*draw(batches), rows, columns)
    rng = np.random.default_rng(draw(seeds))
    found = rng.integers(-8, 9, shape) / 16
    if dtype.kind == "c":
        found = found + 1j * rng.integers(-8, 9, shape) / 16
    diagonal = np.eye(rows, columns) * (4 + np.arange(columns))
    found = found + diagonal
    if definite:
        found = (found + found.conj().swapaxes(-1, -2)) / 2
    if dtype.kind in "iu":
        found = np.round(np.abs(4 * found))
    return draw(of_array(found.astype(dtype)))


def floating(array: Array) -> Array:
    """What a decomposition works in: single or double precision."""
    if dtypes.kind(array.dtype) in "biu":
        return array.astype(np.float64)
    return array.astype(np.float32) if array.dtype in NARROW else array


def values(x: Any) -> Array:
    return np.asarray(x.unwrap())


def near(got: Any, wanted: Any) -> None:
    single = np.asarray(got).dtype.itemsize <= 4 or np.asarray(got).dtype == np.complex64
    tolerance = 1e-4 if single else 1e-10
    np.testing.assert_allclose(got, wanted, tolerance, 10 * tolerance)


def adjoint(x: Array) -> Array:
    return x.conj().swapaxes(-1, -2)


@each("det", "inv", "eigvalsh", "cholesky", "svdvals", "pinv", "matrix_rank", of="linalg.")
@some
@given(data=st.data(), mode=modes)
def test_a_function_of_a_matrix_is_numpys(name: str, data: st.DataObject, mode: str) -> None:
    definite = name in ("eigvalsh", "cholesky")
    square = name in ("det", "inv", "eigvalsh", "cholesky")
    types = FLOATING + NARROW + INTEGERS[:1] if not definite else FLOATING
    x = data.draw(matrices(square, definite, types))
    array = floating(x.array)

    def theirs() -> Any:
        if name in ("svdvals", "pinv", "matrix_rank") and not array.size:
            return EMPTY[name](array)
        return np.asarray(getattr(np.linalg, name)(array))

    agree(mode, lambda: getattr(xp.linalg, name)(x.buffer), theirs, x, ulps=ULPS, scale=100)


EMPTY: dict[str, Any] = {
    "svdvals": lambda x: np.empty((*x.shape[:-2], min(x.shape[-2:])), x.real.dtype),
    "pinv": lambda x: np.empty((*x.shape[:-2], x.shape[-1], x.shape[-2]), x.dtype),
    "matrix_rank": lambda x: np.zeros(x.shape[:-2], np.int64),
}
"""What there is to say about matrices without elements, where NumPy gives up."""


@covers("linalg.cholesky")
@some
@given(x=matrices(definite=True), upper=st.booleans(), mode=modes)
def test_cholesky_has_an_upper_factor_too(x: Operand, upper: bool, mode: str) -> None:
    agree(
        mode,
        lambda: xp.linalg.cholesky(x.buffer, upper=upper),
        lambda: np.linalg.cholesky(x.array, upper=upper),
        x,
        ulps=ULPS,
        scale=10,
    )


@covers("linalg.eig", "linalg.eigvals")
@some
@given(x=matrices(types=FLOATING + NARROW), mode=modes)
def test_eigenvectors_keep_their_direction(x: Operand, mode: str) -> None:
    array = floating(x.array)
    with in_mode(mode):
        found = xp.linalg.eig(x.buffer)
        alone = xp.linalg.eigvals(x.buffer)
    complex_type = np.result_type(array, np.complex64)
    assert found.eigenvalues.dtype == found.eigenvectors.dtype == alone.dtype == complex_type
    w, v = values(found.eigenvalues), values(found.eigenvectors)
    assert (w.shape, v.shape) == (array.shape[:-1], array.shape)
    near((array @ v).astype(complex_type), v * w[..., None, :])
    near(np.sort_complex(np.asarray(values(alone))), np.sort_complex(w))
    x.check()


@covers("linalg.eigh")
@some
@given(x=matrices(definite=True), mode=modes)
def test_hermitian_matrices_are_put_together_again(x: Operand, mode: str) -> None:
    with in_mode(mode):
        found = xp.linalg.eigh(x.buffer)
    w, v = values(found.eigenvalues), values(found.eigenvectors)
    assert (w.dtype, v.dtype) == (x.array.real.dtype, x.array.dtype)
    assert (w.shape, v.shape) == (x.array.shape[:-1], x.array.shape)
    near((v * w[..., None, :]) @ adjoint(v), x.array)
    assert (np.diff(w) >= 0).all()
    for part in found:
        assert_apart(part, x.buffer)
    x.check()


@covers("linalg.qr")
@some
@given(x=matrices(square=False), mode_of_qr=st.sampled_from(["reduced", "complete"]), mode=modes)
def test_qr_multiplies_to_the_matrix(x: Operand, mode_of_qr: str, mode: str) -> None:
    with in_mode(mode):
        found = xp.linalg.qr(x.buffer, mode=mode_of_qr)
    q, r = values(found.Q), values(found.R)
    rows, columns = x.array.shape[-2:]
    inner = rows if mode_of_qr == "complete" else min(rows, columns)
    assert q.shape == (*x.array.shape[:-2], rows, inner)
    assert r.shape == (*x.array.shape[:-2], inner, columns)
    assert q.dtype == r.dtype == x.array.dtype
    near(q @ r, x.array)
    near(adjoint(q) @ q, np.broadcast_to(np.eye(inner), (*x.array.shape[:-2], inner, inner)))
    assert (np.tril(r, -1) == 0).all()
    x.check()


@covers("linalg.svd")
@some
@given(x=matrices(square=False), full_matrices=st.booleans(), mode=modes)
def test_singular_vectors_multiply_to_the_matrix(
    x: Operand, full_matrices: bool, mode: str
) -> None:
    with in_mode(mode):
        found = xp.linalg.svd(x.buffer, full_matrices=full_matrices)
    u, s, vh = (values(part) for part in found)
    rows, columns = x.array.shape[-2:]
    inner = min(rows, columns)
    batch = x.array.shape[:-2]
    assert s.shape == (*batch, inner)
    assert u.shape == (*batch, rows, rows if full_matrices else inner)
    assert vh.shape == (*batch, columns if full_matrices else inner, columns)
    assert (u.dtype, s.dtype, vh.dtype) == (x.array.dtype, x.array.real.dtype, x.array.dtype)
    near((u[..., :inner] * s[..., None, :]) @ vh[..., :inner, :], x.array)
    x.check()


@covers("linalg.slogdet")
@some
@given(x=matrices(types=FLOATING + NARROW), mode=modes)
def test_slogdet_is_numpys(x: Operand, mode: str) -> None:
    array = floating(x.array)
    got = agree(
        mode,
        lambda: xp.linalg.slogdet(x.buffer),
        lambda: tuple(np.asarray(part) for part in np.linalg.slogdet(array)),
        x,
        ulps=ULPS,
        scale=10,
    )
    assert got._fields == ("sign", "logabsdet")


@covers("linalg.matrix_power")
@some
@given(x=matrices(types=FLOATING + NARROW), n=st.integers(-2, 3), mode=modes)
def test_matrix_power_is_numpys(x: Operand, n: int, mode: str) -> None:
    agree(
        mode,
        lambda: xp.linalg.matrix_power(x.buffer, n),
        lambda: np.array(np.linalg.matrix_power(floating(x.array), n)),
        x,
        ulps=ULPS,
        scale=1000,
    )


@covers("linalg.solve")
@some
@given(data=st.data(), mode=modes)
def test_solve_is_numpys(data: st.DataObject, mode: str) -> None:
    x = data.draw(matrices(types=FLOATING))
    rows = x.array.shape[-1]
    shape = data.draw(
        st.sampled_from([(rows,), (rows, 2), (*x.array.shape[:-2], rows, 1), (rows, 0)])
    )
    y = data.draw(operands(FLOATING, shape, "finite"))
    agree(
        mode,
        lambda: xp.linalg.solve(x.buffer, y.buffer),
        lambda: np.linalg.solve(x.array, y.array),
        *(x, y),
        ulps=ULPS,
        scale=100,
    )


@each("pinv", "matrix_rank", of="linalg.")
@some
@given(data=st.data(), tolerance=st.sampled_from([1e-3, 0.4, 0.7]), mode=modes)
def test_small_singular_values_are_left_out(
    name: str, data: st.DataObject, tolerance: float, mode: str
) -> None:
    x = data.draw(matrices(square=False, types=FLOATS[1:]))
    if not x.array.size:
        return
    as_buffer = data.draw(st.booleans())
    limits = np.full(x.array.shape[:-2], tolerance)
    agree(
        mode,
        lambda: getattr(xp.linalg, name)(
            x.buffer, rtol=xp.asarray(limits) if as_buffer else tolerance
        ),
        lambda: np.asarray(getattr(np.linalg, name)(x.array, rtol=limits)),
        x,
        ulps=ULPS,
        scale=10,
    )


ORDERS = [0, 1, 2, 3, -1, -2, 0.5, np.inf, -np.inf]


@covers("linalg.vector_norm")
@examples(100)
@given(data=st.data(), order=st.sampled_from(ORDERS), keepdims=st.booleans(), mode=modes)
def test_vector_norm_is_numpys(data: st.DataObject, order: Any, keepdims: bool, mode: str) -> None:
    x = data.draw(operands(FLOATING + NARROW, values="finite"))
    axis = data.draw(several_axes(x.array.ndim))
    agree(
        mode,
        lambda: xp.linalg.vector_norm(x.buffer, axis=axis, keepdims=keepdims, ord=order),
        lambda: np.asarray(
            np.linalg.vector_norm(floating(x.array), axis=axis, keepdims=keepdims, ord=order)
        ),
        x,
        ulps=ULPS,
    )


MATRIX_ORDERS = ["fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf]


@covers("linalg.matrix_norm")
@examples(80)
@given(
    x=matrices(square=False, types=FLOATING + NARROW),
    order=st.sampled_from(MATRIX_ORDERS),
    keepdims=st.booleans(),
    mode=modes,
)
def test_matrix_norm_is_numpys(x: Operand, order: Any, keepdims: bool, mode: str) -> None:
    agree(
        mode,
        lambda: xp.linalg.matrix_norm(x.buffer, keepdims=keepdims, ord=order),
        lambda: np.asarray(np.linalg.matrix_norm(floating(x.array), keepdims=keepdims, ord=order)),
        x,
        ulps=ULPS,
        scale=1,
    )


NEED_SQUARE = ("cholesky", "det", "eig", "eigh", "eigvals", "eigvalsh", "inv", "slogdet")


@pytest.mark.parametrize("name", NEED_SQUARE)
@examples(15)
@given(data=st.data(), mode=modes)
def test_a_function_of_squares_refuses_other_shapes(
    name: str, data: st.DataObject, mode: str
) -> None:
    shape = data.draw(st.sampled_from([(), (3,), (2, 3), (2, 2, 1)]))
    x = data.draw(operands(FLOATING, shape))
    with pytest.raises(OnebufError), in_mode(mode):
        getattr(xp.linalg, name)(x.buffer)
    x.check()


@pytest.mark.parametrize("name", ["inv", "solve", "cholesky"])
@examples(15)
@given(data=st.data(), mode=modes)
def test_a_matrix_that_cannot_be_handled_is_an_error_that_names_the_function(
    name: str, data: st.DataObject, mode: str
) -> None:
    x = data.draw(of_array(np.zeros((2, 2), data.draw(st.sampled_from(FLOATING)))))
    arguments = [x.buffer, x.buffer] if name == "solve" else [x.buffer]
    with pytest.raises(OnebufError, match=name), in_mode(mode):
        getattr(xp.linalg, name)(*arguments).realize()
    x.check()
