"""Gradient rules: what each operation does to a gradient on its way back to the operands."""

from onebuf.gradients.rules import (
    elementwise,
    gather,
    library,
    movement,
    picking,
    products,
    reductions,
    scans,
)
from onebuf.gradients.rules.table import LIBRARY_RULES, NOT_DIFFERENTIABLE, RULES, Rule, rule_of

# fmt: off
__all__ = [
    "LIBRARY_RULES", "NOT_DIFFERENTIABLE", "RULES", "Rule", "elementwise", "gather", "library",
    "movement", "picking", "products", "reductions", "rule_of", "scans",
]
