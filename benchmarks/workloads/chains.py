"""Chains of elementwise operations: one pass over memory, if a library fuses them."""

from __future__ import annotations

import numpy as np

from workloads.workload import Workload, normal

SIZES = {"full": (10_000_000,), "quick": (1_000_000,)}
ROOT = 0.7978845608028654  # sqrt(2 / pi)


NESTED = "where(a > 0, a * b, torch.where(b > 0, a - b, 0.5 * b))"


def each(expression: str, arguments: str) -> str:
    """A numba program with one expression for element i."""
    first = arguments.split(",")[0]
    return f"""\
@njit(parallel=True, fastmath=True)
def f({arguments}, o):
    for i in prange({first}.size):
        o[i] = {expression}
    return o
"""


CHAINS = [
    Workload(
        name="a*b+c*d-sqrt(abs(a))",
        group="chains",
        sizes=SIZES,
        make=normal("a", "b", "c", "d"),
        reference=lambda a, b, c, d: a * b + c * d - np.sqrt(np.abs(a)),
        programs={
            "onebuf": "(a * b + c * d - a.abs().sqrt()).realize()",
            "numpy": """\
np.multiply(a, b, out=o)
np.multiply(c, d, out=t)
np.add(o, t, out=o)
np.abs(a, out=t)
np.sqrt(t, out=t)
np.subtract(o, t, out=o)""",
            "numexpr": "ne.evaluate('a*b + c*d - sqrt(abs(a))', out=o)",
            "numba": each("a[i] * b[i] + c[i] * d[i] - math.sqrt(abs(a[i]))", "a, b, c, d"),
            "torch": "torch.mul(a, b, out=o).addcmul_(c, d).sub_(torch.abs(a, out=t).sqrt_())",
            "torch.compile": "o.copy_(a * b + c * d - a.abs().sqrt())",
            "jax.jit": "a * b + c * d - jnp.sqrt(jnp.abs(a))",
            "tinygrad": "(a * b + c * d - a.abs().sqrt()).realize()",
        },
    ),
    Workload(
        name="gelu (tanh form)",
        group="chains",
        sizes=SIZES,
        make=normal("x"),
        reference=lambda x: 0.5 * x * (1 + np.tanh(ROOT * (x + 0.044715 * x**3))),
        programs={
            "onebuf": f"(0.5 * x * (1 + ({ROOT} * (x + 0.044715 * x * x * x)).tanh())).realize()",
            "numpy": f"""\
np.multiply(x, x, out=t)
np.multiply(t, {0.044715 * ROOT}, out=t)
np.add(t, {ROOT}, out=t)
np.multiply(t, x, out=t)
np.tanh(t, out=t)
np.add(t, 1, out=t)
np.multiply(x, 0.5, out=o)
np.multiply(o, t, out=o)""",
            "numexpr": f"ne.evaluate('0.5*x*(1 + tanh({ROOT}*(x + 0.044715*x*x*x)))', out=o)",
            "numba": f"""\
@njit(parallel=True, fastmath=True)
def f(x, o):
    half, one = np.float32(0.5), np.float32(1)
    root, cube = np.float32({ROOT}), np.float32(0.044715)
    for i in prange(x.size):
        e = x[i]
        o[i] = half * e * (one + math.tanh(root * (e + cube * e * e * e)))
    return o
""",
            "torch": "torch.nn.functional.gelu(x, approximate='tanh')",
            "torch.compile": "o.copy_(torch.nn.functional.gelu(x, approximate='tanh'))",
            "jax.jit": "jax.nn.gelu(x, approximate=True)",
            "tinygrad": "x.gelu().realize()",
        },
    ),
    Workload(
        name="where chain",
        group="chains",
        sizes=SIZES,
        make=normal("a", "b"),
        reference=lambda a, b: np.where(a > 0, a * b, np.where(b > 0, a - b, 0.5 * b)),
        programs={
            "onebuf": "ob.where(a > 0, a * b, ob.where(b > 0, a - b, 0.5 * b)).realize()",
            "numpy": "np.where(a > 0, a * b, np.where(b > 0, a - b, 0.5 * b))",
            "numexpr": "ne.evaluate('where(a > 0, a*b, where(b > 0, a - b, 0.5*b))', out=o)",
            "numba": each(
                "a[i] * b[i] if a[i] > 0 else a[i] - b[i] if b[i] > 0 else np.float32(0.5) * b[i]",
                "a, b",
            ),
            "torch": f"torch.{NESTED}",
            "torch.compile": f"o.copy_(torch.{NESTED})",
            "jax.jit": "jnp.where(a > 0, a * b, jnp.where(b > 0, a - b, 0.5 * b))",
            "tinygrad": "(a > 0).where(a * b, (b > 0).where(a - b, 0.5 * b)).realize()",
        },
    ),
    Workload(
        name="a+b",
        group="chains",
        sizes=SIZES,
        make=normal("a", "b"),
        reference=lambda a, b: a + b,
        programs={
            "onebuf": "(a + b).realize()",
            "numpy": "np.add(a, b, out=o)",
            "numexpr": "ne.evaluate('a + b', out=o)",
            "numba": each("a[i] + b[i]", "a, b"),
            "torch": "torch.add(a, b, out=o)",
            "torch.compile": "o.copy_(a + b)",
            "jax.jit": "a + b",
            "tinygrad": "(a + b).realize()",
        },
    ),
    Workload(
        name="exp",
        group="chains",
        sizes=SIZES,
        make=normal("x"),
        reference=lambda x: np.exp(x),
        programs={
            "onebuf": "x.exp().realize()",
            "numpy": "np.exp(x, out=o)",
            "numexpr": "ne.evaluate('exp(x)', out=o)",
            "numba": each("math.exp(x[i])", "x"),
            "torch": "torch.exp(x, out=o)",
            "torch.compile": "o.copy_(x.exp())",
            "jax.jit": "jnp.exp(x)",
            "tinygrad": "x.exp().realize()",
        },
    ),
]
