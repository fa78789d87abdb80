"""Element-wise functions that NumPy has beyond the standard, and its other names for those in it.

What is made of operations of ours is a node of the graph for floating types; everything else is
NumPy's loop on windows.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import update_wrapper
from typing import Any, cast

import numpy as np

from onebuf import dtypes, ops
from onebuf.array_api import elementwise as ours
from onebuf.array_api.arguments import buffer_of, node_of, public
from onebuf.array_api.searching import where
from onebuf.array_api.ufunc.methods import attach
from onebuf.array_api.ufunc.ufunc import Binary, Unary
from onebuf.buffer import Buffer
from onebuf.buffer.numpy.calls import on_arrays
from onebuf.graph import BINARY, UNARY
from onebuf.numpy_api.delegation import delegated, signature_of, without_examples


def _ufunc(theirs: np.ufunc, native: Callable[..., Any] | None = None) -> Any:
    """NumPy's ufunc for buffers; ``native`` computes it for buffers of floats and nothing else."""

    def function(*args: Any, **kwargs: Any) -> Any:
        if native is not None and not kwargs and len(args) == theirs.nin:
            buffers = [buffer_of(theirs.__name__, x) for x in args]
            if all(dtypes.kind(x.dtype) == "f" for x in buffers):
                return native(*buffers)
        return on_arrays(Buffer, theirs, args, kwargs)

    update_wrapper(function, theirs, assigned=("__name__", "__qualname__"), updated=())
    del function.__wrapped__  # type: ignore[attr-defined]
    function.__doc__ = without_examples(theirs.__doc__ or "")
    function.__module__ = "onebuf"
    attach(function, theirs)
    function.__signature__ = signature_of(theirs)  # type: ignore[attr-defined]
    return function


def _fmax(x: Buffer, y: Buffer) -> Any:
    return where(ours.isnan(x), y, where(ours.isnan(y), x, ours.maximum(x, y)))


def _fmin(x: Buffer, y: Buffer) -> Any:
    return where(ours.isnan(x), y, where(ours.isnan(y), x, ours.minimum(x, y)))


def _rint(x: Buffer) -> Buffer:
    return Buffer._value(ops.unary(UNARY["round"], x._node))


def _divmod(x: Buffer, y: Buffer) -> tuple[Buffer, Buffer]:
    quotient = ops.binary(BINARY["floor_divide"], x._node, y._node)
    return Buffer._value(quotient), ours.remainder(x, y)


absolute, arccos, arccosh = ours.abs, ours.acos, ours.acosh
arcsin, arcsinh, arctan = ours.asin, ours.asinh, ours.atan
arctan2, arctanh = ours.atan2, ours.atanh
bitwise_not = invert = ours.bitwise_invert
left_shift, right_shift = ours.bitwise_left_shift, ours.bitwise_right_shift
conjugate, mod, power, true_divide = ours.conj, ours.remainder, ours.pow, ours.divide

around = ours.round
bitwise_count = cast(Unary, _ufunc(np.bitwise_count))
deg2rad = cast(Unary, _ufunc(np.deg2rad, lambda x: x * (math.pi / 180.0)))
degrees = cast(Unary, _ufunc(np.degrees, lambda x: x * (180.0 / math.pi)))
divmod = _ufunc(np.divmod, _divmod)  # noqa: A001
fabs = cast(Unary, _ufunc(np.fabs, ours.abs))
float_power = cast(Binary, _ufunc(np.float_power))
fmax = cast(Binary, _ufunc(np.fmax, _fmax))
fmin = cast(Binary, _ufunc(np.fmin, _fmin))
fmod = cast(Binary, _ufunc(np.fmod))
frexp = _ufunc(np.frexp)
gcd = cast(Binary, _ufunc(np.gcd))
heaviside = cast(Binary, _ufunc(np.heaviside))
isnat = cast(Unary, _ufunc(np.isnat))
lcm = cast(Binary, _ufunc(np.lcm))
ldexp = cast(Binary, _ufunc(np.ldexp))
logaddexp2 = cast(Binary, _ufunc(np.logaddexp2))
modf = _ufunc(np.modf)
rad2deg = cast(Unary, _ufunc(np.rad2deg, lambda x: x * (180.0 / math.pi)))
radians = cast(Unary, _ufunc(np.radians, lambda x: x * (math.pi / 180.0)))
rint = cast(Unary, _ufunc(np.rint, _rint))
spacing = cast(Unary, _ufunc(np.spacing))


@public
def fix(x: Any, out: Any = None) -> Buffer:
    """Fractions cut off: `trunc` under an older name."""
    return ours.trunc(x, out)


@public
def sinc(x: Any) -> Buffer:
    """sin(pi x) / (pi x), and 1 at 0.

    >>> sinc([0.0, 1.0]).round(3).to_python()
    [1.0, 0.0]
    """
    node = node_of("sinc", x)
    place = Buffer._value(ops.widened(node)) * math.pi
    safe = where(place == 0, 1.0, place)
    result: Buffer = where(place == 0, 1.0, ours.sin(safe) / safe)
    return result.astype(node.dtype) if dtypes.kind(node.dtype) == "f" else result


angle = delegated(np.angle)
i0 = delegated(np.i0)
packbits = delegated(np.packbits)
real_if_close = delegated(np.real_if_close, only_reads=False)
unpackbits = delegated(np.unpackbits)
