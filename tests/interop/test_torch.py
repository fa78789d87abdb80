"""torch and onebuf on the same memory, both ways."""

from __future__ import annotations

import gc
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import onebuf
from onebuf import dtypes
from onebuf.errors import DTypeError, ExportError
from onebuf.interop import DEVICE, export, view_foreign
from onebuf.memory import POOL

torch = pytest.importorskip("torch", reason="torch is not installed")
pytestmark = pytest.mark.interop

NAMES = [dtype.name for dtype in dtypes.ALL]


class Exporter:
    def __init__(self, window: np.ndarray[Any, Any]) -> None:
        self.window = window

    def __dlpack__(self, **request: Any) -> Any:
        return export(self.window, **request)

    def __dlpack_device__(self) -> tuple[int, int]:
        return DEVICE


def address(array: np.ndarray[Any, Any]) -> int:
    return int(array.__array_interface__["data"][0])


def take(tensor: Any) -> np.ndarray[Any, Any]:
    foreign = view_foreign(tensor, copy=False)
    assert foreign is not None
    return foreign.array


@pytest.mark.parametrize("name", NAMES)
def test_memory_goes_out_to_the_same_address(name: str) -> None:
    window = np.arange(12).reshape(3, 4).astype(dtypes.as_dtype(name))[::2, 1:]
    tensor = torch.from_dlpack(Exporter(window))
    assert tensor.dtype is getattr(torch, name)
    assert tensor.data_ptr() == address(window)
    assert tensor.to(torch.complex128).tolist() == window.tolist()
    tensor[0, 0] = 0
    assert window[0, 0] == 0


@pytest.mark.parametrize("name", NAMES)
def test_memory_comes_in_from_the_same_address(name: str) -> None:
    tensor = torch.arange(12).reshape(3, 4).to(getattr(torch, name)).T[:, ::2]
    found = take(tensor)
    assert found.dtype is dtypes.as_dtype(name)
    assert address(found) == tensor.data_ptr()
    assert found.tolist() == tensor.to(torch.complex128).tolist()
    found[0, 0] = 1
    assert tensor.to(torch.complex128)[0, 0] == 1


@pytest.mark.parametrize("shape", [(), (0,), (3, 0)])
@pytest.mark.parametrize("name", ["float32", "bfloat16"])
def test_shapes_without_extent_pass_both_ways(name: str, shape: tuple[int, ...]) -> None:
    assert take(torch.zeros(shape, dtype=getattr(torch, name))).shape == shape
    tensor = torch.from_dlpack(Exporter(np.zeros(shape, dtypes.as_dtype(name))))
    assert tuple(tensor.shape) == shape


def test_a_broadcast_tensor_keeps_its_zero_stride() -> None:
    assert take(torch.ones(1).expand(4)).strides == (0,)


@pytest.mark.parametrize("name", ["float32", "bfloat16"])
def test_a_tensor_lives_as_long_as_its_array(name: str) -> None:
    source = torch.full((1000,), 7, dtype=getattr(torch, name))
    memory = bytearray(source.view(torch.uint8).numpy())
    tensor = torch.from_numpy(np.frombuffer(memory, np.uint8)).view(source.dtype)
    found = take(tensor)
    del tensor
    gc.collect()
    with pytest.raises(BufferError):  # the tensor holds the bytes, and the array the tensor
        memory.clear()
    assert found.tolist() == [7] * 1000
    del found
    gc.collect()
    memory.clear()


@pytest.mark.parametrize("name", ["float32", "bfloat16"])
def test_a_tensor_outlives_the_memorys_owner(name: str) -> None:
    dtype = dtypes.as_dtype(name)
    block = POOL.allocate(4096)
    window = block.window((4096 // dtype.itemsize,), dtype)
    window[...] = 7
    tensor = torch.from_dlpack(Exporter(window))
    del block, window
    gc.collect()
    others = [POOL.allocate(4096) for _ in range(64)]
    for other in others:
        other.window((4096,), dtypes.uint8)[...] = 255
    assert (tensor == 7).all()


@pytest.mark.parametrize("copy", [None, True])
def test_strides_that_run_backwards_are_copied_and_torch_survives(copy: bool | None) -> None:
    # In a process of its own: torch ends the process when it is given negative strides.
    program = f"""
import numpy as np, torch
from onebuf.interop import DEVICE, export
class Exporter:
    def __dlpack__(self, **request): return export(np.arange(6.0).reshape(2, 3)[::-1], **request)
    def __dlpack_device__(self): return DEVICE
assert torch.from_dlpack(Exporter(), copy={copy}).tolist() == [[3, 4, 5], [0, 1, 2]]
try:
    torch.from_dlpack(Exporter(), copy=False)
except BufferError as error:
    print(error)
"""
    finished = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert finished.returncode == 0, finished.stderr
    assert "run backwards" in finished.stdout


def test_copy_true_gives_torch_memory_of_its_own() -> None:
    window = np.arange(3.0)
    tensor = torch.from_dlpack(Exporter(window), copy=True)
    assert tensor.data_ptr() != address(window)
    assert tensor.data_ptr() % 64 == 0


def test_torch_may_name_the_cpu() -> None:
    assert torch.from_dlpack(Exporter(np.arange(3)), device="cpu").tolist() == [0, 1, 2]


PENDING = [
    (lambda: torch.ones(2, requires_grad=True), "detach"),
    (lambda: torch.nn.Parameter(torch.ones(2)), "detach"),
    (lambda: torch.ones(2, dtype=torch.complex64).conj(), "resolve_conj"),
    (lambda: torch.ones(2, dtype=torch.complex64).conj().imag, "resolve_neg"),
]


@pytest.mark.parametrize(("make", "cure"), PENDING)
def test_a_tensor_whose_memory_is_not_its_value_is_refused(make: Any, cure: str) -> None:
    tensor = make()
    with pytest.raises(ExportError, match=cure):
        view_foreign(tensor)
    cured = getattr(tensor, cure)()
    assert take(cured).tolist() == cured.tolist()


def test_a_sparse_tensor_is_refused_with_advice() -> None:
    with pytest.raises(ExportError, match="to_dense"):
        view_foreign(torch.eye(2).to_sparse())


def test_a_tensor_without_memory_is_refused() -> None:
    with pytest.raises(ExportError, match="meta"):
        view_foreign(torch.zeros(2, device="meta"))


@pytest.mark.parametrize("name", ["complex32", "float8_e4m3fnuz", "float8_e8m0fnu"])
@pytest.mark.filterwarnings("ignore:ComplexHalf")
def test_an_element_type_that_buffers_lack_is_named(name: str) -> None:
    with pytest.raises(DTypeError, match=name):
        view_foreign(torch.zeros(2, dtype=getattr(torch, name)))


# -- whole buffers ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_a_buffer_and_its_tensor_are_one_memory(name: str) -> None:
    buffer = onebuf.Buffer(np.arange(6).reshape(2, 3), dtype=name)
    for part in (buffer, buffer.T, buffer[1:, ::2], buffer[0, 1, ...]):
        tensor = torch.from_dlpack(part)
        assert tensor.data_ptr() == address(np.asarray(part))
        assert tuple(tensor.shape) == part.shape
    tensor = torch.from_dlpack(buffer)
    tensor[0, 0] = 1
    assert buffer[0, 0].item() == 1
    buffer[0, 0] = 0
    assert tensor[0, 0].item() == 0


def test_what_an_operation_computed_goes_out_without_a_copy() -> None:
    result = onebuf.Buffer([1.0, 2.0, 3.0]) * 2
    with onebuf.counters() as counted:
        tensor = torch.from_dlpack(result)
    assert (counted.copies, counted.bytes_allocated) == (0, 0)
    assert tensor.data_ptr() == address(np.asarray(result))
    assert tensor.data_ptr() % 64 == 0


@pytest.mark.parametrize("name", NAMES)
def test_a_tensor_becomes_a_buffer_in_place(name: str) -> None:
    tensor = torch.arange(6).reshape(2, 3).to(getattr(torch, name))
    buffer = onebuf.asarray(tensor, copy=False)
    assert address(np.asarray(buffer)) == tensor.data_ptr()
    assert buffer.dtype.name == name
    buffer[1, 2] = 0
    assert tensor[1, 2].item() == 0


def test_a_tensor_keeps_a_dead_buffers_memory() -> None:
    buffer = onebuf.Buffer(np.arange(1000.0), copy=True)
    tensor = torch.from_dlpack(buffer)
    del buffer
    gc.collect()
    scribble = [onebuf.Buffer.full((1000,), -1.0, "float64").realize() for _ in range(20)]
    assert tensor.tolist() == list(range(1000))
    del scribble


def test_freeing_under_a_tensor_is_refused_until_it_is_gone() -> None:
    buffer = onebuf.Buffer([1.0, 2.0])
    tensor = torch.from_dlpack(buffer)
    with pytest.raises(BufferError, match="delete the windows"):
        buffer.free()
    assert tensor.tolist() == [1.0, 2.0]
    del tensor
    gc.collect()
    buffer.free()


def test_a_flipped_buffer_reaches_torch_as_a_copy() -> None:
    buffer = onebuf.Buffer([1.0, 2.0, 3.0])
    assert torch.from_dlpack(buffer.flip()).tolist() == [3.0, 2.0, 1.0]
    assert torch.asarray(buffer).tolist() == [1.0, 2.0, 3.0]


def test_a_write_waits_for_readers_of_a_tensor_that_was_taken_twice() -> None:
    tensor = torch.ones(100_000, dtype=torch.float64)
    pairs = [
        (onebuf.asarray(tensor), onebuf.asarray(tensor)),
        (onebuf.Buffer.wrap(tensor), onebuf.Buffer.wrap(tensor[::2])),
        (onebuf.asarray(tensor), onebuf.Buffer.wrap(tensor)),
        (onebuf.Buffer.wrap(tensor), onebuf.asarray(tensor)),
    ]
    for x, y in pairs:
        tensor[:] = 1
        pending = x * 2
        y[0] = 5
        assert tensor[0] == 5
        assert pending.to_device("CPU")[0].item() == 2


def test_memory_that_went_through_torch_is_known_again() -> None:
    x = onebuf.asarray(np.ones(100_000), copy=True)
    y = onebuf.asarray(torch.from_dlpack(x)[10:])
    pending = x * 2
    y[0] = 5
    assert (x[10].item(), pending[10].item()) == (5, 2)


def test_copies_of_tensors_do_not_see_what_torch_writes_later() -> None:
    tensor = torch.ones(100_000, dtype=torch.float64)
    copies = [
        onebuf.asarray(tensor).copy(),
        onebuf.asarray(tensor, dtype="float32"),
        onebuf.Buffer.wrap(tensor).copy(),
        onebuf.Buffer.wrap(tensor).astype("float32"),
    ]
    tensor[:] = 5
    assert [c.to_device("CPU")[0].item() for c in copies] == [1, 1, 1, 1]
