"""Random bits inside kernels: those of NumPy's loops, for any part of a stream in any order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nests import empty, group_of, run

import onebuf
from onebuf import config
from onebuf.backends.reference import interpreter
from onebuf.buffer import Buffer
from onebuf.graph import RANDOM_BITS
from onebuf.ops import general
from onebuf.random import LazyGenerator
from onebuf.render.llvm.rendering import Rendering

MODES: tuple[dict[str, Any], ...] = (
    {"eager_numel": 10**9},
    {"eager_numel": 0, "tier": "interpret"},
    {"eager_numel": 0, "tier": "compile", "threads": 1},
    {"eager_numel": 0, "tier": "compile", "threads": 2},
    {"eager_numel": 0, "tier": "compile", "threads": 4},
    {"eager_numel": 0, "tier": "compile", "check_bounds": True},
)
KEY = (0xA4093822, 0x299F31D0)


def bits(dtype: str, numel: int, stream: int = 7, first: int = 0) -> Buffer:
    return Buffer._value(general(RANDOM_BITS, (), (KEY, stream, first), (numel,), np.dtype(dtype)))


def in_all_modes(expression: Any) -> set[bytes]:
    found = set()
    for options in MODES:
        with config(**options):
            found.add(np.asarray(expression()).tobytes())
    return found


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(["uint32", "uint64"]),
    st.integers(1, 300),
    st.sampled_from([0, 1, 2, 3, 4, 2**33, 2**33 + 5]),
    st.integers(0, 2**63),
    st.sampled_from([slice(None), slice(1, None), slice(2, None, 3), slice(None, None, -1)]),
)
def test_any_part_of_a_stream_has_the_same_bits(dtype, numel, first, stream, key):
    found = in_all_modes(lambda: bits(dtype, numel, stream, first)[key] ^ 5)
    assert len(found) == 1


@pytest.mark.parametrize("shape", [(100_003,), (300, 301), (7, 8, 900), (3,), (0,), (), (5, 1)])
@pytest.mark.parametrize("draw", ["uniform", "normal", "integers"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_numbers_are_the_same_in_every_tier(shape, draw, dtype):
    def numbers() -> Any:
        generator = LazyGenerator(3)
        if draw == "integers":
            return generator.integers(
                -5, 1000, shape, dtype="int32" if dtype[-2:] == "32" else "int64"
            )
        return getattr(generator, draw)(size=shape, dtype=dtype)

    assert len(in_all_modes(numbers)) == 1


EXPRESSIONS = {
    "with memory": lambda u, x: u * x + 1,
    "turned": lambda u, x: u.T + x.T,
    "turned against memory": lambda u, x: u[:40].T * x[:40],
    "rows of it": lambda u, x: u[::2] - x[::2],
    "summed": lambda u, x: onebuf.sum(u * x, axis=1),
    "summed down": lambda u, x: onebuf.sum(u * x, axis=0),
    "largest": lambda u, x: onebuf.argmax(u, axis=1),
    "running": lambda u, x: onebuf.cumulative_sum(u, axis=0),
    "compared": lambda u, x: onebuf.where(u < 0.5, x, 0.0),
}


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_an_expression_of_random_numbers_is_the_same_in_every_tier(name):
    array = np.random.default_rng(1).standard_normal((60, 40)).astype(np.float32)

    def computed() -> Any:
        return EXPRESSIONS[name](LazyGenerator(9).uniform(size=(60, 40)), onebuf.asarray(array))

    assert len(in_all_modes(computed)) == 1
    with config(eager_numel=0, tier="compile"):
        assert len(onebuf.schedule(computed())) == 1


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    "use",
    [lambda u: u, lambda u: onebuf.exp(u) * 2, lambda u: onebuf.mean(u, axis=1)],
    ids=["alone", "scaled", "reduced"],
)
def test_a_draw_and_what_is_done_with_it_are_one_kernel(use, dtype):
    def draw() -> Any:
        return LazyGenerator(1).uniform(-1.0, 2.0, (50, 50), dtype=dtype)

    with config(eager_numel=0, tier="compile"):
        groups = onebuf.schedule(use(draw()))
        assert [len(group.outputs) for group in groups] == [1]
        held = draw()
        onebuf.realize(use(held))
        assert held.is_realized  # it is not drawn a second time


def test_a_large_draw_is_compiled_for_at_once():
    (item,) = onebuf.schedule(LazyGenerator(1).uniform(size=2_000_000))
    assert item.kind == "kernel"


@pytest.mark.parametrize("dtype", ["uint32", "uint64"])
@pytest.mark.parametrize("lanes", [1, 2, 4, 8, 32])
def test_every_rendering_and_the_reference_agree(dtype, lanes):
    with config(eager_numel=0, tier="compile"):
        for part in (slice(None), slice(3, None), slice(0, None, 2)):
            group = group_of(bits(dtype, 77)[part] ^ 1)
            found = run(group, Rendering(lanes), empty(group), (5, 20))
            reference = np.zeros_like(found)
            interpreter.run(group, [reference])
            np.testing.assert_array_equal(found, reference)
            with config(tier="interpret"):
                np.testing.assert_array_equal(found, np.asarray(bits(dtype, 77)[part] ^ 1))


@settings(max_examples=100, deadline=None)
@given(
    st.sampled_from([f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]),
    st.sampled_from(["bitwise_left_shift", "bitwise_right_shift"]),
    st.lists(st.tuples(st.integers(-(2**63), 2**63 - 1), st.integers(-70, 70)), min_size=1),
)
def test_bits_are_shifted_as_numpy_does(dtype, name, pairs):
    one, two = (np.array(column, np.int64).astype(dtype) for column in zip(*pairs, strict=True))
    wanted = getattr(np, name)(one, two)
    with config(eager_numel=0, tier="compile"):
        got = getattr(onebuf, name)(onebuf.asarray(one), onebuf.asarray(two))
        (item,) = onebuf.schedule(got)
        assert item.name == name
        np.testing.assert_array_equal(np.asarray(got), wanted, strict=True)
