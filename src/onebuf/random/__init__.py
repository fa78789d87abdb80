"""Random numbers, under NumPy's names and with NumPy's arguments; what comes out is buffers.

`default_rng` gives a `Generator`: NumPy's, with NumPy's numbers for the same seed. The functions
here draw from one `LazyGenerator`, whose numbers are a function of a seed and a count, the same
everywhere: large draws are lazy and one kernel with what is done with them. Distributions that it
does not have come from a `RandomState` beside it, which `seed` seeds as well.

>>> import onebuf
>>> onebuf.random.seed(7)
>>> a = onebuf.random.uniform(size=3)
>>> onebuf.random.seed(7)
>>> bool((a == onebuf.random.uniform(size=3)).all())
True
>>> onebuf.random.default_rng(7).integers(0, 10, 5)
Buffer([9, 6, 6, 8, 5], shape=(5,), dtype=int64, device=CPU)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from onebuf.buffer.exchange.construction import BITS
from onebuf.late import Late
from onebuf.random.lazy_generator import LazyGenerator

if TYPE_CHECKING:
    from numpy import random as numpy_random
    from numpy.random import (
        MT19937,
        PCG64,
        PCG64DXSM,
        SFC64,
        BitGenerator,
        Philox,
        SeedSequence,
    )

    from onebuf.random import generator, legacy
    from onebuf.random.generator import Generator, default_rng
    from onebuf.random.legacy import (
        RandomState,
        beta,
        binomial,
        bytes,
        chisquare,
        choice,
        dirichlet,
        exponential,
        f,
        gamma,
        geometric,
        get_state,
        gumbel,
        hypergeometric,
        laplace,
        logistic,
        lognormal,
        logseries,
        multinomial,
        multivariate_normal,
        negative_binomial,
        noncentral_chisquare,
        noncentral_f,
        pareto,
        poisson,
        power,
        random_integers,
        rayleigh,
        set_state,
        shuffle,
        standard_cauchy,
        standard_exponential,
        standard_gamma,
        standard_t,
        triangular,
        vonmises,
        wald,
        weibull,
        zipf,
    )
else:
    generator = Late("onebuf.random.generator")
    legacy = Late("onebuf.random.legacy")
    numpy_random = Late("numpy.random")

_default = LazyGenerator(_bits=BITS)

split = _default.split
integers = _default.integers
normal = _default.normal
permutation = _default.permutation
rand = _default.rand
randint = _default.randint
randn = _default.randn
random = random_sample = ranf = sample = _default.random
standard_normal = _default.standard_normal
uniform = _default.uniform

_MODULES: dict[str, Any] = {"Generator": generator, "default_rng": generator} | dict.fromkeys(
    ("BitGenerator", "MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64", "SeedSequence"),
    numpy_random,
)
"""The late module of each name that is not in `legacy`."""


def seed(seed: Any = None) -> None:
    """Start the functions of this module again from ``seed``; from the system's own if None."""
    _default.seed(seed)


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'onebuf.random' has no attribute {name!r}")
    value = getattr(_MODULES.get(name, legacy), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__


# fmt: off
__all__ = [
    "MT19937", "PCG64", "PCG64DXSM", "SFC64", "BitGenerator", "Generator", "LazyGenerator",
    "Philox", "RandomState", "SeedSequence", "beta", "binomial", "bytes", "chisquare", "choice",
    "default_rng", "dirichlet", "exponential", "f", "gamma", "geometric", "get_state", "gumbel",
    "hypergeometric", "integers", "laplace", "logistic", "lognormal", "logseries", "multinomial",
    "multivariate_normal", "negative_binomial", "noncentral_chisquare", "noncentral_f", "normal",
    "pareto", "permutation", "poisson", "power", "rand", "randint", "randn", "random",
    "random_integers", "random_sample", "ranf", "rayleigh", "sample", "seed", "set_state",
    "shuffle", "split", "standard_cauchy", "standard_exponential", "standard_gamma",
    "standard_normal", "standard_t", "triangular", "uniform", "vonmises", "wald", "weibull", "zipf",
]
