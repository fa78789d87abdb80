"""Sorting, searching and sets, under NumPy's names."""

from __future__ import annotations

import numpy as np

from onebuf.numpy_api.delegation import delegated

argpartition = delegated(np.argpartition)
intersect1d = delegated(np.intersect1d)
lexsort = delegated(np.lexsort)
partition = delegated(np.partition)
setdiff1d = delegated(np.setdiff1d)
setxor1d = delegated(np.setxor1d)
sort_complex = delegated(np.sort_complex)
union1d = delegated(np.union1d)
unique = delegated(np.unique)
