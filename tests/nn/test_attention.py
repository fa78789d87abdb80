"""Attention: against its formula, causal, masked, and with cached keys."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tensor_differences import check_gradients, draw

import onebuf
from onebuf import nn
from onebuf.capture.api import jit
from onebuf.errors import ArgumentError, ShapeError
from onebuf.nn import Tensor, scaled_dot_product_attention

Array = np.ndarray[Any, Any]


def by_formula(q: Array, k: Array, v: Array, seen: Array) -> Array:
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    powers = np.exp(np.where(seen, scores, -np.inf))
    return powers / powers.sum(-1, keepdims=True) @ v  # type: ignore[no-any-return]


def parts() -> list[Array]:
    return [draw(2, 3, n, 4, seed=seed) for seed, n in enumerate((5, 6, 6))]


def test_attention_is_its_formula() -> None:
    q, k, v = parts()
    found = scaled_dot_product_attention(Tensor(q), Tensor(k), Tensor(v))
    wanted = by_formula(q, k, v, np.ones((5, 6), bool))
    np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-12)


def test_a_causal_query_sees_no_later_key() -> None:
    q, k, v = parts()
    found = scaled_dot_product_attention(Tensor(q), Tensor(k), Tensor(v), causal=True)
    wanted = by_formula(q, k, v, np.tri(5, 6, dtype=bool))
    np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-12)


def test_masks_are_of_truth_or_are_added() -> None:
    q, k, v = parts()
    seen = draw(5, 6, seed=9) > -0.5
    wanted = by_formula(q, k, v, seen)
    for mask in (Tensor(seen), Tensor(np.where(seen, 0.0, -np.inf))):
        found = scaled_dot_product_attention(Tensor(q), Tensor(k), Tensor(v), mask)
        np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-12)


def test_gradients_of_attention_are_finite_differences() -> None:
    q, k, v = (draw(2, n, 2, seed=seed) for seed, n in enumerate((3, 4, 4)))
    check_gradients(lambda *x: scaled_dot_product_attention(*x, causal=True), q, k, v)
    check_gradients(lambda *x: scaled_dot_product_attention(*x[:3], x[3]), q, k, v, draw(3, 4))
    check_gradients(lambda *x: scaled_dot_product_attention(*x, scale=0.3), q, k, v)


def test_dropped_weights_are_scaled() -> None:
    onebuf.random.seed(0)
    ones = Tensor.ones((1, 8, 200, 1))
    found = scaled_dot_product_attention(ones, ones, ones, dropout=0.5).numpy()
    assert found.mean() == pytest.approx(1, abs=0.05)
    assert found.std() > 0


def test_self_attention_is_attention_of_its_projections() -> None:
    layer = nn.CausalSelfAttention(8, 2)
    x = draw(2, 5, 8).astype(np.float32)
    qkv = layer.c_attn(Tensor(x)).numpy()
    q, k, v = (np.moveaxis(part.reshape(2, 5, 2, 4), 2, 1) for part in np.split(qkv, 3, axis=-1))
    mixed = by_formula(q, k, v, np.tri(5, dtype=bool))
    wanted = layer.c_proj(Tensor(np.moveaxis(mixed, 1, 2).reshape(2, 5, 8).astype(np.float32)))
    np.testing.assert_allclose(layer(Tensor(x)).numpy(), wanted.numpy(), rtol=1e-4, atol=1e-6)


def test_heads_share_the_width_evenly() -> None:
    with pytest.raises(ShapeError, match="width 8 and 3 heads"):
        nn.CausalSelfAttention(8, 3)
    with pytest.raises(ShapeError, match="width 8 and 0 heads"):
        nn.MultiHeadAttention(8, 0)


def test_dropout_of_layers_is_for_training_alone() -> None:
    layers = [nn.CausalSelfAttention(8, 2, dropout=0.5), nn.MultiHeadAttention(8, 2, 0.5)]
    x = Tensor(draw(1, 5, 8).astype(np.float32))
    for layer in layers:
        assert layer(x).tolist() != layer(x).tolist()
        layer.eval()
        assert layer(x).tolist() == layer(x).tolist()


# -- cached keys -----------------------------------------------------------------------------------


@pytest.mark.parametrize("pieces", [[5], [1] * 5, [3, 2], [2, 1, 2]])
def test_a_sequence_in_pieces_gives_what_it_gives_as_a_whole(pieces: list[int]) -> None:
    layer = nn.CausalSelfAttention(8, 2)
    x = draw(2, 5, 8).astype(np.float32)
    cache = layer.new_cache(batch=2, length=7)
    ends = np.cumsum(pieces)
    parts = [layer(Tensor(part), cache).numpy() for part in np.split(x, ends[:-1], axis=1)]
    np.testing.assert_allclose(np.concatenate(parts, 1), layer(Tensor(x)).numpy(), atol=1e-6)
    assert int(cache.position) == 5


def test_attention_between_sequences_can_be_cached_too() -> None:
    layer = nn.MultiHeadAttention(8, 2)
    x = draw(1, 4, 8).astype(np.float32)
    cache = nn.KeyCache(batch=1, heads=2, length=4, width=4)
    parts = [layer(Tensor(x[:, [n]]), cache=cache).numpy() for n in range(4)]
    whole = layer(Tensor(x), causal=True).numpy()
    np.testing.assert_allclose(np.concatenate(parts, 1), whole, atol=1e-6)


def test_a_full_cache_says_so_and_can_be_reset() -> None:
    cache = nn.KeyCache(batch=1, heads=1, length=2, width=1)
    step = onebuf.ones((1, 1, 2, 1))
    cache.append(step, step)
    with pytest.raises(ArgumentError, match="length 2 has 2 positions, so there is no room for 2"):
        cache.append(step, step)
    cache.reset()
    _, _, mask = cache.append(step, step)
    assert mask.tolist() == [[True, False], [True, True]]


def test_one_capture_serves_all_positions() -> None:
    layer = nn.CausalSelfAttention(8, 2)
    cache = layer.new_cache(batch=1, length=6)
    x = draw(1, 6, 8).astype(np.float32)

    @jit
    def step(given: Any) -> Any:
        with nn.no_grad():
            return layer(Tensor(given), cache).data

    parts = [np.array(step(onebuf.asarray(x[:, [n]]))) for n in range(6)]
    assert step.captures == 1
    np.testing.assert_allclose(np.concatenate(parts, 1), layer(Tensor(x)).numpy(), atol=1e-6)
