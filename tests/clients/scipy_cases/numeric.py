"""Constants, integration, interpolation, linear algebra and optimisation."""

from __future__ import annotations

import numpy as np
from clients.comparing import Case, Maker
from scipy import constants, integrate, interpolate, linalg, optimize

_DRAW = np.random.default_rng(23)
X = np.linspace(0.0, 4.0, 9)
Y = np.sin(X) + 0.1 * _DRAW.normal(size=9)
AT = [0.1, 1.7, 2.0, 3.9]
POLYNOMIALS = _DRAW.normal(size=(4, 8))
POINTS = _DRAW.normal(size=(5, 3))


def around(a: Maker) -> dict[str, object]:
    """An integral over a rectangle."""
    result = integrate.cubature(
        lambda x: a.xp.exp(-(x[:, 0] ** 2)) * x[:, 1], a([0.0, 0.0]), a([1.0, 2.0])
    )
    return {"estimate": result.estimate, "error": result.error}


def sampled(a: Maker) -> tuple[object, object]:
    """An integral by quasi-random points."""
    draw = np.random.default_rng(2)
    from scipy.stats import qmc

    result = integrate.qmc_quad(
        lambda x: a.xp.exp(-x[0]) * x[1],
        a([0.0, 0.0]),
        a([1.0, 2.0]),
        n_estimates=4,
        n_points=64,
        qrng=qmc.Halton(2, rng=draw),
    )
    return result.integral, result.standard_error


def spline(a: Maker, degree: int = 3) -> interpolate.BSpline:
    """A spline through points."""
    return interpolate.make_interp_spline(a(X), a(Y), k=degree)


def parts(curve: object) -> list[object]:
    """A piecewise curve: its numbers, and what it gives."""
    return [curve.x, curve.c]  # type: ignore[attr-defined]


def grids(a: Maker, method: str) -> object:
    """Values on a grid, asked for between its lines."""
    table = a(np.add.outer(X, np.cos(X)))
    return interpolate.RegularGridInterpolator((a(X), a(X)), table, method=method)(
        a([[0.3, 0.4], [1.25, 3.5]])
    )


CASES: dict[str, Case] = {
    "constants.convert_temperature": lambda a: constants.convert_temperature(
        a([-40.0, 0.0, 100.0]), "Celsius", "Fahrenheit"
    ),
    "constants.lambda2nu": lambda a: constants.lambda2nu(a([1.0, 2.5])),
    "constants.nu2lambda": lambda a: constants.nu2lambda(a([1.0, 2.5])),
    "integrate.cubature": around,
    "integrate.qmc_quad": sampled,
    "integrate.cumulative_simpson": lambda a: [
        integrate.cumulative_simpson(a(Y), x=a(X)),
        integrate.cumulative_simpson(a(Y, "float32"), dx=0.5, initial=0.0),
    ],
    "integrate.cumulative_trapezoid": lambda a: [
        integrate.cumulative_trapezoid(a(Y), a(X)),
        integrate.cumulative_trapezoid(a(POINTS), axis=0, initial=0),
    ],
    "integrate.romb": lambda a: integrate.romb(a(Y), dx=0.5),
    "integrate.trapezoid": lambda a: [
        integrate.trapezoid(a(Y), a(X)),
        integrate.trapezoid(a(POINTS, "float32"), dx=0.5, axis=0),
    ],
    "interpolate.BPoly": lambda a: [
        interpolate.BPoly(a(POLYNOMIALS), a(X))(a(AT)),
        *parts(interpolate.BPoly(a(POLYNOMIALS), a(X)).derivative()),
    ],
    "interpolate.BSpline": lambda a: [
        spline(a)(a(AT)),
        spline(a).derivative()(a(AT)),
        spline(a).antiderivative().c,
        spline(a).integrate(0.5, 2.0),
        interpolate.BSpline.design_matrix(a(AT), spline(a).t, 3).toarray().shape,
        interpolate.BSpline.basis_element(a([0.0, 1.0, 2.0, 3.0]))(a([0.5, 1.5])),
    ],
    "interpolate.CubicHermiteSpline": lambda a: interpolate.CubicHermiteSpline(
        a(X), a(Y), a(np.cos(X))
    )(a(AT)),
    "interpolate.CubicSpline": lambda a: [
        interpolate.CubicSpline(a(X), a(Y))(a(AT)),
        interpolate.CubicSpline(a(X), a(Y), bc_type="natural")(a(AT), nu=1),
        *parts(interpolate.CubicSpline(a(X), a(Y))),
    ],
    "interpolate.NdBSpline": lambda a: interpolate.NdBSpline(
        (spline(a).t, spline(a).t), a(np.add.outer(Y, Y)), 3
    )(a([[0.5, 1.0], [2.0, 3.5]])),
    "interpolate.PPoly": lambda a: [
        interpolate.PPoly(a(POLYNOMIALS), a(X))(a(AT)),
        *parts(interpolate.PPoly(a(POLYNOMIALS), a(X)).antiderivative()),
        interpolate.PPoly(a(POLYNOMIALS), a(X)).integrate(0.5, 3.0),
    ],
    "interpolate.PchipInterpolator": lambda a: interpolate.PchipInterpolator(a(X), a(Y))(a(AT)),
    "interpolate.RegularGridInterpolator": lambda a: [
        grids(a, method) for method in ("linear", "nearest", "slinear", "cubic", "pchip")
    ],
    "interpolate.generate_knots": lambda a: list(interpolate.generate_knots(a(X), a(Y), s=0.01)),
    "interpolate.make_interp_spline": lambda a: [spline(a, k)(a(AT)) for k in (0, 1, 2, 3, 5)],
    "interpolate.make_lsq_spline": lambda a: interpolate.make_lsq_spline(
        a(X), a(Y), a([0.0] * 4 + [2.0] + [4.0] * 4)
    )(a(AT)),
    "interpolate.make_smoothing_spline": lambda a: interpolate.make_smoothing_spline(
        a(X), a(Y), lam=0.1
    )(a(AT)),
    "interpolate.make_splprep": lambda a: (lambda found: [found[0](a(AT)), found[1]])(
        interpolate.make_splprep([a(X), a(Y)], s=0.01)
    ),
    "interpolate.make_splrep": lambda a: [
        interpolate.make_splrep(a(X), a(Y), s=0.01)(a(AT)),
        interpolate.make_splrep(a(X), a(Y))(a(AT)),
    ],
    "linalg.block_diag": lambda a: linalg.block_diag(a([[1.0, 2.0]]), a([[3.0], [4.0]])),
    "linalg.fiedler": lambda a: linalg.fiedler(a([1.0, 4.0, 12.0])),
    "linalg.orthogonal_procrustes": lambda a: linalg.orthogonal_procrustes(
        a(POINTS), a(np.sin(POINTS))
    ),
    "optimize.rosen": lambda a: [optimize.rosen(a(POINTS[0])), optimize.rosen(a(POINTS))],
    "optimize.rosen_der": lambda a: optimize.rosen_der(a(POINTS[:, 0])),
    "optimize.rosen_hess": lambda a: optimize.rosen_hess(a(POINTS[:, 0])),
    "optimize.rosen_hess_prod": lambda a: optimize.rosen_hess_prod(
        a(POINTS[:, 0]), a(POINTS[:, 1])
    ),
}
