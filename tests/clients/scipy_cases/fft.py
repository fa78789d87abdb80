"""`scipy.fft`: transforms over the fft extension of the namespace, or over NumPy's memory."""

from __future__ import annotations

import numpy as np
from clients.comparing import Case, Maker
from scipy import fft

_DRAW = np.random.default_rng(7)
REAL = _DRAW.normal(size=(4, 6))
COMPLEX = REAL + 1j * _DRAW.normal(size=(4, 6))

OF_COMPLEX = ("fft", "fft2", "fftn", "ifft", "ifft2", "ifftn", "hfft", "hfft2", "hfftn", "irfft")
OF_HALF = ("irfft2", "irfftn")
OF_REAL = ("rfft", "rfft2", "rfftn", "ihfft", "ihfft2", "ihfftn")
OF_COSINES = ("dct", "dctn", "dst", "dstn", "idct", "idctn", "idst", "idstn")


def over_complex(name: str) -> Case:
    """Both precisions, norms, and a length of one's own."""

    def case(a: Maker) -> list[object]:
        function = getattr(fft, name)
        many = name.endswith(("2", "n"))
        length = {"s": (4, 4)} if many else {"n": 5}
        axes = {"axes": (1, 0)} if many else {"axis": 0}
        return [
            function(a(COMPLEX)),
            function(a(COMPLEX, "complex64")),
            function(a(COMPLEX), norm="ortho"),
            function(a(COMPLEX), **length),
            function(a(COMPLEX), **axes),
        ]

    return case


def over_real(name: str) -> Case:
    """Both precisions, and norms."""

    def case(a: Maker) -> list[object]:
        function = getattr(fft, name)
        return [
            function(a(REAL)),
            function(a(REAL, "float32")),
            function(a(REAL), norm="ortho"),
        ]

    return case


CASES: dict[str, Case] = {f"fft.{name}": over_complex(name) for name in OF_COMPLEX + OF_HALF}
CASES |= {f"fft.{name}": over_real(name) for name in OF_REAL + OF_COSINES}
CASES |= {
    "fft.fftfreq": lambda a: [fft.fftfreq(7, 0.5, xp=a.xp)],
    "fft.rfftfreq": lambda a: [fft.rfftfreq(8, 0.5, xp=a.xp)],
    "fft.fftshift": lambda a: [fft.fftshift(a(REAL)), fft.fftshift(a(REAL), axes=1)],
    "fft.ifftshift": lambda a: [fft.ifftshift(a(REAL)), fft.ifftshift(a(REAL), axes=(0,))],
    "fft.fht": lambda a: fft.fht(a(REAL[0]), 0.1, 0.5, offset=0.2, bias=-0.3),
    "fft.ifht": lambda a: fft.ifht(a(REAL[0]), 0.1, 0.5, offset=0.2, bias=-0.3),
}
