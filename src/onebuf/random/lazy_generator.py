"""LazyGenerator: numbers that are a function of a seed, a count and a position.

The bits come from Philox (`onebuf.ops.random.philox`). Every call draws a stream of its own, so
results depend on the seed and on how many calls came before, never on sizes, threads, tiers or
devices. Nothing has to be drawn in order, so a large draw is an expression like any other.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from onebuf import dtypes, ops
from onebuf.buffer import Buffer
from onebuf.buffer.exchange.construction import Bits
from onebuf.engine import read
from onebuf.errors import ArgumentError, ArgumentTypeError
from onebuf.graph import Node
from onebuf.layout import broadcast_shapes
from onebuf.options import options
from onebuf.random.arguments import (
    Shape,
    asked_shape,
    check_one_meaning,
    checked_seed,
    is_number,
    is_shape,
)


class LazyGenerator:
    """A supply of random numbers with a seed of its own.

    Arguments are in NumPy's order. ``shape`` is another name of ``size``, and a tuple of whole
    numbers as the only argument is a shape; without any, the result is one number.

    >>> generator = LazyGenerator(1)
    >>> generator.normal(0.0, 1.0, 1000).shape, generator.uniform((2, 3)).shape
    ((1000,), (2, 3))
    >>> one, two = generator.split(2)
    >>> bool((one.uniform(size=4) == two.uniform(size=4)).any())
    False
    """

    def __init__(self, seed: Any = None, *, _bits: Bits | None = None) -> None:
        self._bits = Bits(checked_seed(seed)) if _bits is None else _bits

    def seed(self, seed: Any = None) -> None:
        """Start again from ``seed``; from the system's own randomness if None."""
        self._bits.seed(checked_seed(seed))

    def split(self, count: int) -> list[LazyGenerator]:
        """``count`` generators that share no number with one another or with this one."""
        if count < 1:
            raise ArgumentError(f"split needs a count of at least 1, got {count}")
        words = read(ops.bits64(self._bits.draw(), count))
        return [LazyGenerator(int(word)) for word in words]

    # -- floats ------------------------------------------------------------------------------------

    def random(self, size: Any = None, dtype: Any = None, *, shape: Any = None) -> Any:
        """Numbers spread evenly over [0, 1)."""
        return self._uniform(asked_shape("random", size, shape), 0.0, 1.0, _float(dtype))

    def uniform(
        self,
        low: Any = 0.0,
        high: Any = None,
        size: Any = None,
        dtype: Any = None,
        *,
        shape: Any = None,
    ) -> Any:
        """Numbers spread evenly over [low, high), by default [0, 1).

        An integer of at least 1 as the only argument is how many: an interval from there down
        to 1 would be none.
        """
        wanted = asked_shape("uniform", size, shape)
        if high is None:
            high = 1.0
            if wanted is None and _is_count(low):
                low, wanted = 0.0, (int(low),)
            elif wanted is None and is_shape(low):
                low, wanted = 0.0, ops.as_shape(low)
        if is_number(low) and is_number(high):
            return self._uniform(wanted, low, high, _float(dtype))
        check_one_meaning("uniform", "low", low, high, size)
        low, high = (_parameter(x, _float(dtype)) for x in (low, high))
        drawn = self._uniform(_common(wanted, low, high), 0.0, 1.0, _float(dtype))
        return drawn * (high - low) + low

    def standard_normal(self, size: Any = None, dtype: Any = None, *, shape: Any = None) -> Any:
        """Numbers of the normal distribution around 0 with the standard deviation 1."""
        wanted = asked_shape("standard_normal", size, shape)
        return self._normal(wanted, 0.0, 1.0, _float(dtype))

    def normal(
        self,
        loc: Any = None,
        scale: Any = None,
        size: Any = None,
        dtype: Any = None,
        *,
        shape: Any = None,
        mean: Any = None,
        std: Any = None,
    ) -> Any:
        """Numbers of the normal distribution around ``loc`` with the standard deviation ``scale``.

        By default 0 and 1; ``mean`` and ``std`` are other names of them.
        """
        wanted = asked_shape("normal", size, shape)
        if wanted is None and scale is None and is_shape(loc):
            loc, wanted = None, ops.as_shape(loc)
        check_one_meaning("normal", "loc", loc, scale, size)
        loc = _one_of("normal", ("loc", loc), ("mean", mean), 0.0)
        scale = _one_of("normal", ("scale", scale), ("std", std), 1.0)
        if is_number(loc) and is_number(scale):
            return self._normal(wanted, loc, scale, _float(dtype))
        loc, scale = (_parameter(x, _float(dtype)) for x in (loc, scale))
        if bool((scale < 0).any()):
            raise ArgumentError("normal needs standard deviations of at least 0, got scale < 0")
        drawn = self._normal(_common(wanted, loc, scale), 0.0, 1.0, _float(dtype))
        return drawn * scale + loc

    def _uniform(self, shape: Shape | None, low: Any, high: Any, dtype: np.dtype[Any]) -> Any:
        drawn = ops.uniform(self._bits.draw(), shape or (), float(low), float(high), dtype)
        return own_buffer(drawn) if shape is not None else read(drawn).item()

    def _normal(self, shape: Shape | None, mean: Any, std: Any, dtype: np.dtype[Any]) -> Any:
        drawn = ops.normal(self._bits.draw(), shape or (), float(mean), float(std), dtype)
        return own_buffer(drawn) if shape is not None else read(drawn).item()

    def rand(self, *shape: int) -> Any:
        """Numbers spread evenly over [0, 1), in a shape given axis by axis."""
        return self.random(shape or None)

    def randn(self, *shape: int) -> Any:
        """Numbers of the normal distribution, in a shape given axis by axis."""
        return self.standard_normal(shape or None)

    # -- integers ----------------------------------------------------------------------------------

    def integers(
        self,
        low: Any,
        high: Any = None,
        size: Any = None,
        dtype: Any = dtypes.int64,
        endpoint: bool = False,
        *,
        shape: Any = None,
    ) -> Any:
        """Integers in [low, high), or [0, low) if ``high`` is None.

        With ``endpoint``, ``high`` is one of them.
        """
        wanted = asked_shape("integers", size, shape)
        if high is None:
            low, high = 0, low
        kind = dtypes.as_dtype(dtype)
        if not (is_number(low) and is_number(high)):
            return self._integers_between(low, high, wanted, kind, endpoint)
        first, last = _whole(low), _whole(high) + endpoint
        drawn = ops.integers(self._bits.draw(), wanted or (), first, last, kind)
        return own_buffer(drawn) if wanted is not None else read(drawn).item()

    def randint(self, low: Any, high: Any = None, size: Any = None, dtype: Any = int) -> Any:
        """Integers in [low, high), or [0, low): `integers` under its older name."""
        return self.integers(low, high, size, dtype)

    def _integers_between(
        self, low: Any, high: Any, shape: Shape | None, dtype: np.dtype[Any], endpoint: bool
    ) -> Any:
        """Integers between bounds that are arrays themselves."""
        lows, highs = (_parameter(x, dtypes.int64) for x in (low, high))
        width = highs - lows + int(endpoint)
        if bool((width <= 0).any()):
            raise ArgumentError("integers needs low < high everywhere, got low >= high somewhere")
        wanted = _common(shape, lows, highs)
        words = ops.bits64(self._bits.draw(), int(np.prod(wanted, dtype=np.int64)))
        bits = Buffer._place(words).reshape(wanted)
        return ((bits % width.astype(dtypes.uint64)).astype(dtypes.int64) + lows).astype(dtype)

    def permutation(self, x: Any, axis: int = 0) -> Buffer:
        """0 to ``x`` - 1 in random order, or the rows of a buffer in random order."""
        rows = None if is_number(x) else x if isinstance(x, Buffer) else Buffer(np.asarray(x))
        if rows is not None and not rows.ndim:
            x, rows = rows.item(), None
        extent = _whole(x) if rows is None else rows.shape[axis]
        if extent < 0:
            raise ArgumentError(f"permutation needs a count of at least 0, got {extent}")
        keys = read(ops.bits64(self._bits.draw(), extent))
        order = Buffer(np.argsort(keys, kind="stable"), dtypes.int64)
        if rows is None:
            return order
        return rows[(slice(None),) * (axis % rows.ndim) + (order,)]


def own_buffer(node: Node) -> Buffer:
    """A buffer of the host on a node that is new: `Buffer._place`, spelled out for speed."""
    if not node.shape or node.claimed:
        return Buffer._place(node)
    node.claimed = True
    buffer = _new(Buffer)
    buffer._node = node
    buffer._base = None
    return buffer


_new = object.__new__
_WHOLE = (int, np.integer)


def _float(dtype: Any) -> np.dtype[Any]:
    return options().default_float if dtype is None else dtypes.as_dtype(dtype)


def _is_count(x: Any) -> bool:
    return isinstance(x, _WHOLE) and x is not True and int(x) >= 1


def _whole(x: Any) -> int:
    if isinstance(x, float | np.floating) and x != int(x):
        raise ArgumentTypeError(f"integers were needed as bounds, got {x!r}")
    return int(x)


def _parameter(x: Any, dtype: np.dtype[Any]) -> Buffer:
    return x.astype(dtype, copy=False) if isinstance(x, Buffer) else Buffer(np.asarray(x, dtype))


def _common(shape: Shape | None, *parameters: Buffer) -> Shape:
    """The shape of a draw with such parameters; an error if ``shape`` is too small for them."""
    together = broadcast_shapes(*(x.shape for x in parameters))
    if shape is None:
        return together
    if not _fits(together, shape):
        raise ArgumentError(
            f"a draw of shape {shape} needs parameters that broadcast to it, got {together}"
        )
    return shape


def _fits(small: Shape, large: Shape) -> bool:
    """Whether one shape broadcasts to the other."""
    pairs = zip(reversed(small), reversed(large), strict=False)
    return len(small) <= len(large) and all(one in (1, other) for one, other in pairs)


def _one_of(name: str, first: tuple[str, Any], second: tuple[str, Any], default: Any) -> Any:
    """The argument that was given under one of two names."""
    if first[1] is not None and second[1] is not None:
        raise ArgumentTypeError(
            f"{name} needs {first[0]} or {second[0]}, which mean the same, and got both"
        )
    return next((value for _, value in (first, second) if value is not None), default)
