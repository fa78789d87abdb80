"""Rendered kernels as text files: one idea a kernel, and every change of one is seen in a diff.

``NAME.nest`` is the nest, below its extents and the loops and lanes chosen for them; ``NAME.ll`` is
its text. Both follow from operations, dtypes and strides alone: lanes fill vectors of a fixed
number of bytes, and the features of a machine are used when the text is compiled. `pytest
tests/golden --update-golden` writes the files anew.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from nests import chosen, group_of, text_of

import onebuf as ob
from onebuf import Buffer

HERE = Path(__file__).parent


def stored(*shape: int, dtype: str = "float32") -> Buffer:
    return ob.asarray(np.ones(shape, dtype))


def softmax(x: Buffer) -> Buffer:
    powers = ob.exp(x - ob.max(x, axis=1, keepdims=True))
    return powers / ob.sum(powers, axis=1, keepdims=True)


KERNELS: dict[str, Callable[[], Buffer]] = {
    "add": lambda: stored(1000) + stored(1000),
    "chain": lambda: stored(1000) * 2 + 1,
    "complex_multiply": lambda: stored(1000, dtype="complex64") * stored(1000, dtype="complex64"),
    "cumulative_sum": lambda: ob.cumulative_sum(stored(100, 200), axis=1),
    "exp": lambda: ob.exp(stored(1000)),
    "float16_add": lambda: stored(1000, dtype="float16") + stored(1000, dtype="float16"),
    "max": lambda: ob.max(stored(100, 200), axis=1),
    "pad": lambda: -stored(100, 200).pad([(1, 1), (2, 2)]),
    "softmax": lambda: softmax(stored(100, 200)),
    "sum_all": lambda: ob.sum(stored(100, 200)),
    "sum_axis_0": lambda: ob.sum(stored(100, 200), axis=0),
    "sum_axis_1": lambda: ob.sum(stored(100, 200), axis=1),
    "take": lambda: ob.take(stored(100, 200), ob.asarray(np.arange(5)), axis=0),
    "transpose": lambda: -stored(100, 200).T,
    "where": lambda: ob.where(stored(1000) > 0, stored(1000), 0),
}


@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_is_rendered_as_it_was(name: str, request: pytest.FixtureRequest) -> None:
    with ob.config(eager_numel=0):
        one = group_of(KERNELS[name]())
    rendering = chosen(one)
    how = f"{rendering.strategy}, {rendering.lanes} lanes"
    made = {
        f"{name}.nest": f"{one.extents}, {how}\n\n{one.nest.listing()}\n",
        f"{name}.ll": text_of(one, rendering).rstrip() + "\n",
    }
    if request.config.getoption("--update-golden"):
        for file, text in made.items():
            (HERE / file).write_text(text, encoding="utf-8")
    kept = {file: (HERE / file).read_text(encoding="utf-8") for file in made}
    assert made == kept, "if the change is meant: pytest tests/golden --update-golden"


def test_every_file_is_that_of_a_kernel() -> None:
    kept = {path.name for path in HERE.iterdir() if path.suffix in (".nest", ".ll")}
    assert kept == {name + suffix for name in KERNELS for suffix in (".nest", ".ll")}
