"""Polynomials and window functions, by NumPy's code."""

from __future__ import annotations

import numpy as np

from onebuf.numpy_api.delegation import delegated, delegated_module

bartlett = delegated(np.bartlett)
blackman = delegated(np.blackman)
emath = delegated_module(np.emath)
hamming = delegated(np.hamming)
hanning = delegated(np.hanning)
kaiser = delegated(np.kaiser)
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
