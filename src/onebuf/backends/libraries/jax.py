"""JAX: its arrays as buffers, and its functions as operations.

``JAX`` is the first of ``jax.devices()``, ``JAX:1`` the second. Its arrays are immutable: a write
makes a new array for the block, and other holders of the old one do not see it. JAX computes in 32
bits by default; here 64 bits are enabled for each operation, and the user's own setting stays as it
is. JAX flushes subnormal numbers to zero.
"""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Any

import numpy as np

from onebuf import dtypes
from onebuf.backends.libraries.conventions import check_powers, power_by_squaring
from onebuf.backends.libraries.driver import LibraryDriver
from onebuf.backends.libraries.namespace import ArrayApi, Operands, Shape
from onebuf.backends.libraries.views import positions, slices
from onebuf.dtypes import DT, Array
from onebuf.errors import DeviceError, DTypeError, ExportError, MissingPackage
from onebuf.graph import BINARY, Kind, Op
from onebuf.layout import View
from onebuf.machine import Device, DeviceBlock, Facts, check_place

try:
    import jax
    import jax.numpy as jnp
    from jax.scipy import special
except ImportError as error:
    raise MissingPackage.extra("jax", "jax", "a device of the kind JAX") from error


_PROGRAMS = {Kind.ELEMENTWISE, Kind.REDUCE, Kind.SCAN, Kind.JOIN}


def count() -> int:
    """How many JAX finds."""
    return len(jax.devices())


def open(device: Device) -> JaxDriver:
    """The driver of one of them."""
    check_place(device, count(), None)
    return JaxDriver(device, jax.devices()[device.parts.index])


def device_name(array: Any) -> str:
    """The name of the device that an array is on."""
    places = [jax.devices().index(place) for place in array.devices()]
    if len(places) > 1:
        raise DeviceError(
            f"JAX shares arrays that are on one device, got one on {sorted(places)} of "
            f"jax.devices(); gather it with jax.device_put(array, jax.devices()[0])"
        )
    return f"JAX:{places[0]}" if places[0] else "JAX"


@lru_cache(4096)
def _program(api: JaxApi, op: Op, arg: Any, shape: Shape, dtype: DT) -> Any:
    """An operation as one program, compiled once for operands of the same shapes and dtypes."""
    return jax.jit(lambda *operands: api.run(op, operands, arg, shape, dtype))


def _wide() -> Any:
    """A context in which JAX computes in 64 bits."""
    return jax.enable_x64(True)


class JaxApi(ArrayApi):
    """JAX's functions, where they differ from the standard."""

    def __init__(self, place: Any) -> None:
        super().__init__(jnp)
        self.place = place

    def own(self, dtype: DT) -> Any:
        """NumPy's dtypes are JAX's."""
        return dtype

    def dtype_of(self, array: Any) -> DT:
        """The dtype of an array."""
        if not isinstance(array.dtype, np.dtype) or not dtypes.is_supported(array.dtype):
            raise DTypeError(
                f"needed an array of one of {', '.join(dtypes.BY_NAME)}; got {array.dtype}; "
                f"convert it with .astype(...) first"
            )
        return array.dtype

    def from_host(self, array: Array) -> Any:
        """An array in the memory of the device."""
        return jax.device_put(array, self.place)

    def empty(self, shape: Shape, dtype: DT) -> Any:
        """Zeros: JAX has no undefined content."""
        return jnp.zeros(shape, dtype, device=self.place)

    def count(self, extent: int) -> Any:
        """0, 1, 2, ..."""
        return jnp.arange(extent, dtype=dtypes.int64, device=self.place)

    def from_parts(self, real: Any, imaginary: Any) -> Any:
        """JAX's function, which takes any parts as they are."""
        return jax.lax.complex(*jnp.broadcast_arrays(real, imaginary))

    def call(self, op: Op, operands: Operands, loop: tuple[DT, ...]) -> Any:
        """JAX divides by a scalar with its reciprocal, and has no large powers of integers."""
        if op.name == "divide":
            x, y = jax.lax.optimization_barrier(jnp.broadcast_arrays(*operands))
            return jnp.divide(x, y)
        if op.name != "pow" or loop[0].kind not in "iu":
            return super().call(op, operands, loop)
        x, y = jnp.broadcast_arrays(*operands)
        low, high = (int(jnp.min(y)), int(jnp.max(y))) if y.size else (0, 0)
        check_powers(low)
        return power_by_squaring(jnp, x, y, high.bit_length())

    def function(self, name: str) -> Any:
        """A function of NumPy's names, or of SciPy's."""
        return getattr(jnp, name, None) or getattr(special, name)

    def pick(self, x: Any, indices: Any, axis: int) -> Any:
        """By valid indices."""
        return jnp.take(x, indices, axis=axis, mode="clip")

    def product(self, x: Any, y: Any, dtype: DT) -> Any:
        """In full precision, also where a device has a faster one."""
        return jnp.matmul(x, y, precision="highest")


class JaxDriver(LibraryDriver):
    """One of JAX's devices."""

    library = "jax"

    def __init__(self, device: Device, place: Any) -> None:
        super().__init__(device, JaxApi(place))
        self.place = place

    def facts(self) -> Facts:
        """Its version and device."""
        known = self.place.memory_stats() or {}
        description = f"JAX {jax.__version__} on {self.place.platform} {self.place.id}"
        return Facts(f"{description}, {self.place.device_kind}", known.get("bytes_limit"), None)

    def check(self, native: Any) -> None:
        """It has to be an array on this device, not a value that is traced."""
        if isinstance(native, jax.core.Tracer):
            raise ExportError(
                "a value that jax.jit, grad or vmap traces has no memory to share; make buffers "
                "outside of the function"
            )
        if not isinstance(native, jax.Array):
            raise ExportError(f"{self.name} needs an array of jax, got {type(native).__name__}")
        if native.is_deleted():
            raise ExportError("this array of jax was deleted or donated, so it has no elements")
        if native.devices() != {self.place}:
            raise DeviceError(
                f"{self.name} shares arrays on {self.place}, got one on "
                f"{sorted(map(str, native.devices()))}; move it with jax.device_put"
            )

    def peek(self, native: Any) -> Array:
        """The elements on the host; on the processor, in the memory of the array."""
        return np.asarray(native)

    def _typed(self, *call: Any) -> Any:
        """In 64 bits."""
        with _wide():
            return super()._typed(*call)

    def run(self, op: Op, operands: Operands, arg: Any, shape: Shape, dtype: DT) -> Any:
        """As one program, unless values of operands decide what is computed."""
        if op.kind in _PROGRAMS and op is not BINARY["pow"]:
            return _program(self.api, op, arg, shape, dtype)(*operands)
        return super().run(op, operands, arg, shape, dtype)

    def bare(self, nbytes: int) -> Any:
        """A new array of bytes."""
        return self._typed(
            "new memory", (), partial(jnp.zeros, device=self.place), nbytes, np.uint8
        )

    def reinterpreted(self, memory: Any, count: int, dtype: DT) -> Any:
        """On the host."""
        flat = np.asarray(memory).reshape(-1).view(np.uint8)
        return self._from_host(flat[: count * dtype.itemsize].view(dtype))

    def seen(self, memory: Any, view: View) -> Any:
        """By slices, or by indices."""
        found = slices(view, tuple(memory.shape))
        if found is None:
            flat = jnp.reshape(memory, (-1,))
            return jnp.take(flat, self.api.from_host(positions(view)), mode="clip")
        part = jnp.reshape(memory, found.shape)[found.key]
        part = jnp.reshape(jnp.transpose(part, found.order), found.kept)
        return jnp.broadcast_to(part, view.shape)

    def store(self, block: DeviceBlock, memory: Any, view: View, value: Any) -> None:
        """Into a new array, which the block holds from then on."""
        shape = tuple(memory.shape)
        if view == View.contiguous(shape):
            block.memory = value
            return
        found = slices(view, shape)
        if found is None:
            flat = jnp.reshape(memory, (-1,))
            changed = flat.at[self.api.from_host(positions(view))].set(value)
        else:
            back = np.argsort(found.order).tolist()
            squeezed = [n for n in found.kept if n > 1]
            part = jnp.transpose(jnp.reshape(value, squeezed), back)
            changed = jnp.reshape(memory, found.shape).at[found.key].set(part)
        block.memory = jnp.reshape(changed, shape)

    def synchronize(self) -> None:
        """Return when JAX has computed everything."""
        for block in list(self.allocator.blocks):
            if not block.is_freed:
                jax.block_until_ready(block.memory)
