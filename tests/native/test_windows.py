"""Windows that the core makes are those that `onebuf.memory.Block.window` makes."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from native.test_twins import makers
from native.twins import long_way, needs_core

import onebuf
from onebuf import Buffer
from onebuf.memory.block import Pin, _owner

pytestmark = needs_core

Array = np.ndarray[Any, Any]
LOOKS: dict[str, Callable[[Any], Any]] = {
    "asarray": np.asarray,
    "method": lambda x: x.__array__(),
    "method, no copy": lambda x: x.__array__(copy=None),
    "method, dtype": lambda x: x.__array__(None, copy=None),
    "a conversion": lambda x: np.asarray(x, dtype="complex128"),
    "a copy": lambda x: np.array(x),
    "no copy": lambda x: np.asarray(x, copy=False),
    "memory": memoryview,
    "memory from Python": lambda x: x.__buffer__(0x11C),
    "frombuffer": lambda x: np.frombuffer(x, np.uint8),
    "an error": lambda x: x.__array__("float32", copy="never"),
}
KEYS: tuple[Any, ...] = (
    *(..., slice(None, None, -1), slice(1, None), slice(None, None, 2), slice(1, None, -2)),
    *((slice(None), 0), (..., slice(None, None, 2)), (0, ...), None, slice(3, 3)),
)


def facts(look: Callable[[Any], Any], x: Any) -> Any:
    """What can be seen of a window, its place in the memory of ``x`` included."""
    try:
        found = look(x)
    except Exception as error:
        return type(error), str(error)
    array = found if isinstance(found, np.ndarray) else np.asarray(found)
    if x._is_number:  # of which others get a copy
        return type(found), array.dtype, array.shape, array.tobytes(), array.flags.writeable
    block = x._node.block
    inside = block is not None and block.address <= array.ctypes.data < block.address + block.nbytes
    return (
        *(type(found), array.dtype, array.shape, array.strides, array.tobytes()),
        *(array.flags.writeable, array.flags.aligned, array.flags.owndata),
        array.ctypes.data - block.address if inside else None,
        (found.format, found.readonly, found.nbytes) if isinstance(found, memoryview) else None,
        block.has_window if block is not None else None,
        _owner(array).__class__.__name__ if inside else None,
    )


@given(makers(), st.sampled_from(list(LOOKS)), st.sampled_from(KEYS))
@settings(max_examples=400, deadline=None)
def test_a_window_is_that_of_the_twin(make: Any, name: str, key: Any) -> None:
    def prepared() -> Any:
        made = make()
        try:
            return made[key]
        except IndexError:
            return made

    quick = facts(LOOKS[name], prepared())
    with long_way():
        slow = facts(LOOKS[name], prepared())
    assert quick == slow


@pytest.mark.parametrize(
    "make",
    [
        lambda: onebuf.broadcast_to(onebuf.arange(4.0), (3, 4)),
        lambda: onebuf.arange(8.0).sliding_window(3, 0),
        lambda: onebuf.asarray(np.broadcast_to(np.arange(3.0), (2, 3))),
        lambda: onebuf.asarray(np.frombuffer(bytes(range(8)), np.uint8)),
        lambda: onebuf.ones(4, dtype="bfloat16"),
        lambda: onebuf.ones((3, 4), dtype="complex64") + 1,
        lambda: onebuf.ones((0, 3)),
        lambda: onebuf.arange(5.0) * 2 + 1,
        lambda: onebuf.arange(5.0)[3],
        lambda: onebuf.arange(5, dtype="int8").sum() * 2.5,
        lambda: onebuf.arange(5.0).max() > 3,
        lambda: onebuf.ones((), dtype="bfloat16")[()] + 1,
        lambda: onebuf.asarray(3.0),
    ],
    ids=[
        *("broadcast", "windows", "foreign", "read-only", "bfloat16", "complex", "empty", "new"),
        *("element", "number", "truth", "number of bfloat16", "no axes"),
    ],
)
@pytest.mark.parametrize("name", list(LOOKS))
def test_what_is_special_is_the_twins(name: str, make: Callable[[], Any]) -> None:
    quick = facts(LOOKS[name], make())
    with long_way():
        slow = facts(LOOKS[name], make())
    assert quick == slow


def test_pending_copies_are_computed_before_memory_is_handed_out() -> None:
    with onebuf.config(eager_numel=0):
        x = onebuf.arange(16.0).realize()
        kept, later = x.copy(), x[::2] + 1
        np.asarray(x)[...] = 7
        memory = memoryview(x)
        assert kept.tolist() == list(range(16))
        memory[0] = 8.0
        assert x.tolist() == [8.0, *[7.0] * 15]
        assert later.shape == (8,)


def test_memory_with_a_window_is_not_used_again() -> None:
    def new() -> Any:
        return onebuf.arange(16.0) + 1

    window = np.asarray(new())
    assert isinstance(_owner(window), Pin)
    others = [new() for _ in range(300)]
    assert window.tolist() == [float(n) for n in range(1, 17)]
    place, part = window.ctypes.data, window[3:5]
    del window
    assert all(other._node.block.address != place for other in others)
    others += [new() for _ in range(300)]
    assert part.tolist() == [4.0, 5.0]
    del part
    gc.collect()
    places = {(new() * 0 + 5)._node.block.address for _ in range(600)}
    assert places


def test_a_window_that_comes_back_is_known() -> None:
    x = onebuf.arange(16.0) + 1
    again = onebuf.asarray(np.asarray(x)[2:6])
    assert again._node.block is x._node.block
    again[0] = 99.0
    assert x[2] == 99.0


def test_a_write_through_a_view_shows_in_the_window() -> None:
    x: Any = Buffer(np.arange(12.0).reshape(3, 4), copy=True)
    window, row = np.asarray(x), np.asarray(x[1])
    x[1, 2] = -1.0
    assert window[1, 2] == row[2] == -1.0
    x += 1
    assert window[1, 2] == row[2] == 0.0
    row[:] = 5.0
    assert x[1].tolist() == [5.0] * 4
