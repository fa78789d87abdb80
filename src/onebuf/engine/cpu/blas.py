"""NumPy's OpenBLAS by pointers: a private copy on one thread, and the library itself.

OpenBLAS has threads of its own. For about 20 ms after a product they spin, and take the cores that
the thread pool of the kernels needs: a kernel that follows a product takes twice its time. The
number of its threads belongs to the whole process, and other threads may be in the middle of a
product. So the library is loaded a second time, as a file without a name, and this copy has one
thread. Its products have the bits that NumPy's have on one thread: it is the same code.
Matrix-vector products are those of the library that NumPy has loaded.
"""

from __future__ import annotations

import ctypes
import os
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from onebuf.dtypes import DT

FOLDER = Path(np.__file__).parent.parent / "numpy.libs"
"""Where NumPy's wheels have their libraries."""
PATTERN = "libscipy_openblas64_*"
ROW_MAJOR, COLUMN_MAJOR, PLAIN, TRANSPOSED = 101, 102, 111, 112
"""What CBLAS calls them."""
_PRODUCT = "scipy_cblas_sgemm64_"
_VECTOR_PRODUCT = {"f": "scipy_cblas_sgemv64_", "d": "scipy_cblas_dgemv64_"}
_SET_THREADS = "scipy_openblas_set_num_threads64_"
_CANNOT = (OSError, AttributeError)
"""Errors of a library that is not there, or is another one than was expected."""


def gemm_address() -> int | None:
    """The address of the matrix product of float32; None if there is no such BLAS here.

    The function has CBLAS's signature with 64-bit integers, and runs on the thread that calls it.
    """
    library = _library()
    return None if library is None else _address(library[_PRODUCT])


@cache
def gemv_address(dtype: DT) -> int | None:
    """The address of NumPy's own matrix-vector product; None if there is no such BLAS here.

    The function has CBLAS's signature with 64-bit integers. It has the threads of NumPy's library.
    """
    path = _path()
    if path is None or dtype.char not in _VECTOR_PRODUCT:
        return None
    try:
        # Only a library that is loaded already is NumPy's.
        library = ctypes.CDLL(str(path), mode=os.RTLD_NOLOAD | os.RTLD_LAZY)
        call = library[_VECTOR_PRODUCT[dtype.char]]
    except _CANNOT:
        return None
    return _address(call) if _multiplies_vectors_as_numpy(call, dtype) else None


def _path() -> Path | None:
    """The library of NumPy's wheel; None if there is not exactly one."""
    paths = sorted(FOLDER.glob(PATTERN))
    return paths[0] if len(paths) == 1 else None


def _address(function: Any) -> int | None:
    return ctypes.cast(function, ctypes.c_void_p).value


@cache
def _library() -> ctypes.CDLL | None:
    """The copy; None if it cannot be made, or multiplies otherwise than NumPy does."""
    path = _path()
    if path is None or not hasattr(os, "memfd_create"):
        return None
    try:
        library = loaded_again(path)
        library[_SET_THREADS](1)
        return library if _multiplies_as_numpy(library) else None
    except _CANNOT:
        return None


def loaded_again(path: Path) -> ctypes.CDLL:
    """The library at ``path`` with variables of its own, whether it is loaded already or not.

    The loader knows libraries by their paths, so the file without a name stays open: its number is
    part of the path, and is not given to another one.
    """
    handle = os.memfd_create(path.name)
    try:
        with path.open("rb") as file:
            left = os.fstat(file.fileno()).st_size
            while left:
                left -= os.sendfile(handle, file.fileno(), None, left)
        return ctypes.CDLL(f"/proc/self/fd/{handle}")
    except OSError:
        os.close(handle)
        raise


def _multiplies_as_numpy(library: ctypes.CDLL) -> bool:
    """Whether a product of a library is NumPy's: of integers, whose sums have one result only."""
    call = library[_PRODUCT]
    code, size, address, number = ctypes.c_int, ctypes.c_int64, ctypes.c_void_p, ctypes.c_float
    operand = (address, size)
    call.argtypes = [code] * 3 + [size] * 3 + [number, *operand, *operand, number, *operand]
    call.restype = None
    x = (np.arange(90 * 70) % 17 - 8).astype(np.float32).reshape(90, 70)
    y = (np.arange(70 * 50) % 13 - 6).astype(np.float32).reshape(70, 50)
    out = np.empty((90, 50), np.float32)
    one, two, three = [(array.ctypes.data, array.shape[1]) for array in (x, y, out)]
    call(ROW_MAJOR, PLAIN, PLAIN, 90, 50, 70, 1.0, *one, *two, 0.0, *three)
    return bool(np.array_equal(out, x @ y))


def _multiplies_vectors_as_numpy(call: Any, dtype: DT) -> bool:
    """Whether a matrix-vector product has the bits of NumPy's."""
    code, size, address = ctypes.c_int, ctypes.c_int64, ctypes.c_void_p
    number = ctypes.c_float if dtype.char == "f" else ctypes.c_double
    operand = (address, size)
    call.argtypes = [code, code, size, size, number, *operand, *operand, number, *operand]
    call.restype = None
    matrix = np.sin(np.arange(90 * 70, dtype=dtype)).reshape(90, 70)
    for order, x, y in (
        (COLUMN_MAJOR, matrix, np.cos(np.arange(70, dtype=dtype))),
        (ROW_MAJOR, matrix.T, np.cos(np.arange(90, dtype=dtype))),
    ):
        out = np.empty(len(x), dtype)
        one, two, three = (matrix.ctypes.data, 70), (y.ctypes.data, 1), (out.ctypes.data, 1)
        call(order, TRANSPOSED, len(y), len(x), 1.0, *one, *two, 0.0, *three)
        if not np.array_equal(out, x @ y):
            return False
    return True
