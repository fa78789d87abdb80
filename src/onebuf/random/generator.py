"""Generator: NumPy's, giving buffers.

For one seed the numbers are NumPy's, so a program reproduces what it gave before. Large draws are
written straight to memory of the pool, and scaled by an expression that is fused with what follows.
"""

from __future__ import annotations

from functools import cache
from math import prod
from typing import Any

import numpy as np

from onebuf import ops
from onebuf.buffer import Buffer
from onebuf.buffer.handle import Handle
from onebuf.dtypes import float32, float64
from onebuf.errors import ArgumentTypeError
from onebuf.random.arguments import is_number
from onebuf.random.lazy_generator import own_buffer
from onebuf.random.numpy_methods import giving_buffers

_LARGE = 1 << 14
"""From so many elements on, scaling is left to an expression."""
_FLOATS: dict[Any, np.dtype[Any]] = {
    float: float64,
    **{kind: dtype for dtype in (float32, float64) for kind in (dtype, dtype.type, dtype.name)},
}
_Numpys: Any = np.random.Generator


class Generator(_Numpys):  # type: ignore[misc]
    """NumPy's `numpy.random.Generator`, whose arrays are buffers.

    `default_rng` makes one. It is an instance of NumPy's class, so whatever takes that takes it.

    >>> from onebuf.random import default_rng
    >>> rng = default_rng(42)
    >>> rng.integers(1, 7, 5)
    Buffer([1, 5, 4, 3, 3], shape=(5,), dtype=int64, device=CPU)
    >>> bool((rng.standard_normal(4) == np.random.default_rng(42).standard_normal(4)).any())
    False
    >>> deck = Buffer([1, 2, 3, 4])
    >>> rng.shuffle(deck)
    >>> sorted(deck.tolist())
    [1, 2, 3, 4]
    """

    def __init__(self, bit_generator: Any) -> None:
        if not hasattr(bit_generator, "capsule"):
            raise ArgumentTypeError(
                f"Generator needs a bit generator such as PCG64(7), got {bit_generator!r}; "
                f"default_rng({bit_generator!r}) makes a generator from a seed"
            )
        super().__init__(bit_generator)
        self._numpy = _Numpys(bit_generator)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.bit_generator,)

    def random(self, size: Any = None, dtype: Any = float64, out: Any = None) -> Any:
        """Numbers spread evenly over [0, 1)."""
        return _filled(self, _Numpys.random, size, dtype, out)

    def standard_normal(self, size: Any = None, dtype: Any = float64, out: Any = None) -> Any:
        """Numbers of the normal distribution around 0 with the standard deviation 1."""
        return _filled(self, _Numpys.standard_normal, size, dtype, out)

    def standard_exponential(
        self, size: Any = None, dtype: Any = float64, method: str = "zig", out: Any = None
    ) -> Any:
        """Numbers of the exponential distribution with the mean 1."""
        if method == "zig":
            return _filled(self, _Numpys.standard_exponential, size, dtype, out)
        return _exponential(self, size, dtype, method, out)

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        """Numbers spread evenly over [low, high)."""
        if _is_large(size) and is_number(low) and is_number(high) and 0 <= high - low < np.inf:
            width = float(high) - float(low)
            if scales_apart():
                return _scaled(self.random(size), width, float(low))
        return _uniform(self, low, high, size)

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """Numbers of the normal distribution around ``loc`` with deviation ``scale``."""
        if _is_large(size) and is_number(loc) and is_number(scale) and scale > 0 and scales_apart():
            return _scaled(self.standard_normal(size), float(scale), float(loc))
        return _normal(self, loc, scale, size)


_uniform = giving_buffers(_Numpys.uniform)
_normal = giving_buffers(_Numpys.normal)
_exponential = giving_buffers(_Numpys.standard_exponential)
_plain = {
    name: giving_buffers(getattr(_Numpys, name))
    for name in ("random", "standard_normal", "standard_exponential")
}

for _name in (
    *("beta", "binomial", "chisquare", "choice", "dirichlet", "exponential", "f", "gamma"),
    *("geometric", "gumbel", "hypergeometric", "integers", "laplace", "logistic", "lognormal"),
    *("logseries", "multinomial", "multivariate_hypergeometric", "multivariate_normal"),
    *("negative_binomial", "noncentral_chisquare", "noncentral_f", "pareto", "permutation"),
    *("permuted", "poisson", "power", "rayleigh", "shuffle", "standard_cauchy"),
    *("standard_gamma", "standard_t", "triangular", "vonmises", "wald", "weibull", "zipf"),
):
    setattr(Generator, _name, giving_buffers(getattr(_Numpys, _name)))


def default_rng(seed: Any = None) -> Generator:
    """A `Generator` with NumPy's numbers for ``seed``; from the system's own randomness if None.

    ``seed`` is what NumPy takes: an integer, several of them, a `SeedSequence`, a bit
    generator, or a generator, whose bits are then shared.

    >>> default_rng(1).random(2).tolist() == np.random.default_rng(1).random(2).tolist()
    True
    """
    if isinstance(seed, Generator):
        return seed
    if isinstance(seed, Handle):
        seed = np.asarray(seed)
    return Generator(np.random.default_rng(seed).bit_generator)


def _filled(rng: Any, draw: Any, size: Any, dtype: Any, out: Any) -> Any:
    """What ``draw`` writes to new memory of the pool, or to ``out``."""
    shape = (size,) if type(size) is int else size
    known = _FLOATS.get(dtype) if isinstance(dtype, type | np.dtype | str) else None
    if out is not None or known is None or type(shape) is not tuple or not _is_plain(shape):
        return _plain[draw.__name__](rng, size, dtype=dtype, out=out)
    node = ops.place(shape, known, prod(shape))
    draw(rng._numpy, dtype=known, out=node.array)
    return own_buffer(node)


def _is_plain(shape: tuple[Any, ...]) -> bool:
    """Whether ``shape`` needs no conversion, and has elements; NumPy judges all others."""
    return all([type(extent) is int and extent > 0 for extent in shape])


def _is_large(size: Any) -> bool:
    if type(size) is int:
        return size >= _LARGE
    return type(size) is tuple and _is_plain(size) and prod(size) >= _LARGE


def _scaled(drawn: Buffer, scale: float, offset: float) -> Buffer:
    if scale != 1.0:
        drawn = drawn * scale
    return drawn + offset if offset else drawn


@cache
def scales_apart() -> bool:
    """Whether NumPy rounds a product before it adds to it, as an expression of two steps does.

    A compiler may make one operation of both, on processors that have it.
    """
    bits = [np.random.Generator(np.random.PCG64(1)) for _ in range(4)]
    return bool(
        (bits[0].normal(0.3, 1.7, 500) == bits[1].standard_normal(500) * 1.7 + 0.3).all()
        and (bits[2].uniform(0.3, 2.0, 500) == bits[3].random(500) * 1.7 + 0.3).all()
    )
