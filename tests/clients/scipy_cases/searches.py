"""Searches that run element by element until each is done: derivatives, roots, minima, integrals.

They pick and write the elements that are still running, by arrays of indices and by masks.
"""

from __future__ import annotations

import numpy as np
from clients.comparing import Case, Maker
from scipy import differentiate, integrate, interpolate
from scipy.optimize import elementwise

X = np.linspace(0.0, 4.0, 9)
Y = np.sin(X)


def parts(*names: str) -> object:
    """Those parts of a result, by name."""
    return lambda result: {name: result[name] for name in names}


found = parts("success", "status", "x", "f_x", "nfev", "nit")
bracketed = parts("success", "status", "bracket", "f_bracket", "nfev", "nit")
summed = parts("success", "status", "sum", "error", "nfev")
integrated = parts("success", "status", "integral", "error", "nfev")


def steep(a: Maker, name: str) -> object:
    """A derivative of some kind, with what SciPy says about it."""
    result = getattr(differentiate, name)(
        lambda x: a.xp.sum(a.xp.sin(x) * x, axis=0), a([[0.1, 0.5], [1.0, -0.3]])
    )
    return {key: result[key] for key in ("success", "status", "error", "nfev") if key in result}


def polished(result: object) -> dict[str, object]:
    """A derivative, with what SciPy says about it."""
    names = ("success", "status", "df", "error", "nfev", "nit")
    return {name: result[name] for name in names}  # type: ignore[index]


CASES: dict[str, Case] = {
    "differentiate.derivative": lambda a: [
        polished(differentiate.derivative(a.xp.exp, a([0.0, 0.5, 2.0]))),
        polished(differentiate.derivative(a.xp.sin, a([[0.1], [1.0]]), step_direction=a([-1, 1]))),
        polished(differentiate.derivative(a.xp.cos, a([0.3, 0.4], "float32"), order=4)),
    ],
    "differentiate.jacobian": lambda a: steep(a, "jacobian"),
    "differentiate.hessian": lambda a: steep(a, "hessian"),
    "integrate.nsum": lambda a: summed(
        integrate.nsum(lambda k: 1 / k**2, a([1.0, 2.0]), a([np.inf, 50.0]))
    ),
    "integrate.tanhsinh": lambda a: [
        integrated(integrate.tanhsinh(a.xp.exp, a([0.0, -1.0]), a([1.0, 2.0]))),
        integrated(
            integrate.tanhsinh(lambda x: a.xp.exp(-(x**2)), a(-np.inf), a(np.inf), maxlevel=6)
        ),
    ],
    "interpolate.Akima1DInterpolator": lambda a: [
        interpolate.Akima1DInterpolator(a(X), a(Y), method=method)(a([0.1, 1.7, 3.9]))
        for method in ("akima", "makima")
    ],
    "interpolate.RBFInterpolator": lambda a: [
        interpolate.RBFInterpolator(a(np.stack([X, Y], 1)), a(np.cos(X)), kernel=kernel)(
            a([[0.1, 0.2], [1.5, 0.9]])
        )
        for kernel in ("thin_plate_spline", "linear", "cubic")
    ],
    "optimize.elementwise.find_root": lambda a: found(
        elementwise.find_root(
            lambda x, c: x**3 - c,
            (a([0.0, 0.0, 0.0]), a([5.0, 5.0, 5.0])),
            args=(a([2.0, 9.0, 90.0]),),
        )
    ),
    "optimize.elementwise.find_minimum": lambda a: found(
        elementwise.find_minimum(
            lambda x, c: (x - c) ** 2 + a.xp.cos(x),
            (a([-9.0, -9.0]), a([0.5, 1.0]), a([9.0, 9.0])),
            args=(a([1.0, 2.0]),),
        )
    ),
    "optimize.elementwise.bracket_root": lambda a: bracketed(
        elementwise.bracket_root(lambda x, c: x**3 - c, a([0.0, 1.0]), args=(a([9.0, 50.0]),))
    ),
    "optimize.elementwise.bracket_minimum": lambda a: bracketed(
        elementwise.bracket_minimum(
            lambda x, c: (x - c) ** 2, a([0.0, 1.0]), args=(a([9.0, -50.0]),)
        )
    ),
}
