"""Random numbers that are a function of a seed and a count, the same everywhere.

The bits come from Philox (`onebuf.ops.philox`). Every call draws a stream of its own, so results
depend on the seed and on how many calls came before, never on sizes, threads, tiers or devices.

>>> import onebuf
>>> onebuf.random.seed(7)
>>> a = onebuf.random.uniform((3,))
>>> onebuf.random.seed(7)
>>> bool((a == onebuf.random.uniform((3,))).all())
True
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from onebuf import dtypes, ops
from onebuf.buffer import Buffer
from onebuf.buffer.construction import BITS, Bits
from onebuf.engine import read
from onebuf.errors import ArgumentError, ArgumentTypeError

Shape = int | Sequence[int]


class Generator:
    """A supply of random numbers with a seed of its own.

    >>> one, two = Generator(1).split(2)
    >>> bool((one.uniform((4,)) == two.uniform((4,))).any())
    False
    """

    def __init__(self, seed: int | None = None, *, _bits: Bits | None = None) -> None:
        _check_seed(seed)
        self._bits = Bits(seed) if _bits is None else _bits

    def seed(self, seed: int | None = None) -> None:
        """Start again from ``seed``; from the system's own randomness if None."""
        _check_seed(seed)
        self._bits.seed(seed)

    def split(self, count: int) -> list[Generator]:
        """``count`` generators that share no number with one another or with this one."""
        if count < 1:
            raise ArgumentError(f"split needs a count of at least 1, got {count}")
        words = read(ops.bits64(self._bits.draw(), count))
        return [Generator(int(word)) for word in words]

    def uniform(
        self, shape: Shape = (), low: float = 0.0, high: float = 1.0, dtype: Any = dtypes.float32
    ) -> Buffer:
        """Numbers spread evenly over [low, high)."""
        shape, dtype = ops.as_shape(shape), dtypes.as_dtype(dtype)
        return Buffer._value(ops.uniform(self._bits.draw(), shape, low, high, dtype))

    def normal(
        self, shape: Shape = (), mean: float = 0.0, std: float = 1.0, dtype: Any = dtypes.float32
    ) -> Buffer:
        """Numbers of the normal distribution."""
        shape, dtype = ops.as_shape(shape), dtypes.as_dtype(dtype)
        return Buffer._value(ops.normal(self._bits.draw(), shape, mean, std, dtype))

    def integers(
        self, low: int, high: int | None = None, shape: Shape = (), dtype: Any = dtypes.int64
    ) -> Buffer:
        """Whole numbers in [low, high); in [0, low) if ``high`` is None."""
        if high is None:
            low, high = 0, low
        shape, dtype = ops.as_shape(shape), dtypes.as_dtype(dtype)
        return Buffer._value(ops.integers(self._bits.draw(), shape, low, high, dtype))

    def permutation(self, x: int | Buffer) -> Buffer:
        """0 to ``x`` - 1 in random order, or the rows of a buffer in random order."""
        extent = x if isinstance(x, int) else len(x)
        if extent < 0:
            raise ArgumentError(f"permutation needs a count of at least 0, got {extent}")
        keys = read(ops.bits64(self._bits.draw(), extent))
        order = Buffer(np.argsort(keys, kind="stable"), dtypes.int64)
        return order if isinstance(x, int) else x[order]


def _check_seed(seed: int | None) -> None:
    if seed is not None and not isinstance(seed, int):
        raise ArgumentTypeError(f"a seed needs to be a whole number or None, got {seed!r}")
    if seed is not None and not 0 <= seed < 2**64:
        raise ArgumentError(f"a seed needs to be in 0..2**64-1, got {seed}")


_default = Generator(_bits=BITS)

seed = _default.seed
uniform = _default.uniform
normal = _default.normal
integers = _default.integers
permutation = _default.permutation
split = _default.split

__all__ = [
    "Generator",
    "integers",
    "normal",
    "permutation",
    "seed",
    "split",
    "uniform",
]
