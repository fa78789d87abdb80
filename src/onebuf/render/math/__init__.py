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

from onebuf.graph import BINARY, UNARY
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

_MODULES = (
    *(division, error_function, exact, exponential, hyperbolic),
    *(inverse, logarithm, power, trigonometry),
)


def _emitter(function: Callable[..., Term]) -> Callable[..., Value]:
    def emit(b: Builder, *operands: Value) -> Value:
        return function(*(Term(b, operand) for operand in operands)).value

    emit.__name__ = function.__name__
    emit.__doc__ = function.__doc__
    return emit


MATH = {
    name: _emitter(formula)
    for module in _MODULES
    for name, formula in vars(module).items()
    if (name in UNARY or name in BINARY) and formula.__module__ == module.__name__
}
"""What each function of the array API is as instructions: (builder, *operands) to the result."""
