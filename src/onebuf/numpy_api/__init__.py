"""NumPy's vocabulary beyond the standard: one module for each section of NumPy's documentation.

Nothing here is imported before it is named: `SECTIONS` says which module has which name, and the
root namespace asks `find`. The names that a section imports from elsewhere are not public.
"""

from __future__ import annotations

from typing import Any

from onebuf.late import load

SECTIONS = {
    "creation": (
        "array asanyarray asarray_chkfinite ascontiguousarray asfortranarray copy diagflat "
        "frombuffer fromfile fromfunction fromiter fromregex fromstring genfromtxt geomspace "
        "identity indices loadtxt logspace require tri vander"
    ),
    "manipulation": (
        "append array_split atleast_1d atleast_2d atleast_3d block column_stack concatenate "
        "delete dsplit dstack fliplr flipud hsplit hstack insert pad ravel resize rollaxis "
        "rot90 row_stack split swapaxes transpose trim_zeros vsplit vstack"
    ),
    "sums": (
        "amax amin average bincount convolve corrcoef correlate cov cross cumprod cumsum "
        "digitize ediff1d gradient histogram histogram2d histogram_bin_edges histogramdd "
        "interp median nan_to_num nanargmax nanargmin nancumprod nancumsum nanmedian "
        "nanpercentile nanprod nanquantile nansum percentile ptp quantile trapezoid unwrap"
    ),
    "gaps": ("nanmax nanmean nanmin nanstd nanvar"),
    "products": ("diagonal dot einsum_path inner kron matvec outer trace vdot vecmat"),
    "indexing": (
        "argwhere choose compress copyto diag_indices diag_indices_from extract fill_diagonal "
        "flatnonzero ix_ mask_indices ndenumerate ndindex place put put_along_axis putmask "
        "ravel_multi_index select tril_indices tril_indices_from triu_indices "
        "triu_indices_from unravel_index"
    ),
    "elementwise": (
        "absolute angle arccos arccosh arcsin arcsinh arctan arctan2 arctanh around "
        "bitwise_count bitwise_not conjugate deg2rad degrees divmod fabs fix float_power fmax "
        "fmin fmod frexp gcd heaviside i0 invert isnat lcm ldexp left_shift logaddexp2 mod "
        "modf packbits power rad2deg radians real_if_close right_shift rint sinc spacing "
        "true_divide unpackbits"
    ),
    "logic": (
        "allclose array_equal array_equiv isclose iscomplex iscomplexobj isfortran isneginf "
        "isposinf isreal isrealobj isscalar iterable may_share_memory ndim shape "
        "shares_memory size"
    ),
    "functional": ("apply_along_axis apply_over_axes frompyfunc piecewise vectorize"),
    "grids": ("c_ index_exp mgrid ogrid r_ s_"),
    "routines": (
        "argpartition bartlett blackman emath hamming hanning intersect1d kaiser lexsort memmap "
        "partition poly poly1d polyadd polyder polydiv polyfit polyint polymul polynomial polysub "
        "polyval roots savetxt setdiff1d setxor1d sort_complex union1d unique"
    ),
    "types": (
        "False_ ScalarType True_ base_repr binary_repr bool_ busday_count busday_offset "
        "busdaycalendar byte bytes_ cdouble character clongdouble common_type complex256 "
        "complexfloating csingle datetime64 datetime_as_string datetime_data double dtype "
        "flexible float128 floating generic half inexact int_ intc integer intp is_busday "
        "issubdtype little_endian long longdouble longlong min_scalar_type mintypecode "
        "ndarray number object_ promote_types recarray record sctypeDict short signedinteger "
        "single str_ timedelta64 typecodes typename ubyte ufunc uint uintc uintp ulong "
        "ulonglong unsignedinteger ushort void"
    ),
    "state": (
        "array2string array_repr array_str broadcast errstate euler_gamma flatiter "
        "format_float_positional format_float_scientific get_include get_printoptions "
        "getbufsize geterr geterrcall info nditer nested_iters printoptions set_printoptions "
        "setbufsize seterr seterrcall show_config show_runtime"
    ),
}
"""The public names of each module."""

_MODULE = {name: module for module, names in SECTIONS.items() for name in names.split()}

NUMPYS = frozenset(
    {"char", "core", "ctypeslib", "dtypes", "exceptions", "ma", "rec", "strings", "typing"}
)
"""Modules of NumPy that are the same here: they know types that buffers do not hold."""


def find(name: str) -> Any:
    """What ``name`` is in NumPy's vocabulary, or an AttributeError.

    >>> find("hypot2")
    Traceback (most recent call last):
    AttributeError: module 'onebuf' has no attribute 'hypot2'
    """
    if name in _MODULE:
        return getattr(load(f"onebuf.numpy_api.{_MODULE[name]}"), name)
    if name in NUMPYS:
        return load(f"numpy.{name}")
    raise AttributeError(f"module 'onebuf' has no attribute {name!r}")
