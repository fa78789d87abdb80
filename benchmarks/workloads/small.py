"""Small operations: what a call costs when there is next to nothing to compute."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from workloads.chains import CHAINS
from workloads.folds import FOLDS
from workloads.workload import Array, Workload, normal, uniform

SIZES = {"full": (16,), "quick": (16,)}
STEPS = 1000

TEN = "(((((a + b) * a - b) * 0.5 + a).abs() + 1.0).sqrt() * b - a)"
"""Ten operations."""


def ten(a: Array, b: Array) -> Array:
    """The same in NumPy."""
    return np.sqrt(np.abs(((a + b) * a - b) * 0.5 + a) + 1.0) * b - a


def chain(done: str) -> str:
    """Additions, one after the other."""
    return f"x = a\nfor _ in range({STEPS}): x = x + b\n{done}"


NUMPY_TEN = "np.sqrt(np.abs(((a + b) * a - b) * 0.5 + a) + 1.0) * b - a"
LAZY = {"eager_numel": 0}

SMALL = [
    Workload(
        name="a+b n=16",
        group="latency",
        sizes=SIZES,
        make=normal("a", "b"),
        reference=lambda a, b: a + b,
        calls=200,
        is_bounded=False,
        programs={
            "onebuf": "a + b",
            "numpy": "a + b",
            "numexpr": "ne.evaluate('a + b')",
            "numba": "@njit\ndef f(a, b):\n    return a + b\n",
            "torch": "a + b",
            "torch.compile": "a + b",
            "jax.jit": "a + b",
            "tinygrad": "(a + b).realize()",
        },
    ),
    Workload(
        name="ten operations, replayed",
        group="latency",
        sizes=SIZES,
        make=normal("a", "b"),
        reference=ten,
        calls=50,
        is_bounded=False,
        programs={
            "onebuf": f"@ob.jit\ndef f(a, b):\n    return {TEN}\n",
            "numpy": NUMPY_TEN,
            "numexpr": "ne.evaluate('sqrt(abs(((a + b) * a - b) * 0.5 + a) + 1.0) * b - a')",
            "numba": f"""\
@njit
def f(a, b):
    return {NUMPY_TEN}
""",
            "torch": TEN,
            "torch.compile": TEN,
            "jax.jit": NUMPY_TEN.replace("np.", "jnp."),
            "tinygrad": f"{TEN}.realize()",
        },
    ),
    Workload(
        name="1,000 adds, per add",
        group="latency",
        sizes=SIZES,
        make=uniform("a", "b"),
        reference=lambda a, b: a + STEPS * b,
        rtol=1e-4,
        steps=STEPS,
        is_bounded=False,
        programs={
            "onebuf": f"""\
@ob.jit
def f(a, b):
    x = a
    for _ in range({STEPS}): x = x + b
    return x
""",
            "numpy": chain("x"),
            "numba": f"""\
@njit
def f(a, b):
    x = a.copy()
    for _ in range({STEPS}):
        for i in range(x.size):
            x[i] += b[i]
    return x
""",
            "torch": chain("x"),
            "torch.compile": chain("x"),
            "jax.jit": chain("x"),
            "tinygrad": chain("x.realize()"),
        },
    ),
]


def tiny(name: str, first: tuple[int, ...], other: tuple[int, ...]) -> Workload:
    """A workload small enough that compiling it is all that takes time."""
    (found,) = (workload for workload in CHAINS + FOLDS if workload.name == name)
    options = {**LAZY, "tier": "compile"}
    return replace(found, sizes={"full": first, "other": other}, options=options)


COMPILED = [
    tiny("a*b+c*d-sqrt(abs(a))", (4000,), (6000,)),
    tiny("softmax rows", (40, 100), (60, 120)),
]
"""Their structures are what is compiled, at two sizes."""
BEFORE = tiny("a+b", (4000,), (6000,))
"""Compiled first, so that the compiler itself is loaded."""
