"""Whatever way a kernel is run in, its results have the same bits, and it stays in its memory."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from nests import addresses_of, assert_same, empty, group_of, strides_of
from random_graphs import graphs

import onebuf as ob
from onebuf.engine.cpu import launch, program
from onebuf.engine.cpu.candidates import GRAINS, Choice, Workload, candidates, is_legal, neighbours
from onebuf.engine.cpu.launch import Single
from onebuf.engine.cpu.strategy import choose
from onebuf.render.llvm.rendering import Rendering

RNG = np.random.default_rng(11)


def numbers(shape: tuple[int, ...], dtype: str) -> Any:
    if dtype == "bool":
        return RNG.integers(0, 2, shape).astype(bool)
    if dtype.startswith("f"):
        return RNG.normal(size=shape).astype(dtype)
    return RNG.integers(0, 100, shape).astype(dtype)


def softmax(x: Any) -> Any:
    powers = ob.exp(x - ob.max(x, axis=-1, keepdims=True))
    return powers / ob.sum(powers, axis=-1, keepdims=True)


def normalized(x: Any) -> Any:
    return (x - ob.mean(x, axis=-1, keepdims=True)) / ob.std(x, axis=-1, keepdims=True)


EXPRESSIONS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "sum": ("float32", lambda x: x * 0.5 + 1),
    "log": ("float64", lambda x: ob.log(ob.abs(x) + 1)),
    "bytes": ("uint8", lambda x: x + x),
    "flags": ("bool", lambda x: ob.logical_not(x)),
    "wider": ("int16", lambda x: ob.astype(x, ob.float64) * 2),
    "narrower": ("float64", lambda x: ob.astype(x, ob.float32)),
    "turned": ("float32", lambda x: x.T + 1),
    "turned bytes": ("uint8", lambda x: x.T + 1),
    "turned and not": ("int16", lambda x: x[: min(x.shape), : min(x.shape)].T + x[:1, :1]),
    "every other": ("float32", lambda x: x[:, ::2] * 2),
    "every third": ("int32", lambda x: x[::2, ::3] + 1),
    "backwards": ("float64", lambda x: ob.flip(x) + 1),
    "rows": ("float32", lambda x: ob.sum(x, axis=1)),
    "columns": ("float32", lambda x: ob.sum(x, axis=0)),
    "least of columns": ("int8", lambda x: ob.min(x, axis=0)),
    "every other column": ("float64", lambda x: ob.sum(x[:, ::2], axis=0)),
    "from the mean": ("float64", lambda x: x - ob.mean(x, axis=0, keepdims=True)),
    "softmax": ("float32", softmax),
    "softmax of columns": ("float64", lambda x: softmax(x.T)),
    "normalized": ("float32", normalized),
}
SHAPES = ((1, 5), (33, 64), (70, 131), (257, 17), (16, 1024))


def elements_of(launch: Single, slot: int, address: int) -> Any:
    """The elements that a slot reaches, and no others."""
    first, end = launch._span(slot, address)
    memory = (ctypes.c_ubyte * (end - first)).from_address(first)
    dtype = launch.nest.slots[slot].dtype
    strides = [step * dtype.itemsize for step in launch.words.strides[slot]]
    return np.ndarray(launch.words.extents, dtype, memory, address - first, strides)


def spoil(elements: Any) -> None:
    """Write what no kernel computes."""
    pattern = b"\xa5" * elements.dtype.itemsize
    elements[...] = np.frombuffer(pattern, elements.dtype)[0]


def set_rendering(launch: Single, rendering: Rendering) -> None:
    launch.rendering = rendering
    launch._program = program.program(launch.nest, rendering)
    launch._call = launch._program.call


@pytest.fixture
def launches(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Run every kernel in every way that is right for it; the numbers of ways."""
    ways: list[int] = []
    run = Single.run

    def run_in_all_ways(launch: Single, addresses: list[int], scalars: bytes) -> None:
        run(launch, addresses, scalars)
        if not launch._is_apart(addresses):
            return
        call = Workload(launch.nest, launch.words.extents, addresses, launch.words.strides)
        usual = launch.rendering
        assert is_legal(call, usual)
        found = candidates(call)
        ways.append(len(found))
        outputs = [elements_of(launch, slot, addresses[slot]) for slot in launch.nest.written]
        wanted = [output.copy() for output in outputs]
        spans = [launch._span(n, address) for n, address in enumerate(addresses)]
        for rendering in found:
            set_rendering(launch, rendering)
            for way in (run, lambda *arguments: Single.check(*arguments, spans)):
                for output in outputs:
                    spoil(output)
                way(launch, addresses, scalars)
                for output, want in zip(outputs, wanted, strict=True):
                    assert_same(output, want)
        set_rendering(launch, usual)

    monkeypatch.setattr(Single, "run", run_in_all_ways)
    with ob.config(eager_numel=0, tier="compile"):
        yield ways


@pytest.mark.parametrize("name", list(EXPRESSIONS))
def test_every_way_gives_the_same_bits(name: str, launches: list[int]) -> None:
    dtype, expression = EXPRESSIONS[name]
    for shape in SHAPES:
        expression(ob.asarray(numbers(shape, dtype))).realize()
    assert len(launches) >= len(SHAPES)
    assert max(launches) > 1


def test_every_way_gives_the_same_bits_of_any_graph(launches: list[int]) -> None:
    @settings(max_examples=20, suppress_health_check=list(HealthCheck))
    @given(graphs())
    def check(wanted: Any) -> None:
        ob.realize(*[pair.lazy for pair in wanted])
        for pair in wanted:
            pair.check()

    check()
    assert launches


@pytest.mark.parametrize("name", ["sum", "turned", "columns", "rows", "softmax"])
def test_the_grain_of_threads_changes_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    dtype, expression = EXPRESSIONS[name]
    x = ob.asarray(numbers((700, 512), dtype))
    found = []
    for grain in GRAINS:
        monkeypatch.setattr(
            launch, "search", lambda call, usual, *_, g=grain: usual._replace(grain=g)
        )
        with ob.config(eager_numel=0, tier="compile", threads=3, search_seconds=1):
            found.append(np.asarray(expression(x)))
    for one in found[1:]:
        assert_same(one, found[0])


def example() -> Workload:
    """A call of a kernel that has many renderings."""
    with ob.config(eager_numel=0, tier="compile"):
        one = group_of(softmax(ob.asarray(numbers((64, 64), "float32"))))
    return Workload(one.nest, one.extents, addresses_of(one, empty(one)), strides_of(one))


def test_the_usual_way_is_one_of_the_candidates() -> None:
    call = example()
    usual = choose(call.nest, call.extents, call.addresses, call.strides)
    found = candidates(call)
    assert usual in found
    assert len(set(found)) == len(found)
    assert {rendering.strategy for rendering in found} == {"rows", "columns"}
    assert {rendering.row_cache for rendering in found} == {"", "stack", "output"}


def test_memory_decides_which_are_right() -> None:
    call = example()
    streamed = Rendering(16, streamed=True)
    kept = Rendering(16, row_cache="stack")
    assert is_legal(call, streamed)
    assert is_legal(call, kept)
    beside = [address + 4 for address in call.addresses]
    assert not is_legal(replace(call, addresses=beside), streamed)
    long = (*call.extents[:-1], 1 << 20)
    assert not is_legal(replace(call, extents=long), kept)
    assert not is_legal(call, Rendering(16, small_strides=(2, 2)))
    assert not is_legal(call, Rendering(16, streamed=True, row_cache="output"))
    assert not is_legal(call, Rendering(16, "cache_tiles"))
    assert not is_legal(call, Rendering(7))


def test_neighbours_lead_to_every_candidate() -> None:
    call = example()
    usual = choose(call.nest, call.extents, call.addresses, call.strides)
    reached = {Choice(usual)}
    todo = [Choice(usual)]
    while todo:
        for choice in neighbours(call, todo.pop(), shared=True):
            if choice not in reached:
                reached.add(choice)
                todo.append(choice)
    assert reached == {Choice(one, grain) for one in candidates(call) for grain in GRAINS}
