"""Buffers and NumPy arrays side by side: whatever is done to both, they never differ.

Every buffer in the machine has a NumPy twin. Rules build lazy expressions, views, pads and joins,
write through any of them and through foreign windows, and at every step values, shapes, strides
and the sharing of memory are compared. The twin of a result that NumPy computes at once is what
the buffer must give whenever it is read, now or after many writes to its operands.
"""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, invariant, rule

import onebuf
from onebuf import Buffer
from onebuf.dtypes import STANDARD, float16

Twin = tuple[Buffer, np.ndarray[Any, Any]]

SHAPES = st.lists(st.integers(0, 4), max_size=3).map(tuple)
DTYPES = st.sampled_from([dtype.name for dtype in (*STANDARD, float16)])
EAGER = st.sampled_from([0, 0, 6, 4096])
UNARY = ["negative", "abs", "square", "positive"]
BINARY = ["add", "multiply", "subtract", "maximum", "less", "equal"]


def numbers(shape: tuple[int, ...], dtype: str, start: int) -> np.ndarray[Any, Any]:
    count = int(np.prod(shape, dtype=int))
    return (np.arange(start, start + count) % 7 - 2).astype(dtype).reshape(shape)


def some_key(data: st.DataObject, shape: tuple[int, ...]) -> Any:
    key: list[Any] = []
    for extent in shape:
        kind = data.draw(st.sampled_from(["slice", "slice", "int", "none", "all"]))
        if kind == "int" and extent:
            key.append(data.draw(st.integers(-extent, extent - 1)))
        elif kind == "none":
            key.extend([None, slice(None)])
        elif kind == "slice":
            bound = st.none() | st.integers(-extent - 1, extent + 1)
            step = data.draw(st.sampled_from([None, 1, 2, -1, -2]))
            key.append(slice(data.draw(bound), data.draw(bound), step))
        else:
            key.append(slice(None))
    if data.draw(st.booleans()):
        key = [*key[: data.draw(st.integers(0, len(key)))], ...]
    return tuple(key)


class SideBySide(RuleBasedStateMachine):
    twins = Bundle("twins")

    def __init__(self) -> None:
        super().__init__()
        self.alive: list[Twin] = []

    def value(self, buffer: Buffer, array: Any) -> Twin:
        if isinstance(array, np.generic):
            return self.pair(buffer, array)
        # NumPy's results follow the order of the operands; a buffer's own memory is row-major.
        return self.pair(buffer, np.array(array, order="C"))

    def pair(self, buffer: Buffer, array: Any) -> Twin:
        twin = (buffer, array)
        assert buffer.shape == twin[1].shape
        assert buffer.dtype == twin[1].dtype
        self.alive.append(twin)
        return twin

    # -- making --------------------------------------------------------------------------------

    @initialize(target=twins, shape=SHAPES, dtype=DTYPES)
    def first(self, shape: tuple[int, ...], dtype: str) -> Twin:
        return self.make(shape, dtype, 1, False)

    @rule(target=twins, shape=SHAPES, dtype=DTYPES, start=st.integers(0, 9), shared=st.booleans())
    def make(self, shape: tuple[int, ...], dtype: str, start: int, shared: bool) -> Twin:
        array = numbers(shape, dtype, start)
        # A shared buffer lies on memory that a third array owns; its twin is a copy.
        buffer = onebuf.asarray(array.copy()) if shared else Buffer(array, copy=True)
        return self.pair(buffer, array)

    @rule(target=twins, shape=SHAPES, eager=EAGER)
    def constant(self, shape: tuple[int, ...], eager: int) -> Twin:
        with onebuf.config(eager_numel=eager):
            return self.pair(Buffer.full(shape, 2), np.full(shape, 2, np.float32))

    # -- values --------------------------------------------------------------------------------

    @rule(target=twins, twin=twins, name=st.sampled_from(UNARY), eager=EAGER)
    def unary(self, twin: Twin, name: str, eager: int) -> Twin:
        buffer, array = twin
        if array.dtype == bool:
            name = "logical_not"
        with onebuf.config(eager_numel=eager):
            return self.value(getattr(onebuf, name)(buffer), getattr(np, name)(array))

    @rule(target=twins, one=twins, two=twins, name=st.sampled_from(BINARY), eager=EAGER)
    def binary(self, one: Twin, two: Twin, name: str, eager: int) -> Twin:
        try:
            shape = np.broadcast_shapes(one[1].shape, two[1].shape)
        except ValueError:
            two, shape = one, one[1].shape
        booleans = one[1].dtype == bool and two[1].dtype == bool
        if (name == "subtract" and booleans) or np.prod(shape) > 300:
            name, two = "equal", one
        with onebuf.config(eager_numel=eager), np.errstate(all="ignore"):
            buffer = getattr(onebuf, name)(one[0], two[0])
            return self.value(buffer, getattr(np, name)(one[1], two[1]))

    @rule(target=twins, twin=twins, scalar=st.sampled_from([0, 1, 2, True]), eager=EAGER)
    def with_scalar(self, twin: Twin, scalar: int, eager: int) -> Twin:
        buffer, array = twin
        with onebuf.config(eager_numel=eager), np.errstate(all="ignore"):
            return self.value(buffer + scalar, array + scalar)

    @rule(target=twins, twin=twins, eager=EAGER, data=st.data())
    def total(self, twin: Twin, eager: int, data: st.DataObject) -> Twin:
        buffer, array = twin
        axis = data.draw(
            st.none() | st.sampled_from(range(-array.ndim, array.ndim)) if array.ndim else st.none()
        )
        with onebuf.config(eager_numel=eager):
            return self.value(buffer.sum(axis=axis), array.sum(axis=axis))

    @rule(target=twins, twin=twins, dtype=DTYPES, eager=EAGER)
    def convert(self, twin: Twin, dtype: str, eager: int) -> Twin:
        buffer, array = twin
        if array.dtype.kind == "c":  # NumPy warns when it drops the imaginary part
            dtype = "complex64"
        with onebuf.config(eager_numel=eager), np.errstate(all="ignore"):
            return self.value(buffer.astype(dtype), array.astype(dtype))

    @rule(target=twins, twin=twins, eager=EAGER)
    def copy(self, twin: Twin, eager: int) -> Twin:
        with onebuf.config(eager_numel=eager):
            return self.value(twin[0].copy(), twin[1].copy())

    @rule(target=twins, twin=twins, eager=EAGER, data=st.data())
    def pad(self, twin: Twin, eager: int, data: st.DataObject) -> Twin:
        buffer, array = twin
        widths = [(data.draw(st.integers(0, 2)), data.draw(st.integers(0, 2))) for _ in array.shape]
        if array.size > 100:
            widths = [(0, 0)] * array.ndim
        with onebuf.config(eager_numel=eager):
            return self.value(buffer.pad(widths), np.pad(array, widths) if widths else array.copy())

    @rule(target=twins, one=twins, two=twins, eager=EAGER)
    def concat(self, one: Twin, two: Twin, eager: int) -> Twin:
        if one[1].dtype != two[1].dtype or one[1].size + two[1].size > 300:
            two = one
        with onebuf.config(eager_numel=eager):
            buffer = onebuf.concat([one[0], two[0]], axis=None)
        return self.value(buffer, np.concatenate([one[1], two[1]], axis=None))

    # -- views ---------------------------------------------------------------------------------

    @rule(target=twins, twin=twins, data=st.data())
    def slice(self, twin: Twin, data: st.DataObject) -> Twin:
        buffer, array = twin
        key = some_key(data, array.shape)
        return self.pair(buffer[key], array[key])

    @rule(target=twins, twin=twins, data=st.data())
    def permute(self, twin: Twin, data: st.DataObject) -> Twin:
        buffer, array = twin
        axes = data.draw(st.permutations(range(array.ndim)))
        return self.pair(buffer.permute(axes), array.transpose(axes))

    @rule(target=twins, twin=twins, data=st.data(), eager=EAGER)
    def reshape(self, twin: Twin, data: st.DataObject, eager: int) -> Twin:
        buffer, array = twin
        shapes = [(-1,), (1, *array.shape), (*array.shape, 1)] if array.size else [(0,), (2, 0)]
        if array.size % 2 == 0 and array.size:
            shapes.append((2, -1))
        shape = data.draw(st.sampled_from(shapes))
        with onebuf.config(eager_numel=eager):
            return self.pair(buffer.reshape(shape), array.reshape(shape))

    @rule(target=twins, twin=twins)
    def flip(self, twin: Twin) -> Twin:
        buffer, array = twin
        return self.pair(buffer.flip(), np.flip(array) if array.ndim else array.transpose())

    # -- writing -------------------------------------------------------------------------------

    @rule(twin=twins)
    def swap(self, twin: Twin) -> None:
        buffer, array = twin
        if array.ndim == 1 and array.size > 1 and not is_repeated(array):
            buffer[0], buffer[-1] = buffer[-1], buffer[0]
            array[0], array[-1] = array[-1], array[0]

    @rule(target=twins, twin=twins, value=st.integers(0, 3))
    def update_a_number(self, twin: Twin, value: int) -> Twin:
        buffer, array = twin
        if array.size == 1:
            buffer, array = buffer[(0,) * array.ndim], array[(0,) * array.ndim]
        else:
            buffer, array = buffer.sum(), array.sum()
        before, old = buffer, buffer.item()
        buffer += value
        with np.errstate(all="ignore"):
            array += value
        assert before.item() == old or old != old
        assert hash(buffer) == hash(array.item()) or array != array
        return self.pair(buffer, array)

    @rule(twin=twins, value=st.integers(0, 3), data=st.data())
    def write_number(self, twin: Twin, value: int, data: st.DataObject) -> None:
        buffer, array = twin
        if isinstance(array, np.generic):
            return
        key = some_key(data, array.shape)
        buffer[key] = value
        array[key] = value

    @rule(twin=twins, source=twins, data=st.data(), eager=EAGER)
    def write_buffer(self, twin: Twin, source: Twin, data: st.DataObject, eager: int) -> None:
        buffer, array = twin
        key = some_key(data, array.shape)
        new = source[1]
        if isinstance(array, np.generic):
            return
        if new.dtype.kind == "c" and array.dtype.kind != "c":
            return
        try:
            np.broadcast_to(new, array[key].shape)
        except ValueError:
            return
        with onebuf.config(eager_numel=eager), np.errstate(all="ignore"):
            buffer[key] = source[0]
            array[key] = new

    @rule(twin=twins, source=twins, eager=EAGER)
    def update(self, twin: Twin, source: Twin, eager: int) -> None:
        buffer, array = twin
        try:
            fits = np.broadcast_shapes(source[1].shape, array.shape) == array.shape
        except ValueError:
            fits = False
        if isinstance(array, np.generic):
            return
        if not fits or not np.can_cast(np.result_type(array, source[1]), array.dtype, "same_kind"):
            return
        with onebuf.config(eager_numel=eager), np.errstate(all="ignore"):
            before = buffer
            buffer += source[0]
            assert buffer is before
            np.add(array, source[1], out=array)

    @rule(twin=twins, data=st.data())
    def write_by_mask(self, twin: Twin, data: st.DataObject) -> None:
        buffer, array = twin
        if isinstance(array, np.generic):
            return
        mask = numbers(array.shape, "int32", data.draw(st.integers(0, 5))) > 1
        buffer[Buffer(mask)] = 1
        array[mask] = 1

    @rule(twin=twins, value=st.integers(0, 3))
    def write_through_a_foreign_window(self, twin: Twin, value: int) -> None:
        # Foreign writes are seen when the memory is read: what shall not see them is computed
        # before, which is what the documentation asks of programs that do this.
        for buffer, _ in self.alive:
            buffer.realize()
            np.asarray(buffer)
        np.asarray(twin[0])[...] = value
        if not isinstance(twin[1], np.generic):
            twin[1][...] = value

    # -- letting go and looking ----------------------------------------------------------------

    @rule(twin=consumes(twins))
    def forget(self, twin: Twin) -> None:
        self.alive = [other for other in self.alive if other[0] is not twin[0]]
        gc.collect(0)

    @rule(twin=twins)
    def look(self, twin: Twin) -> None:
        check(*twin)

    @rule(one=twins, two=twins)
    def compare_sharing(self, one: Twin, two: Twin) -> None:
        ours = np.shares_memory(np.asarray(one[0]), np.asarray(two[0]))
        assert ours == np.shares_memory(one[1], two[1])

    @invariant()
    def readers_and_memory_stay_bounded(self) -> None:
        assert len(self.alive) < 1000

    def teardown(self) -> None:
        for twin in self.alive:
            check(*twin)


def is_repeated(array: np.ndarray[Any, Any]) -> bool:
    """Whether elements of a vector share places, which cannot be written."""
    return bool(array.size > 1 and array.strides[0] == 0)


def check(buffer: Buffer, array: np.ndarray[Any, Any]) -> None:
    np.testing.assert_array_equal(np.asarray(buffer), array)
    for extent, ours, theirs in zip(array.shape, buffer.stride, array.strides, strict=True):
        if extent > 1 and array.size:
            assert ours == theirs // array.itemsize


TestSideBySide = SideBySide.TestCase
TestSideBySide.settings = settings(max_examples=150, stateful_step_count=40, deadline=None)
