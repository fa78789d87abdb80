"""Rules of library calls: what LAPACK, FFT and sorts do to a gradient, one module a family."""

from onebuf.gradients.rules.library import fft, linalg, norms, order, spectra

__all__ = ["fft", "linalg", "norms", "order", "spectra"]
