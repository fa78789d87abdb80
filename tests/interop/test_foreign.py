"""Foreign memory comes in without a copy, or with the reason why not."""

from __future__ import annotations

import array
import ctypes
import gc
import mmap
import weakref
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import onebuf
from onebuf import dtypes
from onebuf.errors import CopyError, DTypeError, ExportError, ReadOnlyError
from onebuf.interop.dlpack import export
from onebuf.interop.foreign import Foreign, view_foreign


def look(obj: Any, copy: bool | None = None) -> Foreign:
    foreign = view_foreign(obj, copy=copy)
    assert foreign is not None
    return foreign


def address(array: np.ndarray[Any, Any]) -> int:
    return int(array.__array_interface__["data"][0])


class Exporter:
    """A library that speaks DLPack and nothing else."""

    def __init__(self, window: np.ndarray[Any, Any], device: tuple[int, int] = (1, 0)) -> None:
        self.window = window
        self.device = device

    def __dlpack__(self, **request: Any) -> Any:
        return export(self.window, **request)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device


class OldExporter(Exporter):
    """One from before DLPack 1.0."""

    def __dlpack__(self, stream: Any = None) -> Any:
        return export(self.window, stream=stream)


class Interface:
    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        self.array = array

    @property
    def __array_interface__(self) -> dict[str, Any]:
        return self.array.__array_interface__


class Struct:
    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        self.array = array

    @property
    def __array_struct__(self) -> Any:
        return self.array.__array_struct__


class Method:
    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        self.array = array

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self.array.copy() if copy else self.array


class OldMethod:
    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        self.array = array

    def __array__(self, dtype: Any = None) -> Any:
        return self.array


class Image:
    """Makes its bytes anew whenever asked, like Pillow's."""

    @property
    def __array_interface__(self) -> dict[str, Any]:
        return {"shape": (3,), "typestr": "|u1", "version": 3, "data": bytes(bytearray(b"abc"))}


PROTOCOLS = [Exporter, OldExporter, Interface, Struct, Method, OldMethod, memoryview]


@pytest.mark.parametrize("protocol", PROTOCOLS)
@given(data=st.data())
def test_every_protocol_shares_strided_memory(protocol: Any, data: st.DataObject) -> None:
    dtype = data.draw(st.sampled_from(dtypes.STANDARD))
    base = np.arange(60).reshape(3, 4, 5).astype(dtype)
    start, step = data.draw(st.integers(0, 3)), data.draw(st.integers(1, 3))
    source = base.transpose(data.draw(st.permutations(range(3))))[start:, ::step]
    foreign = look(protocol(source))
    assert foreign.copy_reason is None
    assert foreign.array.dtype is dtype
    assert type(foreign.array) is np.ndarray
    assert np.array_equal(foreign.array, source)
    assert not source.size or address(foreign.array) == address(source)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_read_only_stays_read_only(protocol: Any) -> None:
    source = np.arange(3.0)
    source.flags.writeable = False
    assert not look(protocol(source)).array.flags.writeable


@pytest.mark.parametrize("protocol", [p for p in PROTOCOLS if p is not OldExporter])
def test_writable_memory_can_be_written(protocol: Any) -> None:
    source = np.arange(3.0)
    look(protocol(source)).array[0] = 9
    assert source[0] == 9


def test_an_old_capsule_that_cannot_say_whether_it_is_writable_is_read_only() -> None:
    assert not look(OldExporter(np.arange(3.0))).array.flags.writeable


@pytest.mark.parametrize("protocol", [Exporter, OldExporter, Method, OldMethod])
@pytest.mark.parametrize("name", ["bfloat16", "float8_e4m3fn", "float8_e5m2"])
def test_narrow_floats_share_memory(protocol: Any, name: str) -> None:
    source = np.array([1.5, -2, 0.25]).astype(dtypes.as_dtype(name))
    foreign = look(protocol(source), copy=False)
    assert foreign.array.dtype is dtypes.as_dtype(name)
    assert foreign.array.tolist() == [1.5, -2, 0.25]
    assert address(foreign.array) == address(source)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_owner_lives_as_long_as_the_array(protocol: Any) -> None:
    class Memory(bytearray):
        pass

    memory = Memory(np.arange(5.0).tobytes())
    alive = weakref.ref(memory)
    source = np.frombuffer(memory)
    del memory
    found = look(protocol(source)).array
    del source
    gc.collect()
    assert alive() is not None
    assert found.tolist() == [0, 1, 2, 3, 4]
    del found
    gc.collect()
    assert alive() is None


@pytest.mark.parametrize("letter", "bBhHiIlLqQfd")
def test_array_array_of_every_letter(letter: str) -> None:
    source = array.array(letter, [1, 2, 3])
    found = look(source).array
    assert (found.tolist(), found.itemsize) == ([1, 2, 3], source.itemsize)
    assert address(found) == source.buffer_info()[0]


@pytest.mark.parametrize("letter", "bBhHiIlLqQnNfd?Pc")
def test_every_letter_of_memoryview(letter: str) -> None:
    source = memoryview(bytearray(16)).cast(letter)
    found = look(source, copy=False).array
    assert found.itemsize == source.itemsize
    assert found.shape == source.shape


def test_bytes_are_read_only_numbers() -> None:
    found = look(b"abc").array
    assert (found.tolist(), found.flags.writeable) == ([97, 98, 99], False)


def test_a_bytearray_cannot_shrink_under_its_array() -> None:
    source = bytearray(8)
    found = look(source).array
    with pytest.raises(BufferError):
        source.clear()
    found[0] = 1
    assert source[0] == 1


def test_a_mapping_cannot_close_under_its_array() -> None:
    mapping = mmap.mmap(-1, 64)
    found = look(mapping).array
    with pytest.raises(BufferError):
        mapping.close()
    assert found.shape == (64,)


def test_a_memoryview_of_more_axes_keeps_them() -> None:
    source = memoryview(bytearray(range(24))).cast("B", (2, 3, 4))
    assert look(source).array.tolist() == source.tolist()


def test_a_strided_memoryview_is_shared() -> None:
    source = bytearray(range(10))
    found = look(memoryview(source)[8:2:-2]).array
    assert found.tolist() == [8, 6, 4]
    found[0] = 0
    assert source[8] == 0


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (ctypes.c_int32, "int32"),
        (ctypes.c_double, "float64"),
        (ctypes.c_bool, "bool"),
        (ctypes.c_char, "uint8"),
        (ctypes.c_long, f"int{8 * ctypes.sizeof(ctypes.c_long)}"),
        (ctypes.c_void_p, f"uint{8 * ctypes.sizeof(ctypes.c_void_p)}"),
    ],
)
def test_ctypes_arrays_are_shared(kind: Any, name: str) -> None:
    source = ((kind * 3) * 2)()
    found = look(source, copy=False).array
    assert (found.dtype.name, found.shape) == (name, (2, 3))
    assert address(found) == ctypes.addressof(source)


@pytest.mark.parametrize(
    "empty", [b"", bytearray(), array.array("d"), (ctypes.c_int * 0)(), np.zeros((0, 3))]
)
def test_empty_memory_comes_in(empty: Any) -> None:
    assert look(empty, copy=False).array.size == 0


def test_subclasses_come_in_as_plain_arrays(tmp_path: Any) -> None:
    mapped = np.memmap(tmp_path / "raw", np.int16, "w+", shape=(4,))
    mapped[...] = [1, 2, 3, 4]
    found = look(mapped, copy=False).array
    assert type(found) is np.ndarray
    assert address(found) == address(mapped)


def test_an_array_without_masked_elements_is_plain() -> None:
    assert look(np.ma.masked_array([1, 2])).array.tolist() == [1, 2]


def test_masked_elements_are_refused() -> None:
    with pytest.raises(ExportError, match="filled"):
        view_foreign(np.ma.masked_array([1, 2], [True, False]))


@pytest.mark.parametrize(
    "obj", [[1, 2], (1, 2), "text", 3, 2.5, 1j, True, None, {}, np.float32, object(), range(3)]
)
def test_what_exports_nothing_gives_none(obj: Any) -> None:
    assert view_foreign(obj) is None


UNSUPPORTED = [
    np.array([{}]),
    np.array(["a"]),
    np.array(["2020"], "M8[s]"),
    np.zeros(2, "i4,f4"),
    np.zeros(2, "g"),
    (ctypes.c_wchar * 2)(),
    (ctypes.c_longdouble * 2)(),
]


@pytest.mark.parametrize("obj", UNSUPPORTED)
def test_elements_that_are_no_numbers_are_refused(obj: Any) -> None:
    with pytest.raises(DTypeError, match="needed"):
        view_foreign(obj)


NEED_COPY = [
    (np.array([1, 2], ">i4"), "order"),
    (np.ndarray((2,), "i4", bytearray(12), 0, (6,)), "multiples"),
    (np.ndarray((2,), "i4", bytearray(12), 1), "address"),
    (np.float32(1), "scalar"),
    ((ctypes.c_int.__ctype_be__ * 2)(1, 2), "order"),
    (Image(), "copies"),
]


@pytest.mark.parametrize(("obj", "reason"), NEED_COPY)
def test_a_copy_that_is_needed_comes_with_its_reason(obj: Any, reason: str) -> None:
    found, why = look(obj)
    assert why is not None
    assert reason in why
    assert found.tolist() == np.asarray(obj).tolist()


@pytest.mark.parametrize(("obj", "reason"), NEED_COPY)
def test_copy_false_names_the_reason(obj: Any, reason: str) -> None:
    with pytest.raises(CopyError, match=reason):
        view_foreign(obj, copy=False)


def test_copy_true_is_a_reason() -> None:
    source = np.arange(3)
    assert look(source, copy=True) == (source, "copy=True was asked for")


class CopiesAlways:
    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        if copy is False:
            raise ValueError("it is compressed")
        return np.arange(3)


class OldCopies:
    def __array__(self) -> Any:
        return np.arange(3)


@pytest.mark.parametrize("obj", [CopiesAlways(), OldCopies()])
def test_an_array_method_that_copies_is_found_out(obj: Any) -> None:
    assert "copies" in str(look(obj).copy_reason)


def test_a_producer_that_copies_says_so_in_the_capsule() -> None:
    assert "made a copy" in str(look(Exporter(np.arange(3)[::-1])).copy_reason)


@pytest.mark.parametrize("device", [(2, 0), (8, 0), (10, 1)])
def test_memory_of_another_device_is_refused(device: tuple[int, int]) -> None:
    with pytest.raises(ExportError, match="move it to the CPU"):
        view_foreign(Exporter(np.arange(3), device))


def test_pinned_host_memory_comes_in() -> None:
    assert look(Exporter(np.arange(3), (3, 0))).array.tolist() == [0, 1, 2]


def test_a_gpu_array_without_dlpack_is_refused() -> None:
    class OnGpu:
        __cuda_array_interface__ = ()

    with pytest.raises(ExportError, match="GPU"):
        view_foreign(OnGpu())


def test_a_refusal_is_told_and_chained() -> None:
    class Refuses:
        def __dlpack__(self, **_: Any) -> Any:
            raise BufferError("it was donated")

    with pytest.raises(ExportError, match="it was donated") as caught:
        view_foreign(Refuses())
    assert isinstance(caught.value.__cause__, BufferError)


def test_a_released_memoryview_is_refused() -> None:
    view = memoryview(b"abc")
    view.release()
    with pytest.raises(ExportError, match="released"):
        view_foreign(view)


def test_a_capsule_that_was_taken_is_refused() -> None:
    capsule = export(np.arange(3), max_version=(1, 0))

    class Twice:
        def __dlpack__(self, **_: Any) -> Any:
            return capsule

    assert look(Twice()).array.tolist() == [0, 1, 2]
    with pytest.raises(ExportError, match="was not taken"):
        view_foreign(Twice())


def test_the_next_protocol_is_asked_when_one_refuses() -> None:
    class Both(Method):
        def __dlpack__(self, **_: Any) -> Any:
            raise TypeError("bits have no code")

    source = np.arange(3)
    assert address(look(Both(source)).array) == address(source)


@pytest.mark.parametrize("name", ["requires_grad", "is_conj", "is_neg"])
def test_values_that_are_not_in_the_memory_are_refused(name: str) -> None:
    source = Exporter(np.arange(3))
    setattr(source, name, True if name == "requires_grad" else lambda: True)
    with pytest.raises(ExportError, match=r"pass \.(detach|resolve_conj|resolve_neg)\(\)"):
        view_foreign(source)


def test_what_numpy_has_broadcast_is_taken_read_only_and_without_a_warning() -> None:
    wide, same = np.broadcast_arrays(np.arange(3.0), np.ones((1, 3)))
    (row, _) = np.broadcast_arrays(np.arange(3.0), np.ones((2, 1)))
    for seen in (wide, row):
        x = onebuf.asarray(seen)
        assert x.to_python() == seen.tolist()
        assert not np.asarray(x).flags.writeable
        assert (x + seen).to_python() == (seen * 2).tolist()
        with pytest.raises(ReadOnlyError):
            x[0, 0] = 5.0
    assert np.asarray(onebuf.asarray(same)).flags.writeable
