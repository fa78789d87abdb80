"""Attention: weighted means of values, with weights by how well queries fit keys.

Tensors are (..., heads, length, width of a head). The whole of it, from queries to the result, is
one recorded operation.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

from onebuf import dtypes, ops
from onebuf.buffer import Buffer
from onebuf.errors import ArgumentError, ShapeError
from onebuf.machine import Tracer
from onebuf.nn.functional import kept_mask, linear
from onebuf.nn.initialisation import xavier_uniform, zeros
from onebuf.nn.layers import Dropout, Linear
from onebuf.nn.module import Module
from onebuf.tensor import Tensor, recorded, softmax, where
from onebuf.tensor.precision import product


def scaled_dot_product_attention(
    query: Any,
    key: Any,
    value: Any,
    mask: Any = None,
    causal: bool = False,
    scale: float | None = None,
    dropout: float = 0.0,
) -> Any:
    """``softmax(query @ key.mT * scale) @ value``.

    ``mask`` is True where a query may look at a key, or is added to the scores if it has floats.
    With ``causal``, query ``i`` looks at keys up to ``i``. ``scale`` is one over the root of the
    width of a head by default.

    >>> from onebuf.nn import Tensor
    >>> q = k = Tensor([[1.0], [1.0]])
    >>> scaled_dot_product_attention(q, k, Tensor([[2.0], [4.0]]), causal=True).tolist()
    [[2.0], [3.0]]
    """
    kept = None
    if dropout:
        kept = kept_mask(query, (*query.shape[:-1], key.shape[-2]), dropout)
    return _attention(query, key, value, mask, causal, scale, dropout, kept)


@recorded
def _attention(
    query: Any,
    key: Any,
    value: Any,
    mask: Any,
    causal: bool,
    scale: float | None,
    dropout: float,
    kept: Any,
) -> Any:
    """`scaled_dot_product_attention`, with the weights that dropout keeps."""
    factor = 1 / sqrt(query.shape[-1]) if scale is None else scale
    scores = product(query, key.mT) * factor
    if causal:
        scores = where(causal_mask(query.shape[-2], key.shape[-2], query), scores, float("-inf"))
    if mask is not None:
        if mask.dtype == dtypes.bool:
            scores = where(mask, scores, float("-inf"))
        else:
            scores = scores + mask
    weights = softmax(scores)
    if kept is not None:
        weights = weights * (kept.astype(weights.dtype) * (1 / (1 - dropout)))
    return product(weights, value)


def causal_mask(queries: int, keys: int, like: Buffer) -> Buffer:
    """Which keys each query may look at: those that are not later."""
    rows, columns = (
        Buffer._value(ops.arange(0, count, 1, dtypes.int64, like.device))
        for count in (queries, keys)
    )
    return columns <= rows.expand_dims(1)


@recorded
def _split_heads(x: Any, heads: int) -> Any:
    """(batch, length, width) as (batch, heads, length, width of a head)."""
    batch, length, width = x.shape
    return x.reshape(batch, length, heads, width // heads).permute(0, 2, 1, 3)


@recorded
def _join_heads(x: Any) -> Any:
    """The opposite of `_split_heads`."""
    batch, heads, length, width = x.shape
    return x.permute(0, 2, 1, 3).reshape(batch, length, heads * width)


@recorded
def _self_attention(qkv: Any, heads: int, causal: bool, dropout: float, kept: Any) -> Any:
    """Attention of (batch, length, 3 * width), which has queries, keys and values side by side."""
    width = qkv.shape[-1] // 3
    parts = [qkv[..., place * width : (place + 1) * width] for place in range(3)]
    q, k, v = (_split_heads(part, heads) for part in parts)
    return _join_heads(_attention(q, k, v, None, causal, None, dropout, kept))


class KeyCache:
    """Keys and values of the positions so far, in memory for ``length`` of them.

    What is appended is written in place, and attention goes over the whole length with a mask, so
    that every step has the same shapes and one captured function serves all of them. No gradient
    goes through what is kept.

    >>> cache = KeyCache(batch=1, heads=2, length=8, width=4)
    >>> step = Buffer.ones((1, 2, 3, 4))
    >>> keys, values, mask = cache.append(step, step)
    >>> keys.shape, mask[-1].tolist(), int(cache.position)
    ((1, 2, 8, 4), [True, True, True, False, False, False, False, False], 3)
    """

    def __init__(
        self,
        batch: int,
        heads: int,
        length: int,
        width: int,
        dtype: Any = dtypes.float32,
        device: Any = None,
    ) -> None:
        shape = (batch, heads, length, width)
        self.keys = Buffer.zeros(shape, dtype, device=device).realize()
        self.values = Buffer.zeros(shape, dtype, device=device).realize()
        self.position = Buffer.zeros((), dtypes.int64, device=device).realize()
        """How many positions are kept."""

    @property
    def length(self) -> int:
        """How many positions there is room for."""
        return self.keys.shape[2]

    def append(self, keys: Any, values: Any) -> tuple[Buffer, Buffer, Buffer]:
        """Keep more positions; all keys and values, and which of them each new position sees."""
        new = [x.data if isinstance(x, Tensor) else x for x in (keys, values)]
        count = new[0].shape[2]
        if (
            not isinstance(self.position.device, Tracer)
            and int(self.position) + count > self.length
        ):
            raise ArgumentError(
                f"a key cache of length {self.length} has {int(self.position)} positions, so there "
                f"is no room for {count} more; make a longer one, or reset() it"
            )
        steps = ops.arange(0, count, 1, dtypes.int64, self.position.device)
        places = Buffer._value(steps) + self.position
        self.keys[:, :, places] = new[0].astype(self.keys.dtype, copy=False)
        self.values[:, :, places] = new[1].astype(self.values.dtype, copy=False)
        whole = Buffer._value(ops.arange(0, self.length, 1, dtypes.int64, self.position.device))
        mask = whole <= places.expand_dims(1)
        self.position += count
        return self.keys, self.values, mask

    def reset(self) -> None:
        """Forget all positions."""
        self.position[...] = 0


class CausalSelfAttention(Module):
    """Attention of a sequence to itself and what came before, under GPT-2's names.

    >>> from onebuf import nn
    >>> layer = nn.CausalSelfAttention(width=8, heads=2)
    >>> layer(nn.Tensor.ones((1, 5, 8))).shape, list(layer.state_dict())[:2]
    ((1, 5, 8), ['c_attn.weight', 'c_attn.bias'])
    """

    def __init__(self, width: int, heads: int, bias: bool = True, dropout: float = 0.0) -> None:
        check_heads(width, heads)
        self.heads, self.width = heads, width
        self.c_attn = Linear(width, 3 * width, bias)
        self.c_proj = Linear(width, width, bias)
        self.dropout = Dropout(dropout)

    def forward(self, x: Any, cache: KeyCache | None = None) -> Any:
        """Attention to all positions up to each one; those of ``cache`` come before ``x``."""
        qkv = self.c_attn(x)
        p = self.dropout.p if self.training else 0.0
        if cache is None:
            batch, length, _ = x.shape
            kept = kept_mask(x, (batch, self.heads, length, length), p) if p else None
            found = _self_attention(qkv, self.heads, True, p, kept)
        else:
            parts = [qkv[..., n * self.width : (n + 1) * self.width] for n in range(3)]
            q, k, v = (_split_heads(part, self.heads) for part in parts)
            keys, values, mask = cache.append(k, v)
            found = _join_heads(scaled_dot_product_attention(q, keys, values, mask, dropout=p))
        return self.dropout(self.c_proj(found))

    def new_cache(self, batch: int, length: int) -> KeyCache:
        """An empty cache for `forward`."""
        weight = self.c_attn.weight
        width = self.width // self.heads
        return KeyCache(batch, self.heads, length, width, weight.dtype, weight.device)


class MultiHeadAttention(Module):
    """Attention between sequences, under the names of torch's MultiheadAttention.

    Tensors are (batch, length, width).

    >>> from onebuf import nn
    >>> layer = nn.MultiHeadAttention(8, 2)
    >>> layer(nn.Tensor.ones((1, 5, 8)), nn.Tensor.ones((1, 3, 8))).shape
    (1, 5, 8)
    """

    def __init__(
        self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True
    ) -> None:
        check_heads(embed_dim, num_heads)
        self.embed_dim, self.num_heads, self.dropout = embed_dim, num_heads, dropout
        self.in_proj_weight = xavier_uniform((3 * embed_dim, embed_dim))
        self.in_proj_bias = zeros((3 * embed_dim,)) if bias else None
        self.out_proj = Linear(embed_dim, embed_dim, bias)
        if self.out_proj.bias is not None:
            self.out_proj.bias = zeros((embed_dim,))

    def forward(
        self,
        query: Any,
        key: Any = None,
        value: Any = None,
        mask: Any = None,
        causal: bool = False,
        cache: KeyCache | None = None,
    ) -> Any:
        """Attention of ``query`` to ``key``, by default itself; ``value`` is ``key`` by default.

        With a ``cache``, keys and values come after those that it has, and attention is causal.
        """
        key = query if key is None else key
        value = key if value is None else value
        q, k, v = (
            _split_heads(self._projected(x, place), self.num_heads)
            for place, x in enumerate((query, key, value))
        )
        if cache is not None:
            k, v, seen = cache.append(k, v)
            mask, causal = (seen if mask is None else seen & mask), False
        p = self.dropout if self.training else 0.0
        found = scaled_dot_product_attention(q, k, v, mask, causal, dropout=p)
        return self.out_proj(_join_heads(found))

    def _projected(self, x: Any, place: int) -> Any:
        part = slice(place * self.embed_dim, (place + 1) * self.embed_dim)
        bias = None if self.in_proj_bias is None else self.in_proj_bias[part]
        return linear(x, self.in_proj_weight[part], bias)


def check_heads(width: int, heads: int) -> None:
    """Raise if ``heads`` cannot share ``width`` evenly."""
    if heads < 1 or width % heads:
        raise ShapeError(
            f"attention needs a width that its heads share evenly, got width {width} and {heads} "
            f"heads"
        )
