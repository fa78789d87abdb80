"""Transfers: elements arrive as they left, only when they were asked for, and each is counted."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

import onebuf
from onebuf.errors import CopyError, DeviceError, OnebufError
from onebuf.testing.comparison import assert_same
from onebuf.testing.contract import Contract, numpys
from onebuf.testing.strategies import ALL, LOOKS, elements, looks, seeds, shapes


class TransferContract(Contract):
    """What bringing elements to a device and back has to do."""

    @pytest.mark.parametrize("name", ALL)
    def test_every_byte_arrives_and_comes_back(self, name: str) -> None:
        @self.for_all(shapes, seeds)
        def check(shape: tuple[int, ...], seed: int) -> None:
            array = elements(name, shape, seed)
            with self.allowing(name):
                x = self.send(array)
                assert (x.shape, x.dtype) == (array.shape, array.dtype)
                assert self.fetch(x).tobytes() == array.tobytes()

    @pytest.mark.parametrize("name", ["uint8", "uint16", "uint32", "uint64"])
    def test_any_bytes_are_kept(self, name: str) -> None:
        @self.for_all(st.binary(min_size=8, max_size=64))
        def check(data: bytes) -> None:
            with self.allowing(name):
                array = np.frombuffer(data[: len(data) // 8 * 8], name)
                assert self.fetch(self.send(array)).tobytes() == array.tobytes()

    def test_a_nan_keeps_its_bits(self) -> None:
        bits = np.array([0x7FC00001, 0xFFC12345, 0x7F800000, 0x80000000, 0x80000001], np.uint32)
        assert self.fetch(self.send(bits.view(np.float32))).tobytes() == bits.tobytes()

    def test_a_view_of_the_host_is_sent_as_it_looks(self) -> None:
        @self.for_all(looks(), seeds)
        def check(look: Any, seed: int) -> None:
            array = look.array(elements("int32", look.shape, seed))
            assert_same(self.fetch(onebuf.asarray(array).to_device(self.device)), array)

    def test_the_host_may_change_what_was_sent(self) -> None:
        array = np.arange(1000)
        x = onebuf.asarray(array, device=self.device, copy=True)
        array[:] = -1
        assert_same(self.fetch(x), np.arange(1000))

    def test_what_was_fetched_does_not_change_with_the_device(self) -> None:
        x = self.send(np.arange(10))
        fetched = x.to_device("CPU").copy().realize()
        x += 1
        assert_same(np.asarray(fetched), np.arange(10))

    def test_a_device_is_where_it_says(self) -> None:
        x = self.send(np.arange(3))
        assert x.device is self.where()
        assert x.device == self.device
        assert x.to_device(self.device) is x
        assert (x + 1).device is x[1:].device is x.sum().device is self.where()

    def test_transfers_are_counted(self) -> None:
        host = onebuf.asarray(np.arange(1000, dtype=np.int32), copy=True)
        far = 0 if self.where().is_host else 1
        with onebuf.counters() as counted:
            x = host.to_device(self.device)
        assert (counted.transfers, counted.bytes_transferred) == (far, far * 4000)
        with onebuf.counters() as counted:
            y = (x * 2 + 1).realize()
        assert counted.transfers == 0
        with onebuf.counters() as counted:
            y.to_device("CPU")
        assert (counted.transfers, counted.bytes_transferred) == (far, far * 4000)

    def test_a_constant_is_made_where_it_is_wanted(self) -> None:
        with onebuf.counters() as counted:
            x = onebuf.ones((1000,), dtype="float32", device=self.device)
            (x + 1).realize()
        assert counted.transfers == 0

    def test_devices_never_mix_silently(self) -> None:
        other = "PYTHON" if self.where().parts.kind != "PYTHON" else "CPU"
        x = self.send(np.ones(3, np.float32))
        y = onebuf.asarray(np.ones(3, np.float32)).to_device(other)
        z = y.copy().realize()
        for mixed in (
            lambda: x + y,
            lambda: y + x,
            lambda: onebuf.where(x > 0, x, y),
            lambda: onebuf.concat([x, y]),
            lambda: x @ y,
            lambda: z.__setitem__(0, x[0, ...]),
            lambda: z.__iadd__(x),
        ):
            with pytest.raises(DeviceError) as caught:
                mixed()
            assert other in str(caught.value)
            assert str(self.where()) in str(caught.value)
        assert z.tolist() == [1.0, 1.0, 1.0]
        assert_same(self.fetch(x + x), np.full(3, 2, np.float32))

    def test_a_number_of_the_host_is_at_home_everywhere(self) -> None:
        numbers = onebuf.asarray(np.array([2.0, -0.0, 300.5]))
        for dtype in ("float32", "int16"):
            x = self.send(np.ones(4, dtype))
            for place in range(3):
                x[place] = numbers[place]
            assert_same(self.fetch(x), np.array([2.0, -0.0, 300.5, 1]).astype(dtype))
            x[1:] = numbers[0]
            x[:0] = numbers[0]
            assert_same(self.fetch(x * 1), np.full(4, 2, dtype))
            x += onebuf.asarray(np.array([3], dtype))[0]
            assert_same(self.fetch(x), np.full(4, 5, dtype))
            x[...] = numbers[2]
            assert_same(self.fetch(x + numbers.astype(dtype)[0]), np.full(4, 302.5).astype(dtype))
        with pytest.raises(TypeError, match="complex"):
            x[0] = onebuf.asarray(np.array([1j]))[0]

    def test_memory_of_the_host_is_not_handed_out_for_that_of_a_device(self) -> None:
        x = self.send(np.arange(3))
        if self.where().is_host:
            assert np.shares_memory(np.asarray(x), np.asarray(x))
            return
        for ask in (np.asarray, np.from_dlpack, lambda x: x.data, lambda x: x.__array_interface__):
            with pytest.raises(DeviceError, match="to_device"):
                ask(x)
        array = np.arange(3)
        try:
            shared = onebuf.asarray(array, device=self.device, copy=False)
        except CopyError:
            return
        array[0] = 7  # where it is not refused, it is no copy
        onebuf.synchronize()
        assert_same(self.fetch(shared + 1), array + 1)

    def test_the_values_can_be_looked_at(self) -> None:
        x = self.send(np.array([[1, 2], [3, 4]], np.int32))
        assert x.tolist() == [[1, 2], [3, 4]]
        assert x[1, 0].item() == 3
        assert int(x.sum()) == 10
        assert [int(row[0]) for row in x] == [1, 3]
        assert "[3, 4]" in repr(x)
        assert str(self.where()) in repr(x)
        assert str(self.where()) in repr(x + 1)

    def test_copies_have_memory_of_their_own(self) -> None:
        x = self.send(np.arange(5))
        for other in (x.copy(), copy.copy(x), copy.deepcopy(x)):
            assert other.device is self.where()
            other += 1
            assert_same(self.fetch(other), np.arange(1, 6))
        assert_same(self.fetch(x), np.arange(5))

    def test_a_pickle_brings_the_elements_back_or_is_refused(self) -> None:
        x = self.send(np.arange(6).reshape(2, 3)).T
        try:
            back = pickle.loads(pickle.dumps(x))
        except OnebufError as error:
            assert "to_device" in str(error)  # noqa: PT017
        else:
            assert_same(self.fetch(back), np.arange(6).reshape(2, 3).T)

    def test_elements_go_from_this_device_to_any_other(self) -> None:
        array = np.arange(24, dtype=np.int32).reshape(2, 3, 4)
        x = self.send(array)
        for other in ("PYTHON", "CPU@1", "CPU@2"):
            for look in LOOKS:
                moved = look(x).to_device(other)
                assert moved.device == other
                assert_same(np.asarray(moved.to_device("CPU")), look(array))
                assert_same(self.fetch(moved.to_device(self.device)), look(array))

    def test_an_expression_is_computed_before_it_travels(self) -> None:
        @self.for_all(shapes, seeds)
        def check(shape: tuple[int, ...], seed: int) -> None:
            array = elements("int32", shape, seed)
            got = self.fetch(self.send(array) + 3)
            assert_same(got, numpys("add", array, np.int32(3)))
