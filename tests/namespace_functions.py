"""Every public function of the namespaces, and what a gradient through it is held against.

A function is in one of three tables. `CASES` has calls that are compared with finite differences.
`REFUSED` has calls of functions that have slopes which we do not follow, and that must say so.
`WITHOUT` says why there is nothing to follow. Names are those of the root, or ``linalg.inv``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import onebuf as ob
from onebuf import fft, linalg

Case = tuple[Callable[..., Any], tuple[Any, ...]]
"""A function of buffers, and the elements at which it is differentiated."""

_random = np.random.default_rng(21)


def _draw(*shape: int, low: float = -2, high: float = 2) -> Any:
    """Elements between two numbers, none of which is near an integer."""
    drawn = _random.uniform(low, high, shape)
    return np.where(np.abs(drawn - np.rint(drawn)) < 0.05, drawn + 0.1, drawn)


X, Y = _draw(3, 4), _draw(3, 4)
INSIDE = _draw(3, 4, low=-0.9, high=0.9)
POSITIVE = _draw(3, 4, low=0.2, high=2)
ABOVE = _draw(3, 4, low=1.1, high=3)
VECTOR, SHORT = _draw(6), _draw(3)
THREE, OTHER_THREE = _draw(2, 3), _draw(3)
CUBE = _draw(2, 3, 4)
COMPLEX = X + 1j * Y
SQUARE = _draw(3, 3) + 3 * np.eye(3)
SYMMETRIC = SQUARE @ SQUARE.T
HOLES = np.where(Y > 1, np.nan, X)
MASK = X > 0
INDICES = np.array([[0, 2, 1, 1]])


def case(function: Callable[..., Any], *arrays: Any) -> list[Case]:
    return [(function, arrays)]


def each(names: str, *arrays: Any) -> dict[str, list[Case]]:
    """A case for each function of the root that takes these arrays and nothing else."""
    return {name: case(getattr(ob, name), *arrays) for name in names.split()}


def joined(names: str, *arrays: Any) -> dict[str, list[Case]]:
    """The same for functions that take one list."""

    def of_list(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *parts: function(list(parts))

    return {name: case(of_list(getattr(ob, name)), *arrays) for name in names.split()}


def written(change: Callable[..., Any]) -> Callable[..., Any]:
    """A function that writes, as one that gives what it wrote."""

    def function(*args: Any) -> Any:
        made = args[0] * 1
        change(made, *args[1:])
        return made

    return function


def _keep(x: Any) -> Any:
    return x * 1


CASES: dict[str, list[Case]] = {
    # element by element
    **each("abs absolute fabs cbrt cos cosh erf erfc exp exp2 expm1 sin sinc sinh square tan", X),
    **each("tanh asinh arcsinh atan arctan negative positive reciprocal deg2rad degrees", X),
    **each("rad2deg radians nan_to_num modf", X),
    **each("acos arccos asin arcsin atanh arctanh", INSIDE),
    **each("acosh arccosh", ABOVE),
    **each("log log2 log10 log1p sqrt", POSITIVE),
    **each("conj conjugate real imag angle", COMPLEX),
    **each("add subtract multiply divide true_divide hypot maximum minimum fmax fmin", X, Y),
    **each("logaddexp logaddexp2 atan2 arctan2", X, Y),
    **each("pow power float_power", POSITIVE, Y),
    **each("remainder mod fmod divmod", X, ABOVE),
    "copysign": case(lambda x: ob.copysign(x, Y), X),
    "ldexp": case(lambda x: ob.ldexp(x, 3), X),
    "clip": case(lambda x, low: ob.clip(x, low, 1.0), X, _draw(4, low=-1, high=0)),
    "heaviside": case(lambda x, y: ob.heaviside(x, y), X, Y),
    "unwrap": case(ob.unwrap, 3 * X),
    "where": case(lambda x, y: ob.where(MASK, x, y), X, Y),
    "select": case(lambda x, y: ob.select([MASK, ~MASK], [x, y]), X, Y),
    "choose": case(lambda x, y: ob.choose(INDICES % 2, [x, y]), X, Y),
    "interp": case(ob.interp, X, np.sort(VECTOR), VECTOR),
    # sums and statistics
    **each("sum prod mean std var max min amax amin ptp nansum median cov corrcoef", X),
    **each("cumulative_sum cumulative_prod cumsum cumprod", VECTOR),
    **each("nanmax nanmin nanmean nanstd nanvar nanprod nanmedian nancumsum nancumprod", X),
    "average": case(lambda x, w: ob.average(x, axis=1, weights=w), X, POSITIVE[0]),
    "percentile": case(lambda x: ob.percentile(x, [10, 60], axis=0), X),
    "quantile": case(lambda x: ob.quantile(x, 0.3), X),
    "nanpercentile": case(lambda x: ob.nanpercentile(x, [10, 60], axis=0), X),
    "nanquantile": case(lambda x: ob.nanquantile(x, 0.3), X),
    "bincount": case(lambda w: ob.bincount([0, 2, 2, 1, 0, 4], w), VECTOR),
    "trapezoid": case(ob.trapezoid, X, Y),
    "gradient": [
        *case(ob.gradient, X),
        *case(lambda x: ob.gradient(x, [0.0, 1.0, 3.0, 4.5], axis=1, edge_order=2), X),
    ],
    "diff": case(lambda x: ob.diff(x, n=2), X),
    "ediff1d": case(lambda x, y: ob.ediff1d(x, to_end=y), X, Y),
    # products
    **each("dot matmul", X, Y.T.copy()),
    **each("inner vdot kron outer vecdot", X, Y),
    "einsum": case(lambda x, y: ob.einsum("ij,kj->ik", x, y), X, Y),
    "tensordot": case(lambda x, y: ob.tensordot(x, y, 1), CUBE, X.T.copy()),
    "cross": case(ob.cross, THREE, OTHER_THREE),
    "matvec": case(ob.matvec, CUBE, X[0]),
    "vecmat": case(ob.vecmat, SHORT, CUBE),
    "convolve": case(ob.convolve, VECTOR, SHORT),
    "correlate": case(ob.correlate, VECTOR, SHORT),
    "trace": case(ob.trace, SQUARE),
    # order
    **each("sort sort_complex", X),
    "partition": case(lambda x: ob.partition(x, 2), X),
    # shapes
    **each("ravel flip fliplr flipud squeeze transpose matrix_transpose permute_dims rot90", X),
    **each("atleast_1d atleast_2d atleast_3d diag diagonal diagflat tril triu copy array", X),
    **each("asarray asanyarray asarray_chkfinite ascontiguousarray asfortranarray from_dlpack", X),
    **each("broadcast_arrays meshgrid", VECTOR, SHORT[:1]),
    "asbuffer": case(lambda x: _keep(ob.asbuffer(x)), X),
    "require": case(lambda x: _keep(ob.require(x)), X),
    "astype": case(lambda x: ob.astype(x, ob.complex128), X),
    "broadcast_to": case(lambda x: ob.broadcast_to(x, (2, 3, 4)), X),
    "reshape": case(lambda x: ob.reshape(x, (4, 3), order="F"), X),
    "expand_dims": case(lambda x: ob.expand_dims(x, axis=1), X),
    "moveaxis": case(lambda x: ob.moveaxis(x, 0, -1), CUBE),
    "rollaxis": case(lambda x: ob.rollaxis(x, 2), CUBE),
    "swapaxes": case(lambda x: ob.swapaxes(x, 0, 2), CUBE),
    "roll": case(lambda x: ob.roll(x, 2, axis=1), X),
    "repeat": [
        *case(lambda x: ob.repeat(x, 2, axis=1), X),
        *case(lambda x: ob.repeat(x, [1, 0, 2], axis=0), X),
    ],
    "tile": case(lambda x: ob.tile(x, (2, 1)), X),
    "resize": case(lambda x: ob.resize(x, (5, 4)), X),
    "pad": [
        *case(lambda x: ob.pad(x, 1), X),
        *case(lambda x: ob.pad(x, ((1, 2), (0, 3)), mode="reflect"), X),
    ],
    "delete": case(lambda x: ob.delete(x, [1, 3], axis=1), X),
    "insert": [
        *case(lambda x, y: ob.insert(x, 1, y, axis=1), X, SHORT),
        *case(lambda x, y: ob.insert(x, [1, 3], y, axis=1), X, SHORT[:, None]),
    ],
    **joined("concat concatenate stack hstack vstack dstack column_stack row_stack", X, Y),
    "append": case(ob.append, X, Y),
    "block": case(lambda x, y: ob.block([[x, y], [y, x]]), X, Y),
    "split": case(lambda x: ob.split(x, 2, axis=1), X),
    "array_split": case(lambda x: ob.array_split(x, 3, axis=1), X),
    "hsplit": case(lambda x: ob.hsplit(x, 2), X),
    "vsplit": case(lambda x: ob.vsplit(x, 3), X),
    "dsplit": case(lambda x: ob.dsplit(x, 2), CUBE),
    "unstack": case(ob.unstack, X),
    # elements by index
    "take": [
        *case(lambda x: ob.take(x, [0, 2, 2], axis=1), X),
        *case(lambda x: ob.take(x, [-7, 9], axis=1, mode="wrap"), X),
    ],
    "take_along_axis": case(lambda x: ob.take_along_axis(x, INDICES, axis=0), X),
    "compress": case(lambda x: ob.compress([1, 0, 1], x, axis=1), X),
    "extract": case(lambda x: ob.extract(MASK, x), X),
    "copyto": case(written(lambda x, y: ob.copyto(x, y, where=MASK)), X, Y),
    "fill_diagonal": case(written(ob.fill_diagonal), SQUARE, np.array(2.5)),
    "place": case(written(lambda x, y: ob.place(x, MASK, y)), X, SHORT),
    "put": case(written(lambda x, y: ob.put(x, [0, 5, -1], y)), X, SHORT),
    "putmask": case(written(lambda x, y: ob.putmask(x, MASK, y)), X, Y),
    "put_along_axis": case(
        written(lambda x, y: ob.put_along_axis(x, INDICES, y, axis=0)), X, Y[:1]
    ),
    # creation from values
    "full": case(lambda x: ob.full((2, 3), x), np.array(1.5)),
    "full_like": case(lambda x: ob.full_like(x, x[0, 0]), X),
    "linspace": [
        *case(lambda x, y: ob.linspace(x, y, 5), SHORT, SHORT + 1),
        *case(lambda x: ob.linspace(x, 3.0, 5), np.array(1.5)),
    ],
    "logspace": case(lambda x, y: ob.logspace(x, y, 4), SHORT, SHORT + 1),
    "geomspace": case(lambda x, y: ob.geomspace(x, y, 4), POSITIVE, POSITIVE + 1),
    "vander": case(lambda x: ob.vander(x, 4), VECTOR),
    "fromfunction": case(lambda x: ob.fromfunction(lambda i, j: i + x * j, (3, 4)), X),
    # polynomials
    "poly": case(ob.poly, SHORT),
    "polyadd": case(ob.polyadd, SHORT, VECTOR),
    "polysub": case(ob.polysub, SHORT, VECTOR),
    "polymul": case(ob.polymul, SHORT, VECTOR),
    "polyder": case(lambda p: ob.polyder(p, 2), VECTOR),
    "polyint": case(lambda p: ob.polyint(p, 2, 3.0), VECTOR),
    "polyval": case(ob.polyval, SHORT, X),
    "polyfit": case(lambda x, y: ob.polyfit(x, y, 2), VECTOR, VECTOR**2 + 1),
    "roots": case(ob.roots, np.array([1.0, -6.0, 11.0, -6.2])),
    # linear algebra
    **{
        f"linalg.{name}": case(getattr(linalg, name), SQUARE)
        for name in (
            *("det", "inv", "pinv", "qr", "slogdet", "svd", "svdvals", "cond", "norm", "eigvals"),
            *("diagonal", "matrix_norm", "matrix_transpose", "trace", "vector_norm"),
        )
    },
    "linalg.eig": case(lambda x: (linalg.eig(x)[0], ob.abs(linalg.eig(x)[1])), SQUARE),
    "linalg.cholesky": case(lambda x: linalg.cholesky(x + x.T), SYMMETRIC),
    "linalg.eigh": case(lambda x: linalg.eigh(x + x.T), SYMMETRIC),
    "linalg.eigvalsh": case(lambda x: linalg.eigvalsh(x + x.T), SYMMETRIC),
    "linalg.matrix_power": case(lambda x: linalg.matrix_power(x, 3), SQUARE),
    "linalg.solve": case(linalg.solve, SQUARE, THREE.T.copy()),
    "linalg.lstsq": case(lambda a, b: linalg.lstsq(a, b)[0], Y.T.copy(), X[0]),
    "linalg.cross": case(linalg.cross, THREE, OTHER_THREE),
    "linalg.outer": case(linalg.outer, SHORT, VECTOR),
    "linalg.matmul": case(linalg.matmul, SQUARE, X),
    "linalg.multi_dot": case(lambda x, y, z: linalg.multi_dot([x, y, z]), SQUARE, X, Y.T.copy()),
    "linalg.tensordot": case(lambda x, y: linalg.tensordot(x, y, 1), CUBE, X.T.copy()),
    "linalg.tensorinv": case(lambda x: linalg.tensorinv(x, ind=1), _draw(4, 2, 2)),
    "linalg.tensorsolve": case(linalg.tensorsolve, _draw(2, 2, 4), _draw(2, 2)),
    "linalg.vecdot": case(linalg.vecdot, X, Y),
    # Fourier transforms
    **{
        f"fft.{name}": case(getattr(fft, name), X)
        for name in (
            *("fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "fft2", "ifft2", "rfft2"),
            *("irfft2", "fftn", "ifftn", "rfftn", "irfftn", "fftshift", "ifftshift"),
        )
    },
}

REFUSED: dict[str, Callable[[Any], Any]] = {
    "apply_along_axis": lambda x: ob.apply_along_axis(lambda row: row.sum(), 0, x),
    "apply_over_axes": lambda x: ob.apply_over_axes(ob.sum, x, [0]),
    "frexp": lambda x: ob.frexp(x)[0],
    "frombuffer": ob.frombuffer,
    "frompyfunc": lambda x: ob.frompyfunc(lambda v: v + 1, 1, 1)(x),
    "histogram": lambda x: ob.histogram(x, density=True)[0],
    "histogram2d": lambda x: ob.histogram2d(x[0], x[1])[0],
    "histogram_bin_edges": ob.histogram_bin_edges,
    "histogramdd": lambda x: ob.histogramdd(x)[0],
    "i0": ob.i0,
    "intersect1d": lambda x: ob.intersect1d(x, x),
    "kaiser": lambda x: ob.kaiser(4, x[0, 0]),
    "piecewise": lambda x: ob.piecewise(x, [x < 0], [lambda v: -v, 0.0]),
    "polydiv": lambda x: ob.polydiv(x[0], x[1])[0],
    "real_if_close": ob.real_if_close,
    "setdiff1d": lambda x: ob.setdiff1d(x, x + 1),
    "setxor1d": lambda x: ob.setxor1d(x, x + 1),
    "trim_zeros": lambda x: ob.trim_zeros(x[0]),
    "union1d": lambda x: ob.union1d(x, x),
    "unique": ob.unique,
    "unique_all": lambda x: ob.unique_all(x).values,
    "unique_counts": lambda x: ob.unique_counts(x).values,
    "unique_inverse": lambda x: ob.unique_inverse(x).values,
    "unique_values": ob.unique_values,
}

_REASONS = {
    "constant between jumps": (
        "around ceil fix floor floor_divide nextafter rint round sign spacing trunc"
    ),
    "gives bools": (
        "all allclose any approximately_equal array_equal array_equiv equal greater greater_equal "
        "isclose iscomplex iscomplexobj isfinite isfortran isin isinf isnan isnat isneginf "
        "isposinf isreal isrealobj isscalar iterable less less_equal logical_and logical_not "
        "logical_or logical_xor may_share_memory not_equal shares_memory signbit"
    ),
    "gives positions or counts": (
        "argmax argmin argpartition argsort argwhere count_nonzero digitize flatnonzero lexsort "
        "nanargmax nanargmin ndim nonzero searchsorted shape size linalg.matrix_rank"
    ),
    "works on integers": (
        "bitwise_and bitwise_count bitwise_invert bitwise_left_shift bitwise_not bitwise_or "
        "bitwise_right_shift bitwise_xor gcd invert lcm left_shift packbits right_shift unpackbits"
    ),
    "creates what depends on no elements": (
        "arange bartlett blackman diag_indices diag_indices_from empty empty_like eye fromfile "
        "fromiter fromregex fromstring genfromtxt hamming hanning identity indices ix_ loadtxt "
        "mask_indices ones ones_like ravel_multi_index tri tril_indices tril_indices_from "
        "triu_indices triu_indices_from unravel_index zeros zeros_like fft.fftfreq fft.rfftfreq"
    ),
    "is about types, text, dates or files": (
        "array2string array_repr array_str base_repr binary_repr busday_count busday_offset "
        "can_cast common_type datetime_as_string datetime_data finfo format_float_positional "
        "format_float_scientific iinfo is_busday isdtype issubdtype load min_scalar_type "
        "mintypecode open promote_types result_type save savetxt savez savez_compressed typename"
    ),
    "controls the library": (
        "__array_namespace_info__ allocator broadcast_shapes config context counters device "
        "devices distributed einsum_path get_include get_printoptions getbufsize geterr geterrcall "
        "info memory_stats nested_iters on_demand printoptions profile progress realize runtime "
        "schedule set_printoptions setbufsize seterr seterrcall show_config show_runtime submit "
        "synchronize trim"
    ),
    "is a transformation of functions, with tests of its own": (
        "custom_vjp grad jit jvp stop_gradient value_and_grad vjp vmap"
    ),
}
WITHOUT = {name: reason for reason, names in _REASONS.items() for name in names.split()}
