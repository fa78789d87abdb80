"""The class of a buffer comes from a table: by placement, and by what its node does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import onebuf
from onebuf import Buffer
from onebuf.buffer import handle
from onebuf.graph import SOURCE
from onebuf.machine import Device


class StoreBuffer(Buffer):
    """A buffer of elements that are read on demand."""

    __slots__ = ()
    _at = None


@pytest.fixture
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handle, "_kinds", dict(handle._kinds))
    monkeypatch.setattr(handle, "_ops", set(handle._ops))
    handle.register(lambda: StoreBuffer, Device, SOURCE)


@pytest.mark.usefixtures("_registered")
def test_a_kind_on_the_host_is_found_by_operation(tmp_path: Path) -> None:
    zarr = pytest.importorskip("zarr", reason="zarr is not installed")
    path = tmp_path / "x.zarr"
    zarr.save_array(str(path), np.arange(6.0))
    x = onebuf.load(path)
    assert type(x) is StoreBuffer
    assert type(x[2:5]) is StoreBuffer
    assert type(x.sum()) is Buffer
    assert type(x[1:].copy()) is Buffer
    assert (x + 1).tolist() == [1, 2, 3, 4, 5, 6]


@pytest.mark.usefixtures("_registered")
def test_other_buffers_keep_their_class() -> None:
    assert type(onebuf.asarray([1, 2]) + 1) is Buffer
    assert type(onebuf.zeros(5)) is Buffer


def test_a_placement_has_its_class_and_the_host_another() -> None:
    x = Buffer([1, 2, 3]).to_device(onebuf.context(["CPU"], queues=2))
    assert type(x) is onebuf.ReplicatedBuffer
    assert type(x + 1) is onebuf.ReplicatedBuffer
    assert type(x.to_device("CPU")) is Buffer
