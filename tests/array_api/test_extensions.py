"""The linalg and fft extensions: their values are NumPy's, eager and lazy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import onebuf as xp

RANDOM = np.random.default_rng(1)
SQUARE = RANDOM.normal(size=(2, 3, 3))
POSITIVE = SQUARE @ SQUARE.transpose(0, 2, 1) + np.eye(3)
TALL = RANDOM.normal(size=(4, 2))
WAVE = RANDOM.normal(size=(3, 8))
COMPLEX = WAVE + 1j * WAVE[::-1]
# (extension, function): calls of both libraries with the same arguments
CASES: dict[tuple[str, str], list[tuple[Any, ...]]] = {
    ("linalg", "cholesky"): [(POSITIVE, {}), (POSITIVE, {"upper": True})],
    ("linalg", "cross"): [(SQUARE, SQUARE[::-1], {}), (SQUARE, SQUARE[::-1], {"axis": 1})],
    ("linalg", "det"): [(SQUARE, {}), (np.array([[1, 2], [3, 4]]), {})],
    ("linalg", "diagonal"): [(SQUARE, {}), (SQUARE, {"offset": 1})],
    ("linalg", "eigh"): [(POSITIVE, {})],
    ("linalg", "eigvalsh"): [(POSITIVE, {})],
    ("linalg", "inv"): [(SQUARE, {}), (SQUARE.astype(np.float32), {})],
    ("linalg", "matmul"): [(SQUARE, SQUARE, {})],
    ("linalg", "matrix_norm"): [
        (SQUARE, {}),
        (SQUARE, {"ord": 2, "keepdims": True}),
        (SQUARE, {"ord": "nuc"}),
        (COMPLEX, {"ord": 1}),
    ],
    ("linalg", "matrix_power"): [(SQUARE, 3, {}), (SQUARE, -2, {}), (SQUARE, 0, {})],
    ("linalg", "matrix_rank"): [(SQUARE, {}), (TALL, {"rtol": 0.1})],
    ("linalg", "matrix_transpose"): [(SQUARE, {})],
    ("linalg", "outer"): [(TALL[0], TALL[:, 1], {})],
    ("linalg", "pinv"): [(TALL, {}), (TALL, {"rtol": 0.5})],
    ("linalg", "qr"): [(TALL, {}), (TALL, {"mode": "complete"})],
    ("linalg", "slogdet"): [(SQUARE, {})],
    ("linalg", "solve"): [(SQUARE, SQUARE[0, 0], {}), (SQUARE, SQUARE, {})],
    ("linalg", "svd"): [(TALL, {}), (TALL, {"full_matrices": False})],
    ("linalg", "svdvals"): [(SQUARE, {})],
    ("linalg", "tensordot"): [(SQUARE, SQUARE[0], {"axes": 1})],
    ("linalg", "trace"): [(SQUARE, {}), (np.arange(9).reshape(3, 3), {"offset": -1})],
    ("linalg", "vecdot"): [(WAVE, WAVE, {})],
    ("linalg", "vector_norm"): [
        (WAVE, {}),
        (COMPLEX, {"axis": 1, "keepdims": True}),
        (WAVE, {"axis": 0, "ord": np.inf}),
        (WAVE, {"axis": (0, 1), "ord": 1}),
    ],
    ("fft", "fft"): [(WAVE, {}), (COMPLEX, {"n": 5, "axis": 0, "norm": "ortho"})],
    ("fft", "ifft"): [(COMPLEX, {}), (COMPLEX.astype(np.complex64), {"n": 11})],
    ("fft", "fftn"): [(COMPLEX, {}), (COMPLEX, {"s": (4, 4), "axes": (0, 1)})],
    ("fft", "ifftn"): [(COMPLEX, {"axes": (1,), "norm": "forward"})],
    ("fft", "rfft"): [(WAVE, {}), (WAVE.astype(np.float32), {"n": 7})],
    ("fft", "irfft"): [(COMPLEX, {}), (COMPLEX, {"n": 9, "axis": 0})],
    ("fft", "rfftn"): [(WAVE, {}), (WAVE, {"s": (2, 5), "axes": (0, 1)})],
    ("fft", "irfftn"): [(COMPLEX, {}), (COMPLEX, {"s": (3, 9), "axes": (0, 1)})],
    ("fft", "hfft"): [(COMPLEX, {}), (COMPLEX, {"n": 6})],
    ("fft", "ihfft"): [(WAVE, {})],
    ("fft", "fftfreq"): [(7, {}), (8, {"d": 0.5})],
    ("fft", "rfftfreq"): [(7, {}), (8, {"d": 0.5})],
    ("fft", "fftshift"): [(WAVE, {}), (WAVE, {"axes": 1})],
    ("fft", "ifftshift"): [(WAVE, {"axes": (0, 1)})],
}
CALLS = [(*key, number) for key, calls in CASES.items() for number in range(len(calls))]


def parts(result: Any) -> list[Any]:
    return list(result) if isinstance(result, tuple) else [result]


@pytest.mark.parametrize("eager_numel", [4096, 0])
@pytest.mark.parametrize("extension, name, number", CALLS)
def test_a_function_gives_what_numpys_does(
    extension: str, name: str, number: int, eager_numel: int
) -> None:
    *arguments, keywords = CASES[extension, name][number]
    with xp.config(eager_numel=eager_numel):
        given = [xp.asarray(x, copy=True) if isinstance(x, np.ndarray) else x for x in arguments]
        ours = parts(getattr(getattr(xp, extension), name)(*given, **keywords))
    theirs = parts(getattr(getattr(np, extension), name)(*arguments, **keywords))
    assert len(ours) == len(theirs)
    for got, wanted in zip(ours, theirs, strict=True):
        assert (got.shape, got.dtype) == (np.shape(wanted), np.asarray(wanted).dtype)
        tolerance = 1e-4 if got.dtype.itemsize == 4 or got.dtype == xp.complex64 else 1e-10
        np.testing.assert_allclose(np.asarray(got), wanted, tolerance, tolerance)


def test_eigenvalues_are_complex_whatever_the_values() -> None:
    matrix = xp.asarray([[2.0, 0.0], [0.0, 3.0]])
    assert xp.linalg.eigvals(matrix).dtype == xp.complex128
    values, vectors = xp.linalg.eig(matrix.astype("float32"))
    assert (values.dtype, vectors.dtype) == (xp.complex64, xp.complex64)
    assert sorted(value.real for value in values.to_python()) == [2.0, 3.0]


@pytest.mark.parametrize("name", ["fftn", "ifftn", "rfftn", "irfftn"])
def test_an_extent_of_minus_one_means_all_elements(name: str) -> None:
    x = xp.asarray(COMPLEX if name == "irfftn" else WAVE)
    transform = getattr(xp.fft, name)
    ours = transform(x, s=(-1, -1), axes=(0, 1))
    np.testing.assert_array_equal(np.asarray(ours), np.asarray(transform(x)))


@pytest.mark.parametrize("name", ["fftfreq", "rfftfreq"])
def test_frequencies_are_of_the_default_type(name: str) -> None:
    with xp.config(default_float="float32"):
        assert getattr(xp.fft, name)(4).dtype == xp.float32


def test_a_vector_product_has_one_axis_however_it_is_counted() -> None:
    x, y = WAVE.reshape(3, 2, 4), WAVE[0].reshape(2, 4)
    wanted = np.vecdot(x, y)
    np.testing.assert_allclose(np.asarray(xp.vecdot(xp.asarray(x), xp.asarray(y))), wanted)
    np.testing.assert_allclose(
        np.asarray(xp.vecdot(xp.asarray(x), xp.asarray(x), axis=2)), np.vecdot(x, x)
    )


def test_a_vector_product_counts_its_axis_in_each_operand() -> None:
    x, y = WAVE.reshape(3, 2, 4), WAVE[0].reshape(4, 2)
    ours = xp.vecdot(xp.asarray(x), xp.asarray(y), axis=1)
    np.testing.assert_allclose(np.asarray(ours), np.vecdot(np.moveaxis(x, 1, 2), y))
