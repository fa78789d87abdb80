"""Torch and jax keep the contract of devices."""

import pytest

from onebuf.testing import DeviceContract

pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("jax", reason="jax is not installed")
pytestmark = pytest.mark.interop


class TestTorch(DeviceContract):
    device = "TORCH"


class TestJax(DeviceContract):
    device = "JAX"
