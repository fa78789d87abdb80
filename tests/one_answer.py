"""One answer: what kernels compute has the bits of every other tier."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from random_expressions import assert_same_bits

import onebuf
from onebuf import config
from onebuf.backends.cpu import Target, compile
from onebuf.engine.cpu.program import pack
from onebuf.engine.cpu.supports import supports
from onebuf.graph import Op
from onebuf.kernel import LOAD, STORE, Nest, Slot, Step
from onebuf.memory import address_of
from onebuf.render.llvm.module import render
from onebuf.render.llvm.rendering import Rendering
from onebuf.scheduler.fuse.fusion import group
from onebuf.scheduler.fuse.group import Group

Array = np.ndarray[Any, Any]
TIERS: list[dict[str, Any]] = [{"eager_numel": 1 << 20}, {"eager_numel": 0, "tier": "interpret"}]
PROCESSORS = [
    Target("x86_64-unknown-linux-gnu", "x86-64"),
    Target("x86_64-unknown-linux-gnu", "haswell"),
    Target("aarch64-unknown-linux-gnu", "generic"),
]


def compiled(function: Callable[..., Any], *arrays: Array) -> Array:
    """What kernels alone compute."""
    with config(eager_numel=0, tier="compile"):
        result = function(*[onebuf.asarray(array) for array in arrays])
        for item in group([result._node], supports):
            assert isinstance(item, Group), item  # a kernel, and not NumPy
        return np.asarray(result)


def assert_one_answer(function: Callable[..., Any], *arrays: Array) -> Array:
    """The answer of kernels, which is that of the other tiers."""
    found = compiled(function, *arrays)
    for options in TIERS:
        with config(**options):
            other = np.asarray(function(*[onebuf.asarray(array) for array in arrays]))
        assert_same_bits(other, found)
    return found


def text_of(op: Op, dtype: np.dtype[Any]) -> str:
    """The kernel of one operation on two operands, as LLVM reads it."""
    loads = [Step(LOAD, (), dtype, slot) for slot in (0, 1)]
    steps = (*loads, Step(op, (0, 1), dtype), Step(STORE, (2,), dtype, 2))
    return render(Nest(1, (Slot(dtype, (1,)),) * 3, steps), "kernel", Rendering(8))


def run_on(target: Target, op: Op, x: Array, y: Array) -> Array:
    """``op`` of two arrays by code for another processor than this one."""
    out = np.empty_like(x)
    places = [address_of(array) for array in (x, y, out)]
    words = pack(places, (len(x),), [(1,)] * 3, b"")
    compile(text_of(op, x.dtype), "kernel", target).call(address_of(words), 0, len(x))
    return out
