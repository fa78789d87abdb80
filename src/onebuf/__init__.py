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
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from onebuf.late import importing_root as _importing_root
from onebuf.late import load as _load

with _importing_root():
    from onebuf import errors
    from onebuf.buffer import Buffer
    from onebuf.buffer.numpy.calls import install_forms as _install_forms
    from onebuf.clients.import_hook import when_imported as _when_imported
    from onebuf.dtypes import DType
    from onebuf.errors import OnebufError
    from onebuf.kinds import register_kinds as _register_kinds
    from onebuf.options import config

if _TYPE_CHECKING:
    from onebuf import fft, lib, linalg, nn, optim, random, shapes, sparsity, symmetry, tensor
    from onebuf.array_api.beyond import approximately_equal, asbuffer, diag
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
        cbrt,
        ceil,
        clip,
        conj,
        copysign,
        cos,
        cosh,
        divide,
        equal,
        erf,
        erfc,
        exp,
        exp2,
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
    from onebuf.batching.api import vmap
    from onebuf.buffer.einsum import einsum
    from onebuf.buffer.layout.allocator import Allocator, allocator
    from onebuf.capture.api import jit
    from onebuf.control import memory_stats, realize, schedule, synchronize, trim
    from onebuf.engine.observe.counters import Counters, counters
    from onebuf.engine.observe.profile import Profiling, profile
    from onebuf.engine.observe.progress import progress
    from onebuf.files import Archive, load, open, save, savez, savez_compressed
    from onebuf.gradients.api import grad, jvp, stop_gradient, value_and_grad
    from onebuf.gradients.custom import custom_vjp
    from onebuf.gradients.linearize import vjp
    from onebuf.interop import Window
    from onebuf.kinds.distributed import DistributedBuffer, distributed
    from onebuf.kinds.future import FutureBuffer, submit
    from onebuf.kinds.on_demand import OnDemandBuffer, on_demand
    from onebuf.kinds.opening import runtime
    from onebuf.kinds.remote import RemoteBuffer
    from onebuf.kinds.replicated import ReplicatedBuffer
    from onebuf.layout.layout import Layout
    from onebuf.machine import Context, Device, context, device, devices
    from onebuf.numpy_api.creation import *
    from onebuf.numpy_api.elementwise import *
    from onebuf.numpy_api.functional import *
    from onebuf.numpy_api.grids import *
    from onebuf.numpy_api.indexing import *
    from onebuf.numpy_api.logic import *
    from onebuf.numpy_api.manipulation import *
    from onebuf.numpy_api.products import *
    from onebuf.numpy_api.routines import *
    from onebuf.numpy_api.state import *
    from onebuf.numpy_api.sums import *
    from onebuf.numpy_api.types import *
    from onebuf.op_graph import OpGraph
    from onebuf.scalar_types import (
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
    from onebuf.scheduler import Item

__version__ = "0.1.0"
__array_api_version__ = "2025.12"

e, inf, nan, pi, newaxis = _math.e, _math.inf, _math.nan, _math.pi, None

# What no buffer needs: loaded when it is first named, a section of the standard at a time. NumPy's
# names beyond the standard are found by the table in `onebuf.numpy_api`.
# fmt: off
_SECTIONS = {
    "onebuf.array_api.beyond": "approximately_equal asbuffer diag",
    "onebuf.array_api.creation":
        "arange asarray empty empty_like eye from_dlpack full full_like linspace meshgrid ones "
        "ones_like tril triu zeros zeros_like",
    "onebuf.array_api.data_type": "astype can_cast finfo iinfo isdtype result_type",
    "onebuf.array_api.elementwise":
        "abs acos acosh add asin asinh atan atan2 atanh bitwise_and bitwise_invert "
        "bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor cbrt ceil clip conj "
        "copysign cos cosh divide equal erf erfc exp exp2 expm1 floor floor_divide greater "
        "greater_equal hypot imag isfinite isinf isnan less less_equal log log1p log2 log10 "
        "logaddexp logical_and logical_not logical_or logical_xor maximum minimum multiply "
        "negative nextafter not_equal positive pow real reciprocal remainder round sign signbit "
        "sin sinh sqrt square subtract tan tanh trunc",
    "onebuf.array_api.indexing": "take take_along_axis",
    "onebuf.array_api.inspection": "__array_namespace_info__",
    "onebuf.array_api.linear_algebra": "matmul matrix_transpose tensordot vecdot",
    "onebuf.array_api.manipulation":
        "broadcast_arrays broadcast_shapes broadcast_to concat expand_dims flip moveaxis "
        "permute_dims repeat reshape roll squeeze stack tile unstack",
    "onebuf.array_api.searching": "argmax argmin count_nonzero where",
    "onebuf.array_api.sorting":
        "argsort isin nonzero searchsorted sort unique_all unique_counts unique_inverse "
        "unique_values",
    "onebuf.array_api.statistical": "cumulative_prod cumulative_sum max mean min prod std sum var",
    "onebuf.array_api.utility": "all any diff",
    "onebuf.batching.api": "vmap",
    "onebuf.buffer.einsum": "einsum",
    "onebuf.buffer.layout.allocator": "Allocator allocator",
    "onebuf.capture.api": "jit",
    "onebuf.control": "memory_stats realize schedule synchronize trim",
    "onebuf.engine.observe.counters": "Counters counters",
    "onebuf.engine.observe.profile": "Profiling profile",
    "onebuf.engine.observe.progress": "progress",
    "onebuf.files": "Archive load open save savez savez_compressed",
    "onebuf.gradients.api": "grad jvp stop_gradient value_and_grad",
    "onebuf.gradients.custom": "custom_vjp",
    "onebuf.gradients.linearize": "vjp",
    "onebuf.interop": "Window",
    "onebuf.kinds.distributed": "DistributedBuffer distributed",
    "onebuf.kinds.future": "FutureBuffer submit",
    "onebuf.kinds.on_demand": "OnDemandBuffer on_demand",
    "onebuf.kinds.opening": "runtime",
    "onebuf.kinds.remote": "RemoteBuffer",
    "onebuf.kinds.replicated": "ReplicatedBuffer",
    "onebuf.layout.layout": "Layout",
    "onebuf.machine": "Context Device context device devices",
    "onebuf.op_graph": "OpGraph",
    "onebuf.scalar_types":
        "bfloat16 bool complex64 complex128 float8_e4m3fn float8_e5m2 float16 float32 float64 "
        "int8 int16 int32 int64 uint8 uint16 uint32 uint64",
    "onebuf.scheduler": "Item",
}
# fmt: on
_LATER = {name: module for module, names in _SECTIONS.items() for name in names.split()}
_LATER_MODULES = (
    *("fft", "lib", "linalg", "nn", "optim", "random", "shapes", "sparsity", "symmetry", "tensor"),
    "testing",
)


def __getattr__(name: str) -> _Any:
    if name in _LATER_MODULES:
        return _load(f"onebuf.{name}")
    if name in _LATER:
        value = getattr(_load(_LATER[name]), name)
    else:
        value = _load("onebuf.numpy_api").find(name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__


# Functions that are left to NumPy have forms made of operations, for functions that are traced.
_FORMS = {"numpy.fft": "onebuf.fft", "numpy.linalg": "onebuf.linalg.by_operations"}


def _form_of(function: _Any) -> _Any:
    theirs = getattr(function, "__module__", "")
    module = _FORMS.get(theirs, "onebuf.numpy_api.by_operations")
    return _load(module).BY_OPERATIONS.get(function)


_install_forms(_form_of)

# Libraries with a registry of array types get an entry for ours, once they are imported.
_register_kinds()
_when_imported("einops._backends", "onebuf.clients.einops")
_when_imported("dask.array.backends", "onebuf.clients.dask")


# fmt: off
__all__ = [
    "Allocator", "Archive", "Buffer", "Context", "Counters", "DType", "Device", "DistributedBuffer",
    "False_", "FutureBuffer", "Item", "Layout", "OnDemandBuffer", "OnebufError", "OpGraph",
    "Profiling", "RemoteBuffer", "ReplicatedBuffer", "ScalarType", "True_", "Window",
    "__array_api_version__", "__array_namespace_info__", "__version__", "abs", "absolute", "acos",
    "acosh", "add", "all", "allclose", "allocator", "amax", "amin", "angle", "any", "append",
    "apply_along_axis", "apply_over_axes", "approximately_equal", "arange", "arccos", "arccosh",
    "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "argmax", "argmin", "argpartition",
    "argsort", "argwhere", "around", "array", "array2string", "array_equal", "array_equiv",
    "array_repr", "array_split", "array_str", "asanyarray", "asarray", "asarray_chkfinite",
    "asbuffer", "ascontiguousarray", "asfortranarray", "asin", "asinh", "astype", "atan", "atan2",
    "atanh", "atleast_1d", "atleast_2d", "atleast_3d", "average", "bartlett", "base_repr",
    "bfloat16", "binary_repr", "bincount", "bitwise_and", "bitwise_count", "bitwise_invert",
    "bitwise_left_shift", "bitwise_not", "bitwise_or", "bitwise_right_shift", "bitwise_xor",
    "blackman", "block", "bool", "bool_", "broadcast", "broadcast_arrays", "broadcast_shapes",
    "broadcast_to", "busday_count", "busday_offset", "busdaycalendar", "byte", "bytes_", "c_",
    "can_cast", "cbrt", "cdouble", "ceil", "char", "character", "choose", "clip", "clongdouble",
    "column_stack", "common_type", "complex64", "complex128", "complex256", "complexfloating",
    "compress", "concat", "concatenate", "config", "conj", "conjugate", "context", "convolve",
    "copy", "copysign", "copyto", "core", "corrcoef", "correlate", "cos", "cosh", "count_nonzero",
    "counters", "cov", "cross", "csingle", "ctypeslib", "cumprod", "cumsum", "cumulative_prod",
    "cumulative_sum", "custom_vjp", "datetime64", "datetime_as_string", "datetime_data", "deg2rad",
    "degrees", "delete", "device", "devices", "diag", "diag_indices", "diag_indices_from",
    "diagflat", "diagonal", "diff", "digitize", "distributed", "divide", "divmod", "dot", "double",
    "dsplit", "dstack", "dtype", "dtypes", "e", "ediff1d", "einsum", "einsum_path", "emath",
    "empty", "empty_like", "equal", "erf", "erfc", "errors", "errstate", "euler_gamma",
    "exceptions", "exp", "exp2", "expand_dims", "expm1", "extract", "eye", "fabs", "fft",
    "fill_diagonal", "finfo", "fix", "flatiter", "flatnonzero", "flexible", "flip", "fliplr",
    "flipud", "float8_e4m3fn", "float8_e5m2", "float16", "float32", "float64", "float128",
    "float_power", "floating", "floor", "floor_divide", "fmax", "fmin", "fmod",
    "format_float_positional", "format_float_scientific", "frexp", "from_dlpack", "frombuffer",
    "fromfile", "fromfunction", "fromiter", "frompyfunc", "fromregex", "fromstring", "full",
    "full_like", "gcd", "generic", "genfromtxt", "geomspace", "get_include", "get_printoptions",
    "getbufsize", "geterr", "geterrcall", "grad", "gradient", "greater", "greater_equal", "half",
    "hamming", "hanning", "heaviside", "histogram", "histogram2d", "histogram_bin_edges",
    "histogramdd", "hsplit", "hstack", "hypot", "i0", "identity", "iinfo", "imag", "index_exp",
    "indices", "inexact", "inf", "info", "inner", "insert", "int8", "int16", "int32", "int64",
    "int_", "intc", "integer", "interp", "intersect1d", "intp", "invert", "is_busday", "isclose",
    "iscomplex", "iscomplexobj", "isdtype", "isfinite", "isfortran", "isin", "isinf", "isnan",
    "isnat", "isneginf", "isposinf", "isreal", "isrealobj", "isscalar", "issubdtype", "iterable",
    "ix_", "jit", "jvp", "kaiser", "kron", "lcm", "ldexp", "left_shift", "less", "less_equal",
    "lexsort", "lib", "linalg", "linspace", "little_endian", "load", "loadtxt", "log", "log1p",
    "log2", "log10", "logaddexp", "logaddexp2", "logical_and", "logical_not", "logical_or",
    "logical_xor", "logspace", "long", "longdouble", "longlong", "ma", "mask_indices", "matmul",
    "matrix_transpose", "matvec", "max", "maximum", "may_share_memory", "mean", "median", "memmap",
    "memory_stats", "meshgrid", "mgrid", "min", "min_scalar_type", "minimum", "mintypecode", "mod",
    "modf", "moveaxis", "multiply", "nan", "nan_to_num", "nanargmax", "nanargmin", "nancumprod",
    "nancumsum", "nanmax", "nanmean", "nanmedian", "nanmin", "nanpercentile", "nanprod",
    "nanquantile", "nanstd", "nansum", "nanvar", "ndarray", "ndenumerate", "ndim", "ndindex",
    "nditer", "negative", "nested_iters", "newaxis", "nextafter", "nn", "nonzero", "not_equal",
    "number", "object_", "ogrid", "on_demand", "ones", "ones_like", "open", "optim", "outer",
    "packbits", "pad", "partition", "percentile", "permute_dims", "pi", "piecewise", "place",
    "poly", "poly1d", "polyadd", "polyder", "polydiv", "polyfit", "polyint", "polymul",
    "polynomial", "polysub", "polyval", "positive", "pow", "power", "printoptions", "prod",
    "profile", "progress", "promote_types", "ptp", "put", "put_along_axis", "putmask", "quantile",
    "r_", "rad2deg", "radians", "random", "ravel", "ravel_multi_index", "real", "real_if_close",
    "realize", "rec", "recarray", "reciprocal", "record", "remainder", "repeat", "require",
    "reshape", "resize", "result_type", "right_shift", "rint", "roll", "rollaxis", "roots", "rot90",
    "round", "row_stack", "runtime", "s_", "save", "savetxt", "savez", "savez_compressed",
    "schedule", "sctypeDict", "searchsorted", "select", "set_printoptions", "setbufsize",
    "setdiff1d", "seterr", "seterrcall", "setxor1d", "shape", "shapes", "shares_memory", "short",
    "show_config", "show_runtime", "sign", "signbit", "signedinteger", "sin", "sinc", "single",
    "sinh", "size", "sort", "sort_complex", "spacing", "sparsity", "split", "sqrt", "square",
    "squeeze", "stack", "std", "stop_gradient", "str_", "strings", "submit", "subtract", "sum",
    "swapaxes", "symmetry", "synchronize", "take", "take_along_axis", "tan", "tanh", "tensor",
    "tensordot", "tile", "timedelta64", "trace", "transpose", "trapezoid", "tri", "tril",
    "tril_indices", "tril_indices_from", "trim", "trim_zeros", "triu", "triu_indices",
    "triu_indices_from", "true_divide", "trunc", "typecodes", "typename", "typing", "ubyte",
    "ufunc", "uint", "uint8", "uint16", "uint32", "uint64", "uintc", "uintp", "ulong", "ulonglong",
    "union1d", "unique", "unique_all", "unique_counts", "unique_inverse", "unique_values",
    "unpackbits", "unravel_index", "unsignedinteger", "unstack", "unwrap", "ushort",
    "value_and_grad", "vander", "var", "vdot", "vecdot", "vecmat", "vectorize", "vjp", "vmap",
    "void", "vsplit", "vstack", "where", "zeros", "zeros_like",
]
# fmt: on
