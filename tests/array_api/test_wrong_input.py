"""Wrong input: every function says what it needed, and nothing is half done.

The first half goes through the parameters of the standard's signatures with the mistakes that are
likely for each: an error names the function, says what came, and is also the built-in that
ordinary code catches. The second half writes what cannot be written, and looks at what is left.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from inspect import Parameter
from typing import Any

import numpy as np
import pytest
from array_api.standard import results
from array_api.standard.signatures import FFT, LINALG, MAIN, parse

import onebuf as xp
from onebuf import Buffer, OnebufError

SIGNATURES = (
    parse(MAIN)
    | {f"linalg.{name}": signature for name, signature in parse(LINALG).items()}
    | {f"fft.{name}": signature for name, signature in parse(FFT).items()}
)
BINARY = results.parse(results.TWO_OPERANDS)
X = np.asarray([[4.0, 1.0], [1.0, 3.0]])
CREATION: dict[str, list[Any]] = {
    "arange": [3],
    "asarray": [[1]],
    "empty": [2],
    "eye": [2],
    "full": [2, 1],
    "linspace": [0, 1, 3],
    "ones": [2],
    "zeros": [2],
    "astype": [X, xp.int8],
    "can_cast": [X, xp.int8],
    "bitwise_invert": [X.astype("int64")],
    "iinfo": [xp.int8],
    "isdtype": [xp.int8, "bool"],
    "result_type": [X, X],
    "broadcast_shapes": [(2,), (2,)],
    "__array_namespace_info__": [],
    "fft.fftfreq": [4],
    "fft.rfftfreq": [4],
}
"""The right arguments of functions that take other things than arrays."""

NO_ARRAY = ("abc", None, object(), [["a"]], [[1.0], [1.0, 2.0]], np.asarray(["a"]))
NO_NUMBER = ("a", None, [1])
NO_SHAPE = (-1, (2, -3), "ab", 1.5, None, (1.5, 2), (1,) * 65)
NO_AXIS = (5, -5, 1.5, "a", (0, 7), (0, "a"))
NO_DTYPE = ("quad", object, "str", 3.5)
NO_FLAG = ("x", [])

MISTAKES: dict[str, tuple[Any, ...]] = {
    "x": NO_ARRAY,
    "x1": NO_ARRAY,
    "x2": NO_ARRAY,
    "axis": NO_AXIS,
    "keepdims": NO_FLAG,
    "dtype": NO_DTYPE,
    "device": ("TPU", 3),
    "copy": NO_FLAG,
    "k": (1.5, *NO_NUMBER),
    "correction": NO_NUMBER,
    "norm": ("half",),
    "include_initial": NO_FLAG,
    "descending": NO_FLAG,
    "stable": NO_FLAG,
    "invert": NO_FLAG,
    "endpoint": NO_FLAG,
    "upper": NO_FLAG,
    "full_matrices": NO_FLAG,
    "shape": NO_SHAPE,
    "n": (-1, 0, 1.5, "a"),
    "s": ((2, 2, 2), (0, 0), (-2, -2), "ab", (1.5, 2), 3),
    "offset": (1.5, "a", None),
    "d": (0.0, *NO_NUMBER),
    "rtol": ("a", [1.0]),
    "min": ("a", ["a"]),
    "max": ("a", ["a"]),
    "indices": ([0.5], None, np.asarray([0.5]), np.asarray([True])),
    "fill_value": ("a", None, ["a"]),
}
"""What is wrong for a parameter of this name, whichever function has it."""

OWN_MISTAKES: dict[tuple[str, str], tuple[Any, ...]] = {
    ("arange", "start"): ("a", None, 1j, float("nan"), float("inf")),
    ("arange", "stop"): ("a", 1j, float("nan")),
    ("arange", "step"): (0, "a", None),
    ("astype", "dtype"): (*NO_DTYPE, None),
    ("broadcast_shapes", "shapes"): (1.5, (2, "a"), (3,), (-2,)),
    ("broadcast_to", "shape"): (*NO_SHAPE[1:], (3,), (2, 3)),
    ("can_cast", "from_"): (*NO_DTYPE, None),
    ("can_cast", "to"): (*NO_DTYPE, None),
    ("concat", "arrays"): ([], None, 3, [X, [1]], [X, np.ones((3, 3))], [np.asarray(1.0)]),
    ("cumulative_prod", "axis"): (*NO_AXIS, None),
    ("cumulative_sum", "axis"): (*NO_AXIS, None),
    ("diff", "append"): ("a", np.ones((5, 5))),
    ("diff", "n"): (-1, 1.5, "a"),
    ("diff", "prepend"): ("a", np.ones((5, 5))),
    ("expand_dims", "axis"): (*NO_AXIS, None, (0, 0)),
    ("eye", "n_cols"): (-1, 1.5, "a"),
    ("eye", "n_rows"): (-1, 1.5, "a", None),
    ("fft.fftfreq", "dtype"): (*NO_DTYPE, xp.int64, xp.complex64),
    ("fft.fftn", "axes"): (5, 1.5, "a", (0, 0), (0, 7)),
    ("fft.fftshift", "axes"): (5, 1.5, (0, 0), (0, 7)),
    ("fft.rfft", "x"): (*NO_ARRAY, 2.0, X * 1j, np.zeros((2, 0))),
    ("finfo", "type"): ("quad", 3, None, xp.int8),
    ("flip", "axis"): (*NO_AXIS, (0, 0)),
    ("iinfo", "type"): ("quad", 3, None, xp.float32),
    ("isdtype", "dtype"): ("quad", 3, None),
    ("isdtype", "kind"): ("nonsense", 3.5, None),
    ("isin", "x2"): (["a"], *NO_ARRAY[1:]),
    ("linalg.cholesky", "x"): (*NO_ARRAY, X[0], np.ones((2, 3)), -X),
    ("linalg.cross", "x1"): (*NO_ARRAY, np.asarray(1.0), np.ones(2)),
    ("linalg.det", "x"): (*NO_ARRAY, X[0], np.ones((2, 3))),
    ("linalg.inv", "x"): (*NO_ARRAY, np.zeros((2, 2))),
    ("linalg.matrix_norm", "ord"): ("zz", None, 3j, 7),
    ("linalg.matrix_power", "n"): (1.5, "a", None),
    ("linalg.matrix_rank", "rtol"): ("a", np.ones(7, "int8")),
    ("linalg.outer", "x1"): (*NO_ARRAY, 2.0, X),
    ("linalg.pinv", "rtol"): ("a", xp.ones(7)),
    ("linalg.qr", "mode"): ("full", None),
    ("linalg.solve", "x2"): (*NO_ARRAY, np.asarray(1.0), np.ones(3)),
    ("linalg.trace", "x"): (*NO_ARRAY, X[0]),
    ("linalg.vector_norm", "ord"): ("zz", None),
    ("linspace", "num"): (-1, 1.5, "a"),
    ("linspace", "start"): ("a", None),
    ("linspace", "stop"): ("a", None),
    ("matmul", "x1"): (*NO_ARRAY, 2.0, np.asarray(1.0), np.ones((2, 5))),
    ("meshgrid", "arrays"): (*NO_ARRAY, X),
    ("meshgrid", "indexing"): ("zz", None),
    ("moveaxis", "destination"): (5, (0, 0), "a", (0, 1)),
    ("moveaxis", "source"): (5, (0, 0), "a", 1.5),
    ("nonzero", "x"): (*NO_ARRAY, np.asarray(1.0)),
    ("permute_dims", "axes"): ((0,), (0, 0), (0, 5), "ab", 1),
    ("repeat", "repeats"): (-1, 1.5, "a", None, [1, 2, 3], xp.ones(3), xp.asarray([-1])),
    ("reshape", "shape"): ("ab", 1.5, None, (3,), (2, -3), (-1, -1), (1.5, 2)),
    ("result_type", "arrays_and_dtypes"): ("quad", None, [1]),
    ("roll", "axis"): (5, 1.5, "a", (0, 7)),
    ("roll", "shift"): ("a", 1.5, None),
    ("searchsorted", "side"): ("middle", None),
    ("searchsorted", "sorter"): ([0, 1, 2], xp.asarray([0.5, 1.0]), xp.asarray([0, 9])),
    ("searchsorted", "x1"): (*NO_ARRAY, 2.0, X),
    ("squeeze", "axis"): (*NO_AXIS, 1),
    ("stack", "arrays"): ([], None, 3, [X, [1]], [X, np.ones((3, 3))]),
    ("take", "x"): (*NO_ARRAY, np.asarray(1.0)),
    ("take", "indices"): ([0, 7], 7, None, np.asarray([0.5]), np.asarray([True]), np.asarray([9])),
    ("take_along_axis", "indices"): ([0], 1, np.asarray([[0.5]]), np.asarray([[9]]), X[0]),
    ("tensordot", "axes"): (5, -1, 1.5, "a", None, (1,), (0, 7), ((0,), (5,)), ((0,), (0, 1))),
    ("tile", "repetitions"): (1.5, (1.5,), (-1,), "ab", None),
    ("tril", "x"): (*NO_ARRAY, X[0]),
    ("vecdot", "x1"): (*NO_ARRAY, np.asarray(1.0), np.ones(5)),
    ("where", "condition"): ("a", None, np.asarray([True, False, True])),
}
"""What is wrong for a parameter of one function, in place of the above."""


def parameters() -> Iterator[tuple[str, str]]:
    """Every function and parameter with mistakes to make."""
    for name, signature in SIGNATURES.items():
        for parameter in signature.parameters:
            if (name, parameter) in OWN_MISTAKES or parameter in MISTAKES:
                yield name, parameter


def right(name: str) -> tuple[list[Any], dict[str, Any]]:
    """Arguments that ``name`` takes; buffers are new each time."""
    if name in CREATION:
        given = CREATION[name]
    elif name in BINARY:
        given = [X.astype("int64")] * 2 if name.startswith("bitwise") else [X, X]
    else:
        given = list(results.ARGUMENTS.get(name, lambda xp, x: (x,))(xp, xp.asarray(X, copy=True)))
    keywords = given[-1] if given and isinstance(given[-1], dict) else {}
    return [buffer(a) for a in given if a is not keywords], dict(keywords)


def buffer(value: Any) -> Any:
    if isinstance(value, np.ndarray) and value.dtype.kind in "biufc":
        return xp.asarray(value, copy=True)
    return [buffer(part) for part in value] if type(value) is list else value


def call(name: str, arguments: list[Any], keywords: dict[str, Any]) -> None:
    function: Any = xp
    for part in name.split("."):
        function = getattr(function, part)
    result = function(*arguments, **keywords)
    for part in result if isinstance(result, tuple) else (result,):
        if isinstance(part, Buffer):
            part.realize()


@pytest.mark.parametrize("name", SIGNATURES)
def test_right_input_is_taken(name: str) -> None:
    """The mistakes below are the only reason for the errors below."""
    call(name, *right(name))


@pytest.mark.parametrize("eager_numel", [4096, 0])
@pytest.mark.parametrize("name, parameter", list(parameters()))
def test_a_mistake_is_an_error_that_names_the_function(
    name: str, parameter: str, eager_numel: int
) -> None:
    for mistake in OWN_MISTAKES.get((name, parameter), MISTAKES.get(parameter, ())):
        arguments, keywords = right(name)
        described = SIGNATURES[name].parameters[parameter]
        place = list(SIGNATURES[name].parameters).index(parameter)
        wrong = buffer(mistake)
        if described.kind is Parameter.KEYWORD_ONLY or place > len(arguments):
            keywords[parameter] = wrong
        else:
            arguments[place : place + 1] = [wrong]
        with xp.config(eager_numel=eager_numel), pytest.raises(OnebufError) as caught:
            call(name, arguments, keywords)
        message = str(caught.value)
        assert name.split(".")[-1] in message, mistake
        assert isinstance(caught.value, TypeError | ValueError | LookupError | BufferError)
        assert any(word in message for word in ("need", "cannot", "unknown", "not defined")), (
            message
        )


@pytest.mark.parametrize("name", SIGNATURES)
def test_a_misspelt_keyword_is_an_error_that_names_both(name: str) -> None:
    arguments, keywords = right(name)
    with pytest.raises(TypeError, match="axsi") as caught:
        call(name, arguments, {**keywords, "axsi": 0})
    if name not in BINARY:
        assert name.split(".")[-1] in str(caught.value)


def test_operands_survive_a_mistake() -> None:
    x, y = xp.asarray(X, copy=True), xp.ones(3)
    for mistake in (
        lambda: xp.add(x, y),
        lambda: xp.concat([x, y]),
        lambda: xp.linalg.solve(x, y),
        lambda: xp.sort(x, axis=7),
        lambda: xp.take(x, xp.asarray([5]), axis=0).realize(),
    ):
        with pytest.raises(OnebufError):
            mistake()
        assert (x.to_python(), y.to_python()) == (X.tolist(), [1.0] * 3)


def test_an_error_found_late_names_the_function_and_the_line() -> None:
    with xp.config(eager_numel=0):
        picked = xp.take_along_axis(xp.asarray(X), xp.asarray([[9]]), axis=1)  # the line meant
        with pytest.raises(IndexError, match="take_along_axis cannot handle these values") as late:
            picked.realize()
    assert "the line meant" in "".join(late.value.__notes__)
    with xp.config(eager_numel=0):
        power = xp.pow(xp.asarray([2]), xp.asarray([-1]))  # the line meant
        with pytest.raises(ValueError, match="unique_values: pow") as late:
            xp.unique_values(power)
    assert "the line meant" in "".join(late.value.__notes__)


# -- writes that cannot be -------------------------------------------------------------------------

Write = Callable[[Any], None]
ROWS = [[1, 2, 3], [4, 5, 6]]
MASK = [[True, False, True], [False, True, False]]


def put(key: Any, value: Any) -> Write:
    def write(x: Any) -> None:
        x[key() if callable(key) else key] = value() if callable(value) else value

    return write


def update(name: str, value: Any) -> Write:
    def write(x: Any) -> None:
        getattr(operator, f"__i{name}__")(x, value() if callable(value) else value)

    return write


def mask() -> Buffer:
    return xp.asarray(MASK)


def hopeless(shape: tuple[int, ...] = (2, 3)) -> Buffer:
    """A value that raises when it is computed, and not before."""
    with xp.config(eager_numel=0):
        return xp.pow(xp.full(shape, 2), xp.full(shape, -1))


WRITES: dict[str, tuple[type, Write]] = {
    "a mask and too few values": (ValueError, put(mask, [1, 2])),
    "a mask and a row too many": (ValueError, put(mask, lambda: xp.ones((2, 3)))),
    "a mask of another shape": (IndexError, put(lambda: xp.asarray([True, False, True]), 1)),
    "a mask of more axes": (IndexError, put(lambda: xp.ones((2, 3, 1), dtype=xp.bool), 1)),
    "an index out of range": (IndexError, put(5, 1)),
    "a negative index out of range": (IndexError, put((0, -9), 1)),
    "a list with an index out of range": (IndexError, put([0, 9], 1)),
    "indices of which one is out of range": (IndexError, put(([0, 1], [2, 3]), [8, 9])),
    "indices and values of another shape": (ValueError, put([0, 1], lambda: xp.ones((3, 3)))),
    "indices that do not broadcast": (IndexError, put(([0, 1], [0, 1, 2]), 1)),
    "a slice and values of another shape": (ValueError, put(slice(0, 2), [1, 2])),
    "a row and too few values": (ValueError, put(0, [1, 2])),
    "a row and ragged values": (ValueError, put(slice(None), [[1, 2, 3], [4]])),
    "more indices than axes": (IndexError, put((0, 0, 0), 1)),
    "two ellipses": (IndexError, put((..., ...), 1)),
    "a step of zero": (ValueError, put(slice(0, 2, 0), 1)),
    "a float as index": (IndexError, put(1.5, 1)),
    "a string as index": (IndexError, put("a", 1)),
    "ragged indices": (IndexError, put([[0], [0, 1]], 1)),
    "a string as value": (TypeError, put(0, "a")),
    "None as value": (TypeError, put(0, None)),
    "values of which the last is a string": (TypeError, put(0, [7, 8, "a"])),
    "a complex number": (TypeError, put(0, 1j)),
    "complex numbers": (TypeError, put(..., lambda: xp.asarray([1j, 2j, 3j]))),
    "a complex number by a mask": (TypeError, put(mask, 1j)),
    "a number beyond the type": (OverflowError, put(0, 2**70)),
    "a number beyond the type by a mask": (OverflowError, put(mask, 2**70)),
    "a number beyond the type by a list": (OverflowError, put([0, 1], -(2**70))),
    "values of which the last is beyond the type": (TypeError, put(0, [7, 8, 2**70])),
    "not a number": (OverflowError, put(0, float("nan"))),
    "infinity by a mask": (OverflowError, put(mask, float("inf"))),
    "a value that cannot be computed": (ValueError, put(slice(None), hopeless)),
    "a value by a mask that cannot be computed": (ValueError, put(mask, lambda: hopeless((3,)))),
    "in place a value that cannot be computed": (ValueError, update("add", hopeless)),
    "in place a value of another shape": (ValueError, update("add", lambda: xp.ones((2, 2)))),
    "in place a value of more axes": (ValueError, update("mul", lambda: xp.ones((4, 2, 3)))),
    "in place a float": (TypeError, update("mul", 1.5)),
    "in place floats": (TypeError, update("sub", lambda: xp.ones(3))),
    "in place a quotient": (TypeError, update("truediv", 2)),
    "in place a number beyond the type": (OverflowError, update("add", 2**70)),
    "in place a power that is a fraction": (ValueError, update("pow", -1)),
    "in place powers of which the last is a fraction": (
        ValueError,
        update("pow", lambda: xp.asarray([2, 2, -1])),
    ),
    "in place a product of another shape": (
        ValueError,
        update("matmul", lambda: xp.ones((3, 2), dtype=xp.int64)),
    ),
    "in place a product that does not exist": (
        ValueError,
        update("matmul", lambda: xp.ones((5, 2), dtype=xp.int64)),
    ),
    "in place a string": (TypeError, update("add", "a")),
}


@pytest.mark.parametrize("eager_numel", [4096, 0])
@pytest.mark.parametrize("name", WRITES)
def test_a_failed_write_changes_nothing(name: str, eager_numel: int) -> None:
    kind, write = WRITES[name]
    with xp.config(eager_numel=eager_numel):
        x = xp.asarray(ROWS, copy=True) + 0
        first, pending = x[0], x * 2
        with pytest.raises(kind) as caught:
            write(x)
        assert isinstance(caught.value, OnebufError) or name == "in place a string"
        assert x.to_python() == ROWS
        assert first.to_python() == ROWS[0]
        assert pending.to_python() == [[2 * n for n in row] for row in ROWS]
        x[0, 0] = 9  # and it can be written as before
        assert first.to_python() == [9, 2, 3]


@pytest.mark.parametrize(
    "write", [put(0, 9), put(mask, 9), put([0], 9), put(..., [7, 8, 9]), update("add", 1)]
)
@pytest.mark.parametrize(
    "make",
    [
        lambda: xp.asarray(np.broadcast_to(np.asarray(ROWS), (2, 3))),
        lambda: xp.broadcast_to(xp.asarray([1, 2, 3]), (2, 3)),
        lambda: xp.asarray(memoryview(bytes(6)).cast("B", (2, 3))),
    ],
    ids=["read-only memory", "shared places", "bytes"],
)
def test_what_may_not_be_written_stays_as_it_is(make: Callable[[], Buffer], write: Write) -> None:
    x = make()
    before = x.to_python()
    with pytest.raises(ValueError, match="write") as caught:
        write(x)
    assert isinstance(caught.value, OnebufError)
    assert x.to_python() == before
