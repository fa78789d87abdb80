"""Random programs of views, writes and branches give the same bits jitted and not."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import onebuf

Step = Callable[[list[Any], list[Any]], None]
"""Do something with values and with memory that may be written."""


def _pick(rng: random.Random, count: int) -> int:
    return rng.randrange(count)


def program(seed: int) -> Callable[..., Any]:
    """A function of two buffers (4, 6), one of them written, and of a number."""
    rng = random.Random(seed)
    steps = [_step(rng) for _ in range(rng.randrange(3, 12))]

    def run(x: Any, memory: Any, k: float) -> Any:
        values = [x, x * k, memory + 0]
        places = [memory, memory[1:3], memory.T, memory[::-1, ::2]]
        for step in steps:
            step(values, places)
        return values[-1], values[-2].sum(axis=0), values[-3][:, 1:]

    return run


def _step(rng: random.Random) -> Step:
    kind = rng.randrange(9)
    one, two, place = rng.random(), rng.random(), rng.randrange(4)
    number = rng.choice([0.5, 2.0, -1.0, 3.0])

    def of(values: list[Any], at: float) -> Any:
        return values[int(at * len(values))]

    def add(values: list[Any], places: list[Any]) -> None:
        values.append(of(values, one) + of(values, two) * number)

    def elementary(values: list[Any], places: list[Any]) -> None:
        values.append(onebuf.tanh(of(values, one)) - onebuf.sqrt(abs(of(values, two))))

    def normalised(values: list[Any], places: list[Any]) -> None:
        x = of(values, one)
        values.append(x - x.mean(axis=1, keepdims=True))

    def moved(values: list[Any], places: list[Any]) -> None:
        x = of(values, one)
        values.append(onebuf.concat([x[2:], x[:2]]).T.reshape((4, 6)) + x[:, ::-1])

    def product(values: list[Any], places: list[Any]) -> None:
        x = of(values, one)
        values.append((x @ of(values, two).T) @ x / 100)

    def update(values: list[Any], places: list[Any]) -> None:
        places[place] *= number

    def assign(values: list[Any], places: list[Any]) -> None:
        target = places[place]
        source = of(values, one)
        target[...] = source[: target.shape[0], :1] if place != 2 else source.T
        values.append(places[0] + of(values, two))

    def written_part(values: list[Any], places: list[Any]) -> None:
        places[0][1:3, 2] = of(values, one)[0, 1:3] + number
        values.append(places[2].T * 1.0)

    def branch(values: list[Any], places: list[Any]) -> None:
        x = of(values, one)
        values.append(x + 1 if x.sum() > number else x * number)

    return [
        *(add, elementary, normalised, moved, product),
        *(update, assign, written_part, branch),
    ][kind]


@pytest.mark.parametrize("seed", range(60))
def test_a_random_program_has_the_same_bits_jitted_and_not(seed: int) -> None:
    plain = program(seed)
    jitted = onebuf.jit(program(seed))
    rng = np.random.default_rng(seed)
    for call in range(4):
        x, memory = rng.normal(size=(2, 4, 6))
        k = [2.0, 2.0, 3.0, 2.0][call]
        mine, other = onebuf.asarray(memory.copy()), onebuf.asarray(memory.copy())
        found = jitted(onebuf.asarray(x), mine, k)
        wanted = plain(onebuf.asarray(x), other, k)
        for one, two in zip(found, wanted, strict=True):
            assert np.asarray(one).tobytes() == np.asarray(two).tobytes()
        assert np.asarray(mine).tobytes() == np.asarray(other).tobytes()
