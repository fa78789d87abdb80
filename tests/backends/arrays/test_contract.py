"""Torch and jax keep the contract of devices."""

from __future__ import annotations

from typing import Any

import pytest

from onebuf.testing import (
    AllocationContract,
    DeviceContract,
    WritingContract,
)

pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("jax", reason="jax is not installed")
pytestmark = [
    pytest.mark.interop,
    pytest.mark.filterwarnings("ignore:os.fork:RuntimeWarning"),  # jax's, when a test forks
]


class TestTorch(DeviceContract):
    device = "TORCH"
    examples = 5

    def check(self, pairs: Any, close: tuple[str, ...] = (), precision: float = 0.0) -> None:
        """The last bit of a square root is torch's own."""
        super().check(pairs, (*close, "sqrt"), precision)


class TestJax(AllocationContract, WritingContract):
    """What has to do with memory; operations on jax have tests of their own, which compile less."""

    device = "JAX"
    examples = 2
    large = 10_000
