"""onebuf: one buffer for all memory.

A buffer is elements plus how they are held. What they are (dtype, layout), where they are (device)
and when they exist (stored, or still to be computed) are separate questions, and one `Buffer`
answers all three.

>>> import onebuf
>>> b = onebuf.Buffer([[1, 2, 3], [4, 5, 6]])
>>> b.T.stride
(1, 3)
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from onebuf import errors, random
from onebuf.array_api.creation import (
    arange,
    asarray,
    empty,
    full,
    ones,
    ones_like,
    zeros,
    zeros_like,
)
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
from onebuf.array_api.joining import concat, matmul, stack, take, where
from onebuf.buffer import Buffer
from onebuf.control import memory_stats, realize, schedule, trim
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
from onebuf.machine import Device, device, devices
from onebuf.options import config
from onebuf.scheduler import Item

if _TYPE_CHECKING:
    from onebuf.engine.profiling import profile
    from onebuf.files import Archive, open, save

__version__ = "0.1.0"

# What most programs never use, and what imports much: loaded when it is first named.
_LATER = {
    "Archive": "onebuf.files",
    "open": "onebuf.files",
    "profile": "onebuf.engine.profiling",
    "save": "onebuf.files",
}


def __getattr__(name: str) -> _Any:
    if name not in _LATER:
        raise AttributeError(f"module 'onebuf' has no attribute {name!r}")
    value = globals()[name] = getattr(_import_module(_LATER[name]), name)
    return value


def __dir__() -> list[str]:
    return __all__


__all__ = [
    "Archive",
    "Buffer",
    "Counters",
    "DType",
    "Device",
    "Item",
    "OnebufError",
    "Window",
    "__version__",
    "abs",
    "acos",
    "acosh",
    "add",
    "arange",
    "asarray",
    "asin",
    "asinh",
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
    "ceil",
    "complex64",
    "complex128",
    "concat",
    "config",
    "conj",
    "copysign",
    "cos",
    "cosh",
    "counters",
    "device",
    "devices",
    "divide",
    "empty",
    "equal",
    "errors",
    "exp",
    "expm1",
    "float8_e4m3fn",
    "float8_e5m2",
    "float16",
    "float32",
    "float64",
    "floor",
    "floor_divide",
    "full",
    "greater",
    "greater_equal",
    "hypot",
    "imag",
    "int8",
    "int16",
    "int32",
    "int64",
    "isfinite",
    "isinf",
    "isnan",
    "less",
    "less_equal",
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
    "maximum",
    "memory_stats",
    "minimum",
    "multiply",
    "negative",
    "nextafter",
    "not_equal",
    "ones",
    "ones_like",
    "open",
    "positive",
    "pow",
    "profile",
    "random",
    "real",
    "realize",
    "reciprocal",
    "remainder",
    "round",
    "save",
    "schedule",
    "sign",
    "signbit",
    "sin",
    "sinh",
    "sqrt",
    "square",
    "stack",
    "subtract",
    "take",
    "tan",
    "tanh",
    "trim",
    "trunc",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "where",
    "zeros",
    "zeros_like",
]
