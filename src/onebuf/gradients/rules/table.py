"""The table of gradient rules: one for each differentiable operation.

A rule is given a pending node and the gradient ``g`` of a real number with respect to it, and gives
the gradient with respect to each operand. ``g`` has the node's shape and dtype, and what a rule
gives has the operand's. None is a gradient of zero: that of integers, of conditions and of indices.
Rules are made of ordinary operations, so that gradients are lazy graphs like any other and can be
differentiated again.

The gradient of a complex operand ``x + iy`` is ``d/dx + i d/dy``, as in torch: the direction in
which a real number grows fastest. So an analytic function ``f`` has the rule ``g * conj(f'(z))``.
(jax gives the conjugate of it.)
"""

from __future__ import annotations

from collections.abc import Callable

from onebuf.dtypes import DT, kind
from onebuf.errors import NotDifferentiable
from onebuf.graph import (
    ARANGE,
    BINARY,
    CONSTANT,
    EMPTY,
    FAILED,
    FREED,
    FULL,
    FUTURE,
    INPUT,
    LIBRARY,
    ON_DEMAND,
    PLACED,
    RANDOM_BITS,
    RANDOM_WORDS,
    REDUCE,
    SOURCE,
    STORED,
    UNARY,
    WRITE,
    Node,
    Op,
)

Rule = Callable[[Node, Node], tuple[Node | None, ...]]
"""(node, g) -> the gradient with respect to each of the node's operands."""

RULES: dict[Op, Rule] = {}
"""The rule of each differentiable operation; the modules of this folder fill it."""
LIBRARY_RULES: dict[str, Rule] = {}
"""The rules of library calls, by the name that callers know them by."""

_LEAF = "has no operands"
_STEPS = "is constant between jumps"
_TRUTH = "gives bools"
_BITS = "works on the bits of integers"

NOT_DIFFERENTIABLE: dict[Op, str] = {
    **dict.fromkeys((STORED, PLACED, FUTURE, INPUT, CONSTANT, FULL, EMPTY, ARANGE), _LEAF),
    **dict.fromkeys((RANDOM_BITS, SOURCE, FREED, FAILED), _LEAF),
    **dict.fromkeys(RANDOM_WORDS, "gives random bits"),
    ON_DEMAND: "is a function of the index",
    WRITE: "is made by plans, and is not in the graphs of programs",
    **dict.fromkeys([UNARY[name] for name in ("ceil", "floor", "round", "trunc")], _STEPS),
    BINARY["floor_divide"]: _STEPS,
    BINARY["nextafter"]: "gives a neighbour among floats",
    **dict.fromkeys([UNARY[name] for name in ("isfinite", "isinf", "isnan", "signbit")], _TRUTH),
    **dict.fromkeys([BINARY[name] for name in ("equal", "not_equal", "less")], _TRUTH),
    **dict.fromkeys([BINARY[name] for name in ("less_equal", "greater", "greater_equal")], _TRUTH),
    **dict.fromkeys([BINARY[f"logical_{name}"] for name in ("and", "or", "xor")], _TRUTH),
    **dict.fromkeys([UNARY["logical_not"], REDUCE["all"], REDUCE["any"]], _TRUTH),
    **dict.fromkeys([BINARY[f"bitwise_{name}"] for name in ("and", "or", "xor")], _BITS),
    **dict.fromkeys([BINARY[f"bitwise_{side}_shift"] for side in ("left", "right")], _BITS),
    UNARY["bitwise_invert"]: _BITS,
    **dict.fromkeys([REDUCE["argmax"], REDUCE["argmin"]], "gives positions"),
}
"""Operations whose operands have a gradient of zero, or none, and why."""


def differentiates(*ops: Op) -> Callable[[Rule], Rule]:
    """Enter a rule for some operations into the table."""

    def enter(rule: Rule) -> Rule:
        for op in ops:
            assert op not in RULES, f"{op} has a rule already"
            RULES[op] = rule
        return rule

    return enter


def differentiates_call(*names: str) -> Callable[[Rule], Rule]:
    """Enter a rule for the library calls of some names into the table."""

    def enter(rule: Rule) -> Rule:
        for name in names:
            assert name not in LIBRARY_RULES, f"{name} has a rule already"
            LIBRARY_RULES[name] = rule
        return rule

    return enter


def has_gradients(dtype: DT) -> bool:
    """Whether values of a dtype can change by as little as one likes: floats and complex numbers.

    >>> import numpy as np
    >>> has_gradients(np.dtype("float32")), has_gradients(np.dtype("int64"))
    (True, False)
    """
    return kind(dtype) in "fc"


def rule_of(node: Node) -> Rule:
    """The rule of a pending node; an error says what has none, and which line made it."""
    if node.op is LIBRARY:
        rule = LIBRARY_RULES.get(call_name(node))
        what = call_name(node)
    else:
        rule = RULES.get(node.op)
        what = node.op.name
    if rule is None:
        raise not_differentiable(node, what)
    return rule


def call_name(node: Node) -> str:
    """The name of a library call, also of one of several results."""
    call = node.arg
    shared = getattr(call, "shared", call)
    return str(shared.name)


def not_differentiable(node: Node, what: str, why: str = "which has no rule for it") -> Exception:
    """The error for a gradient through ``node``, which ``what`` names."""
    origin = node.origin
    where = "" if origin is None else f" (made at {origin})"
    return NotDifferentiable(
        f"a gradient needs a rule for every operation between the inputs and the result, got "
        f"{what}{where}, {why}; compute it outside of the function, or give it a gradient of its "
        f"own with a custom rule"
    )
