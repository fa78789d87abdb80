"""Plan keys, guards and structures: each ignores what it should, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

import onebuf as ob
from onebuf import Buffer, config
from onebuf.scheduler.guard import write_guard
from onebuf.scheduler.plan_key import structure_of, walk_of

A = np.arange(48.0).reshape(6, 8)


@pytest.fixture(autouse=True)
def pending():
    with config(eager_numel=0):
        yield


def structure(y: Buffer) -> int:
    return structure_of(walk_of([y._node]).nodes, 1)


def test_constants_are_not_part_of_a_plan_key():
    x = ob.asarray(A)
    assert walk_of([(x * 2.0)._node]).plan_key == walk_of([(x * 3.0)._node]).plan_key
    assert walk_of([(x * 2.0)._node]).plan_key != walk_of([(2.0 - x)._node]).plan_key


def test_which_library_is_called_is_not_part_of_a_plan_key():
    x, y = ob.asarray(A), ob.asarray(A[:2])
    found = ob.isin(x, y)
    assert not found.is_realized
    assert walk_of([found._node]).plan_key == walk_of([ob.isin(x, y, invert=True)._node]).plan_key
    assert walk_of([found._node]).plan_key != walk_of([ob.isin(x, x)._node]).plan_key


def test_one_plan_makes_the_calls_of_each_graph():
    def parts(x: Buffer) -> list[Buffer]:
        q, r = ob.linalg.qr(x * 2)
        u, s, v = ob.linalg.svd(x * 2, full_matrices=False)
        return [(q + 1).sum(), (r + 1).sum(), (u * s) @ v, s - 1, v - u[:1, :6] + 1]

    forgotten = [np.asarray(one) for one in parts(ob.asarray(A[:, :6].copy()))]
    for n in range(20):  # the plan is known, then guarded
        x = A[:, :6] + n % 2 * np.eye(6)
        found = parts(ob.asarray(x.copy()))
        if n % 3:
            ob.realize(*found)
        u, s, v = np.linalg.svd(x * 2, full_matrices=False)
        q, r = np.linalg.qr(x * 2)
        wanted = [(q + 1).sum(), (r + 1).sum(), (u * s) @ v, s - 1, v - u[:1] + 1]
        for one, other in zip(found, wanted, strict=True):
            np.testing.assert_allclose(one, other, atol=1e-10)
        if n % 2 == 0:
            for one, first in zip(found, forgotten, strict=True):
                np.testing.assert_array_equal(one, first)
    x, y = ob.asarray(A), ob.asarray(A[:2])
    for _ in range(20):
        assert (np.asarray(ob.isin(x, y)) != np.asarray(ob.isin(x, y, invert=True))).all()


def test_sizes_and_strides_are_part_of_a_plan_key_and_not_of_a_structure():
    one, other, strided = [ob.asarray(a) * 2 for a in (A, A[:3].copy(), A[:, ::2])]
    keys = {walk_of([y._node]).plan_key for y in (one, other, strided)}
    assert len(keys) == 3
    assert structure(one) == structure(other) == structure(strided)


def test_axes_and_dtypes_are_part_of_a_structure():
    x = ob.asarray(A)
    y = ob.asarray(A.astype(np.float32))
    sums = (x.sum(axis=0), x.sum(axis=1), y.sum(axis=1))
    assert len({structure(found) for found in sums}) == 3


def test_a_guard_accepts_the_graphs_that_have_its_plan_key():
    def graph(values: np.ndarray, number: float) -> Buffer:
        return ob.asarray(values) * number + 1

    seen = graph(A, 2.0)
    walk = walk_of([seen._node])
    guard = write_guard([seen._node], range(len(walk.nodes)), [0], bytes(len(walk.nodes)))
    same, other = graph(A + 1, 3.0), graph(A[:3], 2.0)
    assert guard([same._node]) == walk_of([same._node]).nodes
    assert guard([other._node]) is None


def _guard_of(y: Buffer):
    walk = walk_of([y._node])
    return write_guard([y._node], range(len(walk.nodes)), [0], bytes(len(walk.nodes)))


def test_a_guard_tells_a_value_that_is_read_often_from_several():
    def shared(values: np.ndarray) -> Buffer:
        x = ob.asarray(values)
        middle = x * 2
        return ob.where(middle > 0, middle, middle) - middle

    def apart(values: np.ndarray) -> Buffer:
        x = ob.asarray(values)
        middle = x * 2
        return ob.where(middle > 0, middle, x * 3) - middle

    guard = _guard_of(shared(A))
    same = shared(A + 1)
    assert guard([same._node]) == walk_of([same._node]).nodes
    assert guard([apart(A)._node]) is None


def test_a_guard_tells_whether_a_value_that_is_read_often_is_held():
    def graph(values: np.ndarray, held: list[Buffer] | None = None) -> Buffer:
        x = ob.asarray(values)
        middle = x * 2
        if held is not None:
            held.append(middle)
        return ob.where(middle > 0, middle, middle) - middle

    guard = _guard_of(graph(A))
    for _ in range(3):
        assert guard([graph(A + 1)._node]) is not None
    held: list[Buffer] = []
    found = graph(A + 1, held)
    assert guard([found._node]) is None
    held.clear()
    assert guard([found._node]) is not None


def test_empty_buffers_share_a_plan_and_no_memory():
    one, two = [ob.empty(100_000) for _ in range(2)]
    assert walk_of([one._node]).plan_key == walk_of([two._node]).plan_key
    one[...], two[...] = 1, 2
    assert (one[5].item(), two[5].item()) == (1, 2)
    assert not np.shares_memory(np.asarray(one), np.asarray(two))
