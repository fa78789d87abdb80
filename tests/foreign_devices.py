"""The kinds of devices that other packages bring, for tests that hold for all.

`make test` installs those of OPENCL and VULKAN, `make test-interop` the others.
"""

from __future__ import annotations

import pytest

FOREIGN = (
    "OPENCL",
    "VULKAN",  # left to conftest.py: skipped where there is no driver
    pytest.param("TORCH", marks=pytest.mark.interop),
    pytest.param("JAX", marks=pytest.mark.interop),
)
