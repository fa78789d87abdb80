"""Library calls, on a batch of examples and on one after another."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from batching.oracle import check, of_batch

import onebuf
from onebuf import ops
from onebuf.batching.library_calls import ForEach
from onebuf.errors import NotBatched
from onebuf.graph import LIBRARY
from onebuf.ops.numpy import lapack

RNG = np.random.default_rng(4)
SIZE = 3
BOTH_OR_ONE = [(True, True), (True, False), (False, True)]


def floats(*shape: int) -> np.ndarray[Any, Any]:
    return RNG.normal(size=shape)


def complexes(*shape: int) -> np.ndarray[Any, Any]:
    return floats(*shape) + 1j * floats(*shape)


def of(node: Any) -> Any:
    return onebuf.Buffer._value(node)


MATRICES: dict[str, Any] = {
    "det": onebuf.linalg.det,
    "eigvalsh": lambda x: onebuf.linalg.eigvalsh(x + x.T),
    "eigh": lambda x: onebuf.linalg.eigh(x + x.T).eigenvalues,
    "matrix_norm": lambda x: onebuf.linalg.matrix_norm(x, ord="nuc"),
    "matrix_norm with axes": lambda x: onebuf.linalg.matrix_norm(x, keepdims=True),
    "matrix_power": lambda x: onebuf.linalg.matrix_power(x, 3),
    "pinv": onebuf.linalg.pinv,
    "qr": lambda x: tuple(onebuf.linalg.qr(x)),
    "slogdet": lambda x: tuple(onebuf.linalg.slogdet(x)),
    "svd": lambda x: tuple(onebuf.linalg.svd(x)),
    "svdvals": onebuf.linalg.svdvals,
    "vector_norm": lambda x: onebuf.linalg.vector_norm(x, axis=0, ord=3),
    "vector_norm of all": lambda x: onebuf.linalg.vector_norm(x, keepdims=True),
    "cross": lambda x: onebuf.linalg.cross(x, x[0], axis=-1),
}


@pytest.mark.parametrize("name", MATRICES)
def test_linear_algebra(name: str) -> None:
    check(MATRICES[name], floats(SIZE, 3, 3))


def test_eigenvalues_of_any_matrix() -> None:
    check(lambda x: tuple(onebuf.linalg.eig(x)), floats(SIZE, 3, 3))


@pytest.mark.parametrize("name", ["cholesky", "inv"])
def test_functions_that_are_tried(name: str) -> None:
    def tried(x: Any) -> Any:
        matrix = (x @ x.T + onebuf.eye(3))._node
        kind = matrix.shape, matrix.dtype
        return of(ops.library(getattr(np.linalg, name), (matrix,), (), *kind, name))

    check(tried, floats(SIZE, 3, 3))


@pytest.mark.parametrize("mapped", BOTH_OR_ONE)
@pytest.mark.parametrize("right", [(3,), (3, 2), (2, 3, 2)])
@pytest.mark.parametrize("left", [(3, 3), (2, 3, 3)])
def test_linear_equations(
    left: tuple[int, ...], right: tuple[int, ...], mapped: tuple[bool, bool]
) -> None:
    shapes = [(SIZE, *s) if m else s for s, m in zip((left, right), mapped, strict=True)]

    def solved(a: Any, b: Any) -> Any:
        return of(lapack.solve(a._node, b._node))

    check(solved, *[floats(*shape) for shape in shapes], mapped=mapped)


@pytest.mark.parametrize("mapped", BOTH_OR_ONE)
def test_a_cross_product_of_two_operands(mapped: tuple[bool, bool]) -> None:
    arrays = [floats(SIZE, 2, 3) if is_mapped else floats(2, 3) for is_mapped in mapped]
    check(onebuf.linalg.cross, *arrays, mapped=mapped)


FOURIER: dict[str, Any] = {
    **{name: getattr(onebuf.fft, name) for name in ("fft", "ifft", "rfft", "irfft", "hfft")},
    "ihfft": onebuf.fft.ihfft,
    "along an axis": lambda x: onebuf.fft.fft(x, n=5, axis=0),
    **{name: getattr(onebuf.fft, name) for name in ("fftn", "ifftn", "rfftn", "irfftn", "fft2")},
    "along two of three axes": lambda x: onebuf.fft.fftn(x[None], axes=(0, 2)),
    "fftshift": onebuf.fft.fftshift,
    "ifftshift": lambda x: onebuf.fft.ifftshift(x, axes=1),
}


@pytest.mark.parametrize("name", FOURIER)
def test_fourier_transforms(name: str) -> None:
    check(FOURIER[name], floats(SIZE, 3, 4))


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("function", [onebuf.sort, onebuf.argsort])
def test_orders(function: Any, axis: int, descending: bool) -> None:
    check(lambda x: function(x, axis=axis, descending=descending), floats(SIZE, 3, 4))


@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("name", ["max", "min", "argmax", "argmin"])
def test_extremes_of_complex_numbers(name: str, axis: int | None) -> None:
    check(lambda x: getattr(x, name)(axis), complexes(SIZE, 3, 4))


def test_a_mean_of_complex_numbers() -> None:
    check(lambda x: x.mean(0), complexes(SIZE, 3, 4))


def test_a_running_maximum() -> None:
    check(lambda x: onebuf.maximum.accumulate(x, axis=1), floats(SIZE, 3, 4))


def test_rounding_to_tens() -> None:
    check(lambda x: onebuf.round(x, -1), RNG.integers(0, 100, (SIZE, 4)))


@pytest.mark.parametrize("mapped", BOTH_OR_ONE)
def test_a_search_in_sorted_elements(mapped: tuple[bool, bool]) -> None:
    arrays = [np.sort(floats(SIZE, 5), axis=-1), floats(SIZE, 4)]
    arrays = [x if m else x[0] for x, m in zip(arrays, mapped, strict=True)]
    check(onebuf.searchsorted, *arrays, mapped=mapped)


@pytest.mark.parametrize("mapped", BOTH_OR_ONE)
def test_a_search_among_elements(mapped: tuple[bool, bool]) -> None:
    arrays = [RNG.integers(0, 9, (SIZE, 5)), RNG.integers(0, 9, (SIZE, 4))]
    arrays = [x if m else x[0] for x, m in zip(arrays, mapped, strict=True)]
    check(onebuf.isin, *arrays, mapped=mapped)


def unknown(x: Any) -> Any:
    return of(ops.library(np.convolve, (x._node, x._node), (), (7,), x.dtype, "mystery"))


def test_a_call_without_a_form_for_batches_is_made_for_each_example() -> None:
    check(unknown, floats(SIZE, 4))


def test_rules_by_name_do_not_take_calls_for_each_example_for_one_of_an_example() -> None:
    [node] = of_batch(unknown, [floats(SIZE, 4)], [True], SIZE)
    assert node.arg.name == "mystery of each example"


def test_a_call_for_each_example_of_an_empty_batch() -> None:
    made = ForEach(np.convolve, (True, False), (7,), np.dtype("float64"))
    assert made(np.empty((0, 4)), np.ones(4)).shape == (0, 7)


def test_the_parts_of_a_call_still_share_it() -> None:
    found = of_batch(lambda x: tuple(onebuf.linalg.qr(x)), [floats(SIZE, 3, 3)], [True], SIZE)
    assert [node.op for node in found] == [LIBRARY, LIBRARY]
    assert found[0].arg.shared is found[1].arg.shared


def test_a_call_with_several_results_and_no_rule_is_an_error_that_names_it_and_the_line() -> None:
    def parts(x: Any) -> Any:
        kinds = [((4,), x.dtype), ((4,), x.dtype)]
        return [of(node) for node in ops.several(np.modf, (x._node,), (), kinds, "modf")]

    with pytest.raises(NotBatched, match=r"got modf \(at .*test_library_calls.py:\d+: .*stack"):
        of_batch(parts, [floats(SIZE, 4)], [True], SIZE)
