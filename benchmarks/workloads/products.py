"""Matrix products: limited by arithmetic, but for the product with a vector."""

from __future__ import annotations

import numpy as np

from workloads.chains import ROOT
from workloads.workload import Array, Inputs, Size, Workload

PLAIN = {
    "onebuf": "(a @ b).realize()",
    "numpy": "np.matmul(a, b, out=o)",
    "torch": "torch.matmul(a, b, out=o)",
    "torch.compile": "a @ b",
    "jax.jit": "a @ b",
    "tinygrad": "(a @ b).realize()",
}
DOT = """\
@njit
def f(a, b, o):
    return np.dot(a, b, o)
"""


def factors(numbers: np.random.Generator, size: Size) -> Inputs:
    """Of size (*batch, rows, inner, columns)."""
    *batch, rows, inner, columns = size
    return {
        "a": numbers.standard_normal((*batch, rows, inner), np.float32),
        "b": numbers.standard_normal((*batch, inner, columns), np.float32),
    }


def layer(numbers: np.random.Generator, size: Size) -> Inputs:
    """Inputs, weights that keep their size, and a bias."""
    rows, inner, columns = size
    return {
        "x": numbers.standard_normal((rows, inner), np.float32),
        "w": numbers.standard_normal((inner, columns), np.float32) / np.float32(np.sqrt(inner)),
        "b": numbers.standard_normal(columns, np.float32),
    }


def multiplications(inputs: Inputs) -> int:
    """Multiplications and additions of the product."""
    left, right = list(inputs.values())[:2]
    return 2 * int(left.size) * int(right.shape[-1])


def gelu(x: Array) -> Array:
    """The tanh form."""
    return 0.5 * x * (1 + np.tanh(ROOT * (x + 0.044715 * x**3)))  # type: ignore[no-any-return]


PRODUCTS = [
    Workload(
        name="matmul 1024^3",
        group="products",
        sizes={"full": (1024, 1024, 1024), "quick": (256, 256, 256)},
        make=factors,
        reference=lambda a, b: a @ b,
        programs={**PLAIN, "numba": DOT},
        rtol=1e-4,
        atol=1e-3,
        flops=multiplications,
    ),
    Workload(
        name="matmul 32x256^3",
        group="products",
        sizes={"full": (32, 256, 256, 256), "quick": (8, 128, 128, 128)},
        make=factors,
        reference=lambda a, b: a @ b,
        programs={
            **PLAIN,
            "numba": """\
@njit(parallel=True)
def f(a, b, o):
    for i in prange(a.shape[0]):
        np.dot(a[i], b[i], o[i])
    return o
""",
        },
        rtol=1e-4,
        atol=1e-3,
        flops=multiplications,
    ),
    Workload(
        name="(1,4096)x(4096,4096)",
        group="products",
        sizes={"full": (1, 4096, 4096), "quick": (1, 1024, 1024)},
        make=factors,
        reference=lambda a, b: a @ b,
        programs={**PLAIN, "numba": DOT},
        rtol=1e-4,
        atol=1e-3,
    ),
    Workload(
        name="gelu(x@w+b)",
        group="products",
        sizes={"full": (1024, 1024, 2048), "quick": (256, 256, 512)},
        make=layer,
        reference=lambda x, w, b: gelu(x @ w + b),
        programs={
            "onebuf": f"""\
y = x @ w + b
(0.5 * y * (1 + ({ROOT} * (y + 0.044715 * y * y * y)).tanh())).realize()""",
            "numpy": f"""\
np.matmul(x, w, out=o)
np.add(o, b, out=o)
np.multiply(o, o, out=t)
np.multiply(t, {0.044715 * ROOT}, out=t)
np.add(t, {ROOT}, out=t)
np.multiply(t, o, out=t)
np.tanh(t, out=t)
np.add(t, 1, out=t)
np.multiply(o, 0.5, out=o)
np.multiply(o, t, out=o)""",
            "numexpr": f"""\
y = np.matmul(x, w, out=t)
ne.evaluate('0.5*(y + b)*(1 + tanh({ROOT}*((y + b) + 0.044715*(y + b)**3)))', out=o)""",
            "numba": f"""\
@njit(parallel=True, fastmath=True)
def f(x, w, b, o):
    np.dot(x, w, o)
    half, one = np.float32(0.5), np.float32(1)
    root, cube = np.float32({ROOT}), np.float32(0.044715)
    for i in prange(o.shape[0]):
        for j in range(o.shape[1]):
            e = o[i, j] + b[j]
            o[i, j] = half * e * (one + math.tanh(root * (e + cube * e * e * e)))
    return o
""",
            "torch": "torch.nn.functional.gelu(torch.addmm(b, x, w, out=o), approximate='tanh')",
            "torch.compile": "torch.nn.functional.gelu(torch.addmm(b, x, w), approximate='tanh')",
            "jax.jit": "jax.nn.gelu(x @ w + b, approximate=True)",
            "tinygrad": "(x @ w + b).gelu().realize()",
        },
        rtol=1e-4,
        atol=1e-4,
        flops=multiplications,
    ),
]
