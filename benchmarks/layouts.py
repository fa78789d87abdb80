"""Layouts against dense buffers, and block-sparse products against SciPy's.

Each row is one operation on a buffer with a layout and on the same elements stored densely, taken
in turns in this one process; the least time of each counts. A ratio below 1 says that the layout is
faster. Below the table is what each layout stores, in parts of the dense bytes. Run with::

    make bench-layouts
    python benchmarks/layouts.py [--only TEXT] [--size 4096]
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from turns import Plan, interleave, timed

import onebuf
from onebuf import Buffer, Layout, allocator
from onebuf.sparsity import Block
from onebuf.symmetry import Group, Permutation, Symmetric

TILE, DENSITY = 64, 0.1


class Row(NamedTuple):
    """An operation with a layout, its peer, and the ratio that it should not exceed."""

    name: str
    ours: Callable[[], Any]
    peer: Callable[[], Any]
    target: float


def symmetric_rows(size: int) -> tuple[list[Row], list[str]]:
    """Operations on a packed symmetric matrix, and on the same one stored densely."""
    generator = np.random.default_rng(0)
    layout = Layout((size, size), symmetry=Symmetric(0, 1))
    packed, dense = [], []
    for _ in range(2):
        values = generator.standard_normal((size, size)).astype(np.float32)
        whole = onebuf.asarray(values + values.T)
        dense.append(whole)
        packed.append(allocator().construct(layout, whole))
    vector = onebuf.asarray(generator.standard_normal(size).astype(np.float32))
    (a, b), (c, d) = packed, dense
    rows = [
        Row("sum", lambda: a.sum().realize(), lambda: c.sum().realize(), 1.5),
        Row("a * 2 + b", lambda: stored(a * 2 + b), lambda: stored(c * 2 + d), 0.6),
        Row(
            "exp(a) - b", lambda: stored(onebuf.exp(a) - b), lambda: stored(onebuf.exp(c) - d), 0.6
        ),
        Row("a @ v", lambda: (a @ vector).realize(), lambda: (c @ vector).realize(), 1.5),
        Row("max", lambda: a.max().realize(), lambda: c.max().realize(), 1.5),
    ]
    return rows, [told("symmetric", a, c)]


def pair_rows(size: int = 48) -> tuple[list[Row], list[str]]:
    """The Coulomb contraction of a tensor with 8 equal elements each."""
    group = Group(Symmetric(0, 1), Symmetric(2, 3), Permutation(4, (0, 2), (1, 3)))
    layout = Layout((size,) * 4, symmetry=group)
    packed = allocator().construct(
        layout, lambda p, q, r, s: 1.0 / (1.0 + p + q + r + s) + (p * q) * (r * s) * 1e-6
    )
    dense = packed.dense().realize()
    density = onebuf.asarray(np.random.default_rng(1).standard_normal((size, size)))
    formula = "ijkl,kl->ij"
    rows = [
        Row(
            f"{formula} (8-fold)",
            lambda: stored(onebuf.einsum(formula, packed, density)),
            lambda: stored(onebuf.einsum(formula, dense, density)),
            1.5,
        )
    ]
    return rows, [told("8-fold", packed, dense)]


def block_rows(size: int) -> tuple[list[Row], list[str]]:
    """Products of block-sparse matrices, against dense ones and SciPy's."""
    generator = np.random.default_rng(2)
    count = size // TILE
    chosen = np.argwhere(generator.random((count, count)) < DENSITY)
    sparsity = Block.tiles((size, size), TILE, nonzero=list(map(tuple, chosen.tolist())))
    blocks = allocator().allocate(Layout((size, size), sparsity=sparsity), "float32")
    blocks.unwrap()[...] = generator.standard_normal(blocks.unwrap().shape)
    dense = blocks.dense().realize()
    native = blocks.to_scipy("bsr")
    other = onebuf.asarray(generator.standard_normal((size, size)).astype(np.float32))
    plain = np.asarray(other)
    rows = [
        Row(
            "sparse @ dense / dense @ dense",
            lambda: (blocks @ other).realize(),
            lambda: (dense @ other).realize(),
            0.2,
        ),
        Row(
            "sparse @ sparse / dense @ dense",
            lambda: stored(blocks @ blocks),
            lambda: (dense @ dense).realize(),
            0.2,
        ),
        Row(
            "sparse @ dense / SciPy's BSR",
            lambda: (blocks @ other).realize(),
            lambda: native @ plain,
            1.0,
        ),
        Row(
            "sparse @ sparse / SciPy's BSR",
            lambda: stored(blocks @ blocks),
            lambda: native @ native,
            1.0,
        ),
        Row("sparse sum", lambda: blocks.sum().realize(), lambda: dense.sum().realize(), 1.0),
    ]
    return rows, [told(f"blocks ({len(chosen) / count**2:.1%})", blocks, dense)]


def stored(buffer: Buffer) -> None:
    """Compute what ``buffer`` stores: through a layout, its stored elements alone."""
    buffer.unwrap()


def told(name: str, one: Buffer, dense: Buffer) -> str:
    """What a buffer stores, in parts of the dense one."""
    return f"{name}: {one.nbytes:,} of {dense.nbytes:,} bytes, {one.nbytes / dense.nbytes:.4f}"


def main() -> None:
    """Measure every row, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="rows whose name has this text")
    parser.add_argument("--size", type=int, default=4096, help="rows and columns of the matrices")
    options = parser.parse_args()
    parts = [symmetric_rows(options.size), pair_rows(), block_rows(options.size)]
    rows = [row for some, _ in parts for row in some if options.only in row.name]
    print(f"{'operation':36} {'layout ms':>10} {'peer ms':>10} {'ratio':>7} {'target':>7}")
    for row in rows:
        with onebuf.config(tier="compile"):
            row.ours()
            row.peer()
            runs = {"ours": timed(row.ours), "peer": timed(row.peer)}
            taken = interleave(runs, Plan(seconds=1.0))
        ours, peer = taken["ours"].least, taken["peer"].least
        if ours is None or peer is None:
            failures = [samples.failure for samples in taken.values() if samples.failure]
            print(f"{row.name:36} failed: {'; '.join(failures)}")
            continue
        print(
            f"{row.name:36} {ours * 1e3:10.2f} {peer * 1e3:10.2f} {ours / peer:7.2f} "
            f"{row.target:7.2f}"
        )
    for _, lines in parts:
        print("\n".join(lines))


if __name__ == "__main__":
    main()
