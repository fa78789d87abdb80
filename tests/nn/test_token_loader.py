"""Batches of tokens: windows, seeds, files, and going on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import onebuf
from onebuf import Buffer, nn
from onebuf.errors import ArgumentError, DTypeError, ShapeError

TOKENS = np.arange(1000, dtype=np.uint16)


def test_targets_are_the_tokens_after_inputs() -> None:
    inputs, targets = next(nn.TokenLoader(Buffer(TOKENS), batch=4, length=16))
    assert inputs.shape == targets.shape == (4, 16)
    assert inputs.dtype == np.int64
    assert (inputs + 1 == targets).all()
    assert (np.diff(np.array(inputs), axis=1) == 1).all()


def test_batches_are_a_function_of_seed_and_number() -> None:
    one, two = (nn.TokenLoader(Buffer(TOKENS), 2, 8, seed=3) for _ in range(2))
    first, second = (next(one)[0].tolist() for _ in range(2))
    assert first != second
    assert next(two)[0].tolist() == first
    assert two.batch_at(1)[0].tolist() == second
    assert nn.TokenLoader(Buffer(TOKENS), 2, 8, seed=4).batch_at(0)[0].tolist() != first


def test_a_loader_goes_on_where_another_was() -> None:
    loader = nn.TokenLoader(Buffer(TOKENS), 2, 8, seed=3)
    for _, _batch in zip(range(3), loader, strict=False):
        pass
    again = nn.TokenLoader(Buffer(TOKENS), 2, 8)
    again.load_state_dict(loader.state_dict())
    assert next(again)[0].tolist() == next(loader)[0].tolist()


def test_every_window_can_come_up() -> None:
    loader = nn.TokenLoader(Buffer(TOKENS[:4]), batch=200, length=2)
    assert set(np.array(next(loader)[0])[:, 0].tolist()) == {0, 1}


def test_files_are_mapped(tmp_path: Path) -> None:
    TOKENS.tofile(tmp_path / "tokens.bin")
    np.save(tmp_path / "tokens.npy", TOKENS.astype(np.int32))
    wanted = nn.TokenLoader(Buffer(TOKENS), 2, 8).batch_at(0)[0].tolist()
    for name in ("tokens.bin", "tokens.npy"):
        loader = nn.TokenLoader(tmp_path / name, 2, 8)
        assert loader.batch_at(0)[0].tolist() == wanted
    opened = onebuf.open(tmp_path / "tokens.npy")
    assert isinstance(opened, Buffer)
    assert nn.TokenLoader(opened, 2, 8).batch_at(0)[0].tolist() == wanted


def test_batches_do_not_share_memory() -> None:
    loader = nn.TokenLoader(Buffer(TOKENS), 1, 4)
    inputs, targets = loader.batch_at(0)
    inputs[...] = 0
    assert (targets > 0).all()
    assert loader.batch_at(0)[0].tolist() != inputs.tolist()


def test_wrong_tokens_are_named() -> None:
    with pytest.raises(ArgumentError, match="at least 9 tokens, got 4"):
        nn.TokenLoader(Buffer(TOKENS[:4]), 1, 8)
    with pytest.raises(DTypeError, match="integers, got float32"):
        nn.TokenLoader(Buffer([1.0, 2.0]), 1, 1)
    with pytest.raises(ShapeError, match=r"one axis, got shape \(10, 100\)"):
        nn.TokenLoader(Buffer(TOKENS.reshape(10, 100)), 1, 1)
    with pytest.raises(ArgumentError, match="at least 1, got 0, 4"):
        nn.TokenLoader(Buffer(TOKENS), 0, 4)
