"""Mistakes: every one gets an error that ordinary code catches and a person can act on.

An error is a built-in and an `OnebufError`, says what was needed, what came and what to do, comes
from the call that made the mistake, and leaves every operand as it was.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from buffer.cases import MODES, in_mode, lazily, make

import onebuf
from onebuf import Buffer, OnebufError, errors

both_modes = pytest.mark.parametrize("mode", MODES)


class Operands(NamedTuple):
    m: Buffer  # 4 by 4, float64
    b: Buffer  # 2 by 3, int32
    f: Buffer  # 3, float32
    z: Buffer  # 0 by 3, float32
    t: Buffer  # 2 bools


ARRAYS = Operands(
    np.arange(16.0).reshape(4, 4),
    np.arange(6, dtype=np.int32).reshape(2, 3),
    np.array([0.5, 1.5, 2.5], np.float32),
    np.zeros((0, 3), np.float32),
    np.array([True, False]),
)


class Mistake(NamedTuple):
    kind: type[Exception]
    """The built-in error."""
    does: Callable[[Operands], Any]
    says: tuple[str, ...]
    """What the message has to name: what came, what was needed, what to do."""


def at(x: Buffer, key: Any, value: Any) -> None:
    x[key] = value


def grow(x: Buffer, value: Any) -> Buffer:
    x += value
    return x


def shrunk(x: Buffer, value: Any) -> Buffer:
    x /= value
    return x


def raised(x: Buffer, value: Any) -> Buffer:
    x **= value
    return x


MISTAKES = {
    # Item 19 of the spec
    "reshape to another count": Mistake(
        ValueError, lambda o: o.m.reshape(5, 3), ("(4, 4)", "16", "(5, 3)", "15", "-1")
    ),
    "expand an axis that is not 1": Mistake(
        ValueError, lambda o: o.m.expand(4, 8), ("(4, 4)", "(4, 8)", "from 1")
    ),
    "too many slices": Mistake(
        IndexError, lambda o: o.m[:, :, :], ("at most 2", "(4, 4)", "3", "leave out")
    ),
    "too many indices": Mistake(IndexError, lambda o: o.m[0, 0, 0], ("at most 2", "3")),
    "permute an axis twice": Mistake(
        ValueError, lambda o: o.m.permute(0, 0), ("once", "(0, 0)", "2-d")
    ),
    "a negative pad": Mistake(
        ValueError, lambda o: o.m.pad([(-1, 0), (0, 0)]), ("0 or more", "-1", "shrink")
    ),
    "write an expanded view": Mistake(
        ValueError, lambda o: at(o.m[:1].expand(4, 4), ..., 1), ("(0, 1)", "(4, 4)", "copy()")
    ),
    "write a row of an expanded view": Mistake(
        ValueError, lambda o: at(o.m[:1].expand(4, 4), 0, 1), ("copy()",)
    ),
    "write an element of an expanded view": Mistake(
        ValueError, lambda o: at(o.m[:1].expand(4, 4), (0, 0), 1), ("copy()",)
    ),
    "add in place to an expanded view": Mistake(
        ValueError, lambda o: grow(o.m[:1].expand(4, 4), 1), ("(0, 1)", "copy()")
    ),
    "write windows": Mistake(
        ValueError, lambda o: at(o.m.ravel().sliding_window(4), ..., 1), ("(1, 1)", "copy()")
    ),
    "write an expanded view by a list": Mistake(
        ValueError, lambda o: at(o.m[:1].expand(4, 4), [0, 1], 1), ("(0, 1)", "copy()")
    ),
    "max of nothing": Mistake(ValueError, lambda o: o.z.max(), ("max", "axis 0", "(0, 3)")),
    "min of nothing": Mistake(ValueError, lambda o: o.z.min(axis=0), ("min", "axis 0", "(0, 3)")),
    "argmax of nothing": Mistake(ValueError, lambda o: o.z.argmax(), ("argmax", "(0, 3)")),
    "argmin of nothing": Mistake(ValueError, lambda o: o.z.argmin(axis=0), ("argmin", "(0, 3)")),
    # Making
    "ragged rows": Mistake(ValueError, lambda o: Buffer([[1], [1, 2]]), ("one length", "pad")),
    "ragged depth": Mistake(ValueError, lambda o: Buffer([[1, 2], 3]), ("one length",)),
    "a string": Mistake(TypeError, lambda o: Buffer("abc"), ("numbers", "str")),
    "a list of strings": Mistake(TypeError, lambda o: Buffer(["a"]), ("numbers", "'a'")),
    "None": Mistake(TypeError, lambda o: Buffer(None), ("numbers", "None")),
    "a list with None": Mistake(TypeError, lambda o: Buffer([1.0, None]), ("numbers", "None")),
    "a list of None": Mistake(TypeError, lambda o: Buffer([None]), ("numbers", "None")),
    "a dict": Mistake(TypeError, lambda o: Buffer({1: 2}), ("numbers", "dict")),
    "a set": Mistake(TypeError, lambda o: Buffer({1, 2}), ("numbers", "set")),
    "an object": Mistake(TypeError, lambda o: Buffer([object()]), ("numbers", "object")),
    "an array of text": Mistake(TypeError, lambda o: Buffer(np.array(["a"])), ("float32", "U1")),
    "an array of dates": Mistake(
        TypeError, lambda o: Buffer(np.array(["2024-01-01"], "M8[D]")), ("float32", "M8")
    ),
    "an unknown dtype": Mistake(
        TypeError, lambda o: Buffer([1], dtype="float33"), ("float32", "'float33'")
    ),
    "dtype object": Mistake(TypeError, lambda o: Buffer([1], dtype=object), ("int32", "object")),
    "astype to an unknown dtype": Mistake(
        TypeError, lambda o: o.m.astype("quad"), ("complex64", "'quad'")
    ),
    "beyond int32": Mistake(
        ValueError, lambda o: Buffer([2**31]), ("2147483647", "2147483648", "int64")
    ),
    "beyond int64": Mistake(
        ValueError, lambda o: Buffer([2**63], dtype="int64"), (str(2**63 - 1), str(2**63))
    ),
    "beyond 64 bits": Mistake(TypeError, lambda o: Buffer([2**64]), ("64 bits",)),
    "negative in uint8": Mistake(
        ValueError, lambda o: Buffer([-1], dtype="uint8"), ("0 to 255", "-1")
    ),
    "a negative extent": Mistake(ValueError, lambda o: Buffer.zeros((2, -1)), ("0 or more", "-1")),
    "half an extent": Mistake(TypeError, lambda o: Buffer.zeros((1.5,)), ("integer", "1.5")),
    "a shape of text": Mistake(TypeError, lambda o: Buffer.zeros("ab"), ("integer", "'ab'")),
    "full of text": Mistake(
        (TypeError, ValueError), lambda o: Buffer.full((2,), "x"), ("number", "'x'")
    ),
    "full of None": Mistake(TypeError, lambda o: Buffer.full((2,), None), ("number", "None")),
    "onebuf.full of None": Mistake(TypeError, lambda o: onebuf.full((2,), None), ("None",)),
    "full beyond the dtype": Mistake(
        (ValueError, OverflowError),
        lambda o: Buffer.full((2,), 2**40, "int32"),
        ("int32", str(2**40)),
    ),
    "full of a complex number": Mistake(
        TypeError, lambda o: Buffer.full((2,), 1j, "float32"), ("float32", "complex")
    ),
    "arange with step 0": Mistake(ValueError, lambda o: onebuf.arange(1, 5, 0), ("step", "0")),
    "arange to NaN": Mistake(ValueError, lambda o: onebuf.arange(float("nan")), ("nan",)),
    "arange to infinity": Mistake(
        (ValueError, OverflowError), lambda o: onebuf.arange(float("inf")), ("inf",)
    ),
    "arange of text": Mistake(TypeError, lambda o: onebuf.arange("a"), ("'a'",)),
    "copy=False of a list": Mistake(ValueError, lambda o: Buffer([1], copy=False), ("list",)),
    "copy=False and another dtype": Mistake(
        ValueError, lambda o: Buffer(o.m, "int32", copy=False), ("float64", "int32")
    ),
    "an unknown device": Mistake(
        ValueError, lambda o: Buffer([1], device="opncl:7"), ("'opncl:7'", "mean OPENCL")
    ),
    "to an unknown device": Mistake(
        ValueError, lambda o: o.m.to_device("cuda"), ("'cuda'", "CPU")
    ),
    # Indexing
    "an index out of range": Mistake(IndexError, lambda o: o.m[7], ("-4..3", "7", "axis 0")),
    "an index out of range on axis 1": Mistake(
        IndexError, lambda o: o.b[0, -4], ("-3..2", "-4", "axis 1")
    ),
    "a float index": Mistake(IndexError, lambda o: o.m[1.0], ("integer", "1.0")),
    "a text index": Mistake(IndexError, lambda o: o.m["a"], ("integer", "'a'")),
    "an index of floats": Mistake(IndexError, lambda o: o.m[o.f], ("integer", "0.5")),
    "two ellipses": Mistake(IndexError, lambda o: o.m[..., ...], ("at most one", "'...'")),
    "a step of 0": Mistake(ValueError, lambda o: o.m[::0], ("step", "0")),
    "a float slice": Mistake(TypeError, lambda o: o.m[0.5:], ("integers", "0.5")),
    "a list of indices out of range": Mistake(IndexError, lambda o: o.m[[9]], ("9", "(4, 4)")),
    "a mask of another shape": Mistake(
        IndexError, lambda o: o.m[np.ones(3, bool)], ("4", "3", "(4, 4)")
    ),
    "a ragged list of indices": Mistake(
        (IndexError, ValueError), lambda o: o.m[[[0], [1, 2]]], ("ind",)
    ),
    "write an index out of range": Mistake(IndexError, lambda o: at(o.m, 7, 1), ("-4..3", "7")),
    "write indices out of range": Mistake(IndexError, lambda o: at(o.m, [9], 1), ("9", "(4, 4)")),
    "write a mask of another shape": Mistake(
        IndexError, lambda o: at(o.m, np.ones(3, bool), 1), ("4", "3", "(4, 4)")
    ),
    "write another shape": Mistake(ValueError, lambda o: at(o.m, 0, [1, 2]), ("(4,)", "(2,)")),
    "write another shape by a list": Mistake(
        ValueError, lambda o: at(o.m, [0], [1, 2]), ("(2,)", "4")
    ),
    "write more axes": Mistake(
        ValueError, lambda o: at(o.b, 0, [[1, 2, 3], [1, 2, 3]]), ("(3,)", "(2, 3)")
    ),
    "write text": Mistake(TypeError, lambda o: at(o.b, 0, "x"), ("numbers", "str")),
    "write None": Mistake(TypeError, lambda o: at(o.b, 0, None), ("numbers", "None")),
    "write a complex number": Mistake(TypeError, lambda o: at(o.b, 0, 1j), ("int32", "complex")),
    "write a complex number by a list": Mistake(
        TypeError, lambda o: at(o.b, [0], 1j), ("int32", "complex")
    ),
    "write beyond int32": Mistake(
        (ValueError, OverflowError), lambda o: at(o.b, 0, 2**40), ("int32", str(2**40))
    ),
    "write beyond 64 bits": Mistake(
        (ValueError, OverflowError), lambda o: at(o.b, 0, 2**80), ("int32", str(2**80))
    ),
    # Arithmetic
    "shapes that do not broadcast": Mistake(
        ValueError, lambda o: o.m + o.b, ("(4, 4)", "(2, 3)", "reshape")
    ),
    "in place with a larger shape": Mistake(
        ValueError, lambda o: grow(o.b[0], o.b), ("(3,)", "(2, 3)")
    ),
    "plus text": Mistake(TypeError, lambda o: o.m + "x", ("str",)),
    "plus None": Mistake(TypeError, lambda o: o.m + None, ("None",)),
    "a number beyond int32": Mistake(
        (ValueError, OverflowError), lambda o: o.b + 2**40, ("int32", str(2**40))
    ),
    "in place a number beyond int32": Mistake(
        (ValueError, OverflowError), lambda o: grow(o.b, 2**40), ("int32", str(2**40))
    ),
    "in place a float on whole numbers": Mistake(
        TypeError, lambda o: grow(o.b, 1.5), ("float64", "int32", "astype")
    ),
    "in place a buffer of floats on whole numbers": Mistake(
        TypeError, lambda o: grow(o.b, o.f), ("float64", "int32", "astype")
    ),
    "in place a quotient of whole numbers": Mistake(
        TypeError, lambda o: shrunk(o.b, 2), ("float64", "int32", "astype")
    ),
    "in place a number on bools": Mistake(TypeError, lambda o: grow(o.t, 1), ("bool", "int64")),
    "in place a complex number on floats": Mistake(
        TypeError, lambda o: grow(o.f, 1j), ("complex64", "float32")
    ),
    "a negative power of whole numbers": Mistake(
        ValueError, lambda o: (o.b**-1).realize(), ("negative",)
    ),
    "in place a negative power of whole numbers": Mistake(
        ValueError, lambda o: raised(o.b, -1), ("negative",)
    ),
    "minus bools": Mistake(TypeError, lambda o: -o.t, ("negative", "bool", "astype")),
    "difference of bools": Mistake(TypeError, lambda o: o.t - o.t, ("subtract", "bool")),
    "invert floats": Mistake(TypeError, lambda o: ~o.f, ("bitwise_invert", "float32")),
    "shift floats": Mistake(TypeError, lambda o: o.f << 1, ("bitwise_left_shift", "float32")),
    "trunc of complex numbers": Mistake(
        TypeError, lambda o: onebuf.trunc(o.f * 1j), ("trunc", "complex64")
    ),
    "add of text": Mistake(TypeError, lambda o: onebuf.add(1, "2"), ("buffer", "'2'")),
    "exp of a list of text": Mistake(TypeError, lambda o: onebuf.exp(["1.0"]), ("exp", "'1.0'")),
    "where of text": Mistake(TypeError, lambda o: onebuf.where(o.t, 1, "2"), ("where", "'2'")),
    "where of one choice": Mistake(ValueError, lambda o: onebuf.where(o.t, o.b), ("two", "one")),
    # Reductions and movement
    "an axis out of range": Mistake(IndexError, lambda o: o.m.sum(axis=2), ("-2..1", "2")),
    "an axis twice": Mistake(ValueError, lambda o: o.m.sum(axis=(0, -2)), ("once", "(0, -2)")),
    "a float axis": Mistake(TypeError, lambda o: o.m.sum(axis=1.0), ("integer", "1.0")),
    "a text axis": Mistake(TypeError, lambda o: o.m.sum(axis="a"), ("integer", "'a'")),
    "axis and axes": Mistake(TypeError, lambda o: o.m.sum(axis=1, axes=0), ("1", "0", "both")),
    "flip an axis out of range": Mistake(IndexError, lambda o: o.m.flip(5), ("-2..1", "5")),
    "squeeze a long axis": Mistake(ValueError, lambda o: o.m.squeeze(0), ("extent 1", "4")),
    "reshape with two unknowns": Mistake(
        ValueError, lambda o: o.m.reshape(-1, -1), ("at most one -1", "(-1, -1)")
    ),
    "reshape to floats": Mistake(TypeError, lambda o: o.m.reshape(2.0, 8), ("integer", "2.0")),
    "permute too few": Mistake(ValueError, lambda o: o.m.permute(0), ("(4, 4)", "(0,)")),
    "permute an axis out of range": Mistake(
        IndexError, lambda o: o.m.permute(0, 2), ("-2..1", "2")
    ),
    "too few pads": Mistake(ValueError, lambda o: o.m.pad([(1, 0)]), ("(4, 4)", "((1, 0),)", "2")),
    "one pad": Mistake(TypeError, lambda o: o.m.pad(1), ("(before, after)", "1")),
    "half a pad": Mistake(TypeError, lambda o: o.m.pad([(1.5, 0), (0, 0)]), ("integer", "1.5")),
    "shrink beyond the end": Mistake(
        IndexError, lambda o: o.m.shrink([(0, 9), (0, 4)]), ("4", "(0, 9)", "pad")
    ),
    "a window longer than the axis": Mistake(
        ValueError, lambda o: o.m.sliding_window(9), ("4", "9")
    ),
    "a matrix transpose of a row": Mistake(ValueError, lambda o: o.f.mT, ("2", "1")),
    "one axis as a diagonal": Mistake(ValueError, lambda o: o.m.diagonal(0, 0, 0), ("(0, 0)",)),
    "bytes that do not fit": Mistake(
        ValueError, lambda o: o.f.view("float64"), ("(3,)", "float64")
    ),
    # Several buffers
    "matmul of shapes that do not meet": Mistake(
        ValueError, lambda o: o.m @ o.b, ("(4, 4)", "(2, 3)", "transpose")
    ),
    "matmul with a scalar buffer": Mistake(
        ValueError, lambda o: o.m @ Buffer(2.0), ("(4, 4)", "()", "*")
    ),
    "matmul with a number": Mistake(TypeError, lambda o: o.m @ 2, ("int",)),
    "concat of other columns": Mistake(
        ValueError, lambda o: onebuf.concat([o.m, o.b]), ("(4, 4)", "(2, 3)", "axis 0")
    ),
    "concat of nothing": Mistake(ValueError, lambda o: onebuf.concat([]), ("at least one",)),
    "concat of lists": Mistake(TypeError, lambda o: onebuf.concat([["a"], [2]]), ("'a'",)),
    "concat along no such axis": Mistake(
        IndexError, lambda o: onebuf.concat([o.m, o.m], axis=2), ("-2..1", "2")
    ),
    "stack of other shapes": Mistake(
        ValueError, lambda o: onebuf.stack([o.m, o.b]), ("(4, 4)", "(2, 3)")
    ),
    "take with floats": Mistake(
        TypeError, lambda o: onebuf.take(o.m, o.f, axis=0), ("integer", "float32")
    ),
    "take out of range": Mistake(
        IndexError, lambda o: onebuf.take(o.m, Buffer([9]), axis=0).realize(), ("9", "4")
    ),
    # Python's own conversions
    "bool of many": Mistake(
        ValueError, lambda o: bool(o.m), ("one element", "(4, 4)", "any()")
    ),
    "int of many": Mistake(TypeError, lambda o: int(o.m), ("one element", "16")),
    "float of none": Mistake(TypeError, lambda o: float(o.z), ("one element", "0", "(0, 3)")),
    "item of many": Mistake(ValueError, lambda o: o.b.item(), ("6", "(2, 3)")),
    "length of a number": Mistake(TypeError, lambda o: len(Buffer(1)), ("0-d", "item()")),
    "iteration of a number": Mistake(TypeError, lambda o: iter(Buffer(1)), ("0-d",)),
    "an index from a float": Mistake(
        TypeError, lambda o: [1, 2][Buffer(1.0)], ("integer", "float32")
    ),
}  # fmt: skip

# Python itself refuses these, after both operands declined: its error names the two types.
BY_PYTHON = {"plus text", "plus None", "matmul with a number"}


def operands(mode: str) -> Operands:
    return Operands(*[make(array, mode) for array in ARRAYS])


def provoke(mistake: Mistake, mode: str) -> tuple[Exception, Operands]:
    given = operands(mode)
    with in_mode(mode), pytest.raises(mistake.kind) as caught:
        mistake.does(given)
    return caught.value, given


cases = pytest.mark.parametrize("name", MISTAKES)


@both_modes
@cases
def test_a_mistake_is_a_built_in_error_and_onebufs(name, mode):
    error, _ = provoke(MISTAKES[name], mode)
    assert isinstance(error, OnebufError) or name in BY_PYTHON


@both_modes
@cases
def test_the_message_says_what_was_needed_and_what_came(name, mode):
    error, _ = provoke(MISTAKES[name], mode)
    missing = [part for part in MISTAKES[name].says if part not in str(error)]
    assert not missing, str(error)


@both_modes
@cases
def test_a_mistake_changes_nothing(name, mode):
    _, given = provoke(MISTAKES[name], mode)
    for buffer, array in zip(given, ARRAYS, strict=True):
        assert buffer.dtype == array.dtype
        np.testing.assert_array_equal(np.asarray(buffer), array)


@both_modes
@cases
def test_everything_works_after_a_mistake(name, mode):
    _, given = provoke(MISTAKES[name], mode)
    with in_mode(mode):
        assert (given.m + 1).sum().item() == 136.0
        given.b[0, 0] = 5
        assert given.b.sum().item() == 20


# Read-only memory


@both_modes
def test_read_only_memory_refuses_a_write(mode):
    array = np.arange(3.0)
    array.flags.writeable = False
    x = onebuf.asarray(array)
    with in_mode(mode), pytest.raises(ValueError, match=r"read only.*copy\(\)") as caught:
        x[0] = 1
    assert isinstance(caught.value, errors.ReadOnlyError)
    assert array[0] == 0


@pytest.mark.parametrize(
    "write",
    [
        lambda x: grow(x, 1),
        lambda x: at(x, [0], 1),
        lambda x: at(x, np.array([True, False, False]), 1),
        lambda x: at(x[1:], ..., 1),
        lambda x: np.add(x, 1, out=x),
    ],
)
def test_no_way_of_writing_reaches_read_only_memory(write):
    x = onebuf.asarray(b"abc")
    with pytest.raises(ValueError):
        write(x)
    assert x.to_python() == [97, 98, 99]


def test_a_copy_of_read_only_memory_can_be_written():
    x = onebuf.asarray(b"abc").copy()
    x[0] = 1
    assert x.to_python() == [1, 98, 99]


# Freed memory


@both_modes
@pytest.mark.parametrize(
    "take", [np.asarray, lambda x: x.data, lambda x: x.window(), lambda x: x.unwrap()]
)
def test_memory_under_a_window_cannot_be_freed(mode, take):
    x = Buffer([1.0, 2.0])
    with in_mode(mode):
        x = x + 0
    window = take(x)
    with pytest.raises(BufferError, match=r"window.*delete") as caught:
        x.free()
    assert isinstance(caught.value, OnebufError)
    assert x.to_python() == [1.0, 2.0]
    del window, caught
    x.free()


@both_modes
def test_memory_under_a_view_cannot_be_freed(mode):
    x = Buffer([1.0, 2.0])
    with in_mode(mode):
        x = (x + 1).realize()
        v = x[1:]
        with pytest.raises(BufferError, match="1 other view"):
            x.free()
    assert v.to_python() == [3.0]


def test_memory_under_a_view_that_was_pending_cannot_be_freed():
    with lazily():
        x = Buffer([1.0, 2.0]) + 1
        v = x[1:]
        x.realize()
        with pytest.raises(BufferError, match="view"):
            x.free()
    assert v.to_python() == [3.0]


def test_a_buffer_read_as_another_dtype_can_be_freed():
    x = Buffer([1.0, 2.0]).view("uint32")
    x.free()
    with pytest.raises(BufferError):
        x.to_python()


READS = {
    "to_python": lambda x: x.to_python(),
    "str": str,
    "asarray": np.asarray,
    "data": lambda x: x.data,
    "add": lambda x: (x + 1).realize(),
    "sum": lambda x: x.sum().realize(),
    "index": lambda x: x[0].item(),
    "write": lambda x: at(x, 0, 1),
    "in place": lambda x: grow(x, 1),
}


@both_modes
@pytest.mark.parametrize("name", READS)
def test_a_freed_buffer_cannot_be_used(name, mode):
    x = Buffer([1.0, 2.0])
    x.free()
    with in_mode(mode), pytest.raises(BufferError, match=r"freed.*new") as caught:
        READS[name](x)
    assert isinstance(caught.value, OnebufError)


def test_a_freed_buffer_still_has_a_shape_and_a_repr():
    x = Buffer([1.0, 2.0])
    x.free()
    assert (x.shape, x.dtype) == ((2,), "float32")
    assert "freed" in repr(x)


def test_freeing_twice_is_harmless():
    x = Buffer([1.0])
    x.free()
    x.free()


def test_freeing_gives_the_memory_back():
    before = onebuf.memory_stats()["CPU"].in_use
    x = onebuf.arange(100_000).realize()
    assert onebuf.memory_stats()["CPU"].in_use > before
    x.free()
    assert onebuf.memory_stats()["CPU"].in_use == before


def test_work_that_was_waiting_for_freed_memory_is_done_first():
    x = Buffer([1.0, 2.0])
    with lazily():
        y = x + 1
        x.free()
    assert y.to_python() == [2.0, 3.0]


# The tree of errors


def every_error() -> list[type]:
    return [kind for kind in vars(errors).values() if isinstance(kind, type)]


@pytest.mark.parametrize("kind", [kind for kind in every_error() if kind is not OnebufError])
def test_every_error_refines_a_built_in(kind):
    assert issubclass(kind, OnebufError)
    named = (ValueError, IndexError, TypeError, BufferError, MemoryError, ImportError)
    assert issubclass(kind, (*named, OverflowError, RuntimeError, TimeoutError))


def test_the_docstring_draws_every_error():
    drawn = set(errors.__doc__.replace("─", " ").split())
    assert {kind.__name__ for kind in every_error()} <= drawn


def test_a_comparison_has_an_answer_beyond_the_dtype():
    for mode, number in itertools.product(MODES, [2**40, -(2**40), 2**80]):
        x = make(np.array([0, 7], np.int32), mode)
        with in_mode(mode):
            assert (x < number).to_python() == [number > 0] * 2
            assert (x == number).to_python() == [False, False]


@pytest.mark.parametrize(
    "data, error, words",
    [
        ([1.0, float("nan")], ValueError, "cannot convert float NaN to integer"),
        ([float("-inf")], OverflowError, "cannot convert float infinity to integer"),
        ([2**40], OverflowError, "int8 holds -128 to 127, got 1099511627776"),
    ],
)
def test_numbers_that_an_integer_cannot_be_are_not_made_one(
    data: list[float], error: type[Exception], words: str
) -> None:
    with pytest.raises(error):
        np.array(data, dtype="int8")
    with pytest.raises(error, match=words):
        Buffer(data, "int8")


def test_too_many_indices_and_nothing_to_join_are_said_in_numpys_words() -> None:
    with pytest.raises(IndexError, match="too many indices for array: array is 1-dimensional"):
        Buffer([1, 2])[0, 0]
    for join in (onebuf.concat, onebuf.stack):
        with pytest.raises(ValueError, match="need at least one array to"):
            join([])
