"""Integers divided by kernels, which only index arithmetic does: as NumPy divides them."""

from __future__ import annotations

import numpy as np
import pytest
from one_answer import run_on

from onebuf.backends.cpu import Target
from onebuf.graph import BINARY

HERE = Target("x86_64-unknown-linux-gnu", "x86-64")


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64, np.uint8, np.uint64])
@pytest.mark.parametrize("name", ["floor_divide", "remainder"])
def test_quotients_are_rounded_down(name: str, dtype: type) -> None:
    info = np.iinfo(dtype)
    edges = [info.min, info.min + 1, -8, -7, -3, -2, -1, 0, 1, 2, 3, 7, 8, info.max]
    values = np.array([edge for edge in edges if info.min <= edge <= info.max], dtype)
    x, y = (side.reshape(-1).copy() for side in np.meshgrid(values, values))
    with np.errstate(all="ignore"):
        wanted = getattr(np, name)(x, y)
    assert (run_on(HERE, BINARY[name], x, y) == wanted).all()
