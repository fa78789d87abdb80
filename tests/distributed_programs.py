"""Random programs on distributed buffers, next to NumPy: the same on every runtime.

A program is made from a seed alone, so that every process under MPI runs the same one. Results are
compared with NumPy's, and their bits are hashed: the hash must not depend on how many places there
are. Matrix products are compared alone, since BLAS adds up in any order.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

import onebuf

DTYPES = ("float64", "float64", "float32", "int64", "int32", "complex128", "bool")


@dataclass
class Pair:
    """A distributed buffer and the array that it should be; ``is_blas``: its bits may differ."""

    buffer: Any
    array: np.ndarray
    is_blas: bool = False


@dataclass
class Program:
    """A random program; ``digest`` has the bits of all results so far."""

    seed: int
    steps: int = 12
    digest: Any = field(default_factory=hashlib.sha256)

    def __post_init__(self) -> None:
        self.rng = np.random.default_rng(self.seed)
        self.pairs: list[Pair] = []
        self.log: list[str] = []

    def run(self) -> str:
        """Run all steps; the hash of all results."""
        for _ in range(int(self.rng.integers(1, 4))):
            self.pairs.append(self.fresh())
        for _ in range(self.steps):
            name = str(self.rng.choice(STEPS))
            self.log.append(name)
            made = getattr(self, f"step_{name}")()
            if made is not None:
                self.compare(made)
                if made.array.ndim and made.array.size <= 4000:
                    self.pairs.append(made)
                    self.pairs = self.pairs[-6:]
        for pair in self.pairs:
            self.compare(pair)
        return str(self.digest.hexdigest())

    # -- making ------------------------------------------------------------------------------------

    def shape(self) -> tuple[int, ...]:
        rank = int(self.rng.integers(1, 4))
        return tuple(int(n) for n in self.rng.integers(1, (60, 14, 7)[rank - 1], rank))

    def elements(self, shape: tuple[int, ...], dtype: str) -> np.ndarray:
        if dtype == "bool":
            return self.rng.random(shape) < 0.5
        if dtype.startswith("int"):
            return self.rng.integers(-9, 9, shape).astype(dtype)
        real = self.rng.normal(size=shape)
        if dtype.startswith("complex"):
            real = real + 1j * self.rng.normal(size=shape)
        return real.astype(dtype)

    def tiles(self, shape: tuple[int, ...]) -> Any:
        how = self.rng.integers(4)
        if how == 0 or not shape:
            return None
        if how == 1:
            return tuple(int(self.rng.integers(1, n + 1)) for n in shape)
        if how == 2:
            return tuple(None if self.rng.random() < 0.5 else max(1, n // 3) for n in shape)
        cuts = []
        for n in shape:
            points = sorted({0, n, *(int(p) for p in self.rng.integers(0, n + 1, 2))})
            cuts.append(tuple(b - a for a, b in pairwise(points)))
        return tuple(cuts)

    def fresh(self) -> Pair:
        shape, dtype = self.shape(), str(self.rng.choice(DTYPES))
        array = self.elements(shape, dtype)
        return Pair(onebuf.asarray(array.copy()).distribute(tiles=self.tiles(shape)), array)

    def any(self) -> Pair:
        return self.pairs[int(self.rng.integers(len(self.pairs)))]

    def number(self, *letters: str) -> Pair | None:
        fitting = [pair for pair in self.pairs if pair.array.dtype.kind in "".join(letters)]
        return fitting[int(self.rng.integers(len(fitting)))] if fitting else None

    # -- comparing ---------------------------------------------------------------------------------

    def compare(self, pair: Pair) -> None:
        found = np.asarray(pair.buffer.to_local())
        told = f"seed {self.seed}, after {self.log}"
        assert found.shape == pair.array.shape, (found.shape, pair.array.shape, told)
        assert found.dtype == pair.array.dtype, (found.dtype, pair.array.dtype, told)
        tolerance = 2e-4 if found.dtype.itemsize == 4 else 1e-9
        with np.errstate(all="ignore"):
            np.testing.assert_allclose(
                found, pair.array, rtol=tolerance, atol=tolerance * 10, err_msg=told
            )
        if not pair.is_blas:
            self.digest.update(found.tobytes())
        pair.array = found.copy()  # what differs by rounding does not add up

    # -- steps -------------------------------------------------------------------------------------

    def step_unary(self) -> Pair | None:
        pair = self.number("fic")
        if pair is None:
            return None
        name = str(self.rng.choice(["negative", "abs", "square", "exp", "tanh"]))
        if pair.array.dtype.kind != "f":
            name = str(self.rng.choice(["negative", "square"]))
        with np.errstate(all="ignore"):
            clipped = np.clip(pair.array, -3, 3) if name == "exp" else pair.array
            buffer = onebuf.clip(pair.buffer, -3, 3) if name == "exp" else pair.buffer
            return Pair(getattr(onebuf, name)(buffer), getattr(np, name)(clipped), pair.is_blas)

    def step_scalar(self) -> Pair | None:
        pair = self.number("fic")
        if pair is None:
            return None
        number = int(self.rng.integers(1, 5))
        kind = self.rng.integers(3)
        if kind == 0:
            return Pair(pair.buffer * number + 1, pair.array * number + 1, pair.is_blas)
        if kind == 1:
            return Pair(number - pair.buffer, number - pair.array, pair.is_blas)
        return Pair(pair.buffer / number, pair.array / number, pair.is_blas)

    def step_binary(self) -> Pair | None:
        one = self.number("fic")
        if one is None:
            return None
        shape = tuple(n if self.rng.random() < 0.7 else 1 for n in one.array.shape)
        shape = shape[int(self.rng.integers(0, len(shape))) :]
        other = self.elements(shape, "float64")
        two = onebuf.asarray(other).distribute(tiles=self.tiles(shape))
        return Pair(one.buffer + two * 2, one.array + other * 2, one.is_blas)

    def step_same(self) -> Pair | None:
        one = self.any()
        fitting = [pair for pair in self.pairs if pair.array.shape == one.array.shape]
        two = fitting[int(self.rng.integers(len(fitting)))]
        blas = one.is_blas or two.is_blas
        if "b" in one.array.dtype.kind + two.array.dtype.kind:
            return Pair(one.buffer == two.buffer, one.array == two.array, True)
        return Pair(one.buffer * two.buffer, one.array * two.array, blas)

    def key(self, shape: tuple[int, ...], steps: bool = True) -> tuple[slice, ...]:
        found = []
        for n in shape:
            low, high = sorted(int(i) for i in self.rng.integers(0, n + 1, 2))
            step = int(self.rng.choice([1, 1, 2, -1])) if steps else 1
            found.append(slice(low, max(high, low + 1))[::] if False else slice(low, high, step))
            if step < 0:
                found[-1] = slice(high - 1 if high else None, low - 1 if low else None, step)
        return tuple(found)

    def step_slice(self) -> Pair | None:
        pair = self.any()
        key = self.key(pair.array.shape)
        if not pair.array[key].size:
            return None
        return Pair(pair.buffer[key], pair.array[key], pair.is_blas)

    def step_stencil(self) -> Pair | None:
        pair = self.number("f")
        if pair is None or pair.array.shape[0] < 3:
            return None
        x, a = pair.buffer, pair.array
        return Pair(x[:-2] + x[2:] - x[1:-1] * 2, a[:-2] + a[2:] - a[1:-1] * 2, pair.is_blas)

    def step_transpose(self) -> Pair | None:
        pair = self.any()
        axes = tuple(int(n) for n in self.rng.permutation(pair.array.ndim))
        return Pair(pair.buffer.permute(*axes), pair.array.transpose(axes), pair.is_blas)

    def step_reshape(self) -> Pair | None:
        pair = self.any()
        return Pair(pair.buffer.reshape(-1), pair.array.reshape(-1), pair.is_blas)

    def step_reduce(self) -> Pair | None:
        pair = self.number("fic")
        if pair is None:
            return None
        ndim = pair.array.ndim
        axes = tuple(n for n in range(ndim) if self.rng.random() < 0.5)
        axis: Any = None if not axes or len(axes) == ndim else axes
        names = ["sum", "mean"] if pair.array.dtype.kind == "c" else ["sum", "mean", "max", "min"]
        name = str(self.rng.choice(names))
        keepdims = bool(self.rng.random() < 0.3)
        found = getattr(onebuf, name)(pair.buffer, axis=axis, keepdims=keepdims)
        with np.errstate(all="ignore"):
            wanted = np.asarray(getattr(np, name)(pair.array, axis=axis, keepdims=keepdims))
        return Pair(found, wanted, pair.is_blas)

    def step_position(self) -> Pair | None:
        pair = self.number("fi")
        if pair is None or pair.is_blas:
            return None
        axis = None if self.rng.random() < 0.5 else int(self.rng.integers(pair.array.ndim))
        name = str(self.rng.choice(["argmax", "argmin"]))
        wanted = np.asarray(getattr(np, name)(pair.array, axis=axis))
        return Pair(getattr(onebuf, name)(pair.buffer, axis=axis), wanted)

    def step_logical(self) -> Pair | None:
        pair = self.number("fi")
        if pair is None or pair.is_blas:
            return None
        axis = None if self.rng.random() < 0.5 else int(self.rng.integers(pair.array.ndim))
        return Pair(onebuf.any(pair.buffer > 1, axis=axis), np.asarray((pair.array > 1).any(axis)))

    def step_scan(self) -> Pair | None:
        pair = self.number("fi")
        if pair is None:
            return None
        axis = int(self.rng.integers(pair.array.ndim))
        dtype = np.cumsum(pair.array, axis=axis).dtype
        found = onebuf.cumulative_sum(pair.buffer, axis=axis)
        return Pair(found, np.cumsum(pair.array, axis=axis, dtype=dtype), pair.is_blas)

    def step_matmul(self) -> Pair | None:
        pair = self.number("f")
        if pair is None or pair.array.ndim > 2:
            return None
        if pair.array.ndim == 1:
            return Pair(pair.buffer @ pair.buffer, np.asarray(pair.array @ pair.array), True)
        n = int(self.rng.integers(1, 9))
        shape = (pair.array.shape[1], n) if self.rng.random() < 0.7 else (pair.array.shape[1],)
        other = self.elements(shape, str(pair.array.dtype))
        two = onebuf.asarray(other).distribute(tiles=self.tiles(shape))
        return Pair(pair.buffer @ two, pair.array @ other, True)

    def step_concat(self) -> Pair | None:
        pair = self.any()
        axis = int(self.rng.integers(pair.array.ndim))
        found = onebuf.concat([pair.buffer, pair.buffer], axis=axis)
        return Pair(found, np.concatenate([pair.array, pair.array], axis=axis), pair.is_blas)

    def step_where(self) -> Pair | None:
        pair = self.number("f")
        if pair is None:
            return None
        found = onebuf.where(pair.buffer > 0, pair.buffer, -pair.buffer)
        return Pair(found, np.where(pair.array > 0, pair.array, -pair.array), pair.is_blas)

    def step_redistribute(self) -> Pair | None:
        pair = self.any()
        found = pair.buffer.redistribute(tiles=self.tiles(pair.array.shape))
        return Pair(found, pair.array.copy(), pair.is_blas)

    def step_sort(self) -> Pair | None:
        pair = self.number("fi")
        if pair is None or pair.is_blas:
            return None
        axis = int(self.rng.integers(pair.array.ndim))
        return Pair(onebuf.sort(pair.buffer, axis=axis), np.sort(pair.array, axis=axis))

    def step_mask(self) -> Pair | None:
        pair = self.number("fi")
        if pair is None or pair.is_blas or not (pair.array > 0).any():
            return None
        return Pair(pair.buffer[pair.buffer > 0], pair.array[pair.array > 0])

    def step_write(self) -> None:
        pair = self.any()
        pair.buffer, pair.array = pair.buffer.copy(), pair.array.copy()
        reader = pair.buffer[:] * 1 if pair.array.dtype.kind != "b" else None
        before = pair.array.copy()
        key = self.key(pair.array.shape)
        if self.rng.random() < 0.5:
            pair.buffer[key] = 1
            pair.array[key] = 1
        else:
            new = self.elements(pair.array[key].shape, str(pair.array.dtype))
            pair.buffer[key] = onebuf.asarray(new)
            pair.array[key] = new
        if reader is not None:
            self.compare(Pair(reader, before, pair.is_blas))
        self.compare(pair)

    def step_shift(self) -> None:
        pair = self.any()
        if pair.array.shape[0] < 2:
            return
        pair.buffer, pair.array = pair.buffer.copy(), pair.array.copy()
        pair.buffer[1:] = pair.buffer[:-1]
        pair.array[1:] = pair.array[:-1].copy()
        self.compare(pair)

    def step_in_place(self) -> None:
        pair = self.number("fic")
        if pair is None:
            return
        pair.buffer, pair.array = pair.buffer.copy(), pair.array.copy()
        pair.buffer += 2
        pair.array += 2
        self.compare(pair)

    def step_mask_write(self) -> None:
        pair = self.number("fi")
        if pair is None:
            return
        pair.buffer, pair.array = pair.buffer.copy(), pair.array.copy()
        pair.buffer[pair.buffer < 0] = 0
        pair.array[pair.array < 0] = 0
        self.compare(pair)

    def step_remote(self) -> None:
        pair = self.any()
        bounds = [sorted(int(i) for i in self.rng.integers(0, n + 1, 2)) for n in pair.array.shape]
        if any(low == high for low, high in bounds):
            return
        first, last = tuple(b[0] for b in bounds), tuple(b[1] for b in bounds)
        part = pair.buffer.slice(first, last)
        found = np.asarray(part.local_buffer())
        wanted = pair.array[tuple(slice(*b) for b in bounds)]
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-4)


STEPS = sorted(name.removeprefix("step_") for name in dir(Program) if name.startswith("step_"))


def digests(seeds: range, steps: int = 12) -> list[str]:
    """The hashes of the programs of some seeds, in the runtime that is open."""
    return [Program(seed, steps).run() for seed in seeds]
