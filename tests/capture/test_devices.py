"""Captured functions and gradients on other devices, and between them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import onebuf

X = np.arange(6.0, dtype=np.float32).reshape(2, 3)


def step(x: Any, w: Any) -> Any:
    y = (x * 2 + w).sum(axis=0)
    x[0] += 1
    x[:, ::2] *= 2
    w[...] = w * 3
    return y, onebuf.sqrt(abs(y)), x.T


@pytest.mark.parametrize("device", ["PYTHON", "OPENCL"])
def test_a_capture_on_a_device_does_what_calls_on_the_host_do(device: str) -> None:
    jitted = onebuf.jit(step)
    here = [onebuf.asarray(X.copy()), onebuf.ones(3, dtype="float32")]
    there = [x.to_device(device) for x in here]
    for _ in range(3):
        for one, two in zip(jitted(*there), step(*here), strict=True):
            assert one.device == device
            np.testing.assert_array_equal(np.asarray(one.to_device("CPU")), two)
    for one, two in zip(there, here, strict=True):
        np.testing.assert_array_equal(np.asarray(one.to_device("CPU")), two)
    assert jitted.captures == 1


def test_transfers_between_devices_are_part_of_a_capture_and_told() -> None:
    @onebuf.jit
    def f(x: Any) -> Any:
        y = (x * 2).to_device("PYTHON")
        return (y + 1).to_device("CPU") * x, y

    for scale in (1, 2):
        x = onebuf.asarray(X * scale)
        found, y = f(x)
        np.testing.assert_array_equal(found, (X * scale * 2 + 1) * (X * scale))
        assert y.device == "PYTHON"
    assert f.captures == 1
    assert "2 transfers between devices" in f.explain()


def test_gradients_go_through_transfers() -> None:
    def f(x: Any) -> Any:
        return ((x * 3).to_device("PYTHON") ** 2).to_device("CPU").sum()

    found = onebuf.grad(f)(onebuf.asarray(X))
    assert found.device == "CPU"
    np.testing.assert_allclose(found, 18 * X, rtol=1e-6)


def test_vmap_goes_through_transfers() -> None:
    found = onebuf.vmap(lambda x: (x * 2).to_device("PYTHON").to_device("CPU").sum())(
        onebuf.asarray(X)
    )
    np.testing.assert_array_equal(found, (X * 2).sum(axis=1))
