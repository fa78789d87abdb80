"""Futures of known shape: leaves of the graph whose elements come later."""

import concurrent.futures
import copy
import pickle
import threading
import traceback

import numpy as np
import pytest
from held_tasks import Held

import onebuf
from onebuf import Buffer, FutureBuffer, submit
from onebuf.errors import (
    ArgumentTypeError,
    DeviceError,
    DTypeError,
    ShapeError,
    TaskError,
    TaskTimeout,
)
from onebuf.testing.faults.interrupts import instants

DTYPES = ["bool", "int8", "uint64", "float16", "bfloat16", "float32", "complex128"]


def held(value, **promise):
    value = np.asarray(value)
    return Held(value, shape=value.shape, dtype=value.dtype, **promise)


def test_an_expression_is_built_before_the_elements_are_there():
    task = held(np.arange(6.0).reshape(2, 3))
    x = task.future
    y = ((x * 2 + 1)[:, 1:].T @ onebuf.ones((2, 2))).sum(axis=0)
    assert (x.done(), x.is_realized, y.is_realized, type(y)) == (False, False, False, Buffer)
    task.bring()
    a = np.arange(6.0).reshape(2, 3)
    assert y.tolist() == ((a * 2 + 1)[:, 1:].T @ np.ones((2, 2))).sum(axis=0).tolist()
    assert (x.done(), x.is_realized) == (True, True)


@pytest.mark.parametrize("tier", ["interpret", "compile"])
@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (5,), (300, 200)])
def test_every_tier_waits(tier, shape):
    a = np.arange(np.prod(shape), dtype=float).reshape(shape)
    with onebuf.config(eager_numel=0, tier=tier):
        task = held(a)
        y = onebuf.sqrt(task.future + 1) * task.future
        task.bring()
        np.testing.assert_array_equal(y.to_numpy(), np.sqrt(a + 1) * a)


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype_comes_as_it_is(dtype):
    a = onebuf.arange(5).astype(dtype)
    x = submit(lambda: a, shape=5, dtype=dtype)
    assert (x[1:].tolist(), x.dtype) == (a[1:].tolist(), a.dtype)


def test_a_future_says_what_it_is_without_waiting():
    task = held(np.ones((2, 3), "float32"))
    task.begun.wait(60)
    x = task.future
    assert repr(x) == (
        "FutureBuffer(<lazy future, running>, shape=(2, 3), dtype=float32, device=CPU)"
    )
    assert (x.shape, x.ndim, x.size, x.nbytes, x.stride) == ((2, 3), 2, 6, 24, (3, 1))
    assert repr(x[0]) == "Buffer(<lazy future>, shape=(3,), dtype=float32, device=CPU)"
    assert (x.running(), x.cancelled(), isinstance(x, Buffer)) == (True, False, True)
    task.bring()
    x.result()
    assert repr(x[0]) == "Buffer([1., 1., 1.], shape=(3,), dtype=float32, device=CPU)"
    assert repr(x).startswith("FutureBuffer([[1., 1., 1.],\n              [1., 1., 1.]], shape=")
    assert x.running() is False


@pytest.mark.parametrize("tier", ["interpret", "compile"])
def test_a_plan_is_shown_without_waiting(tier):
    task = held(np.ones((100, 1000)))
    with onebuf.config(tier=tier):
        y = task.future * 2 + 1
        assert y.explain().splitlines()[0] == "waits for 1 future"
        assert "future float64[100, 1000]" in y.explain()
        assert onebuf.schedule(y)[-1].outputs == (y._node,)
    assert task.future.explain() == "waits for 1 future"
    assert task.future.done() is False
    task.bring()
    assert y.sum().item() == 300_000
    assert "future" not in y.explain()


def test_what_a_task_returns_is_not_copied():
    a = np.arange(100_000.0)
    with onebuf.counters() as counted:
        x = submit(lambda: a, shape=a.shape, dtype=a.dtype)
        assert np.shares_memory(np.asarray(x), a)
        assert np.shares_memory(np.asarray(x.result()), a)
    assert counted.copies == 0


@pytest.mark.parametrize(
    "value",
    [
        np.arange(12.0).reshape(3, 4).T,
        np.broadcast_to(np.arange(3.0), (4, 3)),
        np.arange(24.0).reshape(4, 6)[:, ::-2],
    ],
)
def test_elements_in_another_order_are_copied(value):
    task = held(value)
    part = task.future[1:]
    task.bring()
    assert part.tolist() == value[1:].tolist()
    part[0] = 7.0
    assert task.future[1].tolist() == [7.0] * 3


def test_a_write_is_seen_by_all_who_have_the_elements():
    b = onebuf.arange(1000.0)
    task = Held(shape=1000, dtype="float64")
    x, part = task.future, task.future[10:20]
    doubled = x * 2
    before = b * 3
    task.bring(b)
    x.result()
    part[0] = -1
    assert (b[10].item(), x[10].item(), x.result()[10].item()) == (-1, -1, -1)
    assert (doubled[10].item(), before[10].item()) == (20, 30)
    later = x + 0.0
    b[10] = -2
    assert (part[0].item(), later[10].item()) == (-2, -1)


def test_a_write_to_a_future_waits_and_keeps_what_was_built_before():
    task = held(np.zeros(5))
    x = task.future
    y = x + 1
    threading.Timer(0.05, task.bring).start()
    x[1:3] = 9
    x += 1
    assert (x.tolist(), y.tolist()) == ([1, 10, 10, 1, 1], [1] * 5)
    assert type(x) is FutureBuffer


@pytest.mark.parametrize("size", [4, 200_000])
def test_a_write_to_another_operand_waits_for_the_expression(size):
    task = held(np.ones(size))
    a = onebuf.zeros(size)
    y = task.future + a
    threading.Timer(0.05, task.bring).start()
    a[:] = 5
    assert (y[0].item(), a[0].item(), task.future.done()) == (1, 5, True)


@pytest.mark.parametrize("tier", ["auto", "compile"])
def test_a_future_on_the_memory_that_it_is_written_to(tier):
    b = onebuf.arange(300_000.0).realize()
    expected = b.to_numpy().copy()[::-1] + 1
    task = Held(shape=b.shape, dtype="float64")
    with onebuf.config(tier=tier):
        new = task.future[::-1] + 1
        threading.Timer(0.05, task.bring, [b]).start()
        b[:] = new
        np.testing.assert_array_equal(b.to_numpy(), expected)


def test_copies_are_separate_from_what_the_task_keeps():
    a = np.zeros(100_000)
    task = held(a)
    copied, cast = task.future.copy(), task.future.astype("float32")
    task.bring()
    task.future.result()
    a[:] = 1
    assert (copied.max().item(), cast.max().item(), task.future.max().item()) == (0, 0, 1)


def test_read_only_elements_stay_read_only():
    a = np.zeros(3)
    a.flags.writeable = False
    x = submit(lambda: a, shape=3, dtype=float)
    with pytest.raises(ValueError, match="read-only"):
        x[0] = 1


@pytest.mark.parametrize(
    "value", [[1, 2, 3], (1.0, 2.0, 3.0), range(1, 4), np.array([1, 2, 3], "float32")]
)
def test_a_task_may_return_what_becomes_a_buffer(value):
    x = submit(lambda: value, shape=3, dtype="float32")
    assert (x * 2).tolist() == [2, 4, 6]


def test_a_number_is_elements_without_axes():
    x = submit(lambda: onebuf.ones(5).sum(), shape=(), dtype="float64")
    y = x + 1
    assert (x.item(), y.item(), float(x)) == (5, 6, 5)
    x[...] = 3
    assert x.item() == 3


MISMATCHES = {
    "shape": (ShapeError, lambda: np.ones(4), r"\(3,\), got \(4,\)"),
    "dtype": (DTypeError, lambda: np.ones(3, "int32"), "float64, got int32"),
    "device": (DeviceError, lambda: onebuf.ones(3, device="PYTHON"), "on CPU, got .* PYTHON"),
    "nothing": (ArgumentTypeError, lambda: None, "has to return a buffer.*NoneType"),
    "text": (ArgumentTypeError, lambda: "text", "got str"),
}


@pytest.mark.parametrize("name", MISMATCHES)
def test_a_broken_promise_is_an_error_at_each_access(name):
    kind, function, message = MISMATCHES[name]
    x = submit(function, shape=3, dtype="float64")
    y = x * 2
    for read in (
        x.tolist,
        y.tolist,
        x.result,
        y.realize,
        lambda: x[0].item(),
        lambda: y.sum().item(),
    ):
        with pytest.raises(kind, match=message):
            read()
    assert (onebuf.ones(3) * 2).tolist() == [2, 2, 2]


def raised(read):
    with pytest.raises(Exception) as caught:
        read()
    return caught.value


class Unusual(Exception):
    def __init__(self, one, two):
        super().__init__(f"{one} and {two}")
        self.two = two


def fails(error):
    def deep():
        raise error

    deep()


@pytest.mark.parametrize(
    "error", [KeyError("k"), Unusual(1, 2), MemoryError(), AttributeError("a"), RuntimeError("r")]
)
def test_the_error_of_a_task_is_raised_at_each_access_with_its_traceback(error):
    x = submit(fails, error, shape=3, dtype=float)
    y = (x + onebuf.ones(3))[1:] * 2
    lengths = set()
    for read in [x.tolist, y.tolist] * 500:
        with pytest.raises(type(error)) as caught:
            read()
        assert (caught.value.args, str(caught.value)) == (error.args, str(error))
        lengths.add(len(traceback.extract_tb(caught.value.__traceback__)))
    assert len(lengths) <= 2
    assert max(lengths) < 30
    text = "".join(traceback.format_exception(caught.value))
    assert "in fails" in text
    assert "in deep" in text
    assert "StillToCome" not in text
    assert x.done()
    assert not x.cancelled()
    assert isinstance(x.exception(), type(error))


def test_two_threads_have_tracebacks_of_their_own():
    x = submit(fails, ValueError("v"), shape=3, dtype=float)
    x.exception()
    one, two = raised(x.tolist), raised(x.tolist)
    assert one is not two
    assert one.__traceback__ is not two.__traceback__


def test_a_write_goes_on_where_an_expression_failed():
    a = onebuf.zeros(5)
    x = submit(fails, RuntimeError("r"), shape=5, dtype=float)
    y = a + x
    a[0] = 3
    assert a.tolist() == [3, 0, 0, 0, 0]
    for _ in range(3):
        error = raised(y.tolist)
        assert "in deep" in "".join(traceback.format_exception(error))


def test_notes_and_causes_come_along():
    error = ValueError("v")
    error.add_note("note")
    error.__cause__ = KeyError("cause")
    x = submit(fails, error, shape=3, dtype=float)
    for _ in range(2):
        found = raised(x.tolist)
        assert isinstance(found.__cause__, KeyError)
        assert found.__notes__ == ["note"]
        found.add_note("another")


def test_a_result_that_takes_long_is_a_timeout_and_comes_later():
    task = held(np.ones(3))
    with pytest.raises(TaskTimeout, match="goes on") as caught:
        task.future.result(0.01)
    assert isinstance(caught.value, TimeoutError)
    with pytest.raises(TaskTimeout):
        task.future.exception(timeout=0)
    task.bring()
    assert task.future.result(60).tolist() == [1, 1, 1]
    assert task.future.exception() is None
    assert type(task.future.result()) is Buffer
    assert not task.future.result().is_view


@pytest.mark.parametrize("timeout", ["1", float("nan"), [1]])
def test_a_timeout_is_a_number(timeout):
    with pytest.raises(ArgumentTypeError, match="number of seconds"):
        submit(np.ones, 3).result(timeout)


def test_a_task_is_cancelled_before_it_begins():
    first = Held([1.0])
    x = submit(np.add, first.future, 1, shape=1, dtype=float)
    y = x * 2
    assert (x.cancel(), x.cancel(), x.cancelled(), x.done()) == (True, True, True, True)
    for read in (x.tolist, y.tolist, x.result, x.exception):
        with pytest.raises(concurrent.futures.CancelledError, match="was cancelled"):
            read()
    assert repr(x).startswith("FutureBuffer(<lazy future, cancelled>")
    first.begun.wait(60)
    assert (first.future.cancel(), first.future.cancelled()) == (False, False)
    first.bring()
    assert first.future.tolist() == [1]
    assert first.future.cancel() is False


def test_a_future_is_made_by_a_task_alone():
    with pytest.raises(ArgumentTypeError, match=r"onebuf\.submit"):
        FutureBuffer([1, 2])
    assert type(FutureBuffer.zeros(3)) is Buffer


@pytest.mark.parametrize("function", [3, "text", None, [np.ones]])
def test_what_cannot_be_called_is_refused_at_once(function):
    with pytest.raises(ArgumentTypeError, match="needs a fu"):
        submit(function)
    with pytest.raises(ArgumentTypeError, match="needs a function"):
        submit(function, 3)


def test_arguments_that_do_not_fit_are_an_error_of_the_task():
    with pytest.raises(TypeError, match="positional argument"):
        submit(np.ones, 3, 4, 5, 6).result()


@pytest.mark.parametrize(
    "promise", [{"shape": -1}, {"shape": "x"}, {"dtype": "nonsense"}, {"device": "NOWHERE"}]
)
def test_a_wrong_promise_is_refused_at_once(promise):
    with pytest.raises((ValueError, TypeError)):
        submit(np.ones, 3, **promise)


def test_a_future_travels_as_the_elements_that_it_has():
    x = submit(np.arange, 3, shape=3, dtype="int64")
    for made in (pickle.loads(pickle.dumps(x)), copy.deepcopy(x), copy.copy(x), x.copy()):
        assert (type(made), made.tolist()) == (Buffer, [0, 1, 2])


def test_memory_is_given_back():
    x = submit(np.arange, 3, shape=3, dtype="int64")
    x.result()
    x.free()
    assert repr(x) == "FutureBuffer(<freed>)"
    with pytest.raises(BufferError, match="freed"):
        x.tolist()


def test_the_other_way_round_works_too():
    x = submit(np.arange, 3.0, shape=3, dtype=float)
    a, b = np.ones(3), onebuf.ones(3)
    assert [type(y) for y in (a - x, b - x, 1 - x, [1, 1, 1] - x)] == [Buffer] * 4
    assert [y.tolist() for y in (a - x, b - x, 1 - x, [1, 1, 1] - x)] == [[1, 0, -1]] * 4
    assert [(b <= x).tolist(), (a == x).tolist()] == [[False, True, True], [False, True, False]]
    assert onebuf.concat([x, b]).tolist() == [0, 1, 2, 1, 1, 1]
    assert np.concatenate([x, a]).tolist() == [0, 1, 2, 1, 1, 1]
    with pytest.raises(TypeError):
        x + object()


@pytest.mark.parametrize("device", ["PYTHON", "NULL"])
def test_elements_on_another_device(device):
    x = submit(lambda: onebuf.ones(3, device=device), shape=3, dtype=float, device=device)
    y = x + x
    assert (str(x.device), str(y.device), y.shape) == (device, device, (3,))
    if device == "PYTHON":
        assert y.to_device("CPU").tolist() == [2, 2, 2]
        x[0] = 5.0
        assert (x.tolist(), x.result().tolist()) == ([5, 1, 1], [5, 1, 1])


def test_replicas_of_what_a_task_brings():
    context = onebuf.context(["CPU"], 2)
    x = submit(lambda: np.ones(3), device=context)
    assert type(x.result()) is onebuf.ReplicatedBuffer
    y = submit(lambda: np.ones(3), shape=3, dtype=float, device=context)
    assert [replica.tolist() for replica in (y + 1).read()] == [[2, 2, 2]] * 2


def test_a_task_that_asks_for_its_own_result_is_told():
    box = []
    ready = threading.Event()

    def task():
        ready.wait(60)
        return box[0] + 1

    box.append(submit(task, shape=3, dtype=float))
    ready.set()
    with pytest.raises(TaskError, match="would wait for itself"):
        box[0].tolist()


def test_the_name_of_a_task_is_in_its_errors():
    with pytest.raises(ShapeError, match="the task ones was to bring"):
        submit(np.ones, 3, shape=4, dtype=float).result()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # in finalisers
@pytest.mark.parametrize("known", [True, False])
def test_an_interrupt_at_any_instant_of_reading_leaves_everything_as_it_was(known):
    came = 0
    for interrupt in instants(KeyboardInterrupt):
        task = Held(np.arange(3.0), **({"shape": 3, "dtype": float} if known else {}))
        y = (task.future + 1) * 2
        task.bring()
        with interrupt:
            y.tolist()
        came += bool(interrupt)
        assert y.tolist() == [2, 4, 6]
        assert (task.future + 1).tolist() == [1, 2, 3]
    assert came > 5


def test_parts_and_labels_of_futures():
    a = np.arange(6.0).reshape(2, 3)
    for promise in ({}, {"shape": (2, 3), "dtype": float}):
        task = Held(a.copy(), **promise)
        part, row = task.future.slice((0, 1), (2, 3)), task.future.chip(1)
        threading.Timer(0.02, task.bring).start()
        total = onebuf.zeros((3, 3))
        total["i,j"] = task.future["k,i"] * task.future["k,j"]
        assert (part.tolist(), row.tolist()) == ([[1, 2], [4, 5]], [3, 4, 5])
        assert total.tolist() == (a.T @ a).tolist()


def test_a_failed_future_does_not_keep_what_is_on_demand_from_being_written():
    a = onebuf.ones(5)
    shown = onebuf.on_demand((5,), lambda i: a[i] * 2, dtype=float)
    x = submit(fails, RuntimeError("r"), shape=5, dtype=float)
    y = shown + x
    a[0] = 3
    with pytest.raises(RuntimeError):
        y.tolist()
