"""Creation: tensors of a shape, with one value, a range, or random numbers.

A shape may be given as several arguments or as one. Floats are float32 and integers int32 unless
``dtype`` says otherwise. Random numbers are those of `onebuf.random`: `manual_seed` makes them
repeat, and they are not tinygrad's for the same seed.
"""

from __future__ import annotations

from math import prod, sqrt
from typing import Any, Self

import onebuf
from onebuf import Buffer
from onebuf import tensor as ours
from onebuf.compat.tinygrad.dtype import DType, dtypes, to_dtype
from onebuf.compat.tinygrad.tensor.core import TensorCore, extents, place
from onebuf.errors import ArgumentError, ArgumentTypeError

Kind = DType | str | None


class Creation(TensorCore):
    """Ways to make a tensor.

    >>> from onebuf.compat.tinygrad import Tensor
    >>> Tensor.zeros(2, 3).shape, Tensor.full((2,), 7).tolist(), Tensor.arange(1, 7, 2).tolist()
    ((2, 3), [7, 7], [1, 3, 5])
    >>> Tensor.manual_seed(0)
    >>> Tensor.kaiming_uniform(4, 3).shape
    (4, 3)
    """

    __slots__ = ()

    @classmethod
    def _made(
        cls, buffer: Buffer, dtype: Kind, device: str | None, requires_grad: bool | None
    ) -> Self:
        """A leaf on ``buffer``, converted and moved if need be."""
        wanted = buffer.dtype if dtype is None else to_dtype(dtype).numpy
        there = place(device)
        buffer = buffer.astype(wanted, copy=False)
        buffer = buffer if buffer.device is there else buffer.to_device(there)
        return cls._of(ours.Tensor(buffer, bool(requires_grad)), requires_grad)

    # -- one value ---------------------------------------------------------------------------------

    @classmethod
    def full(
        cls,
        shape: Any,
        fill_value: Any,
        dtype: Kind = None,
        device: str | None = None,
        requires_grad: bool | None = None,
    ) -> Self:
        """One value everywhere, in its own type by default."""
        if isinstance(fill_value, bool):
            natural = dtypes.bool
        else:
            is_float = isinstance(fill_value, float)
            natural = dtypes.default_float if is_float else dtypes.default_int
        wanted = natural if dtype is None else to_dtype(dtype)
        made = Buffer.full(extents(shape), fill_value, wanted.numpy, device=place(device))
        return cls._of(ours.Tensor(made, bool(requires_grad)), requires_grad)

    @classmethod
    def zeros(cls, *shape: Any, **kwargs: Any) -> Self:
        """Zeros; ``dtype``, ``device`` and ``requires_grad`` by name."""
        return cls.full(extents(*shape), 0.0, **kwargs)

    @classmethod
    def ones(cls, *shape: Any, **kwargs: Any) -> Self:
        """Ones; ``dtype``, ``device`` and ``requires_grad`` by name."""
        return cls.full(extents(*shape), 1.0, **kwargs)

    @classmethod
    def empty(cls, *shape: Any, **kwargs: Any) -> Self:
        """Elements that are to be written; until then they are 0."""
        return cls.zeros(*shape, **kwargs)

    def full_like(self, fill_value: Any, **kwargs: Any) -> Self:
        """One value everywhere, in the shape and type and on the device of this tensor."""
        return self.full(self.shape, fill_value, **self._likeness(kwargs))

    def zeros_like(self, **kwargs: Any) -> Self:
        """Zeros in the shape and type and on the device of this tensor."""
        return self.full_like(0, **kwargs)

    def ones_like(self, **kwargs: Any) -> Self:
        """Ones in the shape and type and on the device of this tensor."""
        return self.full_like(1, **kwargs)

    def _likeness(self, kwargs: dict[str, Any]) -> dict[str, Any]:
        return {"dtype": self.dtype, "device": self.device} | kwargs

    # -- ranges ------------------------------------------------------------------------------------

    @classmethod
    def arange(
        cls,
        start: float,
        stop: float | None = None,
        step: float = 1,
        dtype: Kind = None,
        device: str | None = None,
        requires_grad: bool | None = None,
    ) -> Self:
        """Numbers from ``start`` to before ``stop``; with one argument, from 0 to before that."""
        if stop is None:
            start, stop = 0, start
        is_float = any(isinstance(one, float) for one in (start, stop, step))
        natural = dtypes.default_float if is_float else dtypes.default_int
        wanted = natural if dtype is None else to_dtype(dtype)
        made = onebuf.arange(start, stop, step, dtype=wanted.numpy, device=place(device))
        return cls._made(made, None, device, requires_grad)

    @classmethod
    def linspace(
        cls, start: float, stop: float, steps: int, dtype: Kind = None, device: str | None = None
    ) -> Self:
        """``steps`` numbers at equal distances, from ``start`` to ``stop``."""
        made = onebuf.linspace(start, stop, steps, device=place(device))
        return cls._made(made, dtypes.default_float if dtype is None else dtype, device, None)

    @classmethod
    def eye(
        cls,
        n: int,
        m: int | None = None,
        dtype: Kind = None,
        device: str | None = None,
        requires_grad: bool | None = None,
    ) -> Self:
        """Ones on the diagonal of a matrix, and zeros elsewhere."""
        wanted = dtypes.default_float if dtype is None else to_dtype(dtype)
        made = onebuf.eye(n, m, dtype=wanted.numpy, device=place(device))
        return cls._made(made, None, device, requires_grad)

    # -- random numbers ----------------------------------------------------------------------------

    @staticmethod
    def manual_seed(seed: int = 0) -> None:
        """Begin the random numbers again."""
        onebuf.random.seed(seed)

    @classmethod
    def rand(
        cls,
        *shape: Any,
        dtype: Kind = None,
        device: str | None = None,
        requires_grad: bool | None = None,
        contiguous: bool = True,
    ) -> Self:
        """Random numbers spread evenly over [0, 1)."""
        wanted = dtypes.default_float if dtype is None else to_dtype(dtype)
        if not dtypes.is_float(wanted):
            raise ArgumentTypeError(f"rand needs a type of floats, got {wanted}; use randint")
        return cls._made(Buffer.uniform(extents(*shape)), wanted, device, requires_grad)

    @classmethod
    def randn(cls, *shape: Any, **kwargs: Any) -> Self:
        """Random numbers of the normal distribution."""
        return cls.normal(*shape, **kwargs)

    @classmethod
    def normal(
        cls,
        *shape: Any,
        mean: float = 0.0,
        std: float = 1.0,
        dtype: Kind = None,
        device: str | None = None,
        requires_grad: bool | None = None,
    ) -> Self:
        """Random numbers of the normal distribution around ``mean``."""
        if std < 0:
            raise ArgumentError(f"std needs to be at least 0, got {std}")
        made = Buffer.normal(extents(*shape), mean, std)
        return cls._made(made, dtype, device, requires_grad)

    @classmethod
    def uniform(
        cls,
        *shape: Any,
        low: float = 0.0,
        high: float = 1.0,
        dtype: Kind = None,
        device: str | None = None,
        requires_grad: bool | None = None,
    ) -> Self:
        """Random numbers spread evenly over [low, high)."""
        made = Buffer.uniform(extents(*shape), low, high)
        return cls._made(made, dtype, device, requires_grad)

    @classmethod
    def randint(
        cls,
        *shape: Any,
        low: int = 0,
        high: int = 10,
        dtype: Kind = None,
        device: str | None = None,
        requires_grad: bool | None = None,
    ) -> Self:
        """Random integers from ``low`` to before ``high``."""
        if low >= high:
            raise ArgumentError(f"randint needs low < high, got {low} and {high}")
        wanted = dtypes.default_int if dtype is None else to_dtype(dtype)
        made = onebuf.random.randint(low, high, extents(*shape))
        return cls._made(made, wanted, device, requires_grad)

    @classmethod
    def randperm(cls, n: int, dtype: Kind = None, device: str | None = None) -> Self:
        """The integers from 0 to before ``n`` in random order."""
        wanted = dtypes.default_int if dtype is None else dtype
        return cls._made(onebuf.random.permutation(n), wanted, device, None)

    def rand_like(self, **kwargs: Any) -> Self:
        """`rand` in the shape and type and on the device of this tensor."""
        return self.rand(self.shape, **self._likeness(kwargs))

    def randn_like(self, **kwargs: Any) -> Self:
        """`randn` in the shape and type and on the device of this tensor."""
        return self.randn(self.shape, **self._likeness(kwargs))

    # -- initial weights ---------------------------------------------------------------------------

    @classmethod
    def scaled_uniform(cls, *shape: Any, **kwargs: Any) -> Self:
        """Numbers spread evenly over ±1/sqrt(elements)."""
        return cls._within(1 / sqrt(prod(extents(*shape))), *shape, **kwargs)

    @classmethod
    def glorot_uniform(cls, *shape: Any, **kwargs: Any) -> Self:
        """Numbers spread evenly over ±sqrt(6 / (inputs + outputs))."""
        first, *others = extents(*shape)
        return cls._within(sqrt(6 / (first + prod(others))), *shape, **kwargs)

    @classmethod
    def kaiming_uniform(cls, *shape: Any, a: float = 0.01, **kwargs: Any) -> Self:
        """Numbers spread evenly over ±sqrt(6 / (1 + a²) / inputs)."""
        return cls._within(sqrt(6 / (1 + a * a) / prod(extents(*shape)[1:])), *shape, **kwargs)

    @classmethod
    def kaiming_normal(cls, *shape: Any, a: float = 0.01, **kwargs: Any) -> Self:
        """Numbers of the normal distribution with a variance of 2 / (1 + a²) / inputs."""
        return cls.normal(*shape, std=sqrt(2 / (1 + a * a) / prod(extents(*shape)[1:])), **kwargs)

    @classmethod
    def _within(cls, bound: float, *shape: Any, **kwargs: Any) -> Self:
        return cls.uniform(*shape, low=-bound, high=bound, **kwargs)
