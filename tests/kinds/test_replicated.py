"""Replicas: the semantics of document 003, for one, two and three queues."""

import copy
import pickle

import numpy as np
import pytest

import onebuf
from onebuf import Buffer, ReplicatedBuffer
from onebuf.errors import (
    ArgumentError,
    DeviceError,
    DivergenceError,
    DTypeError,
    ExportError,
    ShapeError,
)

QUEUES = {
    "one": (["CPU"], 1),
    "two": (["CPU"], 2),
    "two devices": (["PYTHON", "CPU"], 1),
    "three": (["PYTHON"], 3),
}


@pytest.fixture(params=QUEUES.values(), ids=QUEUES.keys())
def context(request):
    devices, queues = request.param
    return onebuf.context(devices, queues)


@pytest.fixture
def pair():
    return onebuf.context(["CPU"], 2)


def elements(shape=(3, 4), dtype=np.float32):
    return np.arange(np.prod(shape), dtype=dtype).reshape(shape)


def test_every_queue_has_a_replica(context):
    buffer = Buffer(elements()).to_device(context)
    assert isinstance(buffer, ReplicatedBuffer)
    assert buffer.device is context
    replicas = buffer.read()
    assert isinstance(replicas, list)
    assert len(replicas) == len(context)
    for index, replica in enumerate(replicas):
        np.testing.assert_array_equal(replica, elements())
        np.testing.assert_array_equal(buffer.read(index), elements())
    assert not buffer.diverged


def test_a_write_reaches_all_replicas_or_one(context):
    buffer = onebuf.zeros((4,), dtype=onebuf.float32, device=context)
    buffer.write(np.full(4, 2, np.float32))
    assert all((replica == 2).all() for replica in buffer.read())
    last = len(context) - 1
    buffer.write(np.full(4, 7, np.float32), last)
    for index, replica in enumerate(buffer.read()):
        assert (replica == (7 if index == last else 2)).all()
    assert buffer.diverged == (len(context) > 1)
    buffer.write(np.full(4, 3, np.float32))
    assert not buffer.diverged
    assert buffer.tolist() == [3, 3, 3, 3]


def test_operations_run_on_every_queue(context):
    x, y = (Buffer(elements()).to_device(context) for _ in range(2))
    z = (x * 2 + y).sum(axis=0)
    assert isinstance(z, ReplicatedBuffer)
    for replica in z.read():
        np.testing.assert_array_equal(replica, (elements() * 3).sum(axis=0))
    np.testing.assert_array_equal((x @ y.T).read(0), elements() @ elements().T)


def test_a_replica_is_a_buffer_of_its_queue_alone(pair):
    buffer = Buffer(elements()).to_device(pair)
    one = buffer.replica(1)
    assert type(one) is Buffer
    assert one.device is pair.places[1]
    with onebuf.counters() as counted:
        doubled = (one * 2).realize()
    assert counted.kernels == 1
    assert doubled.device is pair.places[1]
    np.testing.assert_array_equal(doubled.tolist(), (elements() * 2).tolist())
    assert not buffer.diverged


def test_a_replica_shares_memory_with_what_it_is_a_replica_of(pair):
    buffer = Buffer(elements()).to_device(pair)
    buffer.replica(1)[0] += 5
    assert buffer.diverged
    np.testing.assert_array_equal(buffer.read(0), elements())
    changed = elements()
    changed[0] += 5
    np.testing.assert_array_equal(buffer.read(1), changed)
    one = buffer.replica(1)
    buffer.write(elements() * 0)
    assert not one.tolist()[0][1]


def test_what_is_pending_is_computed_before_a_replica_is_written(pair):
    buffer = Buffer(elements()).to_device(pair)
    later = buffer + 1
    of_one = buffer.replica(1) * 2
    buffer.write(elements() * 0, 1)
    assert not later.diverged
    np.testing.assert_array_equal(later.read(1), elements() + 1)
    buffer.write(elements() * 0)
    np.testing.assert_array_equal(of_one.tolist(), elements() * 2)


def test_divergence_goes_with_what_is_computed(pair):
    same = Buffer([1.0, 2.0]).to_device(pair)
    other = same.copy()
    other.write(np.float32([8, 9]), 1)
    total = same + other
    assert total.diverged
    assert [replica.tolist() for replica in total.read()] == [[2, 4], [9, 11]]
    assert not (same * 2).diverged


ONE_VALUE = {
    "tolist": lambda x: x.tolist(),
    "item": lambda x: x[0].item(),
    "bool": lambda x: bool(x[0]),
    "to the host": lambda x: x.to_device("CPU"),
    "bytes": lambda x: bytes(x),
}


@pytest.mark.parametrize("ask", ONE_VALUE.values(), ids=ONE_VALUE.keys())
def test_one_value_of_replicas_that_differ_is_an_error(pair, ask):
    x = Buffer([1.0, 2.0]).to_device(pair)
    x.write(np.float32([5, 6]), 0)
    with pytest.raises(DivergenceError, match=r"alike are \[0\], \[1\]"):
        ask(x)
    assert "2 of them different" in repr(x)
    assert [replica.tolist() for replica in x.read()] == [[5, 6], [1, 2]]
    x[...] = 4
    assert x.tolist() == [4, 4]


MISTAKES = {
    "another dtype": (DTypeError, lambda x: x.write(np.int32([1, 2])), "float32, got int32"),
    "too many": (ShapeError, lambda x: x.write(np.float32([1, 2, 3])), r"\(2,\), got \(3,\)"),
    "too few bytes": (ShapeError, lambda x: x.write(b"1234567"), "8 bytes"),
    "no such queue": (ArgumentError, lambda x: x.read(2), r"0\.\.1"),
    "no queue at all": (ArgumentError, lambda x: x.write(np.float32([1, 2]), "0"), "'0'"),
    "another device": (DeviceError, lambda x: x + Buffer([1.0, 2.0]), "and CPU"),
}


@pytest.mark.parametrize("error, mistake, match", MISTAKES.values(), ids=MISTAKES.keys())
def test_a_mistake_changes_nothing(pair, error, mistake, match):
    x = Buffer([1.0, 2.0]).to_device(pair)
    with pytest.raises(error, match=match):
        mistake(x)
    assert not x.diverged
    assert x.tolist() == [1, 2]


def test_bytes_and_numbers_are_written_as_they_are(pair):
    x = Buffer([1.0, 2.0]).to_device(pair)
    x.write(np.float32([3, 4]).tobytes())
    assert x.tolist() == [3, 4]
    x.write([5, 6])
    x.write(Buffer([5.0, 6.0]))
    assert x.tolist() == [5, 6]


@pytest.mark.parametrize("shape", [(), (0,), (2, 0, 3), (1, 2, 1, 3, 2)])
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "float16", "complex64"])
def test_any_shape_and_dtype(pair, shape, dtype):
    array = np.ones(shape, dtype)
    buffer = onebuf.asarray(array, device=pair)
    for replica in buffer.read():
        assert replica.dtype == array.dtype
        np.testing.assert_array_equal(replica, array)


def test_views_have_replicas_of_their_own(pair):
    x = Buffer(elements()).to_device(pair)
    view = x[1:, ::2]
    assert isinstance(view, ReplicatedBuffer)
    view.write(np.float32([[1, 1], [1, 1]]), 1)
    assert x.diverged
    expected = elements()
    expected[1:, ::2] = 1
    np.testing.assert_array_equal(x.read(1), expected)
    np.testing.assert_array_equal(view.T.read(0), elements()[1:, ::2].T)


def test_a_context_is_the_list_of_its_queues():
    context = onebuf.context(["PYTHON", "CPU"], queues=2)
    assert [place.name for place in context.places] == ["PYTHON", "PYTHON@1", "CPU@1", "CPU@2"]
    assert len(context) == 4
    assert onebuf.context(["PYTHON", "CPU"], queues=2) is context
    assert onebuf.context(["PYTHON", "CPU"], queues=[2, 2]) is context
    assert len(onebuf.context(["PYTHON", "CPU"], queues=[2, 1])) == 3
    assert pickle.loads(pickle.dumps(context)) is context
    assert copy.deepcopy(context) is context
    with context:
        pass


@pytest.mark.parametrize(
    "devices, queues, match",
    [
        (["CPU"], 0, "at least 1"),
        (["CPU"], 1.5, "1.5"),
        (["CPU"], [1, 2], "each of 1"),
        ([], 1, "at least one device"),
        (["CPU", "cpu"], 1, "CPU twice"),
        (["CPV"], 1, "mean CPU"),
        (["PYTHON@1"], 1, "the queue PYTHON@1"),
        (["PYTHON:3"], 1, "PYTHON:3"),
    ],
)
def test_a_context_that_cannot_be(devices, queues, match):
    with pytest.raises(ValueError, match=match):
        onebuf.context(devices, queues)


def test_queues_that_are_not_there_are_refused_before_any_is_opened():
    with pytest.raises(DeviceError, match="OPENCL has 256 queues at most, got 1000"):
        onebuf.context(["OPENCL"], 1000)
    assert not onebuf.device("OPENCL@200").is_open


def test_memory_comes_back():
    context = onebuf.context(["PYTHON"], 3)
    before = context.driver.allocator.stats().in_use
    x = onebuf.zeros((1000,), device=context) + 1
    x.realize()
    assert context.driver.allocator.stats().in_use > before
    del x
    assert context.driver.allocator.stats().in_use == before


def test_a_freed_buffer_says_so(pair):
    x = Buffer([1.0, 2.0]).to_device(pair)
    view = x[1:]
    with pytest.raises(ExportError, match="1 other view"):
        x.free()
    del view
    x.free()
    with pytest.raises(ExportError, match="freed"):
        x.read()
