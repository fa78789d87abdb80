"""Movement: the same elements somewhere else."""

from __future__ import annotations

import numpy as np

from workloads.workload import Array, Inputs, Size, Uncompiled, Workload, normal

PERMUTED = {"full": (64, 256, 256), "quick": (16, 128, 128)}

TRANSPOSE = """\
@njit(parallel=True)
def f(x, o):
    tile = 32
    rows, columns = x.shape
    for k in prange((columns + tile - 1) // tile):
        for low in range(0, rows, tile):
            for j in range(k * tile, min((k + 1) * tile, columns)):
                for i in range(low, min(low + tile, rows)):
                    o[j, i] = x[i, j]
    return o
"""


def permuted(axes: tuple[int, ...], numba: str) -> Workload:
    """A copy with the axes in another order."""
    order = ", ".join(map(str, axes))

    def reference(x: Array) -> Array:
        return x.transpose(axes)

    return Workload(
        name=f"permuted copy {''.join(map(str, axes))}",
        group="movement",
        sizes=PERMUTED,
        make=normal("x"),
        reference=reference,
        rtol=0.0,
        atol=1e-30,
        programs={
            "onebuf": f"x.permute({order}).contiguous().realize()",
            "numpy": f"np.copyto(o, x.transpose({order})); o".replace("; ", "\n"),
            "numba": numba,
            "torch": f"o.copy_(x.permute({order}))",
            "torch.compile": f"o.copy_(x.permute({order}))",
            "jax.jit": f"jnp.transpose(x, ({order}))",
            "tinygrad": f"x.permute({order}).contiguous().realize()",
        },
    )


def halves(numbers: np.random.Generator, size: Size) -> Inputs:
    """Two matrices."""
    return {name: numbers.standard_normal(size, np.float32) for name in "ab"}


def masked(numbers: np.random.Generator, size: Size) -> Inputs:
    """Elements, and which half of them to take."""
    return {"x": numbers.standard_normal(size, np.float32), "m": numbers.random(size) < 0.5}


def table(numbers: np.random.Generator, size: Size) -> Inputs:
    """Rows, and which of them to take."""
    rows, columns, taken = size
    return {
        "x": numbers.standard_normal((rows, columns), np.float32),
        "i": numbers.integers(0, rows, taken, np.int32),
    }


def line(numbers: np.random.Generator, size: Size) -> Inputs:
    """Elements, and which of them to take."""
    count, taken = size
    return {
        "x": numbers.standard_normal(count, np.float32),
        "i": numbers.integers(0, count, taken, np.int32),
    }


MOVES = [
    Workload(
        name="transposed copy",
        group="movement",
        sizes={"full": (4096, 4096), "quick": (1024, 1024)},
        make=normal("x"),
        reference=lambda x: x.T,
        rtol=0.0,
        atol=1e-30,
        programs={
            "onebuf": "x.T.contiguous().realize()",
            "numpy": "np.copyto(o, x.T)\no",
            "numba": TRANSPOSE,
            "torch": "o.copy_(x.T)",
            "torch.compile": "o.copy_(x.T)",
            "jax.jit": "jnp.transpose(x)",
            "tinygrad": "x.T.contiguous().realize()",
        },
    ),
    permuted(
        (1, 0, 2),
        """\
@njit(parallel=True)
def f(x, o):
    for j in prange(x.shape[1]):
        for i in range(x.shape[0]):
            o[j, i, :] = x[i, j, :]
    return o
""",
    ),
    permuted(
        (2, 0, 1),
        """\
@njit(parallel=True)
def f(x, o):
    tile = 32
    depth, rows, columns = x.shape
    for d in prange(depth):
        for high in range(0, columns, tile):
            for low in range(0, rows, tile):
                for j in range(high, min(high + tile, columns)):
                    for i in range(low, min(low + tile, rows)):
                        o[j, d, i] = x[d, i, j]
    return o
""",
    ),
    Workload(
        name="flip",
        group="movement",
        sizes={"full": (10_000_000,), "quick": (1_000_000,)},
        make=normal("x"),
        reference=lambda x: x[::-1],
        rtol=0.0,
        atol=1e-30,
        programs={
            "onebuf": "x.flip().contiguous().realize()",
            "numpy": "np.copyto(o, x[::-1])\no",
            "numba": """\
@njit(parallel=True)
def f(x, o):
    for i in prange(x.size):
        o[i] = x[x.size - 1 - i]
    return o
""",
            "torch": "torch.flip(x, (0,))",
            "torch.compile": "o.copy_(torch.flip(x, (0,)))",
            "jax.jit": "jnp.flip(x)",
            "tinygrad": "x.flip(0).contiguous().realize()",
        },
    ),
    Workload(
        name="concat axis 1",
        group="movement",
        sizes={"full": (4096, 2048), "quick": (1024, 512)},
        make=halves,
        reference=lambda a, b: np.concatenate((a, b), axis=1),
        rtol=0.0,
        atol=1e-30,
        programs={
            "onebuf": "ob.concat([a, b], axis=1).realize()",
            "numpy": "np.concatenate((a, b), axis=1, out=o)",
            "numba": """\
@njit(parallel=True)
def f(a, b, o):
    for i in prange(a.shape[0]):
        o[i, : a.shape[1]] = a[i]
        o[i, a.shape[1] :] = b[i]
    return o
""",
            "torch": "torch.cat((a, b), 1, out=o)",
            "torch.compile": "o.copy_(torch.cat((a, b), 1))",
            "jax.jit": "jnp.concatenate((a, b), axis=1)",
            "tinygrad": "a.cat(b, dim=1).contiguous().realize()",
        },
    ),
    Workload(
        name="strided slice copy",
        group="movement",
        sizes={"full": (4096, 4096), "quick": (1024, 1024)},
        make=normal("x"),
        reference=lambda x: x[:, ::2],
        rtol=0.0,
        atol=1e-30,
        programs={
            "onebuf": "x[:, ::2].contiguous().realize()",
            "numpy": "np.copyto(o, x[:, ::2])\no",
            "numba": """\
@njit(parallel=True)
def f(x, o):
    for i in prange(o.shape[0]):
        for j in range(o.shape[1]):
            o[i, j] = x[i, 2 * j]
    return o
""",
            "torch": "o.copy_(x[:, ::2])",
            "torch.compile": "o.copy_(x[:, ::2])",
            "jax.jit": "x[:, ::2]",
            "tinygrad": "x[:, ::2].contiguous().realize()",
        },
    ),
    Workload(
        name="boolean mask",
        group="movement",
        sizes={"full": (10_000_000,), "quick": (1_000_000,)},
        make=masked,
        reference=lambda x, m: x[m],
        rtol=0.0,
        atol=1e-30,
        programs={
            "onebuf": "x[m].realize()",
            "numpy": "np.compress(m, x, out=o)",
            "numba": """\
@njit(parallel=True)
def f(x, m, o):
    parts = numba.get_num_threads()
    width = (x.size + parts - 1) // parts
    count = np.zeros(parts + 1, np.int64)
    for p in prange(parts):
        n = 0
        for i in range(p * width, min((p + 1) * width, x.size)):
            n += m[i]
        count[p + 1] = n
    start = np.cumsum(count)
    for p in prange(parts):
        n, last = start[p], start[p + 1]
        for i in range(p * width, min((p + 1) * width, x.size)):
            if n < last:  # stored always, kept if taken: no branch on the mask
                o[n] = x[i]
                n += m[i]
    return o
""",
            "torch": "torch.masked_select(x, m, out=o)",
            "jax.jit": Uncompiled("x[m]"),
        },
    ),
    Workload(
        name="gather rows",
        group="movement",
        sizes={"full": (50_000, 256, 20_000), "quick": (10_000, 128, 4_000)},
        make=table,
        reference=lambda x, i: x[i],
        rtol=0.0,
        atol=1e-30,
        read=lambda inputs, answer: 4 * answer.size + inputs["i"].nbytes,
        programs={
            "onebuf": "ob.take(x, i, axis=0).realize()",
            "numpy": "np.take(x, i, axis=0, out=o, mode='clip')",
            "numba": """\
@njit(parallel=True)
def f(x, i, o):
    for k in prange(i.size):
        o[k, :] = x[i[k], :]
    return o
""",
            "torch": "torch.index_select(x, 0, i, out=o)",
            "torch.compile": "o.copy_(x[i])",
            "jax.jit": "x[i]",
            "tinygrad": "x[i].contiguous().realize()",
        },
    ),
    Workload(
        name="gather elements",
        group="movement",
        sizes={"full": (10_000_000, 4_000_000), "quick": (1_000_000, 400_000)},
        make=line,
        reference=lambda x, i: x[i],
        rtol=0.0,
        atol=1e-30,
        read=lambda inputs, answer: 4 * answer.size + inputs["i"].nbytes,
        programs={
            "onebuf": "ob.take(x, i).realize()",
            "numpy": "np.take(x, i, out=o, mode='clip')",
            "numba": """\
@njit(parallel=True)
def f(x, i, o):
    for k in prange(i.size):
        o[k] = x[i[k]]
    return o
""",
            "torch": "torch.index_select(x, 0, i, out=o)",
            "torch.compile": "o.copy_(x[i])",
            "jax.jit": "x[i]",
            "tinygrad": "x[i].contiguous().realize()",
        },
    ),
    Workload(
        name="pad, plus one",
        group="movement",
        sizes={"full": (4000, 4000), "quick": (1000, 1000)},
        make=normal("x"),
        reference=lambda x: np.pad(x, 1) + 1,
        rtol=0.0,
        atol=1e-6,
        programs={
            "onebuf": "(x.pad([(1, 1), (1, 1)]) + 1).realize()",
            "numpy": "np.add(np.pad(x, 1), 1, out=o)",
            "numba": """\
@njit(parallel=True)
def f(x, o):
    rows, columns = x.shape
    for i in prange(rows + 2):
        o[i, 0] = 1
        o[i, columns + 1] = 1
        for j in range(1, columns + 1):
            o[i, j] = x[i - 1, j - 1] + 1 if 0 < i <= rows else 1
    return o
""",
            "torch": "torch.add(torch.nn.functional.pad(x, (1, 1, 1, 1)), 1, out=o)",
            "torch.compile": "o.copy_(torch.nn.functional.pad(x, (1, 1, 1, 1)) + 1)",
            "jax.jit": "jnp.pad(x, 1) + 1",
            "tinygrad": "(x.pad(((1, 1), (1, 1))) + 1).contiguous().realize()",
        },
    ),
]
