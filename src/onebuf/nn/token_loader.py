"""Batches of tokens from a file that is mapped, not read.

Which windows a batch has is a function of the seed and of the number of the batch. So a run can be
continued from these two numbers, and gets the batches that it would have got.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from onebuf import dtypes
from onebuf.buffer import Buffer
from onebuf.errors import ArgumentError, DTypeError, FileFormatError, ShapeError
from onebuf.graph import Leaf, strided
from onebuf.interop.files import Held, open_file


class TokenLoader:
    """Random windows of a long sequence of tokens: inputs, and the token after each.

    ``tokens`` is a buffer of integers with one axis, or the path of a .npy file or of a raw one,
    whose tokens are of ``dtype``. Every batch is a pair of (batch, length) buffers of int64.

    >>> loader = TokenLoader(Buffer(list(range(100))), batch=2, length=4, seed=1)
    >>> inputs, targets = next(loader)
    >>> inputs.shape, bool((targets == inputs + 1).all())
    ((2, 4), True)
    >>> state = loader.state_dict()
    >>> again = TokenLoader(Buffer(list(range(100))), batch=2, length=4)
    >>> again.load_state_dict(state)
    >>> bool((next(again)[0] == next(loader)[0]).all())
    True
    """

    def __init__(
        self,
        tokens: Buffer | str | os.PathLike[str],
        batch: int,
        length: int,
        seed: int = 0,
        dtype: Any = "uint16",
    ) -> None:
        if not isinstance(tokens, Buffer):
            tokens = _mapped(tokens, dtype)
        if tokens.ndim != 1:
            raise ShapeError(f"tokens need one axis, got shape {tokens.shape}; use ravel()")
        if dtypes.kind(tokens.dtype) not in "iu":
            raise DTypeError(f"tokens need to be integers, got {tokens.dtype.name}")
        if batch < 1 or length < 1:
            raise ArgumentError(f"batch and length need to be at least 1, got {batch}, {length}")
        if tokens.numel <= length:
            raise ArgumentError(
                f"windows of {length} tokens and the one after them need at least {length + 1} "
                f"tokens, got {tokens.numel}"
            )
        self.tokens = tokens
        self.batch, self.length = batch, length
        self.seed, self.step = seed, 0

    def batch_at(self, step: int) -> tuple[Buffer, Buffer]:
        """The inputs and targets of batch number ``step``."""
        random = np.random.Generator(np.random.Philox(key=[self.seed, step]))
        starts = random.integers(0, self.tokens.numel - self.length, self.batch)
        windows = np.empty((self.batch, self.length + 1), np.int64)
        for row, start in zip(windows, starts.tolist(), strict=True):
            row[...] = self.tokens[start : start + self.length + 1].to_numpy()
        return Buffer(windows[:, :-1], copy=True), Buffer(windows[:, 1:], copy=True)

    def __next__(self) -> tuple[Buffer, Buffer]:
        found = self.batch_at(self.step)
        self.step += 1
        return found

    def __iter__(self) -> Iterator[tuple[Buffer, Buffer]]:
        return self

    def state_dict(self) -> dict[str, int]:
        """What the batches to come depend on."""
        return {"seed": self.seed, "step": self.step}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from where another loader of the same tokens was."""
        self.seed, self.step = int(state["seed"]), int(state["step"])


def _mapped(path: str | os.PathLike[str], dtype: Any) -> Buffer:
    """The tokens in a file, which stay there."""
    named = os.fspath(path).endswith(".npy")
    found = open_file(path, "r") if named else open_file(path, "r", dtype=dtype)
    if not isinstance(found, Held):
        raise FileFormatError(
            f"tokens need a .npy file or a raw one, got {os.fspath(path)!r}; open it with "
            f"onebuf.open and pass the buffer"
        )
    return Buffer._value(Leaf(strided(found.block, found.dtype, found.view), found.block))
