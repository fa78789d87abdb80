"""`scipy.special`: element by element, or along an axis."""

from __future__ import annotations

from clients.comparing import Case, Maker
from scipy import special

HALF = [0.1, 0.25, 0.5, 0.9]
MORE = [0.5, 1.5, 2.0, 3.75]
SIGNED = [-2.5, -0.75, 0.0, 1.25]
COUNTS = [0.0, 1.0, 2.0, 4.0]
WHOLE = [5, 6, 7, 8]
TABLE = [[0.5, -1.0, 2.0], [3.0, 0.25, -0.5]]

ARGUMENTS: dict[str, tuple[list[float] | list[int], ...]] = {
    "bdtr": (COUNTS, WHOLE, HALF),
    "bdtrc": (COUNTS, WHOLE, HALF),
    "bdtri": (COUNTS, WHOLE, HALF),
    "betainc": (MORE, MORE, HALF),
    "betaincc": (MORE, MORE, HALF),
    "betaincinv": (MORE, MORE, HALF),
    "betaln": (MORE, HALF),
    "binom": (MORE, COUNTS),
    "boxcox": (MORE, SIGNED),
    "boxcox1p": (MORE, SIGNED),
    "cbrt": (SIGNED,),
    "chdtr": (MORE, MORE),
    "chdtrc": (MORE, MORE),
    "chdtri": (MORE, HALF),
    "cosdg": (SIGNED,),
    "cosm1": (SIGNED,),
    "cotdg": (MORE,),
    "ellipk": (HALF,),
    "ellipkm1": (HALF,),
    "entr": (SIGNED,),
    "erf": (SIGNED,),
    "erfc": (SIGNED,),
    "erfcx": (SIGNED,),
    "erfinv": (HALF,),
    "exp1": (MORE,),
    "exp10": (SIGNED,),
    "exp2": (SIGNED,),
    "expi": (MORE,),
    "expit": (SIGNED,),
    "expn": (WHOLE, MORE),
    "exprel": (SIGNED,),
    "fdtr": (MORE, MORE, HALF),
    "fdtrc": (MORE, MORE, HALF),
    "fdtri": (MORE, MORE, HALF),
    "gamma": (MORE,),
    "gammainc": (MORE, HALF),
    "gammaincc": (MORE, HALF),
    "gammainccinv": (MORE, HALF),
    "gammaincinv": (MORE, HALF),
    "gammaln": (MORE,),
    "gammasgn": (SIGNED,),
    "gdtr": (MORE, MORE, HALF),
    "gdtrc": (MORE, MORE, HALF),
    "huber": (MORE, SIGNED),
    "hyp1f1": (MORE, MORE, SIGNED),
    "i0": (SIGNED,),
    "i0e": (SIGNED,),
    "i1": (SIGNED,),
    "i1e": (SIGNED,),
    "inv_boxcox": (HALF, MORE),
    "inv_boxcox1p": (HALF, MORE),
    "j0": (SIGNED,),
    "j1": (SIGNED,),
    "k0": (MORE,),
    "k0e": (MORE,),
    "k1": (MORE,),
    "k1e": (MORE,),
    "kl_div": (HALF, MORE),
    "log_ndtr": (SIGNED,),
    "loggamma": (MORE,),
    "logit": (HALF,),
    "lpmv": (COUNTS, WHOLE, HALF),
    "nbdtr": (WHOLE, WHOLE, HALF),
    "nbdtrc": (WHOLE, WHOLE, HALF),
    "nbdtri": (WHOLE, WHOLE, HALF),
    "ndtr": (SIGNED,),
    "ndtri": (HALF,),
    "pdtr": (COUNTS, MORE),
    "pdtrc": (COUNTS, MORE),
    "pdtri": (WHOLE, HALF),
    "poch": (MORE, HALF),
    "pseudo_huber": (MORE, SIGNED),
    "psi": (MORE,),
    "radian": (MORE, SIGNED, HALF),
    "rel_entr": (HALF, MORE),
    "rgamma": (MORE,),
    "sinc": (SIGNED,),
    "sindg": (SIGNED,),
    "spence": (MORE,),
    "stdtr": (MORE, SIGNED),
    "stdtrit": (MORE, HALF),
    "tandg": (SIGNED,),
    "xlog1py": (COUNTS, MORE),
    "xlogy": (COUNTS, MORE),
    "y0": (MORE,),
    "y1": (MORE,),
    "yn": (WHOLE, MORE),
    "zeta": (WHOLE, MORE),
    "zetac": (MORE,),
}
"""What each function of elements is called with."""


def elementwise(name: str) -> Case:
    """A call in double precision, one in single, and one that broadcasts."""

    def case(a: Maker) -> tuple[object, ...]:
        function = getattr(special, name)
        double = [a(values) for values in ARGUMENTS[name]]
        single = [
            a(values, "float32" if isinstance(values[0], float) else "int32")
            for values in ARGUMENTS[name]
        ]
        wide = [
            a([values, values]) if place == 0 else a(values[:1])
            for place, values in enumerate(ARGUMENTS[name])
        ]
        return function(*double), function(*single), function(*wide)

    return case


CASES: dict[str, Case] = {f"special.{name}": elementwise(name) for name in ARGUMENTS}

CASES |= {
    "special.log_softmax": lambda a: [
        special.log_softmax(a(TABLE)),
        special.log_softmax(a(TABLE), axis=1),
    ],
    "special.logsumexp": lambda a: [
        special.logsumexp(a(TABLE)),
        special.logsumexp(a(TABLE), axis=0, keepdims=True),
        special.logsumexp(a(TABLE, "float32"), axis=1, b=a([[1.0], [2.0]], "float32")),
        special.logsumexp(a(TABLE), axis=1, b=a([[1.0], [-2.0]]), return_sign=True),
        special.logsumexp(a([1.0 + 2.0j, 0.5j])),
        special.logsumexp(a([-float("inf"), -float("inf")])),
    ],
    "special.multigammaln": lambda a: special.multigammaln(a([3.5, 4.5]), 3),
    "special.polygamma": lambda a: special.polygamma(2, a(MORE)),
    "special.softmax": lambda a: [
        special.softmax(a(TABLE)),
        special.softmax(a(TABLE, "float32"), axis=-1),
    ],
}
