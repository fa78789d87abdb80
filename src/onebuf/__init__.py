"""onebuf: one buffer for all memory.

A buffer is elements plus how they are held. What they are (dtype, layout), where they are (device)
and when they exist (stored, or still to be computed) are separate questions, and one `Buffer`
answers all three.

>>> import onebuf
>>> b = onebuf.Buffer([[1, 2, 3], [4, 5, 6]])
>>> b.T.stride
(1, 3)
"""

import math as _math
from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from onebuf import errors, random
from onebuf.array_api.beyond import diag
from onebuf.array_api.creation import (
    arange,
    asarray,
    empty,
    empty_like,
    eye,
    from_dlpack,
    full,
    full_like,
    linspace,
    meshgrid,
    ones,
    ones_like,
    tril,
    triu,
    zeros,
    zeros_like,
)
from onebuf.array_api.data_type import astype, can_cast, finfo, iinfo, isdtype, result_type
from onebuf.array_api.elementwise import (
    abs,
    acos,
    acosh,
    add,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    bitwise_and,
    bitwise_invert,
    bitwise_left_shift,
    bitwise_or,
    bitwise_right_shift,
    bitwise_xor,
    ceil,
    clip,
    conj,
    copysign,
    cos,
    cosh,
    divide,
    equal,
    exp,
    expm1,
    floor,
    floor_divide,
    greater,
    greater_equal,
    hypot,
    imag,
    isfinite,
    isinf,
    isnan,
    less,
    less_equal,
    log,
    log1p,
    log2,
    log10,
    logaddexp,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    maximum,
    minimum,
    multiply,
    negative,
    nextafter,
    not_equal,
    positive,
    pow,
    real,
    reciprocal,
    remainder,
    round,
    sign,
    signbit,
    sin,
    sinh,
    sqrt,
    square,
    subtract,
    tan,
    tanh,
    trunc,
)
from onebuf.array_api.indexing import take, take_along_axis
from onebuf.array_api.inspection import __array_namespace_info__
from onebuf.array_api.linear_algebra import matmul, matrix_transpose, tensordot, vecdot
from onebuf.array_api.manipulation import (
    broadcast_arrays,
    broadcast_shapes,
    broadcast_to,
    concat,
    expand_dims,
    flip,
    moveaxis,
    permute_dims,
    repeat,
    reshape,
    roll,
    squeeze,
    stack,
    tile,
    unstack,
)
from onebuf.array_api.searching import argmax, argmin, count_nonzero, where
from onebuf.array_api.sorting import (
    argsort,
    isin,
    nonzero,
    searchsorted,
    sort,
    unique_all,
    unique_counts,
    unique_inverse,
    unique_values,
)
from onebuf.array_api.statistical import (
    cumulative_prod,
    cumulative_sum,
    max,
    mean,
    min,
    prod,
    std,
    sum,
    var,
)
from onebuf.array_api.utility import all, any, diff
from onebuf.buffer import Buffer
from onebuf.control import memory_stats, realize, schedule, synchronize, trim
from onebuf.dtypes import (
    DType,
    bfloat16,
    bool,
    complex64,
    complex128,
    float8_e4m3fn,
    float8_e5m2,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)
from onebuf.engine import Counters, counters
from onebuf.errors import OnebufError
from onebuf.interop import Window
from onebuf.interop.arrival import when_imported as _when_imported
from onebuf.machine import Context, Device, context, device, devices
from onebuf.options import config
from onebuf.scheduler import Item

if _TYPE_CHECKING:
    from onebuf import fft, linalg
    from onebuf.buffer.einstein import einsum
    from onebuf.engine.profiling import Profiling
    from onebuf.files import Archive, load, open, save, savez, savez_compressed
    from onebuf.kinds import ReplicatedBuffer

__version__ = "0.1.0"
__array_api_version__ = "2025.12"

e, inf, nan, pi, newaxis = _math.e, _math.inf, _math.nan, _math.pi, None

# What most programs never use, and what imports much: loaded when it is first named.
_LATER = {
    **dict.fromkeys(
        ("Archive", "load", "open", "save", "savez", "savez_compressed"), "onebuf.files"
    ),
    "Profiling": "onebuf.engine.profiling",
    "ReplicatedBuffer": "onebuf.kinds",
    "einsum": "onebuf.buffer.einstein",
}
_LATER_MODULES = ("fft", "linalg")


def __getattr__(name: str) -> _Any:
    if name in _LATER_MODULES:
        return _import_module(f"onebuf.{name}")
    if name in _LATER:
        value = getattr(_import_module(_LATER[name]), name)
    else:
        value = _import_module("onebuf.numpy_names").find(name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__


# Whoever looks our type up in a registry of their own finds it there, once they are imported.
_when_imported("einops._backends", "onebuf.interop.einops")
_when_imported("dask.array.backends", "onebuf.interop.dask")


__all__ = [
    "Archive",
    "Buffer",
    "Context",
    "Counters",
    "DType",
    "Device",
    "Item",
    "OnebufError",
    "Profiling",
    "ReplicatedBuffer",
    "Window",
    "__array_api_version__",
    "__array_namespace_info__",
    "__version__",
    "abs",
    "acos",
    "acosh",
    "add",
    "all",
    "any",
    "arange",
    "argmax",
    "argmin",
    "argsort",
    "asarray",
    "asin",
    "asinh",
    "astype",
    "atan",
    "atan2",
    "atanh",
    "bfloat16",
    "bitwise_and",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "bool",
    "broadcast_arrays",
    "broadcast_shapes",
    "broadcast_to",
    "can_cast",
    "ceil",
    "clip",
    "complex64",
    "complex128",
    "concat",
    "config",
    "conj",
    "context",
    "copysign",
    "cos",
    "cosh",
    "count_nonzero",
    "counters",
    "cumulative_prod",
    "cumulative_sum",
    "device",
    "devices",
    "diag",
    "diff",
    "divide",
    "e",
    "einsum",
    "empty",
    "empty_like",
    "equal",
    "errors",
    "exp",
    "expand_dims",
    "expm1",
    "eye",
    "fft",
    "finfo",
    "flip",
    "float8_e4m3fn",
    "float8_e5m2",
    "float16",
    "float32",
    "float64",
    "floor",
    "floor_divide",
    "from_dlpack",
    "full",
    "full_like",
    "greater",
    "greater_equal",
    "hypot",
    "iinfo",
    "imag",
    "inf",
    "int8",
    "int16",
    "int32",
    "int64",
    "isdtype",
    "isfinite",
    "isin",
    "isinf",
    "isnan",
    "less",
    "less_equal",
    "linalg",
    "linspace",
    "load",
    "log",
    "log1p",
    "log2",
    "log10",
    "logaddexp",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "matmul",
    "matrix_transpose",
    "max",
    "maximum",
    "mean",
    "memory_stats",
    "meshgrid",
    "min",
    "minimum",
    "moveaxis",
    "multiply",
    "nan",
    "negative",
    "newaxis",
    "nextafter",
    "nonzero",
    "not_equal",
    "ones",
    "ones_like",
    "open",
    "permute_dims",
    "pi",
    "positive",
    "pow",
    "prod",
    "random",
    "real",
    "realize",
    "reciprocal",
    "remainder",
    "repeat",
    "reshape",
    "result_type",
    "roll",
    "round",
    "save",
    "savez",
    "savez_compressed",
    "schedule",
    "searchsorted",
    "sign",
    "signbit",
    "sin",
    "sinh",
    "sort",
    "sqrt",
    "square",
    "squeeze",
    "stack",
    "std",
    "subtract",
    "sum",
    "synchronize",
    "take",
    "take_along_axis",
    "tan",
    "tanh",
    "tensordot",
    "tile",
    "tril",
    "trim",
    "triu",
    "trunc",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
    "unstack",
    "var",
    "vecdot",
    "where",
    "zeros",
    "zeros_like",
]
