"""Reductions over all elements, down the columns and along the rows; softmax and layernorm."""

from __future__ import annotations

import numpy as np

from workloads.workload import Array, Inputs, Size, Workload, normal, uniform

SIZES = {"full": (4096, 4096), "quick": (1024, 1024)}

# The numba programs: what one accumulator starts with, and what an element does to it.
START = {"sum": "np.float32(0)", "max": "x[0, 0]"}
STEP = {"sum": "s += x[i, j]", "max": "s = max(s, x[i, j])"}
COLUMN = {"sum": "p[k, j] += x[i, j]", "max": "p[k, j] = max(p[k, j], x[i, j])"}
COMBINE = {"sum": "p[0, j] += p[k, j]", "max": "p[0, j] = max(p[0, j], p[k, j])"}
JOIN = {"sum": "p.sum()", "max": "p.max()"}


def fold_all(name: str, count: str = "") -> str:
    """Each row on its own, then the rows' results."""
    return f"""\
@njit(parallel=True, fastmath=True)
def f(x):
    p = np.empty(x.shape[0], np.float64)
    for i in prange(x.shape[0]):
        s = {START[name]}
        for j in range(x.shape[1]):
            {STEP[name]}
        p[i] = s
    return {JOIN[name]}{count}
"""


def fold_columns(name: str, count: str = "") -> str:
    """Blocks of rows in parallel, each into a row of its own, which stays in cache."""
    return f"""\
@njit(parallel=True, fastmath=True)
def f(x, o):
    parts = numba.get_num_threads()
    rows = (x.shape[0] + parts - 1) // parts
    p = np.zeros((parts, x.shape[1]), np.float32){"" if name == "sum" else " + x[0]"}
    for k in prange(parts):
        low = np.int64(k) * rows
        for i in range(low, min(low + rows, x.shape[0])):
            for j in range(x.shape[1]):
                {COLUMN[name]}
    for k in range(1, parts):
        for j in range(x.shape[1]):
            {COMBINE[name]}
    for j in range(x.shape[1]):
        o[j] = p[0, j]{count}
    return o
"""


def fold_rows(name: str, count: str = "") -> str:
    """Rows in parallel."""
    return f"""\
@njit(parallel=True, fastmath=True)
def f(x, o):
    for i in prange(x.shape[0]):
        s = {START[name]}
        for j in range(x.shape[1]):
            {STEP[name]}
        o[i] = s{count}
    return o
"""


VARIANCE = {
    # One pass over memory: a row is in cache when its second pass comes.
    None: """\
@njit(parallel=True, fastmath=True)
def f(x):
    rows, columns = x.shape
    mean, square = np.empty(rows), np.empty(rows)
    for i in prange(rows):
        s = np.float32(0)
        for j in range(columns):
            s += x[i, j]
        m = s / np.float32(columns)
        q = np.float32(0)
        for j in range(columns):
            q += (x[i, j] - m) * (x[i, j] - m)
        mean[i], square[i] = m, q
    return square.sum() / x.size + mean.var()
""",
    # Around the first row, so that one pass is enough.
    0: """\
@njit(parallel=True, fastmath=True)
def f(x, o):
    parts = numba.get_num_threads()
    rows = (x.shape[0] + parts - 1) // parts
    p = np.zeros((2, parts, x.shape[1]), np.float32)
    for k in prange(parts):
        low = np.int64(k) * rows
        for i in range(low, min(low + rows, x.shape[0])):
            for j in range(x.shape[1]):
                e = x[i, j] - x[0, j]
                p[0, k, j] += e
                p[1, k, j] += e * e
    for k in range(1, parts):
        for j in range(x.shape[1]):
            p[0, 0, j] += p[0, k, j]
            p[1, 0, j] += p[1, k, j]
    for j in range(x.shape[1]):
        m = p[0, 0, j] / np.float32(x.shape[0])
        o[j] = p[1, 0, j] / np.float32(x.shape[0]) - m * m
    return o
""",
    1: """\
@njit(parallel=True, fastmath=True)
def f(x, o):
    rows, columns = x.shape
    for i in prange(rows):
        s = np.float32(0)
        for j in range(columns):
            s += x[i, j]
        m = s / np.float32(columns)
        q = np.float32(0)
        for j in range(columns):
            q += (x[i, j] - m) * (x[i, j] - m)
        o[i] = q / np.float32(columns)
    return o
""",
}


def numba_fold(name: str, axis: int | None) -> str:
    """The numba program of one reduction."""
    if name == "var":
        return VARIANCE[axis]
    base = "sum" if name == "mean" else name
    if axis is None:
        return fold_all(base, " / x.size" if name == "mean" else "")
    extent = f" / np.float32(x.shape[{axis}])" if name == "mean" else ""
    return fold_columns(base, extent) if axis == 0 else fold_rows(base, extent)


def fold(name: str, axis: int | None) -> Workload:
    """One reduction over ``axis``, or over all elements if None."""
    place = "" if axis is None else f"axis={axis}"
    over = "" if axis is None else f"axis={axis}, "
    out = "" if axis is None else ", out=o"
    torch_name = "amax" if name == "max" else name
    biased = "correction=0" if name == "var" else ""
    torch = f"x.{torch_name}({over.replace('axis', 'dim')}{biased})".replace(", )", ")")
    programs = {
        "onebuf": f"x.{name}({place}).realize()",
        "numpy": f"np.{name}(x, axis={axis}{out})",
        "numba": numba_fold(name, axis),
        "torch": torch,
        "torch.compile": torch,
        "jax.jit": f"jnp.{name}(x, axis={axis})",
        "tinygrad": f"x.{name}({over}{biased}).realize()".replace(", )", ")"),
    }
    if name in ("sum", "max"):
        programs["numexpr"] = f"ne.evaluate('{name}(x{', ' + place if place else ''})')"

    def reference(x: Array) -> Array:
        return getattr(np, name)(x, axis=axis)  # type: ignore[no-any-return]

    return Workload(
        name=f"{name} {'all' if axis is None else place.replace('=', ' ')}",
        group="reductions",
        sizes=SIZES,
        make=uniform("x"),
        reference=reference,
        programs=programs,
        rtol=1e-4,
        atol=0.0 if name == "max" else 1e-6,
    )


def softmax(x: Array) -> Array:
    """Of each row."""
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)  # type: ignore[no-any-return]


def layernorm(x: Array, w: Array, b: Array) -> Array:
    """Of each row."""
    spread = np.sqrt(x.var(axis=1, keepdims=True) + 1e-5)
    return (x - x.mean(axis=1, keepdims=True)) / spread * w + b  # type: ignore[no-any-return]


def row_and_weights(numbers: np.random.Generator, size: Size) -> Inputs:
    """What layernorm needs."""
    return {
        "x": numbers.standard_normal(size, np.float32),
        "w": numbers.standard_normal(size[1], np.float32),
        "b": numbers.standard_normal(size[1], np.float32),
    }


TORCH_LAYERNORM = "torch.nn.functional.layer_norm(x, (x.shape[1],), w, b, 1e-5)"

FOLDS = [
    *(fold(name, axis) for name in ("sum", "max", "mean", "var") for axis in (None, 0, 1)),
    Workload(
        name="softmax rows",
        group="rows",
        sizes=SIZES,
        make=normal("x"),
        reference=softmax,
        atol=1e-7,
        rtol=1e-4,
        programs={
            # One name, so that the powers are no value that is held and so stored as well.
            "onebuf": """\
y = (x - x.max(axis=1, keepdims=True)).exp()
y = y / y.sum(axis=1, keepdims=True)
y.realize()""",
            "numpy": """\
np.subtract(x, x.max(axis=1, keepdims=True), out=o)
np.exp(o, out=o)
np.divide(o, o.sum(axis=1, keepdims=True), out=o)""",
            "numexpr": """\
m = x.max(axis=1, keepdims=True)
ne.evaluate('exp(x - m)', out=o)
s = o.sum(axis=1, keepdims=True)
ne.evaluate('o / s', out=o)""",
            "numba": """\
@njit(parallel=True, fastmath=True)
def f(x, o):
    for i in prange(x.shape[0]):
        m = x[i, 0]
        for j in range(x.shape[1]):
            m = max(m, x[i, j])
        s = np.float32(0)
        for j in range(x.shape[1]):
            e = math.exp(x[i, j] - m)
            o[i, j] = e
            s += e
        r = np.float32(1) / s
        for j in range(x.shape[1]):
            o[i, j] *= r
    return o
""",
            "torch": "torch.softmax(x, 1, out=o)",
            "torch.compile": "o.copy_(torch.softmax(x, 1))",
            "jax.jit": "jax.nn.softmax(x, axis=1)",
            "tinygrad": "x.softmax(axis=1).realize()",
        },
    ),
    Workload(
        name="layernorm rows",
        group="rows",
        sizes={"full": (4096, 1024), "quick": (1024, 512)},
        make=row_and_weights,
        reference=layernorm,
        rtol=1e-4,
        atol=1e-4,
        programs={
            "onebuf": """\
m = x.mean(axis=1, keepdims=True)
v = x.var(axis=1, keepdims=True)
((x - m) / (v + 1e-5).sqrt() * w + b).realize()""",
            "numpy": """\
np.subtract(x, x.mean(axis=1, keepdims=True), out=o)
np.multiply(o, o, out=t)
np.multiply(o, 1 / np.sqrt(t.mean(axis=1, keepdims=True) + 1e-5), out=o)
np.multiply(o, w, out=o)
np.add(o, b, out=o)""",
            "numexpr": """\
m = x.mean(axis=1, keepdims=True)
v = x.var(axis=1, keepdims=True)
ne.evaluate('(x - m) / sqrt(v + 1e-5) * w + b', out=o)""",
            "numba": """\
@njit(parallel=True, fastmath=True)
def f(x, w, b, o):
    rows, columns = x.shape
    for i in prange(rows):
        s = np.float32(0)
        for j in range(columns):
            s += x[i, j]
        m = s / np.float32(columns)
        q = np.float32(0)
        for j in range(columns):
            q += (x[i, j] - m) * (x[i, j] - m)
        r = np.float32(1) / math.sqrt(q / np.float32(columns) + np.float32(1e-5))
        for j in range(columns):
            o[i, j] = (x[i, j] - m) * r * w[j] + b[j]
    return o
""",
            "torch": TORCH_LAYERNORM,
            "torch.compile": f"o.copy_({TORCH_LAYERNORM})",
            "jax.jit": """\
m = jnp.mean(x, axis=1, keepdims=True)
v = jnp.var(x, axis=1, keepdims=True)
(x - m) * jax.lax.rsqrt(v + 1e-5) * w + b""",
            "tinygrad": "(x.layernorm(axis=-1, eps=1e-5) * w + b).realize()",
        },
    ),
]
