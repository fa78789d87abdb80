"""Programs of document 003, with another import line."""

import numpy as np
import pytest

import onebuf.compat.vkdispatch as vd
from onebuf.errors import ArgumentError, ArgumentTypeError, DTypeError


@pytest.fixture(autouse=True, params=["cpu", "python"])
def backend(request):
    vd.initialize(request.param)
    yield vd.make_context()
    vd.initialize("cpu")
    vd.make_context()


def test_the_first_program(capsys):
    cpu_data = np.arange(16, dtype=np.int32)
    print(f"Original CPU data: {cpu_data}")
    gpu_buffer = vd.asbuffer(cpu_data)
    downloaded_data = gpu_buffer.read(0)
    print(f"Data downloaded from GPU: {downloaded_data.flatten()}")
    first, second = capsys.readouterr().out.splitlines()
    assert first == "Original CPU data: [ 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15]"
    assert second == "Data downloaded from GPU: [ 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15]"


def test_the_second_program():
    my_data = np.arange(1000, dtype=np.float32)
    buffer = vd.Buffer((1000,), vd.float32)
    buffer.write(my_data)
    result = buffer.read()
    assert isinstance(result, list)
    assert len(result) == 1
    np.testing.assert_array_equal(result[0], my_data)
    assert (buffer.var_type, buffer.mem_size, buffer.size) == (vd.float32, 4000, 1000)


def test_queues_are_asked_for_by_number():
    context = vd.make_context(queue_counts=3)
    assert vd.get_context() is context
    buffer = vd.asbuffer(np.arange(4, dtype=np.int8))
    buffer.write(np.int8([9, 9, 9, 9]), 2)
    assert [replica.tolist() for replica in buffer.read()] == [[0, 1, 2, 3]] * 2 + [[9] * 4]
    vd.queue_wait_idle()
    vd.queue_wait_idle(1)
    assert len(vd.make_context(queue_counts=[2])) == 2
    assert len(vd.make_context(multi_queue=True)) > 1


def test_a_buffer_is_a_buffer():
    x = vd.asbuffer(np.arange(6, dtype=np.float32).reshape(2, 3))
    y = (x * 2 + 1).sum(axis=0)
    assert isinstance(y, vd.Buffer)
    assert y.tolist() == [8, 12, 16]


def test_vectors_are_axes():
    buffer = vd.Buffer((5,), vd.vec3)
    assert buffer.shape == (5, 3)
    assert vd.Buffer(2, vd.mat2).shape == (2, 2, 2)
    assert vd.buffer_f32((0, 3)).read(0).shape == (0, 3)
    assert vd.buffer_ihv2(4).read(0).dtype == np.int16


def test_devices_are_listed():
    devices = vd.get_devices()
    assert [info.dev_index for info in devices] == list(range(len(devices)))
    assert devices[0].device.name == vd.get_backend().upper()
    assert vd.is_initialized()
    assert vd.is_context_initialized()


def test_mistakes():
    buffer = vd.Buffer((4,), vd.float32)
    with pytest.raises(DTypeError):
        buffer.write(np.arange(4, dtype=np.int32))
    with pytest.raises(ArgumentTypeError):
        vd.asbuffer([1, 2, 3])
    with pytest.raises(ArgumentError, match="get_devices"):
        vd.make_context(device_ids=[7])
    with pytest.raises(ArgumentError, match="opencl"):
        vd.initialize("cuda")
    with pytest.raises(ArgumentError):
        buffer.read(1)
    buffer.write(np.ones(4, np.float32))
    assert buffer.tolist() == [1, 1, 1, 1]
    buffer.destroy()
