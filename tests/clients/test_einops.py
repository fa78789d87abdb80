"""einops on buffers, through its own backend and through its array API functions."""

from typing import Any

import einops
import einops.array_api
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import onebuf
from onebuf import Buffer
from onebuf.clients.einops import OnebufBackend

X = np.arange(2 * 6 * 4 * 3, dtype=np.float64).reshape(2, 6, 4, 3)

REARRANGED = [
    ("b h w c -> b c h w", {}),
    ("b h w c -> (b h) w c", {}),
    ("b (h p) w c -> b h (p c) w", {"p": 2}),
    ("b (h p) (w q) c -> (b h w) (p q c)", {"p": 3, "q": 2}),
    ("b h w c -> b (c h w)", {}),
    ("... c -> c ...", {}),
    ("b ... -> (b ...)", {}),
    ("b h w c -> b h 1 w c 1", {}),
    ("(two b) h w c -> two b h w c", {"two": 2}),
]
REDUCED = [
    ("b h w c -> b c", "mean"),
    ("b (h p) (w q) c -> b h w c", "max"),
    ("b h w c -> c", "sum"),
    ("b h w c -> h 1 w 1", "min"),
    ("... c -> ...", "prod"),
    ("b h w c ->", "sum"),
]
REPEATED = [
    ("b h w c -> b h w c k", {"k": 3}),
    ("b h w c -> b (h k) (w j) c", {"k": 2, "j": 2}),
    ("b h w c -> (k b) h w c", {"k": 2}),
    ("b h w c -> k b h w c", {"k": 1}),
]


def equal(got: Any, wanted: Any) -> None:
    assert type(got) is Buffer
    assert (got.shape, got.dtype) == (wanted.shape, wanted.dtype)
    np.testing.assert_allclose(np.asarray(got), wanted)


@pytest.fixture(params=[4096, 0])
def x(request: pytest.FixtureRequest) -> Any:
    """A buffer with the elements of X, in either mode."""
    with onebuf.config(eager_numel=request.param):
        yield onebuf.asarray(X) + 0


@pytest.mark.parametrize("module", [einops, einops.array_api])
@pytest.mark.parametrize("pattern, axes", REARRANGED)
def test_rearrange(module: Any, pattern: str, axes: dict[str, int], x: Buffer) -> None:
    equal(module.rearrange(x, pattern, **axes), einops.rearrange(X, pattern, **axes))


@pytest.mark.parametrize("module", [einops, einops.array_api])
@pytest.mark.parametrize("pattern, how", REDUCED)
def test_reduce(module: Any, pattern: str, how: str, x: Buffer) -> None:
    axes = {"p": 2, "q": 2} if "p" in pattern else {}
    equal(module.reduce(x, pattern, how, **axes), einops.reduce(X, pattern, how, **axes))


@pytest.mark.parametrize("module", [einops, einops.array_api])
@pytest.mark.parametrize("pattern, axes", REPEATED)
def test_repeat(module: Any, pattern: str, axes: dict[str, int], x: Buffer) -> None:
    equal(module.repeat(x, pattern, **axes), einops.repeat(X, pattern, **axes))


@pytest.mark.parametrize("how", ["any", "all"])
def test_truths_are_reduced_to_truths(how: str, x: Buffer) -> None:
    equal(einops.reduce(x > 70, "b h w c -> b", how), einops.reduce(X > 70, "b h w c -> b", how))


def test_a_function_of_the_users_reduces(x: Buffer) -> None:
    def spread(tensor: Any, axes: tuple[int, ...]) -> Any:
        return tensor.max(axis=axes) - tensor.min(axis=axes)

    equal(einops.reduce(x, "b h w c -> b", spread), einops.reduce(X, "b h w c -> b", spread))


@pytest.mark.parametrize("module", [einops, einops.array_api])
def test_a_list_is_stacked(module: Any, x: Buffer) -> None:
    wanted = einops.rearrange(list(X), "b h w c -> (b h) w c")
    equal(module.rearrange([x[0], x[1]], "b h w c -> (b h) w c"), wanted)


@pytest.mark.parametrize("module", [einops, einops.array_api])
def test_pack_and_unpack(module: Any, x: Buffer) -> None:
    wanted, shapes = einops.pack([X, X[:, 0], X[0, 0]], "* c")
    got, found = module.pack([x, x[:, 0], x[0, 0]], "* c")
    equal(got, wanted)
    assert [tuple(shape) for shape in found] == [tuple(shape) for shape in shapes]
    for one, two in zip(
        module.unpack(got, found, "* c"), einops.unpack(wanted, shapes, "* c"), strict=True
    ):
        equal(one, two)


def test_einsum(x: Buffer) -> None:
    pattern = "b h w c, d c -> b h w d"
    weights = np.arange(15.0).reshape(5, 3)
    equal(einops.einsum(x, onebuf.asarray(weights), pattern), einops.einsum(X, weights, pattern))
    pattern = "b h w c, b h w c -> b"
    equal(einops.einsum(x, x, pattern), einops.einsum(X, X, pattern))


def test_parse_shape_and_asnumpy(x: Buffer) -> None:
    assert einops.parse_shape(x, "b _ w c") == {"b": 2, "w": 4, "c": 3}
    array = einops.asnumpy(x)
    assert type(array) is np.ndarray
    assert np.shares_memory(array, np.asarray(x))
    assert np.shares_memory(einops.array_api.asnumpy(x), np.asarray(x))


def test_rearranging_is_a_view_and_repeating_stores_nothing() -> None:
    x = onebuf.asarray(X, copy=True)
    moved = einops.rearrange(x, "b h w c -> b c h w")
    assert moved.base is x
    wide = einops.repeat(x, "b h w c -> b h w c k", k=1000)
    assert wide.base is x
    assert wide.stride[-1] == 0
    moved[0, 1, 0, 0] = -5.0
    assert wide[0, 0, 0, 1, 999].item() == -5.0


def test_a_pending_buffer_stays_pending() -> None:
    x = onebuf.asarray(np.ones((64, 64, 12))) * 2
    patches = einops.rearrange(x, "(h p) (w q) c -> (h w) (p q c)", p=8, q=8)
    means = einops.reduce(patches, "n e -> n", "mean")
    assert not x.is_realized
    assert not means.is_realized
    assert (means == 2).all()


def test_attention_is_that_of_numpys_arrays() -> None:
    def attention(einsum_operand: Any, tokens: Any, weights: Any) -> Any:
        joined = einops.einsum(tokens, weights, "b n d, d e -> b n e")
        parts = einops.rearrange(joined, "b n (three h e) -> three b h n e", three=3, h=2)
        q, k, v = parts[0], parts[1], parts[2]
        scores = einops.einsum(q, k, "b h i e, b h j e -> b h i j")
        scores = einsum_operand.exp(scores - einops.reduce(scores, "b h i j -> b h i 1", "max"))
        scores = scores / einops.reduce(scores, "b h i j -> b h i 1", "sum")
        mixed = einops.einsum(scores, v, "b h i j, b h j e -> b h i e")
        return einops.rearrange(mixed, "b h n e -> b n (h e)")

    rng = np.random.default_rng(1)
    tokens, weights = rng.normal(size=(2, 5, 8)), rng.normal(size=(8, 24))
    wanted = attention(np, tokens, weights)
    equal(attention(onebuf, onebuf.asarray(tokens), onebuf.asarray(weights)), wanted)


@settings(max_examples=60, deadline=None)
@given(st.permutations("abcd"), st.integers(0, 4), st.sampled_from([4096, 0]))
def test_any_order_and_grouping(order: list[str], cut: int, eager_numel: int) -> None:
    left, right = " ".join(order[:cut]), " ".join(order[cut:])
    pattern = f"a b c d -> ({left}) ({right})"
    with onebuf.config(eager_numel=eager_numel):
        equal(einops.rearrange(onebuf.asarray(X), pattern), einops.rearrange(X, pattern))


def test_a_wrong_pattern_is_einops_error() -> None:
    with pytest.raises(einops.EinopsError, match="Shape mismatch"):
        einops.rearrange(onebuf.asarray(X), "b (h p) w c -> b h p w c", p=4)


def test_the_backend_is_complete() -> None:
    backend = OnebufBackend()
    assert backend.is_appropriate_type(onebuf.zeros(1))
    assert not backend.is_appropriate_type(np.zeros(1))
    assert backend.arange(2, 5).to_python() == [2, 3, 4]
    equal(backend.from_numpy(X), X)
    equal(backend.tile(onebuf.asarray(X), (1, 2, 1, 1)), np.tile(X, (1, 2, 1, 1)))
    assert backend.is_float_type(onebuf.zeros(1))
    assert not backend.is_float_type(onebuf.zeros(1, dtype="int32"))
    with pytest.raises(NotImplementedError, match="float"):
        einops.reduce(onebuf.zeros(2, dtype="int32"), "a -> ", "mean")
