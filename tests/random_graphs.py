"""Random lazy expressions, built twice: of buffers, and of NumPy arrays as their oracle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

import onebuf

Array = np.ndarray[Any, Any]
DTYPES = ("float32", "float64", "int32", "int64", "uint8", "bool")
SHAPES = (
    (),
    (1,),
    (4,),
    (3, 4),
    (1, 4),
    (3, 1),
    (2, 3, 4),
    (2, 1, 4),
    (0, 4),
    (3, 0),
    (17,),
    (5, 17),
)
BINARY = ("add", "subtract", "multiply", "maximum", "minimum")
COMPARISONS = ("less", "equal", "greater_equal", "not_equal")
LOGIC = ("logical_and", "logical_or", "logical_xor")
UNARY = ("negative", "abs", "square", "exp", "tanh", "sqrt", "isfinite", "sin")
REDUCTIONS = ("sum", "max", "min", "any", "all", "prod", "mean", "argmax", "argmin")
KINDS = ("binary", "binary", "compare", "unary", "reduce", "view", "cast", "where", "scan")
KINDS = (*KINDS, "library", "take", "pad", "concat", "copy", "centre", "centre", "matmul", "along")
INEXACT = ("exp", "tanh", "sin", "sum", "mean", "matmul")
EPSILON = {"float32": 2e-4, "float64": 1e-10}
LIMIT = 40.0
"""Values are kept this small, so that no sum depends much on its order."""


@dataclass(frozen=True)
class Pair:
    """One value, as a buffer still to be computed and as an array.

    ``precision`` says how far the two may be apart, for their size: 0 where nothing was computed
    whose last bit is a choice, as that of an exponential or of a sum is.
    """

    lazy: Any
    array: Array
    precision: float = 0.0

    def check(self) -> None:
        """Raise unless both are the same, as far as they have to be."""
        assert self.lazy.is_realized
        assert_equal(np.asarray(self.lazy), self.array, self.precision)


@st.composite
def leaves(draw: Any, device: str = "CPU") -> Pair:
    """Stored memory of a device, seen through a random view: reversed, in steps, a part."""
    shape = draw(st.sampled_from(SHAPES))
    dtype = np.dtype(draw(st.sampled_from(DTYPES)))
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    wide = tuple([2 * extent for extent in shape])
    if dtype.kind == "f":
        whole = rng.integers(-8, 9, wide) / 2
    elif dtype.kind == "b":
        whole = rng.integers(0, 2, wide)
    else:
        whole = rng.integers(0, 6, wide)
    array = whole.astype(dtype)
    buffer = onebuf.asarray(array, copy=True).to_device(device)
    how = draw(st.sampled_from(["first", "last", "steps", "backwards"]))
    key = {
        "first": tuple([slice(extent) for extent in shape]),
        "last": tuple([slice(extent, None) for extent in shape]),
        "steps": tuple([slice(None, None, 2)] * len(shape)),
        "backwards": tuple([slice(None, None, -2)] * len(shape)),
    }[how]
    return Pair(buffer[(*key, ...)], array[(*key, ...)])


class Graph:
    """Values made so far, all of which may be used again."""

    def __init__(self, draw: Any, values: list[Pair]) -> None:
        self.draw = draw
        self.values = values

    def pick(self) -> Pair:
        """Any value, the latest ones more often."""
        count = len(self.values)
        return self.values[-1 - min(self.draw(st.integers(0, count - 1)), count - 1)]

    def apply(self, name: str, *operands: Pair, **arguments: Any) -> None:
        """One more value: a function of the namespace, which NumPy has as well."""
        with np.errstate(all="ignore"):
            array = np.asarray(getattr(np, name)(*[x.array for x in operands], **arguments))
        lazy = getattr(onebuf, name)(*[x.lazy for x in operands], **arguments)
        precision = max(x.precision for x in operands)
        if array.dtype.kind == "f" and name in INEXACT:
            precision = max(precision, EPSILON[array.dtype.name])
        self.values.append(Pair(lazy, array, precision))

    def grow(self) -> None:
        """One more operation of any kind."""
        kind = self.draw(st.sampled_from(KINDS))
        getattr(self, f"_{kind}")()

    def _binary(self) -> None:
        one = self.pick()
        two = self._like(one)
        if one.array.dtype == two.array.dtype == np.bool:
            name = self.draw(st.sampled_from(LOGIC))
        else:
            name = self.draw(st.sampled_from(BINARY))
        self.apply(name, one, two)
        self._tame()

    def _like(self, one: Pair) -> Pair:
        """Another value of a dtype that combines with that of ``one``, and a shape that does."""
        fitting = [x for x in self.values if _fits(one.array, x.array)]
        return self.draw(st.sampled_from(fitting))

    def _exact(self) -> Pair:
        """A value that is the same to the last bit: what is compared must not hang on that."""
        return self.draw(st.sampled_from([x for x in self.values if not x.precision]))

    def _compare(self) -> None:
        one = self._exact()
        two = self._like(one)
        if not two.precision:
            self.apply(self.draw(st.sampled_from(COMPARISONS)), one, two)

    def _unary(self) -> None:
        one = self.pick()
        name = self.draw(st.sampled_from(UNARY))
        if one.array.dtype.kind == "b":
            name = "logical_not"
        elif one.array.dtype.kind != "f" and name in ("exp", "tanh", "sqrt", "sin"):
            name = "abs"
        self.apply(name, one)
        self._tame()

    def _reduce(self) -> None:
        name = self.draw(st.sampled_from(REDUCTIONS))
        one = self._exact() if name in ("any", "all", "argmax", "argmin") else self.pick()
        axes = list(range(one.array.ndim))
        axis: Any = self.draw(st.sampled_from([None, *axes]))
        if len(axes) > 1 and self.draw(st.booleans()):
            axis = tuple(sorted(self.draw(st.sets(st.sampled_from(axes), min_size=1))))
        if name in ("argmax", "argmin") and isinstance(axis, tuple):
            axis = axis[0]
        if not one.array.size and name in ("max", "min", "mean", "argmax", "argmin"):
            name = "sum"
        if one.array.dtype.kind not in "f" and name == "mean":
            name = "sum"
        if name == "prod" and one.array.dtype.kind == "f":
            name = "max" if one.array.size else "sum"
        keep = self.draw(st.booleans())
        self.apply(name, one, axis=axis, keepdims=keep)
        self._tame()
        if keep and self.draw(st.booleans()) and _fits(one.array, self.values[-1].array):
            self.apply("subtract" if one.array.dtype.kind == "f" else "add", one, self.values[-1])
            self._tame()

    def _view(self) -> None:
        one = self.pick()
        array, lazy = one.array, one.lazy
        how = self.draw(st.sampled_from(["transpose", "flip", "flat", "steps", "expand", "row"]))
        if how == "transpose":
            order = self.draw(st.permutations(range(array.ndim)))
            made = onebuf.permute_dims(lazy, tuple(order)), np.transpose(array, order)
        elif how == "flip":
            made = onebuf.flip(lazy), np.flip(array)
        elif how == "flat":
            made = onebuf.reshape(lazy, (-1,)), np.reshape(array, (-1,))
        elif how == "expand":
            shape = (2, *array.shape)
            made = onebuf.broadcast_to(lazy, shape), np.broadcast_to(array, shape)
        elif array.ndim and array.shape[0]:
            key = slice(None, None, 2) if how == "steps" else array.shape[0] - 1
            made = lazy[key, ...], array[key, ...]
        else:
            made = lazy[None], array[None]
        if made[1].size < 500:
            self.values.append(Pair(*made, one.precision))

    def _cast(self) -> None:
        one = self.pick()
        kind = one.array.dtype.kind
        target = self.draw(st.sampled_from(("float32", "float64") if kind == "f" else DTYPES))
        dtype = np.dtype(target)
        lazy = onebuf.astype(one.lazy, dtype)
        self.values.append(Pair(lazy, one.array.astype(dtype), one.precision))

    def _where(self) -> None:
        one = self.pick()
        two = self._like(one)
        flags = [
            x for x in self.values if x.array.dtype == np.bool and _fits(one.array, x.array, True)
        ]
        flags = [x for x in flags if _fits(two.array, x.array, True)]
        if flags:
            self.apply("where", self.draw(st.sampled_from(flags)), one, two)

    def _scan(self) -> None:
        one = self.pick()
        if one.array.ndim and one.array.dtype.kind in "fi":
            self.apply("cumulative_sum", one, axis=self.draw(st.integers(0, one.array.ndim - 1)))
            self._tame()

    def _take(self) -> None:
        """Slices picked by indices: of memory, or computed of some."""
        one = self.pick()
        axes = [axis for axis, extent in enumerate(one.array.shape) if extent]
        if not axes:
            return
        axis = self.draw(st.sampled_from(axes))
        extent = one.array.shape[axis]
        shape = self.draw(st.sampled_from([(), (3,), (1,), (2, 2), (0,), (19,)]))
        numbers = np.random.default_rng(self.draw(st.integers(0, 99)))
        indices = numbers.integers(-extent, extent, shape)
        lazy = onebuf.asarray(indices).to_device(one.lazy.device)
        if self.draw(st.booleans()):
            indices, lazy = (indices - 1) % extent, (lazy - 1) % extent
        array = np.take(one.array, indices, axis=axis)
        if array.size < 500:
            self.values.append(Pair(onebuf.take(one.lazy, lazy, axis=axis), array, one.precision))

    def _pad(self) -> None:
        one = self.pick()
        if not one.array.ndim:
            return  # NumPy has no border for these
        widths = [
            (self.draw(st.integers(0, 2)), self.draw(st.sampled_from([0, 0, 1, 19])))
            for _ in one.array.shape
        ]
        value = self.draw(st.integers(0, 1))
        array = np.pad(one.array, widths, constant_values=value)
        if array.size < 500:
            self.values.append(Pair(one.lazy.pad(widths, value), array, one.precision))

    def _concat(self) -> None:
        one = self.pick()
        fitting = [x for x in self.values if _fits(one.array, x.array)]
        shape = one.array.shape
        others = [x for x in fitting if x.array.shape == shape]
        two = self.draw(st.sampled_from(others))
        how = self.draw(st.sampled_from(["concat", "stack"] if shape else ["stack"]))
        axis = self.draw(st.integers(0, len(shape) - (how == "concat")))
        arrays = [one.array, two.array, one.array]
        array = getattr(np, how)(arrays, axis=axis)
        lazy = getattr(onebuf, how)([one.lazy, two.lazy, one.lazy], axis=axis)
        if array.size < 500:
            self.values.append(Pair(lazy, array, max(one.precision, two.precision)))

    def _copy(self) -> None:
        """A copy, which nothing need make: what is read through it is read in its original."""
        one = self.pick()
        self.values.append(Pair(one.lazy.copy(), one.array.copy(), one.precision))
        if self.draw(st.booleans()):
            self._view()

    def _centre(self) -> None:
        """A value less a reduction of itself over some of its axes, and then what moves it."""
        one = self.pick()
        if one.array.dtype.kind != "f" or not one.array.size:
            return
        axes = list(range(one.array.ndim))
        some = tuple(sorted(self.draw(st.sets(st.sampled_from(axes))))) if axes else ()
        name = self.draw(st.sampled_from(["sum", "max", "min", "mean"]))
        self.apply(name, one, axis=some or None, keepdims=True)
        self.apply("subtract", one, self.values[-1])
        self._tame()
        then = self.draw(st.sampled_from(["concat", "view", "take", "pad", "reduce", "scan"]))
        getattr(self, f"_{then}")()

    def _matmul(self) -> None:
        one = self.pick()
        if one.array.ndim < 2 or one.array.dtype.kind != "f":
            return
        turned = [*range(one.array.ndim - 2), one.array.ndim - 1, one.array.ndim - 2]
        two = Pair(onebuf.matrix_transpose(one.lazy), one.array.transpose(turned), one.precision)
        self.apply("matmul", one, two)
        self._tame()

    def _along(self) -> None:
        """Elements picked by an index each."""
        one = self.pick()
        axes = [axis for axis, extent in enumerate(one.array.shape) if extent]
        if not axes or not one.array.size:
            return
        axis = self.draw(st.sampled_from(axes))
        numbers = np.random.default_rng(self.draw(st.integers(0, 99)))
        indices = numbers.integers(0, one.array.shape[axis], one.array.shape)
        lazy = onebuf.asarray(indices).to_device(one.lazy.device)
        picked = onebuf.take_along_axis(one.lazy, lazy, axis=axis)
        array = np.take_along_axis(one.array, indices, axis=axis)
        self.values.append(Pair(picked, array, one.precision))

    def _library(self) -> None:
        """An operation that is no kernel, so that others have to come before and after it."""
        one = self._exact()
        if one.array.ndim and one.lazy.device.parts.kind == "CPU":  # no kernel sorts
            self.apply("sort", one, axis=self.draw(st.integers(0, one.array.ndim - 1)))

    def _tame(self) -> None:
        """Bring the last value back into a small range, if it left it."""
        array = self.values[-1].array
        if array.dtype.kind != "f" or not array.size:
            return
        if not np.isfinite(array).all():
            self.values.pop()
        elif np.abs(array).max() > LIMIT:
            with np.errstate(all="ignore"):
                tamed = np.clip(array, -2, 2)
            lazy = self.values[-1].lazy
            least, most = (
                onebuf.asarray(n, dtype=array.dtype, device=lazy.device) for n in (-2, 2)
            )
            lazy = onebuf.maximum(onebuf.minimum(lazy, most), least)
            precision = self.values[-1].precision
            self.values[-1] = Pair(lazy, tamed.astype(array.dtype), precision)


def _fits(one: Array, two: Array, any_dtype: bool = False) -> bool:
    kinds = one.dtype.kind + two.dtype.kind
    if not any_dtype and kinds not in ("ff", "ii", "bb", "uu"):
        return False
    try:
        shape = np.broadcast_shapes(one.shape, two.shape)
    except ValueError:
        return False
    return int(np.prod(shape)) < 500


@st.composite
def graphs(draw: Any, device: str = "CPU") -> list[Pair]:
    """One to three values of one graph, to be realised together."""
    graph = Graph(draw, [draw(leaves(device)) for _ in range(draw(st.integers(1, 3)))])
    start = len(graph.values)
    for _ in range(draw(st.integers(1, 10))):
        graph.grow()
    made = graph.values[start:] or graph.values
    wanted = [made[-1]]
    for _ in range(draw(st.integers(0, 2))):
        wanted.append(draw(st.sampled_from(made)))
    return wanted


def assert_equal(got: Array, wanted: Array, precision: float) -> None:
    """The same, to ``precision``."""
    assert (got.shape, got.dtype) == (wanted.shape, wanted.dtype)
    if precision and wanted.dtype.kind == "f":
        np.testing.assert_allclose(got, wanted, rtol=precision, atol=precision * LIMIT)
    else:
        np.testing.assert_array_equal(got, wanted)
