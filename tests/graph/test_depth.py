"""Graphs may be as deep as memory allows: nothing that goes over one is recursive."""

from __future__ import annotations

import copy
import pickle
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import onebuf as ob
from onebuf import Buffer, config
from onebuf.graph import BINARY, Node

DEPTH = 1200
NODES = 100_000


@contextmanager
def little_recursion() -> Iterator[None]:
    """No more than 200 frames, fewer than any graph here is deep."""
    depth, frame = 0, sys._getframe()
    while frame is not None:
        depth, frame = depth + 1, frame.f_back  # type: ignore[assignment]
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(depth + 200)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def chain(depth: int = DEPTH) -> Buffer:
    x: Any = ob.asarray(np.zeros(4))
    for _ in range(depth):
        x = x + 1
    return x  # type: ignore[no-any-return]


def of_views(depth: int = DEPTH) -> Buffer:
    x: Any = ob.asarray(np.zeros(4))
    for _ in range(depth // 2):
        x = x[::-1] + 1
    return x  # type: ignore[no-any-return]


def of_joins(depth: int = DEPTH) -> Buffer:
    x: Any = ob.asarray(np.zeros(4))
    for _ in range(depth // 4):
        x = ob.concat([x, x])[:4] + 1
    return x  # type: ignore[no-any-return]


USES: dict[str, Callable[[Buffer], object]] = {
    "repr": repr,
    "str": str,
    "repr of the node": lambda x: repr(x._node),
    "realize": lambda x: x.realize(),
    "schedule": lambda x: ob.schedule(x),
    "explain": lambda x: x.explain(),
    "copy": lambda x: x.copy().realize(),
    "deepcopy": copy.deepcopy,
    "pickle": lambda x: pickle.loads(pickle.dumps(x)),
    "write": lambda x: x.__setitem__(0, 7.0),
    "free": lambda x: None,
}


@pytest.mark.parametrize("tier", ["interpret", "compile"])
@pytest.mark.parametrize("make", [chain, of_views, of_joins])
@pytest.mark.parametrize("use", USES.values(), ids=list(USES))
def test_deep_graphs_need_no_deep_stack(use: Any, make: Any, tier: Any) -> None:
    with config(eager_numel=0, tier=tier):
        x = make(300)
        use(x)  # imports go deep
        x = make()
        with little_recursion():
            use(x)
            del x


def test_a_long_chain_is_freed_on_a_small_stack() -> None:
    """Freeing a node frees its sources, and so on: that must not be a chain of calls."""
    leaf = ob.asarray(np.zeros(4))._node
    ended = []

    def build_and_free() -> None:
        node = leaf
        for _ in range(NODES):
            node = Node(BINARY["add"], (node, leaf), None, (4,), np.dtype("f8"), None)
        del node
        ended.append(True)

    before = threading.stack_size(256 * 1024)
    try:
        thread = threading.Thread(target=build_and_free)
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()
    assert ended


def test_freeing_buffers_that_hold_a_long_chain_needs_no_deep_stack() -> None:
    with config(eager_numel=0), little_recursion():
        held = [chain(1)]
        for _ in range(DEPTH):
            held.append(held[-1] + 1)
        held.reverse()
        del held
