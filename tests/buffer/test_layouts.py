"""Buffers with a layout compute what dense ones compute, by every operation and on every tier."""

from __future__ import annotations

import copy
import gc
import pickle
import weakref
from collections.abc import Callable
from typing import Any
from zlib import crc32

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_layouts import ANTIHERMITIAN, GROUPS, dense_array, layouts

import onebuf
from onebuf import Buffer, Layout, config
from onebuf.errors import CopyError, ExportError, OnebufError
from onebuf.shapes import Jagged
from onebuf.sparsity import Block, Element
from onebuf.symmetry import Antisymmetric, Hermitian, Symmetric

Array = np.ndarray[Any, Any]
Function = Callable[[Any, Any, Any], Any]

FEW: dict[str, Layout] = {
    "symmetric": Layout((5, 5), Symmetric(0, 1)),
    "antisymmetric": Layout((4, 4), Antisymmetric(0, 1)),
    "hermitian": Layout((4, 4), Hermitian(0, 1)),
    "antihermitian": Layout((3, 3), ANTIHERMITIAN),
    "cyclic": Layout((3, 3, 3), GROUPS["cyclic"]),
    "eightfold": Layout((3, 3, 3, 3), GROUPS["eightfold"]),
    "elements": Layout((5, 4), sparsity=Element((5, 4), [(0, 0), (0, 3), (2, 1), (4, 2)])),
    "tiles of a grid": Layout(
        (6, 4), sparsity=Block.tiles((6, 4), (2, 2), nonzero=[(0, 1), (2, 0)])
    ),
    "boxes": Layout((6, 4), sparsity=Block((6, 4), [((0, 1), (2, 4)), ((3, 0), (6, 2))])),
    "jagged": Layout(Jagged([2, 0, 4, 1])),
    "tiles": Layout((5, 7), tiles=(2, 3)),
    "sparse symmetric": Layout(
        (4, 4), Symmetric(0, 1), Element((4, 4), [(0, 1), (1, 0), (2, 2), (3, 1), (1, 3)])
    ),
    "nothing": Layout((3, 3), sparsity=Element((3, 3), [])),
    "no elements": Layout((0, 0), Symmetric(0, 1)),
    "one zero": Layout((1, 1), Antisymmetric(0, 1)),
}


def made(layout: Layout, array: Array, device: str | None = None) -> Buffer:
    """A buffer with a layout and the elements of an array."""
    buffer: Buffer = onebuf.allocator(device).construct(layout, array)
    return buffer


# Each takes a namespace, an operand with a layout, and another one of the same shape.
ELEMENTWISE: dict[str, Function] = {
    "copy": lambda xp, x, y: x.copy(),
    "times number": lambda xp, x, y: x * 3,
    "plus number": lambda xp, x, y: x + 2,
    "number minus": lambda xp, x, y: 2 - x,
    "number over": lambda xp, x, y: 6 / (x + 10),
    "over number": lambda xp, x, y: x / 2,
    "power": lambda xp, x, y: x**2,
    "negative": lambda xp, x, y: -x,
    "plus": lambda xp, x, y: x + y,
    "minus": lambda xp, x, y: y - x,
    "times": lambda xp, x, y: x * y,
    "over": lambda xp, x, y: x / (y * y + 1),
    "with itself": lambda xp, x, y: x * x + x,
    "with its transpose": lambda xp, x, y: x + x.T if x.shape == x.shape[::-1] else x,
    "equal": lambda xp, x, y: x == y,
    "not equal": lambda xp, x, y: x != x,
    "where": lambda xp, x, y: xp.where(x == 0, y, x),
    "where number": lambda xp, x, y: xp.where(x != 0, x, 0),
    "conj": lambda xp, x, y: xp.conj(x),
    "real": lambda xp, x, y: xp.real(x),
    "imag": lambda xp, x, y: xp.imag(x),
    "imag of a root": lambda xp, x, y: xp.imag(xp.sqrt(x + 0j)),
    "abs": lambda xp, x, y: xp.abs(x),
    "exp": lambda xp, x, y: xp.exp(x),
    "sin": lambda xp, x, y: xp.sin(x),
    "cos": lambda xp, x, y: xp.cos(x),
    "tanh of sin": lambda xp, x, y: xp.tanh(xp.sin(x)),
    "square": lambda xp, x, y: xp.square(x),
    "sign": lambda xp, x, y: xp.sign(x),
    "isfinite": lambda xp, x, y: xp.isfinite(x),
    "reciprocal": lambda xp, x, y: xp.reciprocal(x + 0.5),
    "nonzero reciprocal": lambda xp, x, y: xp.isfinite(1 / (x + 0.0)),
    "to complex": lambda xp, x, y: x.astype("complex128"),
    "to bool": lambda xp, x, y: x.astype(bool),
    "logical not": lambda xp, x, y: xp.logical_not(x),
    "logical and": lambda xp, x, y: xp.logical_and(x, y),
    "broadcast": lambda xp, x, y: x * y[..., :1] if x.ndim else x,
    "chain": lambda xp, x, y: (x * 2 + y) * x - xp.abs(x),
}
ORDERED: dict[str, Function] = {
    "less": lambda xp, x, y: x < y,
    "maximum": lambda xp, x, y: xp.maximum(x, y),
    "minimum of number": lambda xp, x, y: xp.minimum(x, 1),
    "clip": lambda xp, x, y: xp.clip(x, -1, 1),
    "floor": lambda xp, x, y: xp.floor(x / 2),
    "floor division": lambda xp, x, y: x // 2,
    "remainder": lambda xp, x, y: x % 3,
    "to int": lambda xp, x, y: x.astype("int16"),
    "to float": lambda xp, x, y: x.astype("float32"),
    "sort": lambda xp, x, y: xp.sort(x, axis=-1),
    "argsort": lambda xp, x, y: xp.argsort(x, axis=0, stable=True),
}
MOVEMENT: dict[str, Function] = {
    "transpose": lambda xp, x, y: x.T,
    "twice": lambda xp, x, y: x.T.T,
    "transposed product": lambda xp, x, y: x.T * 2 + 1,
    "slice": lambda xp, x, y: x[1:],
    "columns": lambda xp, x, y: x[..., :-1],
    "steps": lambda xp, x, y: x[::2],
    "backwards": lambda xp, x, y: x[::-1, ...],
    "backwards turned": lambda xp, x, y: x.T[::-2],
    "reshape": lambda xp, x, y: x.reshape(-1),
    "slice reshaped": lambda xp, x, y: x[1:].reshape(-1) * 2,
    "new axis": lambda xp, x, y: x[None] + y,
    "slice product": lambda xp, x, y: x[:2] * y[:2],
    "concat": lambda xp, x, y: xp.concatenate([x, y]),
    "stack": lambda xp, x, y: xp.stack([x, x], axis=1),
    "pad": lambda xp, x, y: xp.pad(x, 1),
    "flip": lambda xp, x, y: xp.flip(x),
    "roll": lambda xp, x, y: xp.roll(x, 1),
    "tile": lambda xp, x, y: xp.tile(x, 2),
    "swap": lambda xp, x, y: xp.swapaxes(x, 0, -1),
    "mask": lambda xp, x, y: x[x == 0],
    "other mask": lambda xp, x, y: x[y != 0],
    "diagonal": lambda xp, x, y: xp.diagonal(x, axis1=0, axis2=x.ndim - 1),
    "triangle": lambda xp, x, y: xp.tril(x),
}
FOLDS: dict[str, Function] = {
    "sum": lambda xp, x, y: x.sum(),
    "sum first": lambda xp, x, y: x.sum(axis=0),
    "sum last": lambda xp, x, y: x.sum(axis=-1),
    "sum of both": lambda xp, x, y: x.sum(axis=(0, 1)),
    "sum kept": lambda xp, x, y: x.sum(axis=1, keepdims=True),
    "sum turned": lambda xp, x, y: x.T.sum(axis=0),
    "sum of slice": lambda xp, x, y: x[1:].sum(axis=0),
    "sum all kept": lambda xp, x, y: x.sum(keepdims=True),
    "prod": lambda xp, x, y: x.prod(axis=0),
    "prod all": lambda xp, x, y: x.prod(),
    "any": lambda xp, x, y: x.any(),
    "any of axis": lambda xp, x, y: x.any(axis=1),
    "all": lambda xp, x, y: x.all(),
    "all of axis": lambda xp, x, y: x.all(axis=0),
    "count": lambda xp, x, y: xp.count_nonzero(x, axis=0),
    "cumsum": lambda xp, x, y: xp.cumsum(x, axis=0),
    "trace": lambda xp, x, y: xp.trace(x, axis1=0, axis2=x.ndim - 1),
    "sum of product": lambda xp, x, y: (x * y).sum(),
    "norm": lambda xp, x, y: xp.abs(x * xp.conj(x)).sum(),
}
ORDERED_FOLDS: dict[str, Function] = {
    "max": lambda xp, x, y: x.max(),
    "max first": lambda xp, x, y: x.max(axis=0),
    "min last": lambda xp, x, y: x.min(axis=-1),
    "max kept": lambda xp, x, y: x.max(axis=1, keepdims=True),
    "argmax": lambda xp, x, y: x.argmax(),
    "argmin first": lambda xp, x, y: x.argmin(axis=0),
    "max of bools": lambda xp, x, y: (x == 0).max(axis=0),
}
MEANS: dict[str, Function] = {
    "mean": lambda xp, x, y: x.mean(),
    "mean first": lambda xp, x, y: x.mean(axis=0),
    "var": lambda xp, x, y: x.var(axis=1),
    "std all": lambda xp, x, y: x.std(),
}
PRODUCTS: dict[str, Function] = {
    "by dense": lambda xp, x, y: x @ y.T,
    "dense by it": lambda xp, x, y: y.T @ x,
    "by itself": lambda xp, x, y: x @ x.T,
    "itself turned": lambda xp, x, y: x.T @ x,
    "by vector": lambda xp, x, y: x @ y[0],
    "vector by it": lambda xp, x, y: y[:, 0] @ x,
    "turned by dense": lambda xp, x, y: x.T @ y,
    "einsum": lambda xp, x, y: xp.einsum("ij,kj->ik", x, y),
    "einsum trace": lambda xp, x, y: xp.einsum("ij,ij->", x, y),
    "einsum column": lambda xp, x, y: xp.einsum("ij->j", x),
    "outer": lambda xp, x, y: xp.einsum("ij,kl->ijkl", x, y),
    "slice by slice": lambda xp, x, y: x[:2] @ y[:2].T,
    "tensordot": lambda xp, x, y: xp.tensordot(x, y, axes=([1], [1])),
}


def functions_of(array: Array) -> dict[str, Function]:
    """What can be computed with an array of this dtype and shape."""
    found = {**ELEMENTWISE}
    if array.dtype.kind != "c":
        found |= ORDERED
    if array.ndim >= 2:
        found |= MOVEMENT | FOLDS
        if array.size:
            found |= MEANS
            if array.dtype.kind != "c":
                found |= ORDERED_FOLDS
        if array.ndim == 2 and array.size:
            found |= PRODUCTS
    if array.dtype.kind in "iu":
        for name in ("number over", "over number", "reciprocal", "over"):
            del found[name]
    if array.dtype.kind in "b":
        return {name: found[name] for name in ("copy", "equal", "logical and", "where", "sum")}
    return found


def computed(function: Function, *operands: Any) -> Array:
    """What NumPy computes, quietly."""
    with np.errstate(all="ignore"):
        return np.asarray(function(np, *operands))


def check(function: Function, x: Buffer, y: Any, dense: Array, other: Array) -> None:
    """Compare with NumPy; there must be no change of operands."""
    expected = computed(function, dense, other)
    found = function(onebuf, x, y)
    array = np.asarray(found.to_device("CPU")) if hasattr(found, "to_device") else np.asarray(found)
    assert array.shape == expected.shape
    is_coarse = array.dtype == np.float16
    np.testing.assert_allclose(array, expected, 2e-3 if is_coarse else 1e-5, atol=1e-6)
    assert np.array_equal(np.asarray(x.to_device("CPU")), dense)


def other_operand(sort: str, layout: Layout, dtype: Any, seed: int) -> tuple[Any, Array]:
    """Another operand of the same shape: as a buffer, and as an array."""
    if sort == "same layout":
        array = dense_array(layout, dtype, seed + 1)
        return made(layout, array), array
    if sort == "other layout" and layout.size:
        pattern = Element.of_flat(layout.shape, np.arange(0, layout.size, 3))
        other = Layout(layout.shape, sparsity=pattern)
        array = dense_array(other, dtype, seed + 1)
        return made(other, array), array
    array = np.random.default_rng(seed).integers(-3, 4, layout.shape).astype(dtype)
    return onebuf.asarray(array), array


SORTS = ["same layout", "other layout", "dense"]
DTYPES = ["float64", "float32", "complex128", "int64", "int8", "uint8", "float16", "complex64"]


@settings(max_examples=300)
@given(
    layouts(most=4),
    st.sampled_from(DTYPES),
    st.sampled_from(SORTS),
    st.integers(0, 999),
    st.data(),
)
def test_what_is_computed_is_what_numpy_computes(
    layout: Layout, dtype: str, sort: str, seed: int, data: Any
) -> None:
    dense = dense_array(layout, dtype, seed)
    x = made(layout, dense)
    y, other = other_operand(sort, layout, dtype, seed)
    functions = functions_of(dense)
    name = data.draw(st.sampled_from(sorted(functions)))
    check(functions[name], x, y, dense, other)


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("how", ["add", "convert"])
def test_imaginary_parts_of_real_elements_are_positive_zeros(dtype: str, how: str) -> None:
    dense = np.array([[1, -2, -3], [-2, -4, 5], [-3, 5, -6]], dtype)
    x = made(Layout((3, 3), Hermitian(0, 1)), dense)
    if how == "add":
        found, wanted = onebuf.sqrt(x + 0j), np.sqrt(np.asarray(x) + 0j)
    else:
        found, wanted = onebuf.sqrt(x.astype("complex128")), np.sqrt(np.asarray(x).astype("c16"))
    assert np.array_equal(np.asarray(found), wanted)


@pytest.mark.parametrize("tier", ["default", "interpret", "compile"])
@pytest.mark.parametrize("name", FEW)
def test_every_function_of_every_layout_on_every_tier(name: str, tier: str) -> None:
    layout = FEW[name]
    dtype = "complex128" if "hermitian" in name else "float64"
    dense = dense_array(layout, dtype, 5)
    options = {} if tier == "default" else {"eager_numel": 0, "tier": tier}
    with config(**options):
        x = made(layout, dense)
        for sort in SORTS:
            y, other = other_operand(sort, layout, dtype, 6)
            for each, function in functions_of(dense).items():
                if tier == "compile" and crc32(f"{each} {sort}".encode()) % 4:
                    continue
                try:
                    check(function, x, y, dense, other)
                except Exception as error:
                    error.add_note(f"{each} of {sort}")
                    raise


ON_DEVICES: list[str] = [
    *("times number", "plus number", "times", "plus", "abs", "copy", "chain"),
    *("transpose", "slice", "reshape", "sum", "sum first", "max", "by dense", "by itself"),
]


def check_on(device: str, name: str, functions: list[str]) -> None:
    layout = FEW[name]
    dense = dense_array(layout, "float32", 5)
    x = made(layout, dense, device)
    assert x.layout == layout
    assert x.device.name == device
    other = np.arange(dense.size, dtype="float32").reshape(dense.shape) - 5
    y = onebuf.asarray(other, device=device)
    known = functions_of(dense)
    for each in functions:
        if each in known:
            check(known[each], x, y, dense, other)


@pytest.mark.parametrize("name", FEW)
def test_functions_of_layouts_on_the_reference_device(name: str) -> None:
    check_on("PYTHON", name, ON_DEVICES)


@pytest.mark.parametrize("name", ["symmetric", "elements", "boxes"])
def test_functions_of_layouts_in_opencl(name: str) -> None:
    pytest.importorskip("pyopencl", reason="the package pyopencl is missing")
    check_on("OPENCL", name, ["chain", "sum first"])


@pytest.mark.parametrize("name", FEW)
def test_a_buffer_with_a_layout_goes_to_a_device_and_back(name: str) -> None:
    layout = FEW[name]
    dense = dense_array(layout, "float32", 5)
    there = made(layout, dense).to_device("PYTHON")
    assert there.layout == layout
    back = there.to_device("CPU")
    assert back.layout == layout
    assert np.array_equal(np.asarray(back), dense)


# -- memory that others look at --------------------------------------------------------------------


@pytest.mark.parametrize("name", FEW)
def test_what_others_see_is_a_copy_that_they_cannot_write(name: str) -> None:
    layout = FEW[name]
    dense = dense_array(layout, "float64", 5)
    x = made(layout, dense)
    for array in (np.asarray(x), np.from_dlpack(x), x.__array__()):
        assert np.array_equal(array, dense)
        assert not array.flags.writeable
    assert np.array(x).flags.writeable
    assert not x.is_contiguous() or not layout.size
    assert np.array_equal(np.asarray(x.contiguous()), dense)
    assert x.tolist() == dense.tolist()
    assert [np.asarray(row).tolist() for row in x] == dense.tolist()
    assert repr(x).startswith("Buffer(")
    assert str(x) == str(np.asarray(x))
    with pytest.raises(CopyError, match="layout"):
        x.__dlpack__(copy=False)
    with pytest.raises(CopyError, match="layout"):
        np.asarray(x, copy=False)
    with pytest.raises(ExportError, match="layout"):
        memoryview(x)
    assert not hasattr(x, "__array_interface__")


@pytest.mark.parametrize("name", FEW)
def test_a_pickle_keeps_the_layout_and_that_of_a_view_the_elements(name: str) -> None:
    layout = FEW[name]
    dense = dense_array(layout, "float64", 5)
    x = made(layout, dense)
    again = pickle.loads(pickle.dumps(x))
    assert again.layout == layout
    assert np.array_equal(np.asarray(again), dense)
    assert np.array_equal(np.asarray(pickle.loads(pickle.dumps(x.T))), dense.T)
    assert np.array_equal(np.asarray(pickle.loads(pickle.dumps(x[1:]))), dense[1:])
    assert copy.deepcopy(x).layout == layout


def test_the_memory_of_a_layout_is_given_back() -> None:
    x = made(FEW["symmetric"], dense_array(FEW["symmetric"], float, 1))
    x.free()
    with pytest.raises(OnebufError):
        np.asarray(x)


def test_copies_for_others_do_not_pile_up() -> None:
    layout = Layout((500, 500), Symmetric(0, 1))
    x = onebuf.allocator().construct(layout, 1.0)
    held = [weakref.ref(np.asarray(x)) for _ in range(3)]
    gc.collect()
    assert [ref() for ref in held] == [None] * 3
