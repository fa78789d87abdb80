"""Differences from NumPy that its own tests have found: the same values, the same refusals.

Each line is run twice, with NumPy's arrays and with buffers. Lines of REFUSALS raise the same
built-in error with both, and one that says NumPy's words.
"""

from __future__ import annotations

import builtins
import gc
import sys
from typing import Any

import numpy as np
import pytest

import onebuf

VALUES = """
np.sort(v, kind="quick"); np.argsort(v, kind="q"); np.sort(v, kind=b"heap")
np.ravel(a, "f"); a.flatten("f"); a.flatten("a"); a.copy("f"); a.copy(None)
a.reshape(-1, order="f")
a.astype("f4", "F"); a.astype("f8", casting="safe"); a.astype("i4", "K", "unsafe", True, False)
np.arange(stop=3); np.arange(300, dtype="uint8"); np.arange(-128, 872, 10, dtype="int8")
np.array([0, 1]).choose([1, 2], [3, 4]); np.array([0, 1]).choose([[1, 2], [3, 4]])
i.clip(-5, 400); np.clip(i, -(2**70), 2**70); i.clip(None, 3)
i.clip(2, 4, out=np.zeros(5, "int64"), casting="unsafe"); np.copy(a.T).flags.f_contiguous
i.clip(2, 4, dtype="float32"); i.clip(1, 3, where=i > 1, out=np.zeros(5, "uint8"))
(i > 2).conj(); np.array([1j, 2]).conj(); i.conjugate(np.zeros(5, "uint8"))
list(a.tobytes("F")); list(a.tobytes(None))
np.array(a, copy=np._CopyMode.ALWAYS); np.array(a, copy=np._CopyMode.IF_NEEDED, ndmax=2)
np.asarray(a, copy=np._CopyMode.NEVER); np.array([[1, 2]], ndmax=2)
np.max(1, axis=0); np.sum(np.array(2.5), axis=-1); np.array(2.5).max(0)
np.concatenate([np.float32(1), 1.0], axis=None); np.concatenate([i, 3], axis=None)
np.concatenate([1, 2.5], axis=None); np.concatenate([i, 2.5], axis=None)
np.isclose(np.float32(1), 0.9999999999999998, atol=0, rtol=0); np.isclose(1, i)
np.sinc(np.array([0, 0.5], "float16")); np.isscalar(v[0]); np.isscalar(np.array(2)); np.isscalar(v)
np.linalg.matrix_rank([1, 0, 0]); np.linalg.matrix_rank(np.zeros(3)); np.linalg.matrix_rank(1)
np.linalg.matrix_rank(np.ones((4, 3, 2)), rtol=[0.0, 0.0, 0.0, 0.0])
np.lib.stride_tricks.sliding_window_view(a, (2, 2), (1, 1)); np.iscomplexobj(v)
np.broadcast_to(v, (2, 5)).flags.writeable
np.lib.stride_tricks.sliding_window_view(v, 2).flags.writeable
"""

REFUSALS = """
TypeError | requires stop | np.arange()
TypeError | | np.arange(step=3)
ZeroDivisionError | | np.arange(0, 10, 0)
ValueError | cannot compute length | np.arange(0, 1, np.nan)
OverflowError | out of bounds | np.arange(300, 400, dtype="uint8")
ValueError | | np.sort(v, kind="odd")
ValueError | | v.sort(kind="\\u00e4")
TypeError | according to the rule 'safe' | a.astype("i4", casting="safe")
ValueError | strings are not allowed for 'copy' keyword | np.array([1], copy="always")
ValueError | | np.array(a.T[::2, ::2], copy=False, order="C")
ValueError | ndmax must be in the range | np.array([1], ndmax=-1)
ValueError | ndmin must be <= ndmax | np.array([1], ndmax=1, ndmin=2)
ValueError | maximum number of dimension of 1 | np.array([[1]], ndmax=1)
ValueError | | i.astype("int8").__setitem__(0, np.float64("nan"))
OverflowError | | i.astype("int8").__setitem__(0, np.int64(300))
OverflowError | | i.astype("int8").__setitem__(slice(2), np.float32("inf"))
ValueError | must have the same shape | np.stack([v, a])
ValueError | same number of dimensions, but the array at index 0 has 1 | np.concatenate([v, a])
ValueError | must match exactly, but along dimension 1 | np.concatenate([a, a[:, :1]])
ValueError | Calling nonzero on 0d arrays is not allowed | np.nonzero(np.array(1))
ValueError | Unable to avoid creating a copy | np.reshape(a.T, (1, 6), copy=False)
ValueError | negative dimensions | np.zeros((2, -1))
IndexError | source.*out of bounds | np.moveaxis(a, 3, 0)
ValueError | destination.*out of bounds | np.moveaxis(a, 0, 3)
ValueError | start | np.rollaxis(a, 0, -5)
IndexError | must be an integer array | np.take_along_axis(a, a > 0, axis=1)
ValueError | Invalid number of FFT data points | np.fft.ifft([])
TypeError | must be of ArrayType | np.fft.fft(v, out="")
ValueError | can't be both set | np.linalg.pinv(a, rcond=0.5, rtol=0.5)
ValueError | can't be both set | np.linalg.matrix_rank(a, tol=0.5, rtol=0.5)
TypeError | | np.isposinf([1j])
ValueError | can't be provided simultaneously | np.var(v, ddof=1, correction=1)
ValueError | repeated axis | np.moveaxis(a, (0, 0), (0, 1))
OverflowError | | np.array([2**70], dtype="int64")
OverflowError | | np.array(-(2**63) - 1, dtype="int8")
ValueError | | np.empty((2**40, 2**40))
MemoryError | | np.empty(2**62, "int8")
"""


def names(np: Any) -> dict[str, Any]:
    return {
        "np": np,
        "a": np.array([[1.5, 2, 3], [4, 5, 6]]),
        "i": np.array([0, 1, 2, 3, 4], "uint8"),
        "v": np.array([3.0, -1.0, 2.0, 0.5, 2.0]),
    }


class WithCopyMode:
    """The namespace of onebuf, with the private names of NumPy that lines say."""

    _CopyMode = np._CopyMode  # type: ignore[attr-defined]

    def __getattr__(self, name: str) -> Any:
        return getattr(np if name in ("float64", "int64", "float32") else onebuf, name)


@pytest.mark.parametrize(
    "line", [part.strip() for part in VALUES.replace("\n", ";").split(";") if part.strip()]
)
def test_a_line_gives_numpys_values(line: str) -> None:
    wanted = eval(line, names(np))
    found = eval(line, names(WithCopyMode()))
    assert np.asarray(found).dtype == np.asarray(wanted).dtype
    assert np.asarray(found).shape == np.asarray(wanted).shape
    np.testing.assert_allclose(np.asarray(found), np.asarray(wanted), rtol=1e-3)


@pytest.mark.parametrize("line", REFUSALS.strip().splitlines())
def test_a_line_is_refused_as_numpy_does(line: str) -> None:
    error, words, code = (part.strip() for part in line.split("|", 2))
    kind = getattr(builtins, error)
    for space in (np, WithCopyMode()):
        with pytest.raises(kind, match=words or None):
            eval(code, names(space))


def test_an_array_made_without_axes_can_be_shared_and_written() -> None:
    x = onebuf.ndarray(())
    x[()] = 5
    y = onebuf.ndarray((), buffer=x)
    y[()] = 6
    assert x.item() == 6
    assert x.resize(None) is None
    assert x.shape == ()


def test_a_flag_set_on_a_small_buffer_stays_with_it() -> None:
    for _ in range(100):
        x = onebuf.arange(10)
        x.flags.writeable = False
        del x
        gc.collect(0)
        y = onebuf.arange(10)
        y[0] = 5
        assert y.flags.writeable


@pytest.mark.parametrize("error", [NotImplementedError, RuntimeError, TypeError, ValueError])
def test_what_an_object_raises_for_its_elements_is_what_the_caller_catches(error: Any) -> None:
    class Refusing:
        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            raise error("no elements today")

    for make in (np.asarray, onebuf.asarray):
        with pytest.raises(error, match="no elements today"):
            make(Refusing())


def test_a_recursion_error_of_an_object_is_not_taken_for_a_refusal() -> None:
    class Endless:
        @property
        def __array_interface__(self) -> Any:
            raise RecursionError

    with pytest.raises(RecursionError):
        onebuf.asarray(Endless())


def test_the_size_of_a_buffer_counts_its_own_elements() -> None:
    x = onebuf.zeros(1000)
    assert sys.getsizeof(x) > 8000
    assert sys.getsizeof(x[10:]) < 8000


@pytest.mark.parametrize("order", "KACF")
@pytest.mark.parametrize("name", ["empty_like", "zeros_like", "ones_like", "full_like"])
def test_what_is_like_an_array_lies_as_it_does(name: str, order: str) -> None:
    cube = np.arange(24).reshape(2, 3, 4)
    for array in (cube, cube.T, cube.swapaxes(0, 1), cube[:, ::2].T, cube[..., 0]):
        value = ([5],) if name == "full_like" else ()
        wanted = getattr(np, name)(array, *value, order=order)
        found = getattr(onebuf, name)(onebuf.asarray(array), *value, order=order)
        assert found.strides == wanted.strides
    row = np.arange(4.0)
    full = onebuf.full_like(onebuf.asarray(cube.swapaxes(0, 1)), row.tolist(), order=order)
    np.testing.assert_array_equal(np.asarray(full), np.full_like(cube.swapaxes(0, 1), row))


def test_delegated_functions_take_objects_whose_array_is_a_buffer() -> None:
    class Wrapped:
        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            return onebuf.asarray([3, 1, 1])

    assert onebuf.bincount(Wrapped()).to_python() == [0, 2, 0, 1]
    assert onebuf.intersect1d(Wrapped(), [1, 2]).to_python() == [1]
