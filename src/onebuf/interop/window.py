"""Windows: typed views of memory that do all that ``memoryview`` does, for every dtype.

Python's ``memoryview`` cannot index halves, complex numbers or bfloat16, casts only to and from
bytes, and only contiguous memory. A window has its attributes and methods without these limits.
It is a handle on an array: it owns nothing, and keeps alive what it looks at until released.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from onebuf import dtypes
from onebuf.errors import (
    ArgumentError,
    ArgumentTypeError,
    CopyError,
    DTypeError,
    ExportError,
    IndexRangeError,
    ShapeError,
)
from onebuf.interop.buffer_slot import Exporter
from onebuf.interop.foreign import view_foreign

_NARROW = (dtypes.bfloat16, dtypes.float8_e4m3fn, dtypes.float8_e5m2)
_FORMATS = {
    dtype: dtype.name if dtype in _NARROW else np.empty(0, dtype).data.format
    for dtype in dtypes.ALL
}
_LETTERS = {"Zf": dtypes.complex64, "Zd": dtypes.complex128}
_INDEXABLE = frozenset(
    dtype
    for dtype in dtypes.STANDARD
    if dtypes.kind(dtype) in "biu" or dtype in (dtypes.float32, dtypes.float64)
)
_WITH_FORMAT = 0x4  # PyBUF_FORMAT of the buffer protocol: the consumer looks at element types


def memoryview_of(array: np.ndarray[Any, Any]) -> memoryview | Window:
    """The elements of ``array`` as a flat ``memoryview`` where Python's can index them.

    Otherwise (half, bfloat16, 8-bit and complex numbers, memory with gaps) a `Window`, which is
    flat too if the memory is.

    >>> memoryview_of(np.eye(2, dtype="float32")).tolist()
    [1.0, 0.0, 0.0, 1.0]
    >>> memoryview_of(np.eye(2, dtype="float16"))
    <Window of 4 float16>
    """
    flat = array.reshape(-1) if array.flags.c_contiguous else array
    if flat.dtype in _INDEXABLE and array.flags.c_contiguous:
        return flat.data
    return Window(flat)


def exported(array: np.ndarray[Any, Any], flags: int) -> memoryview:
    """What ``__buffer__(flags)`` returns for the memory of ``array``.

    The protocol has no letter for bfloat16 and 8-bit floats: a consumer that asks for bytes gets
    them, one that asks for the format gets an error.

    >>> exported(np.arange(3), 0).tolist()
    [0, 1, 2]
    """
    if array.dtype not in _NARROW:
        return array.data
    if flags & _WITH_FORMAT:
        raise ExportError(
            f"the buffer protocol has no letter for {array.dtype.name}; take np.asarray(x) of it"
        )
    return array.view(f"u{array.itemsize}").data


class Window(Exporter):
    """A view of the memory of ``source``, which is anything that exports memory.

    Elements come out as Python numbers; slices share the memory.

    >>> window = Window(np.array([1, 2, 3, 4]))
    >>> len(window), window.itemsize, window.nbytes, window[0]
    (4, 8, 32, 1)
    >>> window.cast("B")[:8].tolist()
    [1, 0, 0, 0, 0, 0, 0, 0]
    >>> window.cast("bfloat16").dtype, window[::-1].cast("complex64").shape
    (dtype(bfloat16), (4,))
    """

    __slots__ = ("__weakref__", "_array", "_obj")

    _array: np.ndarray[Any, Any] | None
    _obj: Any

    def __init__(self, source: Any) -> None:
        foreign = view_foreign(source, copy=False)
        if foreign is None:
            raise ArgumentTypeError(
                f"a window needs an object that exports its memory, got {source!r}; "
                f"make an array of it first"
            )
        self._array = foreign.array
        self._obj = source

    def _live(self) -> np.ndarray[Any, Any]:
        if self._array is None:
            raise ArgumentError("this window was released; take a new one from its owner")
        return self._array

    def _derive(self, array: np.ndarray[Any, Any]) -> Window:
        window = object.__new__(Window)
        window._array = array
        window._obj = self._obj
        return window

    # What it looks at

    @property
    def obj(self) -> Any:
        """The object whose memory this is."""
        self._live()
        return self._obj

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the elements."""
        dtype: np.dtype[Any] = self._live().dtype
        return dtype

    @property
    def format(self) -> str:
        """The letter of the `struct` module for the elements, or the dtype's name if none is."""
        return _FORMATS[self._live().dtype]

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return self._live().itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self._live().nbytes

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return self._live().ndim

    @property
    def shape(self) -> tuple[int, ...]:
        """Elements along each axis."""
        shape: tuple[int, ...] = self._live().shape
        return shape

    @property
    def strides(self) -> tuple[int, ...]:
        """Bytes from one element to the next along each axis."""
        return self._live().strides

    @property
    def suboffsets(self) -> tuple[int, ...]:
        """Empty: no axis goes through pointers."""
        self._live()
        return ()

    @property
    def readonly(self) -> bool:
        """Whether writing is refused."""
        return not self._live().flags.writeable

    @property
    def c_contiguous(self) -> bool:
        """Whether the elements follow one another, the last axis fastest."""
        return self._live().flags.c_contiguous

    @property
    def f_contiguous(self) -> bool:
        """Whether the elements follow one another, the first axis fastest."""
        return self._live().flags.f_contiguous

    @property
    def contiguous(self) -> bool:
        """Whether there are no gaps between the elements."""
        return self._live().flags.forc

    def __len__(self) -> int:
        array = self._live()
        if not array.ndim:
            raise ArgumentTypeError("a window without axes has no length; its element is [()]")
        return len(array)

    def __repr__(self) -> str:
        if self._array is None:
            return "<released Window>"
        return f"<Window of {'x'.join(map(str, self.shape)) or 'one'} {self.dtype.name}>"

    # Elements

    def __getitem__(self, index: Any) -> Any:
        array = self._live()
        try:
            found = array[_plain_index(index)]
        except IndexError:
            raise _out_of_range(index, array.shape) from None
        return self._derive(found) if isinstance(found, np.ndarray) else found.item()

    def __setitem__(self, index: Any, value: Any) -> None:
        array = self._live()
        if not array.flags.writeable:
            raise ArgumentTypeError("this memory is read-only; copy it to write to it")
        key = _plain_index(index)
        try:
            target = array[key]
        except IndexError:
            raise _out_of_range(index, array.shape) from None
        values = None if isinstance(value, np.generic) else view_foreign(value)
        if values is None or not isinstance(target, np.ndarray):
            with np.errstate(over="ignore"):  # as memoryview does, and rounds to infinity
                array[key] = _element(value, array.dtype)
            return
        if (values.array.dtype, values.array.shape) != (target.dtype, target.shape):
            raise ArgumentError(
                f"needed {target.dtype.name} elements of shape {target.shape}, got "
                f"{values.array.dtype.name} of shape {values.array.shape}; convert them first"
            )
        target[...] = values.array

    def __iter__(self) -> Iterator[Any]:
        return (self[position] for position in range(len(self)))

    def tolist(self) -> Any:
        """The elements as nested lists of Python numbers."""
        return self._live().tolist()

    def tobytes(self, order: str | None = "C") -> bytes:
        """A copy of the bytes, in the order "C", "F" or, for "A", that of the memory."""
        if order not in (None, "C", "F", "A"):
            raise ArgumentError(f"order needs 'C', 'F' or 'A', got {order!r}")
        return self._live().tobytes(order or "C")  # type: ignore[arg-type]

    def hex(self, *separator: Any) -> str:
        """The bytes in hexadecimal; arguments as those of ``bytes.hex``."""
        return self.tobytes().hex(*separator)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if self._array is None or (isinstance(other, Window) and other._array is None):
            return False
        try:
            foreign = view_foreign(other)
        except (DTypeError, ExportError):
            return False
        if foreign is None:
            return NotImplemented
        mine, theirs = self._array, foreign.array
        if mine.shape != theirs.shape:
            return False
        if mine.dtype == theirs.dtype:
            return np.array_equal(mine, theirs)
        return bool(mine.tolist() == theirs.tolist())  # exact, where promotion would round

    def __hash__(self) -> int:
        if not self.readonly or self.itemsize > 1:
            raise ArgumentError("only windows on read-only bytes can be hashed; hash tobytes()")
        return hash(self.tobytes())

    # Other views of the same memory

    def cast(self, dtype: Any, shape: Sequence[int] | None = None) -> Window:
        """The same bytes read as another type, named by dtype or by `struct` letter.

        Contiguous memory comes out flat, or in ``shape``; memory with gaps keeps its axes, the
        last one of which must have none if the item size changes.

        >>> Window(np.arange(6, dtype="int16")[::2]).cast("float16").strides
        (4,)
        """
        array = self._live()
        wanted = _named(dtype)
        if array.flags.c_contiguous:
            array = array.reshape(-1)
        elif shape is not None:
            raise DTypeError(
                f"a cast to a new shape needs contiguous memory, got strides {array.strides} "
                f"bytes for the shape {array.shape}; leave out shape, or copy the elements first"
            )
        try:
            result = array.view(wanted)
        except ValueError:
            raise DTypeError(
                f"a cast from {array.itemsize} to {wanted.itemsize} bytes an element needs a last "
                f"axis without gaps whose bytes divide evenly, got shape {array.shape} with "
                f"strides {array.strides}; cast a slice that fits, or copy the elements first"
            ) from None
        if shape is None:
            return self._derive(result)
        if not all(isinstance(n, int) and n >= 0 for n in shape) or (
            np.prod(shape, dtype=object) != result.size
        ):
            raise ShapeError(f"needed a shape of {result.size} elements, got {tuple(shape)}")
        return self._derive(result.reshape(tuple(shape)))

    def toreadonly(self) -> Window:
        """The same memory, through which it cannot be written."""
        array = self._live().view()
        array.flags.writeable = False
        return self._derive(array)

    def __array__(
        self, dtype: np.dtype[Any] | None = None, copy: bool | None = None
    ) -> np.ndarray[Any, Any]:
        array = self._live()
        if dtype is not None and np.dtype(dtype) != array.dtype:
            if copy is False:
                raise CopyError(
                    f"copy=False needs the window's own dtype {array.dtype.name}, got {dtype}"
                )
            return array.astype(dtype)
        return array.copy() if copy else array

    def __buffer__(self, flags: int) -> memoryview:
        """What ``memoryview(window)`` and functions that want "a bytes-like object" get."""
        return exported(self._live(), flags)

    def release(self) -> None:
        """Let go of the memory; from now on the window can only be released again."""
        self._array = self._obj = None

    def __enter__(self) -> Window:
        self._live()
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


def _named(dtype: Any) -> np.dtype[Any]:
    """The dtype for a name, a dtype, or a native letter of `struct`."""
    if isinstance(dtype, str):
        dtype = dtype.removeprefix("@")
        dtype = _LETTERS.get(dtype, dtype)
    return dtypes.as_dtype(dtype)


def _plain_index(index: Any) -> Any:
    """An index of integers, slices and ``...`` only, as NumPy takes it."""
    parts = index if isinstance(index, tuple) else (index,)
    try:
        return tuple(
            part if isinstance(part, slice) or part is ... else operator.index(part)
            for part in parts
        )
    except TypeError:
        raise ArgumentTypeError(
            f"a window is indexed by integers and slices, got {index!r}; "
            f"for more use np.asarray(window)"
        ) from None


def _out_of_range(index: Any, shape: tuple[int, ...]) -> IndexRangeError:
    return IndexRangeError(f"index {index!r} is outside a window of shape {shape}")


def _element(value: Any, dtype: np.dtype[Any]) -> bool | int | float | complex:
    """``value`` as the Python number for an element, never one of another kind or range."""
    kind = dtypes.kind(dtype)
    if kind == "b":
        return bool(value)
    try:
        if kind == "f" and not isinstance(value, str | bytes | bytearray):
            return float(value)
        if kind == "c" and not isinstance(value, str):
            return complex(value)
        number = operator.index(value)
    except TypeError:
        raise ArgumentTypeError(f"needed a number that fits {dtype.name}, got {value!r}") from None
    except OverflowError:
        raise ArgumentError(
            f"needed a number in the range of {dtype.name}, got {value!r}"
        ) from None
    limits = np.iinfo(dtype)
    if not limits.min <= number <= limits.max:
        raise ArgumentError(
            f"needed an integer from {limits.min} to {limits.max} for {dtype.name}, got {value!r}"
        )
    return number
