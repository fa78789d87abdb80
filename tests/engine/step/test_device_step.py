"""Graphs on other devices: one schedule, plans that are found again, transfers that are counted."""

import numpy as np
import pytest

import onebuf
from onebuf import Buffer
from onebuf.backends.reference.device import PythonDriver
from onebuf.errors import CopyError, DeviceError, DTypeError, ExportError, LayoutError


def elements(shape=(3, 4)):
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


def on(device="PYTHON", shape=(3, 4)):
    return onebuf.asarray(elements(shape), device=device)


def test_an_expression_is_one_kernel():
    x = on()
    y = ((x * 2 + 1).sum(axis=0) - 3) / 2
    assert len(onebuf.schedule(y)) == 1
    assert "1 kernel, 48 B read, 16 B written" in y.explain()
    with onebuf.counters() as counted:
        y.realize()
    assert (counted.kernels, counted.transfers, counted.bytes_read) == (1, 0, 48)
    np.testing.assert_allclose(y.tolist(), ((elements() * 2 + 1).sum(axis=0) - 3) / 2)


def test_a_product_and_what_follows_are_one_kernel():
    x, w, b = on(shape=(3, 4)), on(shape=(4, 5)), on(shape=(5,))
    y = onebuf.maximum(x @ w + b, 0)
    assert len(onebuf.schedule(y)) == 1
    expected = np.maximum(elements() @ elements((4, 5)) + elements((5,)), 0)
    np.testing.assert_allclose(y.tolist(), expected)


def test_a_plan_is_prepared_once(monkeypatch):
    prepared = []
    prepare = PythonDriver.prepare
    monkeypatch.setattr(
        PythonDriver,
        "prepare",
        lambda self, group: prepared.append(group) or prepare(self, group),
    )
    for number in range(7):
        x = onebuf.asarray(np.full((2, 9), number, np.float32), device="PYTHON")
        assert (x * (number + 3) - number).tolist() == [[number * (number + 3) - number] * 9] * 2
    assert len(prepared) == 1


def test_another_queue_has_plans_of_its_own():
    for device in ("PYTHON", "PYTHON@1", "CPU@1", "PYTHON"):
        x = on(device)
        assert (x + 5).device == device
        np.testing.assert_array_equal((x + 5).tolist(), elements() + 5)


def test_transfers_are_counted_with_the_line_that_asked():
    x = Buffer(elements())
    with onebuf.counters() as counted:
        y = x.to_device("PYTHON")
        (y + 1).to_device("CPU@1").to_device("CPU")
    pairs = [(one.source, one.target) for one in counted.transferred]
    assert pairs[0] == ("CPU", "PYTHON")
    assert pairs[-1] == ("CPU@1", "CPU")
    assert counted.transfers == len(pairs)
    assert counted.bytes_transferred == 48 * len(pairs)
    assert all("test_device_step.py" in one.origin for one in counted.transferred)
    with onebuf.counters() as counted:
        assert y.to_device("PYTHON") is y
        onebuf.zeros((5, 5), device="PYTHON").to_device("CPU@1")
    assert counted.transfers == 0


MIXED = {
    "add": lambda x, y: x + y,
    "where": lambda x, y: onebuf.where(x > 0, x, y),
    "concat": lambda x, y: onebuf.concat([x, y]),
    "matmul": lambda x, y: x @ y.T,
    "in place": lambda x, y: x.__iadd__(y),
    "assigned": lambda x, y: x.__setitem__(0, y[0]),
    "assigned to the host": lambda x, y: y.__setitem__(0, x[0]),
    "an array": lambda x, y: x + elements(),
    "a ufunc": lambda x, y: np.add(x, y),
}


@pytest.mark.parametrize("mix", MIXED.values(), ids=MIXED.keys())
def test_devices_do_not_mix(mix):
    x, y = on(), Buffer(elements())
    with pytest.raises(DeviceError, match=r"PYTHON.*CPU|CPU.*PYTHON"):
        mix(x, y)
    np.testing.assert_array_equal(x.tolist(), elements())
    np.testing.assert_array_equal(y.tolist(), elements())


def test_numbers_are_at_home_everywhere():
    x = on()
    for number in (2, 2.0, np.float32(2), np.int64(2), True):
        expected = elements() * number
        assert (x * number).dtype == expected.dtype
        np.testing.assert_array_equal((number * x).tolist(), expected)


HOST_ONLY = {
    "memory": lambda x: np.asarray(x),
    "a view of it": lambda x: memoryview(x.data),
    "DLPack": lambda x: np.from_dlpack(x),
    "nonzero": lambda x: onebuf.nonzero(x),
    "unique": lambda x: onebuf.unique_values(x),
    "sort": lambda x: onebuf.sort(x).realize(),
    "several index arrays": lambda x: x[[0, 1], [1, 2]],
    "writing by indices": lambda x: x.__setitem__([0, 1], 0),
}


@pytest.mark.parametrize("ask", HOST_ONLY.values(), ids=HOST_ONLY.keys())
def test_what_needs_the_host_says_so(ask):
    x = on()
    with pytest.raises(DeviceError, match=r"PYTHON.*to_device\('CPU'\)"):
        ask(x)
    np.testing.assert_array_equal((x + 1).tolist(), elements() + 1)


def test_bytes_are_read_as_another_dtype():
    x = onebuf.asarray(np.float32([[1, -2], [3, -4]]), device="PYTHON")
    bits = x.view("uint32")
    assert bits.is_view
    assert (bits >> 31).tolist() == [[0, 1], [0, 1]]
    bits[0, 1] = 0
    assert x.tolist() == [[1, 0], [3, -4]]
    assert x[1].view("uint8").shape == (8,)
    assert x.view("float64").shape == (2, 1)
    with pytest.raises(LayoutError, match="contiguous"):
        x[:, ::2].view("uint8")


def test_a_device_that_only_holds_computes_nothing(tmp_path):
    x = Buffer(elements()).to_device(f"DISK:{tmp_path}/x")
    with pytest.raises(DeviceError, match="computes nothing"):
        (x + 1).realize()
    np.testing.assert_array_equal(x.to_device("CPU").tolist(), elements())


def test_a_dtype_without_a_kernel_is_named(monkeypatch):
    monkeypatch.setattr(PythonDriver, "supports", lambda self, op, operands, result: False)
    with pytest.raises(DTypeError, match="PYTHON has no kernel for add of float32"):
        (on(shape=(7,)) + on(shape=(7,))).realize()


def test_whole_numbers_of_any_kind_pick_views():
    x = on()
    for key in (1, np.int8(1), np.array(1), onebuf.asarray(1, device="PYTHON")):
        assert x[key].is_view
        assert x[key].tolist() == elements()[1].tolist()
    x[np.array(0)] = 7
    assert x[0].tolist() == [7] * 4


def test_parts_of_complex_numbers():
    z = onebuf.asarray(np.complex64([1 + 2j, 3 - 4j]), device="PYTHON")
    assert (z.real.tolist(), z.imag.tolist()) == ([1, 3], [2, -4])
    assert on(shape=(2,)).imag.tolist() == [0, 0]
    with pytest.raises(DTypeError, match="complex"):
        on()[0] = 1j


def test_masks_pick_along_any_axis():
    x = on()
    mask = np.array([True, False, True, True])
    np.testing.assert_array_equal(x[:, mask].tolist(), elements()[:, mask])
    np.testing.assert_array_equal(x[1:, x[0] > 1].tolist(), elements()[1:, elements()[0] > 1])
    np.testing.assert_array_equal(x[None, ..., mask].tolist(), elements()[None, ..., mask])
    for key in (mask, (slice(None), mask[:3]), (..., mask[:2]), (0, 0, mask)):
        with pytest.raises(IndexError):
            x[key].realize()


def test_memory_is_told_and_trimmed():
    x = on(shape=(100, 100)).realize()
    assert onebuf.memory_stats()["PYTHON"].in_use >= x.nbytes
    del x
    onebuf.trim()
    assert onebuf.memory_stats()["PYTHON"].cached == 0
    onebuf.synchronize()


def test_free_gives_memory_back_at_once():
    x = on()
    view = x[1:]
    x[0] = 1
    with pytest.raises(ExportError):
        x.free()
    del view
    before = onebuf.memory_stats()["PYTHON"].in_use
    x.free()
    assert onebuf.memory_stats()["PYTHON"].in_use < before
    with pytest.raises(ExportError, match="freed"):
        x.tolist()


def test_made_elsewhere_without_a_transfer():
    with onebuf.counters() as counted:
        made = [
            onebuf.zeros((4,), device="PYTHON").copy(),
            onebuf.full((2, 2), 7, device="PYTHON") + 1,
            onebuf.arange(5, device="PYTHON") * 2,
        ]
        onebuf.realize(*made)
    assert counted.transfers == 0
    assert [one.tolist() for one in made] == [[0] * 4, [[8, 8], [8, 8]], [0, 2, 4, 6, 8]]
    assert onebuf.linspace(0, 1, 3, device="PYTHON").tolist() == [0, 0.5, 1]
    assert onebuf.eye(2, device="PYTHON").tolist() == [[1, 0], [0, 1]]
    assert onebuf.zeros_like(made[1]).device == "PYTHON"


@pytest.mark.parametrize("device", ["PYTHON", "CPU@1", "OPENCL"])
def test_memory_of_the_host_is_used_where_it_is(device):
    x = Buffer(elements(), copy=True).realize()
    with onebuf.counters() as counted:
        y = Buffer(x, device=device, copy=False)
    assert (counted.transfers, y.device) == (0, device)
    doubled = x * 2
    later = y + 1
    y[0] = 7
    onebuf.synchronize()
    assert x[0].tolist() == [7] * 4
    np.testing.assert_array_equal(later.tolist(), elements() + 1)
    np.testing.assert_array_equal(doubled.tolist(), elements() * 2)
    with pytest.raises(CopyError):
        Buffer(x[:, ::2], device=device, copy=False)


def test_the_host_waits_for_who_reads_its_memory_elsewhere(monkeypatch):
    x = Buffer(elements(), copy=True).realize()
    y = Buffer(x, device="PYTHON", copy=False)
    waited = []
    monkeypatch.setattr(PythonDriver, "synchronize", lambda self: waited.append(x[0].tolist()))
    later = y + 1
    x[0] = 5
    assert waited == [elements()[0].tolist()]
    np.testing.assert_array_equal(later.tolist(), elements() + 1)


def test_memory_that_cannot_be_shared_is_an_error():
    with pytest.raises(CopyError, match="NULL has its own"):
        Buffer(elements(), device="NULL", copy=False)
    with pytest.raises(CopyError, match="PYTHON to CPU"):
        Buffer(on(), device="CPU", copy=False)


def test_a_write_of_stored_elements_copies_them_once():
    x, y = on(), on() * 2
    y.realize()
    with onebuf.counters() as counted:
        x[...] = y
    assert counted.kernels == 0
    y[0] = 0
    np.testing.assert_array_equal(x.tolist(), elements() * 2)


def test_memory_that_overlaps_by_way_of_the_host_is_written_rightly():
    host = Buffer(np.arange(8, dtype=np.float32), copy=True).realize()
    one, two = (Buffer(part, device="PYTHON", copy=False) for part in (host[2:6], host[:4]))
    one[...] = two
    assert host.tolist() == [0, 1, 0, 1, 2, 3, 6, 7]
    x = on(shape=(6,))
    x[2:] = x[:4]
    assert x.tolist() == [0, 1, 0, 1, 2, 3]
