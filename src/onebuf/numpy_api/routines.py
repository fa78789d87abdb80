"""Routines that NumPy computes: sets, partial sorts, polynomials, window functions, text files."""

from __future__ import annotations

import numpy as np

from onebuf.numpy_api.delegation import delegated, delegated_module

argpartition = delegated(np.argpartition)
bartlett = delegated(np.bartlett)
blackman = delegated(np.blackman)
emath = delegated_module(np.emath)
hamming = delegated(np.hamming)
hanning = delegated(np.hanning)
intersect1d = delegated(np.intersect1d)
kaiser = delegated(np.kaiser)
lexsort = delegated(np.lexsort)
memmap = np.memmap
partition = delegated(np.partition)
poly = delegated(np.poly)
poly1d = np.poly1d
polyadd = delegated(np.polyadd)
polyder = delegated(np.polyder)
polydiv = delegated(np.polydiv)
polyfit = delegated(np.polyfit)
polyint = delegated(np.polyint)
polymul = delegated(np.polymul)
polynomial = delegated_module(np.polynomial)
polysub = delegated(np.polysub)
polyval = delegated(np.polyval)
roots = delegated(np.roots)
savetxt = delegated(np.savetxt, only_reads=False)
setdiff1d = delegated(np.setdiff1d)
setxor1d = delegated(np.setxor1d)
sort_complex = delegated(np.sort_complex)
union1d = delegated(np.union1d)
unique = delegated(np.unique)
