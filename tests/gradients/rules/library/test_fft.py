"""Rules of Fourier transforms against finite differences: all norms, padded and cut off."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from directional_differences import check, check_twice

import onebuf
from onebuf import fft

NORMS = ["backward", "ortho", "forward", None]
OF_REAL = ("rfft", "ihfft", "rfft2", "rfftn")


def drawn(name: str, shape: tuple[int, ...]) -> list[Any]:
    """Real elements, and complex ones where the transform takes them."""
    random = np.random.default_rng(7)
    real = random.standard_normal(shape)
    return [real] if name in OF_REAL else [real, real + 1j * random.standard_normal(shape)]


@pytest.mark.parametrize("norm", NORMS, ids=str)
@pytest.mark.parametrize("n", [None, 1, 4, 9], ids=str)
@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"])
def test_transforms_along_an_axis(name: str, n: int | None, norm: str | None) -> None:
    transform: Any = getattr(fft, name)
    for x in drawn(name, (2, 6, 3)):
        check(lambda x: transform(x, n=n, axis=1, norm=norm), x)
    for x in drawn(name, (5,)):
        check(lambda x: transform(x, n=n, norm=norm), x)


@pytest.mark.parametrize("norm", NORMS[:3])
@pytest.mark.parametrize(("s", "axes"), [(None, (0, 1)), ((3, 7), (1, 0)), ((8, 2), (0, 2))])
@pytest.mark.parametrize("kind", ["n", "2"])
@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft"])
def test_transforms_along_axes(name: str, kind: str, s: Any, axes: Any, norm: str) -> None:
    transform: Any = getattr(fft, name + kind)
    for x in drawn(name + kind, (5, 4, 3)):
        check(lambda x: transform(x, s=s, axes=axes, norm=norm), x)


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"])
def test_transforms_can_be_differentiated_twice(name: str) -> None:
    transform: Any = getattr(fft, name)
    for x in drawn(name, (2, 5)):
        check_twice(transform, x)


@pytest.mark.parametrize("axes", [None, 0, (0, 1)], ids=str)
def test_shifts_are_undone(axes: Any) -> None:
    for x in drawn("fft", (5, 4)):
        check(lambda x: (fft.fftshift(x, axes=axes), fft.ifftshift(x, axes=axes)), x)


def test_single_precision_has_gradients_in_single_precision() -> None:
    x = onebuf.asarray(np.arange(4, dtype=np.float32))
    gradient = onebuf.grad(lambda x: onebuf.abs(fft.fft(x)).sum())(x)
    assert gradient.dtype == np.float32
