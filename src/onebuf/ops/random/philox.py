"""Philox4x32-10: random bits as a function of a key and a counter, and of nothing else.

Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3" (SC 2011). Word ``i`` of a
stream depends on ``i`` alone, so any part of it can be made anywhere, in any order, by any tier or
device, with the same bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from onebuf.dtypes import Array

_ROUNDS = 10
_MULTIPLIERS = (np.uint64(0xD2511F53), np.uint64(0xCD9E8D57))
_WEYL = (0x9E3779B9, 0xBB67AE85)
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_CHUNK = 1 << 14  # counters at a time: the working set stays in cache


def philox4x32(counters: Array, key: tuple[int, int]) -> Array:
    """Four random words for each counter: (n, 4) to (n, 4), 32 bits each, held in uint64."""
    c0, c1, c2, c3 = (counters[:, word].astype(np.uint64) for word in range(4))
    k0, k1 = key
    for _ in range(_ROUNDS):
        p0 = c0 * _MULTIPLIERS[0]
        p1 = c2 * _MULTIPLIERS[1]
        c0 = p1 >> _HALF
        c0 ^= c1
        c0 ^= np.uint64(k0)
        c2 = p0 >> _HALF
        c2 ^= c3
        c2 ^= np.uint64(k1)
        p1 &= _LOW
        p0 &= _LOW
        c1, c3 = p1, p0
        k0, k1 = (k0 + _WEYL[0]) & 0xFFFFFFFF, (k1 + _WEYL[1]) & 0xFFFFFFFF
    return np.stack((c0, c1, c2, c3), axis=1)


def random_words(key: tuple[int, int], stream: int, first: int, out: Array) -> None:
    """Words ``first``, ``first + 1``, ... of a stream, into the flat array ``out``.

    A stream is numbered by the counter's upper half, a word's position by its lower half. Words of
    uint64 are two of uint32 each, the lower half first.

    >>> out = np.empty(4, np.uint32)
    >>> random_words((0, 0), 0, 0, out)
    >>> [f"{word:08x}" for word in out]
    ['6627e8d5', 'e169c58d', 'bc57ac4c', '9b00dbd8']
    """
    if out.dtype == np.uint64:
        halves = np.empty(2 * out.size, np.uint32)
        random_words(key, stream, 2 * first, halves)
        np.left_shift(halves[1::2], _HALF, out)
        np.bitwise_or(halves[::2], out, out)
        return
    done = 0
    while done < out.size:
        start = (first + done) // 4
        skip = (first + done) % 4
        count = min(_CHUNK, -(-(skip + out.size - done) // 4))
        position = np.uint64(start) + np.arange(count, dtype=np.uint64)
        counters = np.empty((count, 4), np.uint64)
        counters[:, 0] = position & _LOW
        counters[:, 1] = position >> _HALF
        counters[:, 2] = stream & 0xFFFFFFFF
        counters[:, 3] = stream >> 32
        words = philox4x32(counters, key).reshape(-1)[skip : skip + out.size - done]
        out[done : done + words.size] = words
        done += words.size


def first_words(key: tuple[int, int], stream: int, streams: int, count: int) -> Array:
    """The first ``count`` words of 32 bits of several streams: (streams, count).

    >>> [f"{word:08x}" for word in first_words((0, 0), 0, 2, 3)[0]]
    ['6627e8d5', 'e169c58d', 'bc57ac4c']
    """
    counters = np.zeros((streams, -(-count // 4), 4), np.uint64)
    numbers = np.arange(stream, stream + streams, dtype=np.uint64)
    counters[..., 0] = np.arange(counters.shape[1], dtype=np.uint64)
    counters[..., 2] = (numbers & _LOW)[:, None]
    counters[..., 3] = (numbers >> _HALF)[:, None]
    words = philox4x32(counters.reshape(-1, 4), key).astype(np.uint32)
    return np.ascontiguousarray(words.reshape(streams, -1)[:, :count])


def word_at(position: Any, key: Any, stream: Any, bits: int) -> int:
    """One word of ``bits`` bits; the halves of ``key`` are those of the key, the lower one first.

    >>> f"{word_at(1, 0, 0, 32):08x}"
    'e169c58d'
    """
    out = np.empty(1, np.uint32 if bits == 32 else np.uint64)
    random_words((int(key) & 0xFFFFFFFF, int(key) >> 32), int(stream), int(position), out)
    return int(out[0])
