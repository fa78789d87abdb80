"""Functions of NumPy on traced buffers: made of operations where they have such a form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from directional_differences import check

import onebuf
from onebuf.errors import NotDifferentiable
from onebuf.linalg.by_operations import BY_OPERATIONS as OF_MATRICES
from onebuf.numpy_api.by_operations import BY_OPERATIONS

random = np.random.default_rng(8)
X = random.standard_normal((4, 5))
LONG, SHORT = random.standard_normal(7), random.standard_normal(4)
HOLES = np.where(np.eye(4, 5) > 0, np.nan, X)
WEIGHTS = np.array([1.0, 2.0, 3.0, 4.0, 5.0])

# Calls of NumPy's own functions, with arguments beyond those of tests/namespace_functions.py.
CALLS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "median of axes": (lambda x: np.median(x, axis=(0, 1), keepdims=True), (X,)),
    "quantiles in a matrix": (lambda x: np.quantile(x, [[0.1, 0.9]], axis=1), (X,)),
    "interp with a period": (
        lambda x, xp, fp: np.interp(x, xp, fp, period=2.5),
        (X, LONG, random.standard_normal(7)),
    ),
    "interp beyond": (lambda x, fp: np.interp(x, [0.0, 0.5, 1.0], fp, -3.0, 4.0), (X, SHORT[:3])),
    "interp of one point": (lambda x, fp: np.interp(x, [0.25], fp), (X, SHORT[:1])),
    "cov with weights": (lambda x: np.cov(x, aweights=WEIGHTS, fweights=[1, 2, 1, 1, 3]), (X,)),
    "cov of two": (lambda x, y: np.cov(x, y, rowvar=False), (X, X[::-1].copy())),
    "cov with counts": (lambda x: np.cov(x, fweights=[1, 2, 1, 1, 3], bias=True), (X,)),
    "mean where": (lambda x: np.mean(x, axis=0, where=np.tri(4, 5, 1, bool)), (X,)),
    "var where": (lambda x: np.var(x, axis=0, ddof=1, where=np.tri(4, 3, 1, bool)), (X[:, :3],)),
    "std around a mean": (lambda x: np.std(x, axis=0, mean=x.mean(0, keepdims=True)), (X,)),
    "padding by values": (lambda x: np.pad(x, 2, constant_values=((1, 2), (3, 4))), (X,)),
    "padding by the edge": (lambda x: np.pad(x, ((0, 2), (1, 0)), mode="edge"), (X,)),
    "padding around": (lambda x: np.pad(x, 2, mode="wrap"), (X,)),
    "clipped indices": (lambda x: np.take(x, [-7, 9], axis=1, mode="clip"), (X,)),
    "a norm along two axes": (lambda x: np.linalg.norm(x, "nuc", axis=(1, 0)), (X,)),
    "a norm along one axis": (lambda x: np.linalg.norm(x, 3, axis=0, keepdims=True), (X,)),
    "a condition in another norm": (lambda x: np.linalg.cond(x, 1), (X[:, :4],)),
    "a triangular factor": (lambda x: np.linalg.qr(x, mode="r"), (X,)),
    "residuals": (lambda a, b: np.linalg.lstsq(a, b)[1], (X[:, :2].copy(), X[:, 2:].copy())),
    "equations of tensors": (
        lambda a, b: np.linalg.tensorsolve(a, b, axes=(0,)),
        (random.standard_normal((4, 2, 2)), random.standard_normal((2, 2))),
    ),
    "a polynomial with weights": (
        lambda x, y: np.polyfit(x, y, 1, w=[1.0, 2, 1, 1, 3, 1, 1]),
        (LONG, LONG**2),
    ),
    "an inverse": (np.linalg.inv, (X[:, :4],)),
    "a transform": (lambda x: np.fft.rfft(x, axis=0), (X,)),
    "a product of tensors": (lambda x, y: np.tensordot(x, y, 1), (X, X.T.copy())),
    "a triangle": (np.tril, (X,)),
    "steps at places": (
        lambda x, y: np.gradient(x, y, axis=1, edge_order=2),
        (X, np.cumsum(WEIGHTS)),
    ),
    **{
        f"{name} {mode} {one.size} {two.size}": (
            lambda x, y, name=name, mode=mode: getattr(np, name)(x, y, mode),
            (one, two),
        )
        for name in ("convolve", "correlate")
        for mode in ("full", "same", "valid")
        for one, two in ((LONG, SHORT), (SHORT, LONG), (LONG, SHORT[:3]), (SHORT[:3], LONG))
    },
}


@pytest.mark.parametrize("name", CALLS)
def test_a_form_has_numpys_values_and_gradients(name: str) -> None:
    function, arrays = CALLS[name]
    check(function, *arrays)


@pytest.mark.parametrize(
    "name",
    [
        *("nanmax", "nanmin", "nanmean", "nanstd", "nanvar", "nanprod", "nanmedian"),
        *("nanargmax", "nanargmin"),
    ],
)
def test_what_is_not_a_number_has_no_gradient(name: str) -> None:
    function = getattr(np, name)
    value, pull = onebuf.vjp(lambda x: function(x, axis=1), onebuf.asarray(HOLES))
    np.testing.assert_allclose(np.asarray(value), function(HOLES, axis=1))
    if value.dtype.kind == "f":
        (gradient,) = pull(onebuf.ones(4))
        assert (np.asarray(gradient)[np.isnan(HOLES)] == 0).all()
        assert np.isfinite(np.asarray(gradient)).all()


def test_the_median_of_what_is_not_a_number_is_not_a_number() -> None:
    value, _ = onebuf.vjp(lambda x: np.median(x, axis=1), onebuf.asarray(HOLES))
    assert np.isnan(np.asarray(value)).all()


@pytest.mark.parametrize("right", [False, True])
@pytest.mark.parametrize("bins", [[-1.0, 0.0, 1.0], [1.0, 0.0, -1.0]], ids=["up", "down"])
def test_digitize_of_traced_elements(bins: list[float], right: bool) -> None:
    found = []

    def function(x: Any) -> Any:
        found.append(np.digitize(x, bins, right).tolist())
        return x

    elements = np.array([-2.0, -1.0, 0.5, 1.0, 3.0])
    onebuf.vjp(function, onebuf.asarray(elements))
    assert found == [np.digitize(elements, bins, right).tolist()]


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.pad(x, 1, mode="mean"),
        lambda x: np.median(x, overwrite_input=True),
        lambda x: np.quantile(x, 0.5, method="lower"),
        lambda x: np.linalg.qr(x, mode="raw"),
        lambda x: np.i0(x),
        lambda x: np.logaddexp.reduce(x),
        lambda x: onebuf.arange(0.0, x[0, 0]),
        lambda x: onebuf.linalg.matrix_rank(x),
    ],
)
def test_calls_without_a_form_are_refused(function: Callable[..., Any]) -> None:
    with pytest.raises(NotDifferentiable):
        onebuf.vjp(function, onebuf.asarray(X))


def test_integers_of_a_traced_function_may_be_read() -> None:
    def function(x: Any) -> Any:
        return x[: int(np.trace(onebuf.asarray(np.eye(2, dtype=int))))]

    value, _ = onebuf.vjp(function, onebuf.asarray(X))
    assert value.shape == (2, 5)


def test_plain_buffers_are_left_to_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(BY_OPERATIONS, np.median, None)
    monkeypatch.setitem(OF_MATRICES, np.linalg.cond, None)
    assert onebuf.median(onebuf.asarray([3.0, 1.0, 2.0])).item() == 2
    assert onebuf.linalg.cond(onebuf.eye(2)).item() == 1


def test_a_captured_function_gives_numpys_own_bits() -> None:
    function = onebuf.jit(lambda x: onebuf.median(x * 2, axis=1))
    for scale in (1.0, 3.0):
        expected = np.median(X * scale * 2, axis=1)
        assert np.asarray(function(onebuf.asarray(X * scale))).tolist() == expected.tolist()


def test_what_numpy_writes_in_a_captured_function_is_kept() -> None:
    def function(x: Any) -> Any:
        made = x * 2
        np.put(made, [0, 3], [7.0, 8.0])
        return made

    expected = X * 2
    np.put(expected, [0, 3], [7.0, 8.0])
    assert np.asarray(onebuf.jit(function)(onebuf.asarray(X))).tolist() == expected.tolist()


def test_a_form_takes_a_batch() -> None:
    found = onebuf.vmap(lambda row: np.median(row))(onebuf.asarray(X))
    np.testing.assert_allclose(np.asarray(found), np.median(X, axis=1))
