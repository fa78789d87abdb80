"""The names of vkdispatch: buffers with a replica on every queue of one context for all.

Programs written for it run with another import line::

    import onebuf.compat.vkdispatch as vd

    gpu_buffer = vd.asbuffer(np.arange(16, dtype=np.int32))
    gpu_buffer.read(0)

A buffer here is a `onebuf.ReplicatedBuffer`, so everything that a Buffer can do works as well. What
is different from the original is what it gets wrong: any number of axes, zero elements, small
integers and bools are fine; a write needs the dtype of the buffer; ``read()`` is a list; processors
are devices like others; and whatever is refused is an error that changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np

from onebuf import dtypes
from onebuf.buffer import Buffer as PlainBuffer
from onebuf.errors import ArgumentError, ArgumentTypeError, OnebufError
from onebuf.kinds import ReplicatedBuffer
from onebuf.machine import Context, Device, devices
from onebuf.machine import context as context_of

DT = np.dtype[Any]

dtype = np.dtype
bool_ = dtypes.bool
int8, int16, int32, int64 = dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64
uint8, uint16, uint32, uint64 = dtypes.uint8, dtypes.uint16, dtypes.uint32, dtypes.uint64
float16, float32, float64 = dtypes.float16, dtypes.float32, dtypes.float64
complex64, complex128 = dtypes.complex64, dtypes.complex128


def _of(element: DT, *shape: int) -> DT:
    """Several numbers as one element, which become axes of the buffer's own."""
    return np.dtype((element, shape))


vec2, vec3, vec4 = _of(float32, 2), _of(float32, 3), _of(float32, 4)
dvec2, dvec3, dvec4 = _of(float64, 2), _of(float64, 3), _of(float64, 4)
hvec2, hvec3, hvec4 = _of(float16, 2), _of(float16, 3), _of(float16, 4)
ivec2, ivec3, ivec4 = _of(int32, 2), _of(int32, 3), _of(int32, 4)
uvec2, uvec3, uvec4 = _of(uint32, 2), _of(uint32, 3), _of(uint32, 4)
ihvec2, ihvec3, ihvec4 = _of(int16, 2), _of(int16, 3), _of(int16, 4)
uhvec2, uhvec3, uhvec4 = _of(uint16, 2), _of(uint16, 3), _of(uint16, 4)
mat2, mat3, mat4 = _of(float32, 2, 2), _of(float32, 3, 3), _of(float32, 4, 4)

MANY_QUEUES = 3
"""So many of each device are opened for ``multi_queue``."""
_KINDS = {"opencl": "OPENCL", "vulkan": "VULKAN", "cpu": "CPU", "python": "PYTHON"}
_ORDER = ("opencl", "vulkan", "cpu")


@dataclass(frozen=True, slots=True)
class DeviceInfo:
    """A device that contexts can be made of."""

    dev_index: int
    device_name: str
    device: Device


class _State:
    """The kind of devices that is used, and the one context."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.backend: str | None = None
        self.context: Context | None = None


_state = _State()


def initialize(backend: str | None = None) -> None:
    """Choose the kind of devices: "opencl", "vulkan", "cpu"; None: the first that there is."""
    if backend is not None and backend not in _KINDS:
        raise ArgumentError(f"a backend needs to be one of {', '.join(_KINDS)}; got {backend!r}")
    for name in _ORDER if backend is None else (backend,):
        try:
            if devices(_KINDS[name]):
                _state.backend = name
                return
        except OnebufError:
            if backend is not None:
                raise


def is_initialized() -> bool:
    """Whether a kind of devices was chosen."""
    return _state.backend is not None


def get_backend() -> str:
    """The kind of devices that is used."""
    if _state.backend is None:
        initialize()
    assert _state.backend is not None
    return _state.backend


def get_devices() -> list[DeviceInfo]:
    """Every device that a context can be made of."""
    found = devices(_KINDS[get_backend()])
    return [DeviceInfo(n, one.driver.facts().description, one) for n, one in enumerate(found)]


def make_context(
    device_ids: int | Sequence[int] | None = None,
    device_count: int | None = None,
    queue_counts: int | Sequence[int] | None = None,
    use_cpu: bool = True,
    multi_device: bool = False,
    multi_queue: bool = False,
) -> Context:
    """The context for buffers made from now on: one queue of one device, unless more is asked for.

    ``use_cpu`` is always so: processors are devices like others.
    """
    every = get_devices()
    if device_ids is None:
        count = len(every) if multi_device and device_count is None else device_count or 1
        device_ids = range(count)
    chosen = [device_ids] if isinstance(device_ids, int) else list(device_ids)
    for number in chosen:
        if type(number) is not int or not 0 <= number < len(every):
            raise ArgumentError(
                f"a context needs devices in 0..{len(every) - 1}, got {number!r}; "
                f"get_devices() lists them"
            )
    homes = [every[number].device for number in chosen]
    made = context_of(homes, queue_counts or (MANY_QUEUES if multi_queue else 1))
    with _state.lock:
        _state.context = made
    return made


def is_context_initialized() -> bool:
    """Whether there is a context."""
    return _state.context is not None


def get_context() -> Context:
    """The context; one queue of the first device if nobody made another."""
    return _state.context or make_context()


def queue_wait_idle(queue_index: int | None = None) -> None:
    """Return when everything queued so far is over, on one queue or on all."""
    if queue_index is None:
        get_context().synchronize()
    else:
        get_context().on_queue(queue_index).driver.synchronize()


class Buffer(ReplicatedBuffer):
    """``shape`` elements of ``var_type`` on every queue of the context.

    Those of a vector or matrix type are axes of their own, after the others.
    """

    __slots__ = ()

    def __init__(self, shape: int | Sequence[int], var_type: Any) -> None:
        element = np.dtype(var_type)
        extents = (shape,) if isinstance(shape, int) else tuple(shape)
        whole = PlainBuffer.empty((*extents, *element.shape), element.base, device=get_context())
        self._node = whole._node
        self._base = None

    @property
    def var_type(self) -> DT:
        """The type of the elements."""
        return self.dtype

    @property
    def mem_size(self) -> int:
        """Bytes of one replica."""
        return self.nbytes

    def destroy(self) -> None:
        """Give the memory back now."""
        self.free()

    _destroy = destroy


def asbuffer(array: Any) -> Buffer:
    """A buffer with the elements of an array on every queue."""
    if not hasattr(array, "__array__") and not hasattr(array, "__array_interface__"):
        raise ArgumentTypeError(
            f"asbuffer needs an array, got {type(array).__name__}; make one with numpy.asarray(...)"
        )
    elements = np.asarray(array)
    buffer = Buffer(elements.shape, elements.dtype)
    buffer.write(elements)
    return buffer


def _maker(element: DT) -> Callable[[int | Sequence[int]], Buffer]:
    """A function that makes buffers of one type."""
    return lambda shape: Buffer(shape, element)


buffer_u16, buffer_i16, buffer_f16 = map(_maker, (uint16, int16, float16))
buffer_u32, buffer_i32, buffer_f32 = map(_maker, (uint32, int32, float32))
buffer_f64, buffer_c64 = _maker(float64), _maker(complex64)
buffer_v2, buffer_v3, buffer_v4 = map(_maker, (vec2, vec3, vec4))
buffer_dv2, buffer_dv3, buffer_dv4 = map(_maker, (dvec2, dvec3, dvec4))
buffer_hv2, buffer_hv3, buffer_hv4 = map(_maker, (hvec2, hvec3, hvec4))
buffer_iv2, buffer_iv3, buffer_iv4 = map(_maker, (ivec2, ivec3, ivec4))
buffer_uv2, buffer_uv3, buffer_uv4 = map(_maker, (uvec2, uvec3, uvec4))
buffer_ihv2, buffer_ihv3, buffer_ihv4 = map(_maker, (ihvec2, ihvec3, ihvec4))
buffer_uhv2, buffer_uhv3, buffer_uhv4 = map(_maker, (uhvec2, uhvec3, uhvec4))
