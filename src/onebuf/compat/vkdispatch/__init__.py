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

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np

from onebuf import dtypes
from onebuf.buffer import Buffer as PlainBuffer
from onebuf.compat.vkdispatch.logs import (
    LogLevel,
    log,
    log_error,
    log_info,
    log_verbose,
    log_warning,
    set_log_level,
)
from onebuf.dtypes import DT
from onebuf.errors import ArgumentError, ArgumentTypeError, DeviceError, OnebufError
from onebuf.kinds.replicated import ReplicatedBuffer
from onebuf.machine import Context, Device, devices
from onebuf.machine import context as context_of

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
_KINDS = {
    "opencl": "OPENCL",
    "vulkan": "VULKAN",
    "cpu": "CPU",
    "python": "PYTHON",
    "dummy": "NULL",
}
_ORDER = ("opencl", "vulkan", "cpu")
_ELSEWHERE = ("cuda",)
"""Kinds that vkdispatch has and onebuf has not."""


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


class BackendUnavailableError(DeviceError, ImportError):
    """A kind of devices that cannot be used here."""

    def __init__(self, backend_name: str, message: str) -> None:
        super().__init__(message)
        self.backend_name = backend_name


def initialize(
    debug_mode: bool = False,
    log_level: LogLevel = LogLevel.WARNING,
    loader_debug_logs: bool = False,
    backend: str | None = None,
) -> None:
    """Choose the kind of devices, and from which level on messages are printed.

    ``backend`` is "opencl", "vulkan", "cpu", "python" or "dummy", which schedules and runs nothing.
    Without it, the kind that was chosen before stays, or the environment variable
    VKDISPATCH_BACKEND decides, or the first of opencl, vulkan and cpu that there is. The two flags
    mean nothing here: errors are always checked, and `onebuf.counters` shows what ran.
    """
    if not isinstance(debug_mode, bool):
        raise ArgumentTypeError(
            f"debug_mode needs True or False, got {debug_mode!r}; name a kind of devices with "
            "backend=..."
        )
    set_log_level(log_level)
    if backend is None and _state.backend is not None:
        return
    _state.backend = _choose(os.environ.get("VKDISPATCH_BACKEND") if backend is None else backend)


def _choose(backend: str | None) -> str:
    """The kind of devices that is asked for, or the first that there is, if it can be used."""
    for name in _ORDER if not backend else (backend.strip().lower(),):
        if name in _ELSEWHERE:
            raise BackendUnavailableError(
                name, f"{name} devices are not among those of onebuf: {', '.join(_KINDS)}"
            )
        if name not in _KINDS:
            raise ArgumentError(
                f"a backend needs to be one of {', '.join(_KINDS)}; got {backend!r}"
            )
        try:
            if devices(_KINDS[name]):
                return name
        except OnebufError as error:
            if backend:
                raise BackendUnavailableError(name, str(error)) from error
    raise BackendUnavailableError(backend or "", f"there is no device of kind {backend!r} here")


def is_initialized() -> bool:
    """Whether a kind of devices was chosen."""
    return _state.backend is not None


def get_backend() -> str:
    """The kind of devices that is used."""
    if _state.backend is None:
        initialize()
    assert _state.backend is not None
    return _state.backend


def is_vulkan() -> bool:
    """Whether Vulkan's devices are used."""
    return get_backend() == "vulkan"


def is_opencl() -> bool:
    """Whether OpenCL's devices are used."""
    return get_backend() == "opencl"


def is_cuda() -> bool:
    """Never: devices of CUDA are used through OpenCL or Vulkan."""
    return get_backend() == "cuda"


def is_dummy() -> bool:
    """Whether kernels are scheduled and not run."""
    return get_backend() == "dummy"


def get_devices() -> list[DeviceInfo]:
    """Every device that a context can be made of."""
    found = devices(_KINDS[get_backend()])
    return [DeviceInfo(n, one.driver.facts().description, one) for n, one in enumerate(found)]


def make_context(
    device_ids: int | Sequence[int] | None = None,
    device_count: int | None = None,
    queue_counts: int | Sequence[int] | None = None,
    queue_families: Sequence[Sequence[int]] | None = None,
    use_cpu: bool = True,
    multi_device: bool = False,
    multi_queue: bool = False,
) -> Context:
    """The context for buffers made from now on: one queue of one device, unless more is asked for.

    ``queue_families`` has a list for each of ``device_ids``, with a family for each queue to be
    opened; queues of all families do the same here, so that only their number matters.
    ``use_cpu`` is always so: processors are devices like others.
    """
    every = get_devices()
    if queue_families is not None and device_ids is None:
        raise ArgumentError("queue_families needs device_ids, whose queues they are; pass both")
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
    if queue_families is not None:
        queue_counts = _count_queues(queue_families, len(chosen))
    homes = [every[number].device for number in chosen]
    made = context_of(homes, queue_counts or (MANY_QUEUES if multi_queue else 1))
    with _state.lock:
        _state.context = made
    return made


def select_queue_families(device_index: int, queue_count: int | None = None) -> list[int]:
    """Families for ``queue_count`` queues of a device: all of its queues are of family 0."""
    every = get_devices()
    if type(device_index) is not int or not 0 <= device_index < len(every):
        raise ArgumentError(
            f"needed the number of a device in 0..{len(every) - 1}, got {device_index!r}"
        )
    return [0] * (1 if queue_count is None else queue_count)


def _count_queues(families: Sequence[Sequence[int]], device_count: int) -> list[int]:
    """How many queues of each device are asked for by naming their families."""
    if len(families) != device_count:
        raise ArgumentError(
            f"queue_families needs one list for each of {device_count} devices, got {families!r}"
        )
    for part in families:
        if not isinstance(part, Sequence) or not part:
            raise ArgumentError(f"a device needs a list of one or more queues, got {part!r}")
        if any(type(family) is not int or family < 0 for family in part):
            raise ArgumentError(f"a queue family needs to be 0 or more, got {part!r}")
    return [len(part) for part in families]


def is_context_initialized() -> bool:
    """Whether there is a context."""
    return _state.context is not None


def get_context() -> Context:
    """The context; one queue of the first device if none was made."""
    return _state.context or make_context()


def queue_wait_idle(queue_index: int | None = None, context: Context | None = None) -> None:
    """Return when everything queued so far is over, on one queue of the context or on all."""
    if context is None:
        context = get_context()
    if not isinstance(context, Context):
        raise ArgumentTypeError(
            f"needed a context, got {context!r}; pass what make_context() or get_context() gave"
        )
    if queue_index is None:
        context.synchronize()
    else:
        context.on_queue(queue_index).driver.synchronize()


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
        self._base = whole._base

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

__all__ = [
    "BackendUnavailableError", "Buffer", "Context", "DeviceInfo", "LogLevel", "asbuffer",
    "bool_", "buffer_c64", "buffer_dv2", "buffer_dv3", "buffer_dv4", "buffer_f16", "buffer_f32",
    "buffer_f64", "buffer_hv2", "buffer_hv3", "buffer_hv4", "buffer_i16", "buffer_i32",
    "buffer_ihv2", "buffer_ihv3", "buffer_ihv4", "buffer_iv2", "buffer_iv3", "buffer_iv4",
    "buffer_u16", "buffer_u32", "buffer_uhv2", "buffer_uhv3", "buffer_uhv4", "buffer_uv2",
    "buffer_uv3", "buffer_uv4", "buffer_v2", "buffer_v3", "buffer_v4", "complex64", "complex128",
    "dtype", "dvec2", "dvec3", "dvec4", "float16", "float32", "float64", "get_backend",
    "get_context", "get_devices", "hvec2", "hvec3", "hvec4", "ihvec2", "ihvec3", "ihvec4",
    "initialize", "int8", "int16", "int32", "int64", "is_context_initialized", "is_cuda",
    "is_dummy", "is_initialized", "is_opencl", "is_vulkan", "ivec2", "ivec3", "ivec4", "log",
    "log_error", "log_info", "log_verbose", "log_warning", "make_context", "mat2", "mat3",
    "mat4", "queue_wait_idle", "select_queue_families", "set_log_level", "uhvec2", "uhvec3",
    "uhvec4", "uint8", "uint16", "uint32", "uint64", "uvec2", "uvec3", "uvec4", "vec2", "vec3",
    "vec4",
]  # fmt: skip
