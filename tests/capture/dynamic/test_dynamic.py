"""`jit(f, dynamic=...)`: one capture serves many lengths, and none that it does not know."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytest

import onebuf
from onebuf import pytree

LENGTHS = range(1, 65)
WEIGHT = onebuf.asarray(np.random.default_rng(1).normal(size=(10, 4)))
TABLE = onebuf.asarray(np.random.default_rng(2).normal(size=(64, 6)))
NUMBERS = [1.0] * 5 + [2.0] + [1.0] * 60
BY_LENGTH = {7: 3.0}


def rows(n: int) -> tuple[Any, ...]:
    return (np.random.default_rng(n).normal(size=(n, 6)),)


def single(n: int) -> tuple[Any, ...]:
    return (np.random.default_rng(n).normal(size=(n, 6)).astype("float32"),)


def indices(n: int) -> tuple[Any, ...]:
    return (np.random.default_rng(n).integers(0, 10, size=n),)


def bits(result: Any) -> list[Any]:
    """All that can be seen of the leaves of a result."""
    found = []
    for leaf in pytree.flatten(result)[0]:
        if isinstance(leaf, onebuf.Buffer):
            array = np.asarray(leaf)
            found.append((array.shape, array.dtype, array.tobytes(), leaf._is_number))
        else:
            found.append((type(leaf), leaf))
    return found


def compare(
    function: Callable[..., Any],
    arguments: Callable[[int], tuple[Any, ...]] = rows,
    lengths: Iterable[int] = LENGTHS,
    dynamic: Any = True,
) -> tuple[Any, int]:
    """The jitted function, after each length gave the same bits as a plain call, memory included;
    and how often its Python code ran."""
    runs = []

    def counted(*args: Any) -> Any:
        runs.append(1)
        return function(*args)

    jitted = onebuf.jit(counted, dynamic=dynamic)
    for n in lengths:
        mine = [onebuf.asarray(array.copy()) for array in arguments(n)]
        other = [onebuf.asarray(array.copy()) for array in arguments(n)]
        assert bits(jitted(*mine)) == bits(function(*other)), n
        assert bits(mine) == bits(other), n
    return jitted, len(runs)


def softmax(x: Any) -> Any:
    powers = onebuf.exp(x - x.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def normalised(x: Any) -> Any:
    distance = x - x.mean(axis=-1, keepdims=True)
    return distance / onebuf.sqrt(x.var(axis=-1, keepdims=True) + 1e-5)


def attention(x: Any) -> Any:
    places = onebuf.arange(x.shape[0])
    scores = x @ x.T / math.sqrt(x.shape[1])
    seen = places[None, :] <= places[:, None]
    return softmax(onebuf.where(seen, scores, -onebuf.inf)) @ x


def written(x: Any) -> Any:
    x[0] += 1
    x[-1] *= 3
    return x * 2


ONE_CAPTURE: dict[str, tuple[Callable[..., Any], Callable[[int], tuple[Any, ...]]]] = {
    "elementwise": (lambda x: onebuf.tanh(x * 2 + 1) - abs(x), rows),
    "softmax": (softmax, rows),
    "layer norm": (normalised, single),
    "attention": (attention, rows),
    "mean and variance": (lambda x: (x.mean(axis=0), x.var(axis=0), x.std()), rows),
    "mean and variance of float32": (lambda x: (x.mean(axis=0), x.var(axis=0)), single),
    "cumulative sum": (lambda x: onebuf.cumulative_sum(x, axis=0), rows),
    "concat": (lambda x: onebuf.concat([x, onebuf.ones((3, 6)), x * 2]), rows),
    "difference": (lambda x: x[1:] - x[:-1], rows),
    "reshape": (lambda x: x.reshape((x.shape[0] * 2, 3)) + 1, rows),
    "reshape to -1": (lambda x: x.reshape((-1, 3)).sum(axis=1), rows),
    "transpose and reshape": (lambda x: (x.T + 1).reshape((-1,)), rows),
    "product": (lambda x: x @ x.T, rows),
    "take": (lambda i: onebuf.take(WEIGHT, i, axis=0) * 2, indices),
    "embedding": (lambda i: WEIGHT[i].sum(axis=0), indices),
    "one hot": (lambda i: (i[:, None] == onebuf.arange(10)).sum(axis=0), indices),
    "positions": (lambda x: x + TABLE[: x.shape[0]], rows),
    "writes": (written, rows),
    "views of the argument": (lambda x: (x[1:], x.T, x), rows),
    "a length as a number": (lambda x: x.sum(axis=0) / x.shape[0] + x.shape[0] * x, rows),
    "a length as a result": (lambda x: (x + 1, x.shape, x.shape[0] * 2, x.size), rows),
    "backwards": (lambda x: x[::-1] + x, rows),
    "sort": (lambda x: onebuf.sort(x, axis=0), rows),
    "triangle": (lambda x: onebuf.tril(x @ x.T) + onebuf.eye(x.shape[0]), rows),
    "zeros": (lambda x: onebuf.zeros(x.shape) + onebuf.linspace(0, 1, x.shape[0])[:, None], rows),
    "fourier": (lambda x: onebuf.fft.fft(x, axis=0).real, rows),
    "gradient": (onebuf.grad(lambda x: (onebuf.tanh(x) ** 2).mean()), rows),
}


@pytest.mark.parametrize("name", ONE_CAPTURE)
def test_one_capture_serves_all_lengths(name: str) -> None:
    function, arguments = ONE_CAPTURE[name]
    jitted, runs = compare(function, arguments)
    assert (jitted.captures, jitted.replays, runs) == (1, 63, 4)


@pytest.mark.parametrize("name", ["attention", "difference", "writes", "mean and variance"])
def test_lengths_come_in_any_order(name: str) -> None:
    function, arguments = ONE_CAPTURE[name]
    order = random.Random(3).sample([*LENGTHS, *LENGTHS], 128)
    jitted, runs = compare(function, arguments, order)
    assert (jitted.captures, runs) == (1, 4)


BY_BRANCHES: dict[str, tuple[Callable[..., Any], int]] = {
    "above": (lambda x: x + 1 if x.shape[0] > 32 else x - 1, 2),
    "between": (lambda x: x + 1 if 10 < x.shape[0] <= 20 else x - 1, 3),
    "equal": (lambda x: x + 1 if x.shape[0] == 9 else x - 1, 2),
    "in a tuple": (lambda x: x + 1 if x.shape[0] in (9, 12) else x - 1, 3),
    "an integer of NumPy": (lambda x: x + 1 if np.int64(9) == x.shape[0] else x - 1, 2),
    "as a shape": (lambda x: x + 1 if x.shape == (9, 6) else x - 1, 2),
    "odd": (lambda x: x + 1 if x.shape[0] % 2 else x - 1, 2),
    "half": (lambda x: x[: x.shape[0] // 2] * 2, 2),
    "every other": (lambda x: x[::2] * 2, 2),
    "min": (lambda x: x[: min(x.shape[0], 10)].sum(axis=0), 2),
    "max": (lambda x: x * max(x.shape[0], 10), 2),
    "first five": (lambda x: x[:5].sum(axis=0), 2),
    "last five": (lambda x: x[-5:] * 2, 2),
    "squeeze": (lambda x: (x * 2).squeeze(), 2),
    "roll": (lambda x: onebuf.roll(x, 1, axis=0), 2),
}


@pytest.mark.parametrize("name", BY_BRANCHES)
def test_a_decision_by_the_length_is_never_stale(name: str) -> None:
    function, captures = BY_BRANCHES[name]
    assert compare(function)[0].captures == captures
    assert compare(function, lengths=reversed(LENGTHS))[0].captures <= captures + 1


DERIVED: dict[str, Callable[[Any], Any]] = {
    "slice": lambda x: x[1:],
    "reshape": lambda x: x.reshape((-1, 1)),
    "transpose": lambda x: x.T.reshape((-1, 6)),
    "product": lambda x: x @ x.T,
    "concat": lambda x: onebuf.concat([x, x]),
    "stack": lambda x: onebuf.stack([x, x], axis=1),
    "expand": lambda x: onebuf.expand_dims(x, 0)[0],
    "sum": lambda x: x.sum(axis=1),
    "arange": lambda x: onebuf.arange(x.shape[0]),
    "arange from 1": lambda x: onebuf.arange(1, x.shape[0]),
    "flip": lambda x: onebuf.flip(x),
    "broadcast": lambda x: onebuf.broadcast_to(x[0], x.shape),
    "zeros": lambda x: onebuf.zeros((x.shape[0], 2)),
    "zeros of a list": lambda x: onebuf.zeros([x.shape[0], 2]),
    "picked": lambda x: x[onebuf.arange(x.shape[0]), onebuf.zeros(x.shape[0], dtype="int64")],
    "median": lambda x: onebuf.median(x, axis=1),
    "windows": lambda x: onebuf.lib.stride_tricks.sliding_window_view(x, 2, axis=0),
    "every third": lambda x: x[::-3],
    "scan": lambda x: onebuf.maximum.accumulate(x, axis=0),
    "outer": lambda x: onebuf.outer(x[:, 0], x[:, 1]),
    "kron": lambda x: onebuf.kron(x, onebuf.ones((2, 2))),
    "pad": lambda x: onebuf.pad(x, 1),
    "split": lambda x: onebuf.array_split(x, 2)[0],
    "gradient": lambda x: onebuf.grad(lambda y: (y * y).sum())(x),
    "vmap": lambda x: onebuf.vmap(lambda row: row * 2)(x),
    "eye": lambda x: onebuf.eye(x.shape[0]),
    "linspace": lambda x: onebuf.linspace(0, 1, x.shape[0]),
    "cumulative sum": lambda x: onebuf.cumulative_sum(x, axis=0),
    "repeat": lambda x: onebuf.repeat(x, 2, axis=0),
    "tile": lambda x: onebuf.tile(x, (2, 1)),
    "take": lambda x: x[onebuf.arange(x.shape[0])],
    "einsum": lambda x: onebuf.einsum("ij,kj->ik", x, x),
    "where": lambda x: onebuf.where(x > 0, x, 0),
    "sort": lambda x: onebuf.sort(x, axis=0),
    "roll": lambda x: onebuf.roll(x, 1, axis=0),
    "diagonal": lambda x: onebuf.linalg.diagonal(x @ x.T),
    "astype": lambda x: x.astype("float32"),
    "copy": lambda x: x.copy(),
    "like": lambda x: onebuf.zeros_like(x),
    "unstack": lambda x: onebuf.unstack(x, axis=1)[0],
    "move": lambda x: onebuf.moveaxis(x, 0, 1).T,
    "triangle": lambda x: onebuf.triu(x @ x.T),
    "meshgrid": lambda x: onebuf.meshgrid(x[:, 0], x[:, 1])[0],
    "argsort": lambda x: onebuf.argsort(x, axis=0),
    "random": lambda x: onebuf.random.uniform(size=x.shape),
}


@pytest.mark.parametrize("name", DERIVED)
def test_the_length_is_followed_through_what_a_function_computes(name: str) -> None:
    """The length that decides is none that is tried, so it is noticed only if it is followed."""
    part = DERIVED[name]
    extent = part(onebuf.zeros((12, 6))).shape[0]
    compare(lambda x: x * 2 if part(x).shape[0] == extent else x, lengths=(13, 12, 14, 12))


UNKNOWN: dict[str, Callable[[Any], Any]] = {
    "set": lambda x: x * 2 if x.shape[0] in {5, 7} else x,
    "dict": lambda x: x * BY_LENGTH.get(x.shape[0], 1.0),
    "list": lambda x: x * NUMBERS[x.shape[0]],
    "quotient": lambda x: x * 2 if x.shape[0] / 2 == 6 else x,
    "a float to compare with": lambda x: x * 2 if 11.5 < x.shape[0] < 12.5 else x,
    "square root": lambda x: x / math.sqrt(x.shape[0]),
    "power": lambda x: x * x.shape[0] ** -0.5,
    "text": lambda x: x * len(str(x.shape[0])),
    "bits": lambda x: x * (x.shape[0] & 3),
    "a float of NumPy": lambda x: x * 2 if x.shape[0] == np.float32(12) else x,
    "range": lambda x: sum([x[i] for i in range(x.shape[0]) if i < 7]),
    "len": lambda x: x * len(x),
    "array of NumPy": lambda x: x * onebuf.asarray(np.arange(x.shape[0]))[:, None],
    "list of lengths": lambda x: x * onebuf.asarray([x.shape[0], 1, 2, 3, 4, 5]),
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_what_cannot_be_followed_is_captured_for_each_length(name: str) -> None:
    jitted, _ = compare(UNKNOWN[name], lengths=(13, 12, 7, 5, 13, 40))
    assert jitted.captures == 5
    assert "not dynamic: " in jitted.explain()


@pytest.mark.parametrize(
    "function",
    [lambda x: x * 2 if x.sum() > 0 else x, lambda x: x * float(x[0, 0]), lambda x: x[x > 0]],
    ids=["branch", "item", "mask"],
)
def test_a_function_that_reads_a_value_is_captured_for_each_length(function: Any) -> None:
    jitted, _ = compare(function, lengths=(3, 4, 3, 5))
    assert "not dynamic: it reads a value at " in jitted.explain()


def test_a_block_of_layers_serves_all_lengths() -> None:
    """A single token needs no copies where others do, so it may be a capture of its own."""
    embed, norm = onebuf.nn.Embedding(10, 8), onebuf.nn.LayerNorm(8)
    attend, out = onebuf.nn.CausalSelfAttention(8, 2), onebuf.nn.Linear(8, 8)

    def block(tokens: Any) -> Any:
        x = embed(tokens)
        return out(norm(x + attend(norm(x))))

    def of(n: int) -> tuple[Any, ...]:
        return (np.random.default_rng(n).integers(0, 10, size=(2, n)),)

    jitted = onebuf.jit(block, dynamic=1)
    for n in LENGTHS:
        (tokens,) = [onebuf.asarray(array) for array in of(n)]
        found, wanted = jitted(tokens).numpy(), block(tokens).numpy()
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)
    assert jitted.captures <= 2


def test_the_marked_axes_alone_vary() -> None:
    def of(n: int) -> tuple[Any, ...]:
        return (np.random.default_rng(n).normal(size=(3, n, 2)),)

    jitted, _ = compare(lambda x: x.sum(axis=1) + x[:, 0], of, dynamic=1)
    assert jitted.captures == 1
    jitted, _ = compare(lambda x: x.sum(axis=1), of, (2, 3, 4), dynamic=0)
    assert jitted.captures == 3


def test_axes_are_marked_by_the_names_of_parameters() -> None:
    @lambda f: onebuf.jit(f, dynamic={"tree": 0, "mask": (0, -1)})
    def f(tree: Any, mask: Any, weight: Any) -> Any:
        return onebuf.where(mask, tree["x"] @ tree["x"].T, 0.0) @ tree["x"] * weight

    weight = onebuf.ones(6)
    for n in LENGTHS:
        x = onebuf.asarray(rows(n)[0])
        mask = onebuf.asarray(np.tri(n, dtype=bool))
        found = f({"x": x}, weight=weight, mask=mask)
        wanted = onebuf.where(mask, x @ x.T, 0.0) @ x * weight
        assert bits(found) == bits(wanted)
    assert f.captures == 1


def test_two_lengths_vary_at_once() -> None:
    def of(n: int) -> tuple[Any, ...]:
        rng = np.random.default_rng(n)
        return rng.normal(size=(n, 6)), rng.normal(size=(n * n % 17 + 2, 6))

    jitted, runs = compare(lambda x, y: (softmax(x @ y.T) @ y, (x @ y.T).reshape((-1,))), of)
    assert (jitted.captures, runs) == (1, 9)


def test_lengths_that_were_equal_and_differ_are_another_capture() -> None:
    f = onebuf.jit(lambda x, y: x.sum() * y, dynamic=True)
    for n, m, captures in ((3, 3, 1), (5, 5, 1), (5, 7, 2), (9, 2, 2), (4, 4, 2)):
        x, y = onebuf.asarray(rows(n)[0]), onebuf.asarray(rows(m)[0])
        assert bits(f(x, y)) == bits(x.sum() * y)
        assert f.captures == captures


def test_a_length_far_beyond_is_captured_once_more() -> None:
    jitted, _ = compare(attention, lengths=(3, 2000, 1500, 4, 1999))
    assert jitted.captures == 2


def test_an_upper_limit_of_the_function_is_found() -> None:
    jitted, _ = compare(lambda x: x * TABLE[x.shape[0] - 1], lengths=(3, 64, 20, 1))
    assert jitted.captures == 1
    with pytest.raises(IndexError):
        jitted(onebuf.zeros((65, 6)))


def test_other_arguments_are_guarded_as_ever() -> None:
    f = onebuf.jit(lambda x, k: x * k, dynamic=True)
    for k in (2.0, 3.0, 2.0):
        for n in (3, 4, 5):
            assert f(onebuf.ones(n), k).tolist() == [k] * n
    assert f.captures == 2
    assert f(onebuf.ones(4, dtype="float32"), 2.0).dtype == onebuf.float32
    assert f.captures == 3


def test_state_that_changes_is_not_stale_for_a_new_length() -> None:
    scale = 2.0
    f = onebuf.jit(lambda x: x * scale, dynamic=True)
    assert f(onebuf.ones(3)).tolist() == [2, 2, 2]
    scale = 5.0
    assert f(onebuf.ones(2)).tolist() == [5, 5]
    assert f(onebuf.ones(4)).tolist() == [5, 5, 5, 5]
    assert f.captures == 2


def test_the_same_buffer_twice_is_another_capture() -> None:
    @lambda f: onebuf.jit(f, dynamic=True)
    def f(a: Any, b: Any) -> Any:
        a += 1
        return a * b

    for n in (2, 3, 4):
        x, y = onebuf.ones(n), onebuf.full((n,), 10.0)
        assert f(x, y).tolist() == [20.0] * n
        assert f(y, y).tolist() == [121.0] * n
    assert f.captures == 2


def test_a_buffer_with_gaps_is_captured_for_itself() -> None:
    f = onebuf.jit(lambda x: x * 2 + 1, dynamic=True)
    for n in (4, 6, 8):
        x = onebuf.arange(float(n))
        assert f(x).tolist() == (x * 2 + 1).tolist()
        assert f(x[::2]).tolist() == (x[::2] * 2 + 1).tolist()


def test_arrays_of_numpy_vary_as_buffers_do() -> None:
    @lambda f: onebuf.jit(f, dynamic=True)
    def f(x: Any, y: Any) -> Any:
        y += x
        return x * 2

    for n in LENGTHS:
        x, y = np.arange(float(n)), np.ones(n)
        assert f(x, y).tolist() == (x * 2).tolist()
        assert y.tolist() == (x + 1).tolist()
    assert f.captures == 1


def test_random_numbers_are_those_of_plain_calls() -> None:
    def noise(x: Any) -> Any:
        return x + onebuf.random.uniform(size=x.shape) * onebuf.random.normal((6,)).sum()

    lengths = [3, 5, 3, 8, 1, 5]
    onebuf.random.seed(3)
    plain = [bits(noise(onebuf.zeros((n, 6)))) for n in lengths]
    onebuf.random.seed(3)
    f = onebuf.jit(noise, dynamic=True)
    assert [bits(f(onebuf.zeros((n, 6)))) for n in lengths] == plain
    assert f.captures == 1


def test_buffers_that_a_function_reaches_are_written() -> None:
    total = onebuf.zeros(6)

    @lambda f: onebuf.jit(f, dynamic=True)
    def f(x: Any) -> None:
        nonlocal total
        total += x.sum(axis=0)

    for n in range(1, 11):
        f(onebuf.ones((n, 6)))
    assert total.tolist() == [55.0] * 6
    assert f.captures == 1


def test_an_error_in_the_function_comes_out_as_it_is() -> None:
    def check(x: Any) -> Any:
        if x.shape[0] > 3:
            raise KeyError("too long")
        return x

    f = onebuf.jit(check, dynamic=True)
    assert f(onebuf.ones(2)).tolist() == [1, 1]
    with pytest.raises(KeyError, match="too long"):
        f(onebuf.ones(4))
    assert f(onebuf.ones(3)).tolist() == [1, 1, 1]


def test_lengths_that_a_function_keeps_end_as_plain_integers() -> None:
    class Model:
        length = 0

    model = Model()

    @lambda f: onebuf.jit(f, dynamic=True)
    def f(x: Any) -> Any:
        before = model.length
        model.length = x.shape[0]
        return x + before

    for n in (3, 4, 5):
        f(onebuf.ones(n))
        assert type(model.length) is int
        assert model.length == n


def test_explain_says_which_lengths_are_served() -> None:
    f = onebuf.jit(lambda x: x + 1 if x.shape[0] <= 32 else x, dynamic=True)
    f(onebuf.ones(5))
    assert "dynamic: 1 <= n <= 32, n - 32 <= 0 (" in f.explain()


def test_axes_and_names_that_are_none_are_refused() -> None:
    with pytest.raises(ValueError, match="dynamic needs names of parameters, got 'y'"):
        onebuf.jit(lambda x: x, dynamic={"y": 0})
    with pytest.raises(TypeError, match="dynamic needs True, an axis"):
        onebuf.jit(lambda x: x, dynamic="x")


# -- random programs -------------------------------------------------------------------------------


def program(seed: int) -> Callable[..., Any]:
    """A function of a buffer (n, 6) and of another one that it writes to."""
    rng = random.Random(seed)
    steps = [(rng.randrange(12), rng.random(), rng.random()) for _ in range(rng.randrange(3, 9))]

    def run(x: Any, memory: Any) -> Any:
        values = [x, x * 0.5, memory + 0]
        for kind, one, two in steps:
            a, b = values[int(one * len(values))], values[int(two * len(values))]
            n = a.shape[0]
            match kind:
                case 0:
                    values.append(a + b * 2)
                case 1:
                    values.append(onebuf.tanh(a) - a.mean(axis=0))
                case 2:
                    values.append(onebuf.concat([a[n // 2 :], b[: n // 2]]))
                case 3:
                    values.append((a @ b.T) @ a / 100)
                case 4:
                    values.append(a[::-1] - onebuf.cumulative_sum(b, axis=0))
                case 5:
                    values.append(a * n + 1 if n % 3 else a)
                case 6:
                    values.append(a.T.reshape((n, 6)) + a[:1])
                case 7:
                    memory[: int(one > 0.5) + 1] = a[0] + 1
                case 8:
                    memory[:, 2] *= b[:, 3]
                    values.append(memory + a)
                case 9:
                    values.append(a + onebuf.arange(n)[:, None] if n > 7 else a - n)
                case 10:
                    values.append(a.reshape((-1, 2)).sum(axis=1).reshape((n, 3))[:, :1] + b)
                case 11:
                    values.append(a - a[-min(n, 4) :].sum(axis=0))
        return values[-1], values[-2].sum(axis=0), values[-3][1:]

    return run


@pytest.mark.parametrize("seed", range(30))
def test_a_random_program_has_the_same_bits_for_all_lengths(seed: int) -> None:
    def of(n: int) -> tuple[Any, ...]:
        rng = np.random.default_rng(n)
        return rng.normal(size=(n, 6)), rng.normal(size=(n, 6))

    lengths = random.Random(seed).sample([*range(1, 24)], 14)
    jitted, _ = compare(program(seed), of, lengths)
    assert jitted.captures < 14
