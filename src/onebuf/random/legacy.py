"""NumPy's older interface: `RandomState`, and the functions that draw from one behind the scenes.

`RandomState` has NumPy's numbers for the same seed. The functions belong to the module: they share
its seed with its `LazyGenerator`.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from onebuf.buffer.exchange.construction import BITS
from onebuf.buffer.handle import Handle
from onebuf.errors import ArgumentTypeError
from onebuf.random.numpy_methods import giving_buffers

_Numpys: Any = np.random.RandomState
_DISTRIBUTIONS = (
    *("beta", "binomial", "bytes", "chisquare", "choice", "dirichlet", "exponential", "f"),
    *("gamma", "geometric", "gumbel", "hypergeometric", "laplace", "logistic", "lognormal"),
    *("logseries", "multinomial", "multivariate_normal", "negative_binomial"),
    *("noncentral_chisquare", "noncentral_f", "pareto", "poisson", "power", "random_integers"),
    *("rayleigh", "shuffle", "standard_cauchy", "standard_exponential", "standard_gamma"),
    *("standard_t", "triangular", "vonmises", "wald", "weibull", "zipf"),
)
_OTHERS = (
    *("normal", "permutation", "rand", "randint", "randn", "random", "random_sample"),
    *("standard_normal", "tomaxint", "uniform"),
)


class RandomState(_Numpys):  # type: ignore[misc]
    """NumPy's `numpy.random.RandomState`, whose arrays are buffers.

    >>> RandomState(0).randint(0, 10, 4)
    Buffer([5, 0, 3, 3], shape=(4,), dtype=int64, device=CPU)
    """

    def __init__(self, seed: Any = None) -> None:
        super().__init__(np.asarray(seed) if isinstance(seed, Handle) else seed)
        self._numpy = _Numpys(self._bit_generator)

    def seed(self, seed: Any = None) -> None:
        """Start again from ``seed``; from the system's own randomness if None."""
        self._numpy.seed(np.asarray(seed) if isinstance(seed, Handle) else seed)

    def get_state(self, legacy: bool = True) -> Any:
        """What `set_state` needs to continue from here, as NumPy has it."""
        return self._numpy.get_state(legacy)

    def set_state(self, state: Any) -> None:
        """Continue from what `get_state` gave, here or in NumPy."""
        self._numpy.set_state(state)

    def __reduce__(self) -> tuple[Any, ...]:
        _, arguments, state = self._numpy.__reduce__()
        return type(self), arguments, state

    def __copy__(self) -> RandomState:
        return copy.deepcopy(self)


for _name in (*_DISTRIBUTIONS, *_OTHERS):
    setattr(RandomState, _name, giving_buffers(getattr(_Numpys, _name)))


class _Shared:
    """The state behind the module's functions: seeded when the module's supply of bits was."""

    def __init__(self) -> None:
        self._state = RandomState(0)
        self._key: tuple[int, int] | None = None

    def current(self) -> RandomState:
        """The state, started again if the module was seeded since."""
        key = BITS.key
        if key is not self._key:
            low, high = key
            self._state.seed([low, high] if high else low)
            self._key = key
        return self._state


_shared = _Shared()


def _function(name: str) -> Callable[..., Any]:
    """The method ``name`` of the module's own state, as a function."""
    method = getattr(RandomState, name)

    @wraps(method)
    def function(*args: Any, **kwargs: Any) -> Any:
        return method(_shared.current(), *args, **kwargs)

    signature = inspect.signature(method)
    arguments = list(signature.parameters.values())[1:]
    function.__signature__ = signature.replace(parameters=arguments)  # type: ignore[attr-defined]
    return function


beta = _function("beta")
binomial = _function("binomial")
bytes = _function("bytes")
chisquare = _function("chisquare")
choice = _function("choice")
dirichlet = _function("dirichlet")
exponential = _function("exponential")
f = _function("f")
gamma = _function("gamma")
geometric = _function("geometric")
gumbel = _function("gumbel")
hypergeometric = _function("hypergeometric")
laplace = _function("laplace")
logistic = _function("logistic")
lognormal = _function("lognormal")
logseries = _function("logseries")
multinomial = _function("multinomial")
multivariate_normal = _function("multivariate_normal")
negative_binomial = _function("negative_binomial")
noncentral_chisquare = _function("noncentral_chisquare")
noncentral_f = _function("noncentral_f")
pareto = _function("pareto")
poisson = _function("poisson")
power = _function("power")
random_integers = _function("random_integers")
rayleigh = _function("rayleigh")
shuffle = _function("shuffle")
standard_cauchy = _function("standard_cauchy")
standard_exponential = _function("standard_exponential")
standard_gamma = _function("standard_gamma")
standard_t = _function("standard_t")
triangular = _function("triangular")
vonmises = _function("vonmises")
wald = _function("wald")
weibull = _function("weibull")
zipf = _function("zipf")


def get_state(legacy: bool = True) -> tuple[Any, ...]:
    """What `set_state` needs to continue from here; ``legacy`` is for NumPy's sake alone."""
    return ("onebuf", BITS.state, _shared.current().get_state())


def set_state(state: Any) -> None:
    """Continue from what `get_state` gave."""
    if not (isinstance(state, tuple) and len(state) == 3 and state[0] == "onebuf"):
        raise ArgumentTypeError(
            "set_state needs what get_state gave; a state of NumPy's is for RandomState.set_state"
        )
    BITS.state = state[1]
    _shared.current().set_state(state[2])
