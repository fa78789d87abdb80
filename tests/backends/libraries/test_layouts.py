"""Buffers with a layout on torch and jax: read by operations that these libraries have."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import onebuf
from onebuf import Layout, allocator
from onebuf.sparsity import Element
from onebuf.symmetry import Symmetric

pytestmark = pytest.mark.interop

LAYOUTS = {
    "symmetric": Layout((3, 3), symmetry=Symmetric(0, 1)),
    "sparse": Layout((3, 3), sparsity=Element((3, 3), [(0, 1), (1, 1), (2, 0)])),
}


@pytest.mark.parametrize("name", LAYOUTS)
@pytest.mark.parametrize(("device", "package"), [("TORCH", "torch"), ("JAX", "jax")])
def test_a_layout_is_computed_with_on_an_array_library(
    device: str, package: str, name: str
) -> None:
    pytest.importorskip(package, reason=f"the package {package} is missing")
    layout = LAYOUTS[name]
    here: Any = allocator().construct(layout, lambda i, j: i + j * 1.0)
    dense = np.asarray(here)
    there: Any = allocator(device).construct(here)
    assert there.device.name == device
    assert there.layout == layout
    ones = onebuf.asarray(np.ones((3, 3)), device=device)
    for found, wanted in (
        (there, dense),
        (there * 2, dense * 2),
        (there + ones, dense + 1),
        (there[1:], dense[1:]),
        (there.sum(), dense.sum()),
        (there @ ones, dense @ np.ones((3, 3))),
    ):
        np.testing.assert_allclose(np.asarray(found.to_device("CPU")), wanted)
