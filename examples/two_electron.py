"""Coulomb and exchange matrices of a chain of Gaussians, with and without the 8-fold symmetry.

The integral (pq|rs) is the repulsion of two clouds of charge, one between the centres of functions
p and q and one between those of r and s. It stays as it is if p and q are exchanged, r and s, or
the two pairs: one of eight integrals has to be stored.
"""

from time import perf_counter

import numpy as np

import onebuf
from onebuf import Buffer, Layout
from onebuf.symmetry import Group, Symmetric

N = 56  # functions
ROUNDS = 11
EIGHTFOLD = Group(Symmetric(0, 1), Symmetric(2, 3), Symmetric((0, 1), (2, 3)))

centres = onebuf.linspace(0.0, 10.0, N)


def overlap(p: Buffer, q: Buffer) -> Buffer:
    """The charge of the product of two functions: less, the farther they are apart."""
    return onebuf.exp(-((centres[p] - centres[q]) ** 2) / 2)


def repulsion(p: Buffer, q: Buffer, r: Buffer, s: Buffer) -> Buffer:
    """The integrals (pq|rs); clouds of this width repel each other by about 1/sqrt(1 + x^2)."""
    distance = (centres[p] + centres[q]) / 2 - (centres[r] + centres[s]) / 2
    return overlap(p, q) * overlap(r, s) / onebuf.sqrt(1 + distance**2)


def coulomb(integrals: Buffer, density: Buffer) -> Buffer:
    """J_pq, the sum of (pq|rs) D_rs."""
    return (integrals["p,q,r,s"] * density["r,s"]).to("p,q").realize()


def exchange(integrals: Buffer, density: Buffer) -> Buffer:
    """K_pq, the sum of (pr|qs) D_rs."""
    return (integrals["p,r,q,s"] * density["r,s"]).to("p,q").realize()


alloc = onebuf.allocator()
packed = alloc.construct(Layout((N,) * 4, symmetry=EIGHTFOLD), repulsion).realize()
dense = alloc.construct((N,) * 4, repulsion).realize()
ratio = dense.nbytes / packed.nbytes
print(f"{N} functions: {packed.layout.stored:,} of {packed.size:,} integrals are stored")
print(f"bytes: {packed.nbytes:,} packed, {dense.nbytes:,} dense: {ratio:.1f} to 1")

waves = onebuf.sin(onebuf.arange(1, 6)[:, None] * centres / 3)
density = (waves.T @ waves).realize()

# Both in one run and by turns, so that whatever else the machine does meets both.
seconds: dict[str, list[float]] = {"packed": [], "dense": []}
for _ in range(ROUNDS):
    for name, integrals in (("packed", packed), ("dense", dense)):
        start = perf_counter()
        coulomb(integrals, density)
        seconds[name].append(perf_counter() - start)
mine, theirs = [1000 * float(np.median(seconds[name])) for name in ("packed", "dense")]
print(f"Coulomb: {mine:.1f} ms packed, {theirs:.1f} ms dense: {theirs / mine:.2f} to 1 (medians)")

j = coulomb(packed, density)
np.testing.assert_allclose(j, coulomb(dense, density), rtol=1e-12)
assert j.symmetry == Symmetric(0, 1)
print(f"the Coulomb matrix is symmetric again: {j.nbytes:,} bytes of {j.size * j.itemsize:,}")

# Exchange takes the pairs apart, so that every integral is read through the symmetry. Here it is
# computed inside of a fragment: a view of the integrals of the first functions.
part = slice(0, 20)
inside = density[part, part]
k = exchange(packed[part, part, part, part], inside)
np.testing.assert_allclose(k, exchange(dense[part, part, part, part], inside), rtol=1e-12)
print(f"energies: Coulomb {(j * density).sum().item() / 2:.2f},", end=" ")
print(f"exchange among the first {len(inside)} functions {(k * inside).sum().item() / 4:.2f}")
