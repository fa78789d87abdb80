"""Gradients: reverse mode over the graph of a traced function, with one rule for each operation."""

from onebuf.gradients.api import grad, jvp, stop_gradient, value_and_grad
from onebuf.gradients.custom import custom_vjp
from onebuf.gradients.linearize import vjp

__all__ = ["custom_vjp", "grad", "jvp", "stop_gradient", "value_and_grad", "vjp"]
