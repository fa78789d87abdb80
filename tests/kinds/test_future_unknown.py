"""Futures of unknown shape: operations on them are queued, and what needs the shape waits."""

import operator
import threading

import numpy as np
import pytest
from held_tasks import Held
from hypothesis import given
from hypothesis import strategies as st

import onebuf
from onebuf import Buffer, FutureBuffer, submit
from onebuf.errors import IndexRangeError, ShapeError, TaskError

A = np.arange(1.0, 13.0).reshape(3, 4)

QUEUED = {
    "operators": lambda x: (2 - x) * x / 3 + 1,
    "indexing": lambda x: x[1:, ::-1][0],
    "a mask": lambda x: x[x > 5],
    "indices": lambda x: x[[0, 2]],
    "reductions": lambda x: x.sum(axis=0) + x.mean() - x.max(keepdims=True)[0],
    "matrix product": lambda x: x @ x.T,
    "reflected": lambda x: np.ones((3, 3)) @ x,
    "methods": lambda x: x.reshape(4, 3).transpose().clip(2, 7).round(),
    "properties": lambda x: x.T.real + x.mT.imag,
    "ufuncs": lambda x: np.sqrt(x) + np.maximum(x, 4),
    "comparisons": lambda x: (x >= 3) & (x != 7),
    "signs": lambda x: -x + abs(x) - +x,
    "conversion": lambda x: x.astype("float32").copy(),
    "quotients": lambda x: divmod(x, 3)[1] + divmod(20, x)[0],
    "powers": lambda x: x**2 + 2**x,
}


@pytest.mark.parametrize("name", QUEUED)
def test_operations_are_queued_and_give_what_numpy_gives(name):
    task = Held(A.copy())
    y = QUEUED[name](task.future)
    assert (type(y), y.done(), y.is_realized) == (FutureBuffer, False, False)
    assert repr(y) == "FutureBuffer(<lazy future, waiting>, shape=?, dtype=?, device=?)"
    assert y.explain().startswith("waits for ")
    task.bring()
    np.testing.assert_array_equal(y.to_numpy(), QUEUED[name](A))
    assert y.dtype == QUEUED[name](A).dtype
    assert type(QUEUED[name](task.future)) is Buffer


@pytest.mark.parametrize(
    "read",
    [
        lambda x: x.shape == (3, 4),
        lambda x: x.dtype == float,
        lambda x: len(x) == 3,
        lambda x: [row.tolist() for row in x] == A.tolist(),
        lambda x: bool((x > 0).all()),
        lambda x: x[0, 1].item() == 2,
        lambda x: str(x) == str(A),
        lambda x: np.array_equal(np.asarray(x), A),
        lambda x: np.concatenate([x, x]).shape == (6, 4),
        lambda x: onebuf.sqrt(x).shape == (3, 4),
        lambda x: len(x.nonzero()) == 2,
        lambda x: x.flat[5] == 6,
        lambda x: x.numel == 12,
    ],
)
def test_what_needs_the_shape_waits(read):
    task = Held(A.copy())
    threading.Timer(0.02, task.bring).start()
    assert read(task.future)


def test_a_future_takes_no_more_attributes_than_a_buffer_has():
    x = submit(np.ones, 3)
    assert not hasattr(x, "nonsense")
    with pytest.raises(AttributeError, match="'FutureBuffer' object has no attribute 'nonsense'"):
        x.nonsense


def test_operands_count_as_they_were():
    task = Held(np.ones(5))
    a, rows = onebuf.arange(5.0), [0, 1]
    y, z = task.future + a, task.future[rows]
    a[:] = -1
    rows[0] = 4
    w = task.future + a
    task.bring(np.arange(5.0))
    assert (y.tolist(), z.tolist(), w.tolist()) == ([0, 2, 4, 6, 8], [0, 1], [-1, 0, 1, 2, 3])


def test_a_write_comes_after_what_was_queued():
    task = Held(np.zeros(5))
    x = task.future
    y, view = x + 1, x[1:3]
    threading.Timer(0.02, task.bring).start()
    x[:] = 7
    z = x + 1
    view[0] = 9
    assert (y.tolist(), z.tolist(), x.tolist()) == ([1] * 5, [8] * 5, [7, 9, 7, 7, 7])


def test_two_futures_meet_in_whichever_order_they_come():
    for first, second in ((0, 1), (1, 0)):
        tasks = [Held(np.full(3, 2.0)), Held(np.full(3, 5.0))]
        y = tasks[0].future - tasks[1].future
        view = tasks[0].future[tasks[1].future > 0]
        tasks[first].bring()
        tasks[first].future[:] = 100
        assert not y.done()
        tasks[second].bring()
        assert (y.tolist(), view.tolist()) == ([-3] * 3, [2] * 3)


def test_known_and_unknown_futures_meet():
    known, unknown = Held(np.full(3, 2.0), shape=3, dtype=float), Held(np.ones(3))
    y = unknown.future + known.future
    z = known.future - unknown.future
    unknown.bring()
    unknown.future.result()
    assert (y.done(), y.shape, y.is_realized) == (True, (3,), False)
    known.bring()
    assert (y.tolist(), z.tolist()) == ([3] * 3, [1] * 3)


def test_a_mistake_in_a_queued_operation_is_its_own_error():
    task = Held(np.ones(3))
    wrong, beyond, right = task.future + np.ones(4), task.future[5], task.future + 1
    odd = task.future + object()
    task.bring()
    with pytest.raises(ShapeError, match="add"):
        wrong.tolist()
    with pytest.raises(IndexRangeError):
        beyond.tolist()
    with pytest.raises(TypeError):
        odd.tolist()
    assert right.tolist() == [2, 2, 2]


@pytest.mark.parametrize("error", [KeyError("k"), AttributeError("a"), KeyboardInterrupt()])
def test_what_is_queued_on_a_failure_fails_with_it(error):
    task = Held()
    y = (task.future * 2)[1:].sum()
    task.fail(error)
    for x in (y, task.future, task.future + 1):
        with pytest.raises(type(error)) as caught:
            x.result()
        assert caught.value.args == error.args
    assert isinstance(y.exception(), type(error))
    kind = TaskError if isinstance(error, AttributeError) else type(error)
    with pytest.raises(kind, match="AttributeError" if kind is TaskError else None):
        onebuf.sqrt(y)


def test_a_queued_operation_can_be_cancelled_alone():
    task = Held(np.ones(3))
    y, z = task.future + 1, task.future + 2
    w = y * 2
    assert (y.cancel(), y.cancelled()) == (True, True)
    task.bring()
    assert z.tolist() == [3, 3, 3]
    assert w.cancelled()
    with pytest.raises(onebuf.errors.OnebufError, match="was cancelled"):
        w.tolist()


def test_out_is_written_before_the_call_returns():
    task, out = Held(np.ones((2, 3))), onebuf.zeros(3)
    threading.Timer(0.02, task.bring).start()
    assert task.future.sum(0, None, out) is out
    np.add(task.future[0], 1, out=out)
    assert out.tolist() == [2, 2, 2]


def test_a_number_that_a_task_brings_is_a_number():
    task = Held()
    y = task.future + 1
    task.bring(onebuf.ones(3).sum())
    assert (y.item(), {task.future.result(): "key"}[3.0]) == (4, "key")
    x = task.future
    x += 1
    assert (x.item(), task.future.item()) == (4, 3)


def test_a_long_chain_of_operations_is_no_recursion():
    task = Held(np.zeros(2))
    x = task.future
    for _ in range(5000):
        x = x + 1
    task.bring()
    assert x.tolist() == [5000, 5000]
    failing = Held()
    x = failing.future
    for _ in range(5000):
        x = x + 1
    failing.fail(KeyError("k"))
    with pytest.raises(KeyError):
        x.tolist()


def test_a_file_stays_a_file(tmp_path):
    path = tmp_path / "a.npy"
    np.save(path, A)
    x = submit(onebuf.open, path)
    assert x[1].tolist() == A[1].tolist()
    promised = submit(onebuf.open, path, shape=A.shape, dtype=float)
    assert (promised + 1)[2].tolist() == (A[2] + 1).tolist()


STEPS = {
    "add": lambda x, y: x + y,
    "subtract": operator.sub,
    "scale": lambda x, y: x * 2 - 1,
    "flip": lambda x, y: x[::-1],
    "swap": lambda x, y: y,
    "transposed": lambda x, y: x.reshape(3, 4).T.reshape(12) + y,
    "ufunc": lambda x, y: np.maximum(x, y),
    "cumulated": lambda x, y: x.cumsum() % 7,
}


@given(
    st.lists(st.sampled_from(sorted(STEPS)), max_size=12),
    st.permutations(range(3)),
    st.lists(st.booleans(), min_size=3, max_size=3),
    st.integers(0, 12),
)
def test_random_expressions_of_futures_equal_numpy(steps, order, known, when):
    arrays = [np.arange(12.0) * (k + 1) % 5 for k in range(3)]
    tasks = [
        Held(a.copy(), **({"shape": 12, "dtype": float} if is_known else {}))
        for a, is_known in zip(arrays, known, strict=True)
    ]
    x, y = tasks[0].future + tasks[2].future, tasks[1].future
    a, b = arrays[0] + arrays[2], arrays[1]
    for at, step in enumerate(steps):
        if at == when:
            tasks[order[0]].bring()
        x, y = STEPS[step](x, y), x
        a, b = STEPS[step](a, b), a
    for place in order:
        tasks[place].bring()
    assert (x + 0).tolist() == a.tolist()
    assert (y + 0).tolist() == b.tolist()
