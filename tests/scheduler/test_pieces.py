"""Large graphs are cut where little is stored, and into pieces that are alike."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import onebuf as ob
from onebuf import Buffer, config
from onebuf.engine.plan import decide
from onebuf.graph import Node
from onebuf.scheduler.pieces import is_computed, pieces


def operations(nodes: Sequence[Node], stored: set[int]) -> int:
    """How many operations are below ``nodes``, down to those that are ``stored`` then, by id."""
    seen: set[int] = set()
    count = 0
    todo = list(nodes)
    while todo:
        node = todo.pop()
        if id(node) in seen or id(node) in stored:
            continue
        seen.add(id(node))
        count += is_computed(node)
        todo.extend(node.srcs)
    return count


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=60), st.integers(2, 9))
def test_no_piece_has_more_operations_than_are_allowed(pairs, most):
    with config(eager_numel=0):
        values = [Buffer(np.full(4, number)) for number in range(3)]
        for one, two in pairs:
            x, y = values[-1 - one % len(values)], values[-1 - two % len(values)]
            values.append(x[::-1].copy()[::-1] + y if one > two else x + y)
        wanted = [values[-1]._node]
        stored: set[int] = set()
        for piece in pieces(wanted, most):
            assert 0 < operations(piece, stored) <= most
            stored |= {id(node) for node in piece}
        assert operations(wanted, stored) <= most


def test_a_chain_is_cut_into_pieces_that_are_planned_once(monkeypatch):
    monkeypatch.setattr(decide, "_known", {})
    with config(eager_numel=0, tier="compile"):
        x = Buffer(np.arange(100, dtype=np.float64))
        for _ in range(2_000):
            x = x * 1.0 + 1.0
        np.testing.assert_array_equal(np.asarray(x), np.arange(100) + 2000.0)
    assert len(decide._known) <= 3


def test_cuts_are_made_between_the_turns_of_a_loop():
    with config(eager_numel=0):
        x = Buffer(np.ones((20, 30)))
        for _ in range(20):
            parts = [x + number for number in range(10)]
            x = sum(parts[1:], parts[0])
        cuts = pieces([x._node], 40)
        assert [len(piece) for piece in cuts] == [1] * len(cuts)
        assert cuts


def test_many_results_are_computed_in_pieces():
    with config(eager_numel=0):
        x = Buffer(np.arange(4.0))
        results = [x + number for number in range(1_000)]
        ob.realize(*results)
        for number in (0, 1, 500, 999):
            np.testing.assert_array_equal(np.asarray(results[number]), np.arange(4.0) + number)
