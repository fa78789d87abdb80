"""Elementwise mathematics as LLVM IR: one formula for every number of lanes.

``MATH[name](b, x)`` writes the array API's function ``name`` of a value of float or double with the
builder ``b``, and returns the result; predicates give ``i1``. Results are within 2 units in the
last place (docs/accuracy.md), have the same bits at every number of lanes and on every machine, and
do not depend on the other lanes. Nothing traps. How it is done is in docs/design/0006-math.md.

Some formulas ask for functions beside the kernel and leave the block that they started in: see
`onebuf.render.slow_path`.
"""

from __future__ import annotations

from collections.abc import Callable

from onebuf.render.builder import Builder, Value
from onebuf.render.math import (
    division,
    error_function,
    exact,
    exponential,
    hyperbolic,
    inverse,
    logarithm,
    power,
    trigonometry,
)
from onebuf.render.math.term import Term

__all__ = ["MATH"]


def _emitter(function: Callable[..., Term]) -> Callable[..., Value]:
    def emit(b: Builder, *operands: Value) -> Value:
        return function(*(Term(b, operand) for operand in operands)).value

    emit.__name__ = function.__name__
    emit.__doc__ = function.__doc__
    return emit


_FORMULAS: dict[str, Callable[..., Term]] = {
    "abs": exact.absolute,
    "acos": inverse.acos,
    "acosh": hyperbolic.acosh,
    "asin": inverse.asin,
    "asinh": hyperbolic.asinh,
    "atan": inverse.atan,
    "atan2": inverse.atan2,
    "atanh": hyperbolic.atanh,
    "ceil": exact.ceil,
    "copysign": exact.copysign,
    "cos": trigonometry.cos,
    "cosh": hyperbolic.cosh,
    "erf": error_function.erf,
    "exp": exponential.exp,
    "exp2": exponential.exp2,
    "expm1": exponential.expm1,
    "floor": exact.floor,
    "floor_divide": division.floor_divide,
    "hypot": power.hypot,
    "isfinite": exact.isfinite,
    "isinf": exact.isinf,
    "isnan": exact.isnan,
    "log": logarithm.log,
    "log10": logarithm.log10,
    "log1p": logarithm.log1p,
    "log2": logarithm.log2,
    "logaddexp": power.logaddexp,
    "maximum": exact.maximum,
    "minimum": exact.minimum,
    "negative": exact.negative,
    "nextafter": exact.nextafter,
    "pow": power.pow,
    "reciprocal": exact.reciprocal,
    "remainder": division.remainder,
    "round": exact.round_to_even,
    "sign": exact.sign,
    "signbit": exact.signbit,
    "sin": trigonometry.sin,
    "sinh": hyperbolic.sinh,
    "sqrt": exact.sqrt,
    "square": exact.square,
    "tan": trigonometry.tan,
    "tanh": hyperbolic.tanh,
    "trunc": exact.trunc,
}

MATH = {name: _emitter(formula) for name, formula in _FORMULAS.items()}
"""What each function of the array API is as instructions: (builder, *operands) to the result."""
