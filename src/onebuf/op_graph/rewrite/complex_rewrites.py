"""Functions of complex numbers by those of their parts, for devices without complex functions.

Finite numbers are right to a few units of the last place of the larger part. Where a part overflows
or is no number, the other one may be no number too.
"""

from __future__ import annotations

from collections.abc import Callable

from onebuf.graph import COMPLEX, Node, elementwise_dtype, make
from onebuf.layout import broadcast_shapes
from onebuf.op_graph.rewrite import simple_terms as t


def _complex(real: Node, imag: Node) -> Node:
    dtype = elementwise_dtype(COMPLEX, real.dtype, imag.dtype)
    shape = broadcast_shapes(real.shape, imag.shape)
    return make(COMPLEX, (real, imag), None, shape, dtype)


def complex_exp(z: Node) -> Node:
    size, angle = t.exp(t.real(z)), t.imag(z)
    is_real = t.equal(angle, 0.0)
    imag = t.where(is_real, angle, t.multiply(size, t.sin(angle)))
    return _complex(t.where(is_real, size, t.multiply(size, t.cos(angle))), imag)


def complex_log(z: Node) -> Node:
    return _complex(t.log(t.hypot(t.real(z), t.imag(z))), t.atan2(t.imag(z), t.real(z)))


def scaled_log(scale: float) -> Callable[[Node], Node]:
    def rewrite(z: Node) -> Node:
        found = t.log(z)
        return _complex(t.multiply(t.real(found), scale), t.multiply(t.imag(found), scale))

    return rewrite


def complex_sqrt(z: Node) -> Node:
    """Kahan's: the larger part by a root, the other one by a quotient."""
    real, imag = t.real(z), t.imag(z)
    root = t.sqrt(t.multiply(t.add(t.absolute(real), t.hypot(real, imag)), 0.5))
    other = t.divide(t.multiply(t.absolute(imag), 0.5), root)
    is_zero = t.equal(root, 0.0)
    other = t.where(is_zero, 0.0, other)
    is_left = t.signbit(real)
    found = t.with_sign(t.where(is_left, root, other), imag)
    return _complex(t.where(is_left, other, root), found)


def complex_sinh(z: Node) -> Node:
    real, imag = t.real(z), t.imag(z)
    return _complex(t.multiply(t.sinh(real), t.cos(imag)), t.multiply(t.cosh(real), t.sin(imag)))


def complex_cosh(z: Node) -> Node:
    real, imag = t.real(z), t.imag(z)
    return _complex(t.multiply(t.cosh(real), t.cos(imag)), t.multiply(t.sinh(real), t.sin(imag)))


def complex_sin(z: Node) -> Node:
    real, imag = t.real(z), t.imag(z)
    return _complex(t.multiply(t.sin(real), t.cosh(imag)), t.multiply(t.cos(real), t.sinh(imag)))


def complex_cos(z: Node) -> Node:
    real, imag = t.real(z), t.imag(z)
    along = t.negative(t.multiply(t.sin(real), t.sinh(imag)))
    return _complex(t.multiply(t.cos(real), t.cosh(imag)), along)


def complex_tanh(z: Node) -> Node:
    return t.divide(t.sinh(z), t.cosh(z))


def complex_pow(x: Node, y: Node) -> Node:
    power = t.exp(t.multiply(y, t.log(x)))
    none = t.equal(y, 0.0)
    return t.where(none, 1.0, t.where(t.equal(x, 0.0), 0.0, power))


def complex_abs(z: Node) -> Node:
    return t.hypot(t.real(z), t.imag(z))
