"""jax and onebuf on the same memory, both ways."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest

import onebuf
from onebuf import dtypes
from onebuf.errors import DTypeError
from onebuf.interop import DEVICE, export, view_foreign
from onebuf.memory import POOL

jax = pytest.importorskip("jax", reason="jax is not installed")
jnp = pytest.importorskip("jax.numpy", reason="jax is not installed")
pytestmark = pytest.mark.interop

# Without jax_enable_x64, jax has no 64-bit types.
NAMES = [dtype.name for dtype in dtypes.ALL if "64" not in dtype.name and "128" not in dtype.name]


class Exporter:
    def __init__(self, window: np.ndarray[Any, Any]) -> None:
        self.window = window
        self.request: dict[str, Any] = {}

    def __dlpack__(self, **request: Any) -> Any:
        self.request = request
        return export(self.window, **request)

    def __dlpack_device__(self) -> tuple[int, int]:
        return DEVICE


def address(array: np.ndarray[Any, Any]) -> int:
    return int(array.__array_interface__["data"][0])


def take(array: Any) -> np.ndarray[Any, Any]:
    foreign = view_foreign(array, copy=False)
    assert foreign is not None
    return foreign.array


def pooled(name: str, *shape: int) -> np.ndarray[Any, Any]:
    dtype = dtypes.as_dtype(name)
    size = int(np.prod(shape))
    window = POOL.allocate(size * dtype.itemsize).window(shape, dtype)
    window[...] = np.arange(size).reshape(shape).astype(dtype)
    return window


@pytest.mark.parametrize("name", [*NAMES, "complex64"])
def test_memory_of_the_pool_goes_out_to_the_same_address(name: str) -> None:
    window = pooled(name, 3, 4)
    array = jnp.from_dlpack(Exporter(window))
    assert array.dtype == window.dtype
    assert array.unsafe_buffer_pointer() == address(window)
    assert np.asarray(array).tolist() == window.tolist()


@pytest.mark.parametrize("name", [*NAMES, "complex64"])
def test_memory_comes_in_from_the_same_address(name: str) -> None:
    array = jnp.arange(12).reshape(3, 4).astype(name)
    found = take(array)
    assert found.dtype is dtypes.as_dtype(name)
    assert address(found) == array.unsafe_buffer_pointer()
    assert found.tolist() == np.asarray(array).tolist()


def test_an_array_that_cannot_change_comes_in_read_only() -> None:
    assert not take(jnp.arange(3)).flags.writeable


@pytest.mark.parametrize("name", ["float32", "bfloat16"])
def test_read_only_memory_is_shared_only_where_jax_can_be_told(name: str) -> None:
    window = pooled(name, 16)
    window.flags.writeable = False
    exporter = Exporter(window)
    array = jnp.from_dlpack(exporter)
    version = exporter.request.get("max_version")  # jax 0.10 asks for none, jax 0.12 for (1, 3)
    shared = version is not None and version >= (1, 0)
    assert (array.unsafe_buffer_pointer() == address(window)) is shared
    assert array.unsafe_buffer_pointer() % 64 == 0
    assert np.asarray(array).tolist() == window.tolist()


def test_strides_that_run_backwards_are_copied() -> None:
    assert jnp.from_dlpack(Exporter(pooled("float32", 4)[::-1])).tolist() == [3, 2, 1, 0]


@pytest.mark.parametrize("name", ["float32", "bfloat16"])
def test_an_array_outlives_the_memorys_owner(name: str) -> None:
    window = pooled(name, 1024)
    expected = window.tolist()
    nbytes = window.nbytes
    array = jnp.from_dlpack(Exporter(window))
    del window
    gc.collect()
    others = [POOL.allocate(nbytes) for _ in range(64)]
    for other in others:
        other.window((nbytes,), dtypes.uint8)[...] = 255
    assert np.asarray(array).tolist() == expected


@pytest.mark.parametrize("name", ["float32", "bfloat16"])
def test_a_foreign_array_outlives_its_owner(name: str) -> None:
    found = take(jnp.full((1000,), 7, name))
    gc.collect()
    noise = [jnp.full((1000,), n, name).block_until_ready() for n in range(50)]
    assert found.tolist() == [7] * 1000
    assert len(noise) == 50


def test_a_result_still_being_computed_is_waited_for() -> None:
    matrix = jnp.full((500, 500), 0.002)
    for _ in range(20):
        matrix = matrix @ jnp.ones((500, 500)) / 500
    found = take(matrix)
    assert np.array_equal(found, np.asarray(matrix))
    assert found[0, 0] == pytest.approx(0.002, rel=1e-3)


def test_narrow_integers_are_refused() -> None:
    with pytest.raises(DTypeError, match="int4"):
        view_foreign(jnp.zeros(2, jnp.int4))


# -- whole buffers ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*NAMES, "complex64"])
def test_a_buffer_goes_out_to_the_same_address(name: str) -> None:
    buffer = onebuf.Buffer(np.arange(12).reshape(3, 4), dtype=name)
    array = jnp.from_dlpack(buffer)
    assert array.unsafe_buffer_pointer() == address(np.asarray(buffer))
    assert np.asarray(array).tolist() == np.asarray(buffer).tolist()


def test_what_an_operation_computed_goes_out_to_the_same_address() -> None:
    result = onebuf.Buffer([1.0, 2.0, 3.0]) * 2
    array = jnp.from_dlpack(result)
    assert array.unsafe_buffer_pointer() == address(np.asarray(result))


@pytest.mark.parametrize("name", NAMES)
def test_an_array_becomes_a_buffer_in_place(name: str) -> None:
    array = jnp.arange(6).reshape(2, 3).astype(name)
    buffer = onebuf.asarray(array, copy=False)
    assert address(np.asarray(buffer)) == array.unsafe_buffer_pointer()
    assert buffer.dtype.name == name
    with pytest.raises(ValueError, match="read only"):
        buffer[0, 0] = 1


def test_an_array_keeps_a_dead_buffers_memory() -> None:
    buffer = onebuf.Buffer(np.arange(1000, dtype=np.float32), copy=True)
    array = jnp.from_dlpack(buffer)
    del buffer
    gc.collect()
    scribble = [onebuf.Buffer.full((1000,), -1.0).realize() for _ in range(20)]
    assert np.asarray(array).tolist() == list(range(1000))
    del scribble
