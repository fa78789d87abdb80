"""Programs of document 003, with another import line."""

import inspect

import numpy as np
import pytest

import onebuf.compat.vkdispatch as vd
from onebuf.errors import ArgumentError, ArgumentTypeError, DeviceError, DTypeError


@pytest.fixture(autouse=True, params=["cpu", "python"])
def backend(request):
    vd.initialize(backend=request.param)
    yield vd.make_context()
    vd.set_log_level(vd.LogLevel.WARNING)
    vd.initialize(backend="cpu")
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
        vd.initialize(backend="metal")
    with pytest.raises(vd.BackendUnavailableError, match="opencl") as caught:
        vd.initialize(backend="cuda")
    assert isinstance(caught.value, ImportError)
    assert caught.value.backend_name == "cuda"
    with pytest.raises(ArgumentTypeError, match="backend="):
        vd.initialize("cpu")
    with pytest.raises(ArgumentError):
        buffer.read(1)
    buffer.write(np.ones(4, np.float32))
    assert buffer.tolist() == [1, 1, 1, 1]
    buffer.destroy()


def test_initialize_has_the_arguments_of_the_original(backend):
    vd.initialize(False, vd.LogLevel.ERROR, True)
    vd.initialize(debug_mode=True, log_level=vd.LogLevel.INFO, loader_debug_logs=False)
    assert vd.get_backend() in ("cpu", "python")  # what was chosen stays
    with pytest.raises(ArgumentTypeError, match=r"LogLevel\.INFO"):
        vd.initialize(log_level=2)


@pytest.mark.parametrize("name", ["cpu", " CPU ", "python"])
def test_the_environment_names_the_kind_of_devices(monkeypatch, name):
    monkeypatch.setattr(vd._state, "backend", None)
    monkeypatch.setenv("VKDISPATCH_BACKEND", name)
    assert not vd.is_initialized()
    vd.initialize()
    assert vd.get_backend() == name.strip().lower()


def test_a_kind_that_is_not_there_leaves_the_one_that_is(monkeypatch):
    def missing(kind):
        raise DeviceError(f"{kind} needs a driver")

    before = vd.get_backend()
    monkeypatch.setattr(vd, "devices", missing)
    with pytest.raises(vd.BackendUnavailableError, match="OPENCL needs a driver"):
        vd.initialize(backend="opencl")
    assert vd.get_backend() == before


def test_the_kind_of_devices_can_be_asked_for(monkeypatch):
    questions = {"vulkan": vd.is_vulkan, "opencl": vd.is_opencl, "cuda": vd.is_cuda}
    questions["dummy"] = vd.is_dummy
    for kind in ("cpu", "vulkan", "opencl", "cuda", "dummy"):
        monkeypatch.setattr(vd._state, "backend", kind)
        assert [name for name, ask in questions.items() if ask()] == [
            name for name in questions if name == kind
        ]


def test_log_levels_are_those_of_the_original():
    names = {level.name: level.value for level in vd.LogLevel}
    assert names == {"VERBOSE": 0, "INFO": 1, "WARNING": 2, "ERROR": 3}


LOGS = [vd.log_verbose, vd.log_info, vd.log_warning, vd.log_error]


@pytest.mark.parametrize("least", list(vd.LogLevel))
def test_messages_from_a_level_on_are_printed_with_their_line(capsys, least):
    vd.set_log_level(least)
    for log in LOGS:
        log("a message")
    printed = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in printed] == [
        f"[{level.name}" for level in vd.LogLevel if level.value >= least.value
    ]
    assert all("test_vkdispatch.py:" in line for line in printed)
    assert all(line.endswith("] a message") for line in printed)


def test_log_is_an_error_by_default_and_ends_as_asked(capsys):
    vd.log("one", end="; ")
    vd.log("two", level=vd.LogLevel.WARNING)
    vd.log("three", level=vd.LogLevel.INFO)
    first, second = capsys.readouterr().out.split("; ")
    assert first.startswith("[ERROR ")
    assert second.startswith("[WARNING ")
    assert second.endswith("two\n")
    with pytest.raises(ArgumentTypeError):
        vd.set_log_level("loud")


def test_queue_families_are_queues():
    context = vd.make_context(0, None, None, [[0, 2, 0]])
    assert len(context) == 3
    assert len(vd.make_context(device_ids=[0], queue_families=[[1]])) == 1
    families = [vd.select_queue_families(0, 2)]
    assert len(vd.make_context(device_ids=[0], queue_families=families)) == 2
    assert vd.select_queue_families(0) == [0]


@pytest.mark.parametrize(
    "arguments",
    [
        {"queue_families": [[0]]},
        {"device_ids": [0], "queue_families": [[0], [0]]},
        {"device_ids": [0], "queue_families": []},
        {"device_ids": [0], "queue_families": [[]]},
        {"device_ids": [0], "queue_families": [[-1]]},
        {"device_ids": [0], "queue_families": [["compute"]]},
        {"device_ids": [0], "queue_families": [0]},
    ],
)
def test_queue_families_that_do_not_fit_are_refused_and_change_nothing(arguments):
    before = vd.get_context()
    with pytest.raises(ValueError, match=r"queue|device"):
        vd.make_context(**arguments)
    assert vd.get_context() is before


def test_one_waits_for_the_queues_of_any_context():
    first = vd.make_context(queue_counts=2)
    buffer = vd.asbuffer(np.arange(4, dtype=np.float32)) * 2
    vd.make_context()
    vd.queue_wait_idle(context=first)
    vd.queue_wait_idle(1, first)
    vd.queue_wait_idle(queue_index=0, context=first)
    assert buffer.read(1).tolist() == [0, 2, 4, 6]
    with pytest.raises(ValueError, match="queue"):
        vd.queue_wait_idle(2, first)
    with pytest.raises(ArgumentTypeError, match="make_context"):
        vd.queue_wait_idle(0, "the context")


def test_names_and_arguments_are_those_of_the_original():
    original = pytest.importorskip("vkdispatch", reason="vkdispatch is not installed")
    for name in ("initialize", "make_context", "queue_wait_idle", "log", "log_info", "log_error",
                 "log_warning", "log_verbose", "set_log_level", "is_vulkan", "is_opencl", "is_cuda",
                 "is_dummy", "get_backend", "select_queue_families"):  # fmt: skip
        theirs = list(inspect.signature(getattr(original, name)).parameters)
        assert list(inspect.signature(getattr(vd, name)).parameters) == theirs
    assert [level.name for level in original.LogLevel] == [level.name for level in vd.LogLevel]
