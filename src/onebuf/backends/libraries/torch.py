"""TORCH: tensors of PyTorch as buffers, and its functions as operations.

``TORCH`` is the processor, ``TORCH:1`` the first CUDA device, and so on.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from onebuf import dtypes
from onebuf.backends.libraries import uint64
from onebuf.backends.libraries.driver import LibraryDriver
from onebuf.backends.libraries.namespace import ArrayApi, Operands, Shape, computed_in
from onebuf.backends.libraries.views import positions
from onebuf.dtypes import DT, Array, is_added
from onebuf.errors import DeviceError, DTypeError, ExportError, MissingPackage, ReadOnlyError
from onebuf.graph import Op
from onebuf.layout import View, compose
from onebuf.machine import Device, DeviceBlock, Facts, check_place
from onebuf.memory import MEMORY, Territory

try:
    import torch
except ImportError as error:
    raise MissingPackage.extra("torch", "torch", "a device of the kind TORCH") from error


_OWN = {dtype: getattr(torch, dtype.name) for dtype in dtypes.ALL}
_THEIRS = {own: dtype for dtype, own in _OWN.items()}
_SIGNED = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
_LACKING = frozenset({dtypes.uint16, dtypes.uint32, dtypes.uint64})
"""Dtypes that torch stores, and has few functions for."""
_NAMES = {"bitwise_invert": "bitwise_not", "conj": "conj_physical", "equal": "eq"}
_FOLDS = {"max": "amax", "min": "amin"}
_SCANS = {"cumulative_sum": "cumsum", "cumulative_prod": "cumprod"}
_LARGEST_EIGHT = 464.0
"""Larger values are NaN in float8_e4m3fn; torch would saturate."""


_COMPLEX: dict[tuple[str, DT], Callable[[Any], Any]] = {
    (name, dtype): function
    for dtype in (dtypes.complex64, dtypes.complex128)
    for name, function in (
        ("sign", torch.sgn),
        ("negative", lambda x: torch.complex(-x.real, -x.imag)),  # torch.neg loses signs of zeros
    )
}


def _cbrt(x: Any) -> Any:
    """The cube root, which torch lacks: a power, and one step of Newton's."""
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    size = torch.abs(wide)
    near = torch.pow(size, 1 / 3)
    better = near - (near - size / (near * near)) / 3
    return torch.copysign(torch.where(torch.isfinite(better), better, near), wide).to(x.dtype)


def _sqrt(x: Any) -> Any:
    """The square root, right to the bit: on some processors torch's own is off by the last one."""
    if x.device.type != "cpu" or x.dtype not in (torch.float32, torch.float64):
        return torch.sqrt(x)
    with np.errstate(all="ignore"):
        return torch.from_numpy(np.asarray(np.sqrt(x.detach().numpy())))


_FUNCTIONS = {"cbrt": _cbrt, "sqrt": _sqrt}
"""Functions that torch lacks, or that are not what they are elsewhere."""


def count() -> int:
    """The processor, and every CUDA device."""
    return 1 + int(torch.cuda.device_count())


def open(device: Device) -> TorchDriver:
    """The driver of one of them."""
    check_place(device, count(), None)
    index = device.parts.index
    return TorchDriver(device, torch.device("cuda", index - 1) if index else torch.device("cpu"))


def device_name(tensor: Any) -> str:
    """The name of the device that a tensor is on."""
    place = tensor.device
    if place.type == "cpu":
        return "TORCH"
    if place.type == "cuda":
        return f"TORCH:{place.index + 1}"
    raise DeviceError(
        f"TORCH knows tensors on cpu and cuda devices, got one on {place}; move it with .to('cpu')"
    )


class TorchApi(ArrayApi):
    """Torch's functions, where they differ from the standard."""

    def __init__(self, place: Any) -> None:
        super().__init__(torch)
        self.place = place

    def own(self, dtype: DT) -> Any:
        """The dtype of the same name."""
        return _OWN[dtype]

    def dtype_of(self, array: Any) -> DT:
        """The dtype of a tensor."""
        found = _THEIRS.get(array.dtype)
        if found is None:
            raise DTypeError(
                f"needed a tensor of one of {', '.join(dtypes.BY_NAME)}; got {array.dtype}; "
                f"convert it with .to(...) first"
            )
        return found

    def from_host(self, array: Array) -> Any:
        """A tensor on the memory of a new array, or in that of a device."""
        if is_added(array.dtype):  # from_numpy does not take these
            bits = array.view(np.uint16 if array.itemsize == 2 else np.uint8)
            tensor = torch.from_numpy(bits).view(_OWN[array.dtype])
        else:
            tensor = torch.from_numpy(array)
        return tensor.to(self.place)

    def astype(self, x: Any, dtype: DT) -> Any:
        """A tensor converted."""
        if dtype == dtypes.float8_e4m3fn:
            x = x.to(torch.float32)
            x = torch.where(x.abs() > _LARGEST_EIGHT, torch.nan, x)
        return x.to(_OWN[dtype])

    def empty(self, shape: Shape, dtype: DT) -> Any:
        """An array with undefined content."""
        return torch.empty(shape, dtype=_OWN[dtype], device=self.place)

    def count(self, extent: int) -> Any:
        """0, 1, 2, ..."""
        return torch.arange(extent, dtype=torch.int64, device=self.place)

    def from_parts(self, real: Any, imaginary: Any) -> Any:
        """Torch's function, which takes any parts as they are."""
        return torch.complex(real, imaginary)

    def copied(self, x: Any) -> Any:
        """Row-major, with pending conjugations and negations computed."""
        return x.resolve_conj().resolve_neg().clone(memory_format=torch.contiguous_format)

    def function(self, name: str) -> Callable[..., Any]:
        """Torch's function."""
        own = _FUNCTIONS.get(name)
        return getattr(torch, _NAMES.get(name, name)) if own is None else own

    # -- elementwise -------------------------------------------------------------------------------

    def call(self, op: Op, operands: Operands, loop: tuple[DT, ...]) -> Any:
        """In int64, where torch does not compute with unsigned integers."""
        if dtypes.uint64 in loop:
            return self._unsigned(op, operands, loop)
        if not _LACKING.isdisjoint(loop):
            wide = tuple([x.to(torch.int64) for x in operands])
            return super().call(op, wide, (dtypes.int64,) * len(loop))
        own = _COMPLEX.get((op.name, loop[0]))
        return super().call(op, operands, loop) if own is None else own(operands[0])

    def _unsigned(self, op: Op, operands: Operands, loop: tuple[DT, ...]) -> Any:
        if dtypes.int64 in loop:  # compared with signed integers: a negative one is below all
            return self._mixed(op, operands, loop)
        bits = [x.view(torch.int64) for x in operands]
        found = uint64.FUNCTIONS[op.name](torch, *bits)
        return found.view(torch.uint64) if found.dtype == torch.int64 else found

    def _mixed(self, op: Op, operands: Operands, loop: tuple[DT, ...]) -> Any:
        """A comparison of int64 with uint64."""
        x, y = [operand.view(torch.int64) for operand in operands]
        low = (x if loop[0] == dtypes.int64 else y) < 0
        places = (-1, 0) if loop[0] == dtypes.int64 else (0, -1)
        answer = bool(getattr(np, op.name)(*places))
        return torch.where(low, answer, uint64.FUNCTIONS[op.name](torch, x, y))

    # -- along axes --------------------------------------------------------------------------------

    def fold(self, name: str, x: Any, axes: tuple[int, ...], keepdims: bool, dtype: DT) -> Any:
        """Torch's reductions; products take one axis at a time."""
        if name in ("sum", "prod"):
            x = self.cast(x, computed_in(dtype))
            x = x.view(torch.int64) if dtype == dtypes.uint64 else x
            if name == "sum":
                found = torch.sum(x, axes, keepdim=keepdims)
            else:
                found = x
                for axis in sorted(axes, reverse=True):
                    found = torch.prod(found, axis, keepdim=keepdims)
            return found.view(torch.uint64) if dtype == dtypes.uint64 else found
        if name in _FOLDS:
            return self._restored(getattr(torch, _FOLDS[name])(self._sorted(x), axes, keepdims), x)
        return getattr(torch, name)(x, axes, keepdims)

    def position(self, name: str, x: Any, axes: tuple[int, ...], shape: Shape) -> Any:
        """In signed integers, where torch has no order for unsigned ones."""
        x = x.to(torch.uint8) if x.dtype == torch.bool else self._sorted(x)
        return super().position(name, x, axes, shape)

    def _sorted(self, x: Any) -> Any:
        """``x`` in signed integers of the same order."""
        if x.dtype == torch.uint64:
            return uint64.ordered(x.view(torch.int64))
        return x.to(torch.int64) if self.dtype_of(x) in _LACKING else x

    def _restored(self, found: Any, x: Any) -> Any:
        if x.dtype == torch.uint64:
            return uint64.ordered(found).view(torch.uint64)
        return found.to(x.dtype)

    def running(self, name: str, x: Any, axis: int, dtype: DT) -> Any:
        """Torch's scans."""
        if dtype in _LACKING:
            found = self.running(name, self._wide(x), axis, dtypes.int64)
            return found.view(torch.uint64) if dtype == dtypes.uint64 else found
        return getattr(torch, _SCANS[name])(x, axis, dtype=_OWN[dtype])

    def _wide(self, x: Any) -> Any:
        """Unsigned integers in int64, with the same bits."""
        return x.view(torch.int64) if x.dtype == torch.uint64 else x.to(torch.int64)

    # -- movement and products ---------------------------------------------------------------------

    def pick(self, x: Any, indices: Any, axis: int) -> Any:
        """By index."""
        return x[(slice(None),) * axis + (indices,)]

    def pick_along(self, x: Any, indices: Any, axis: int) -> Any:
        """The bits are gathered, for every dtype."""
        return torch.gather(_bits(x), axis, indices).view(x.dtype)

    def product(self, x: Any, y: Any, dtype: DT) -> Any:
        """Bools are counted in float32, unsigned integers multiplied as signed ones."""
        if dtype.kind == "b":
            return torch.matmul(x.to(torch.float32), y.to(torch.float32)) != 0
        if dtype in _LACKING:
            found = torch.matmul(self._wide(x), self._wide(y))
            return found.view(torch.uint64) if dtype == dtypes.uint64 else found
        return torch.matmul(x, y)


class TorchDriver(LibraryDriver):
    """One of torch's devices."""

    library = "torch"

    def __init__(self, device: Device, place: Any) -> None:
        super().__init__(device, TorchApi(place))
        self.place = place
        self._territory = MEMORY if place.type == "cpu" else Territory()

    def facts(self) -> Facts:
        """Its version and device."""
        memory = None
        description = f"PyTorch {torch.__version__} on {self.place}"
        if self.place.type == "cuda":
            known = torch.cuda.get_device_properties(self.place)
            memory, description = known.total_memory, f"{description}, {known.name}"
        return Facts(description, memory, queues=None)

    def check(self, native: Any) -> None:
        """It has to be a strided tensor without gradients, on this device."""
        if not isinstance(native, torch.Tensor):
            raise ExportError(f"{self.name} needs a tensor of torch, got {type(native).__name__}")
        if native.requires_grad:
            raise ExportError(
                "a tensor that requires gradients cannot be shared, as they would be lost; "
                "share tensor.detach()"
            )
        if native.layout is not torch.strided:
            raise ExportError(
                f"a tensor needs strides to be shared, got layout {native.layout}; share "
                f"tensor.to_dense()"
            )
        if native.device != self.place:
            raise DeviceError(
                f"{self.name} shares tensors on {self.place}, got one on {native.device}; move it "
                f"with .to({str(self.place)!r})"
            )

    def wrap(self, native: Any) -> DeviceBlock:
        """A block on a tensor; blocks on the same storage are known to overlap it."""
        block = super().wrap(native)
        storage = native.untyped_storage()
        self._territory.settle(block, storage.data_ptr(), storage.nbytes())
        return block

    def from_host(self, array: Array) -> DeviceBlock:
        """A block on the memory of a host array, if torch can share it."""
        if self.place.type != "cpu" or not array.flags.writeable or is_added(array.dtype):
            return super().from_host(array)
        if array.dtype not in _OWN or any(
            step < 0 or step % array.itemsize for step in array.strides
        ):
            return super().from_host(array)
        return DeviceBlock(torch.from_numpy(array), array.nbytes, keeps=array)

    def peek(self, native: Any) -> Array:
        """The elements on the host; on the processor, in the memory of the tensor."""
        tensor = native.detach().resolve_conj().resolve_neg().cpu()
        dtype = self.api.dtype_of(tensor)
        if is_added(dtype):
            bits = tensor.view(torch.uint16 if dtype.itemsize == 2 else torch.uint8)
            array: Array = bits.numpy().view(dtype)
        else:
            array = tensor.numpy()
        return array

    def run(self, op: Op, operands: Operands, arg: Any, shape: Shape, dtype: DT) -> Any:
        """A result in memory of its own; torch may return an operand."""
        with torch.no_grad():
            result = super().run(op, operands, arg, shape, dtype)
            start = result.untyped_storage().data_ptr()
            shared = start and any(x.untyped_storage().data_ptr() == start for x in operands)
            return self.api.copied(result) if shared else result

    def bare(self, nbytes: int) -> Any:
        """A new tensor of bytes."""
        empty = partial(torch.empty, dtype=torch.uint8, device=self.place)
        return self._typed("new memory", (), empty, nbytes)

    def reinterpreted(self, memory: Any, count: int, dtype: DT) -> Any:
        """The same memory."""
        flat = memory.view(-1).view(torch.uint8)
        return flat[: count * dtype.itemsize].view(_OWN[dtype])

    def seen(self, memory: Any, view: View) -> Any:
        """The same memory through other strides; with negative ones, a copy."""
        composed = compose(view, _layout(memory))
        if composed is None:
            memory = memory.reshape(-1)
            composed = view
        forward, backwards = _forward(composed)
        part = memory.as_strided(forward.shape, forward.stride, forward.offset)
        return _flipped(part, backwards)

    def store(self, block: DeviceBlock, memory: Any, view: View, value: Any) -> None:
        """In place."""
        layout = _layout(memory)
        if layout.overlaps_itself:
            raise ReadOnlyError(
                f"a write needs a place for each element, got a tensor of shape {layout.shape} and "
                f"strides {layout.stride}, in which some share theirs; write to tensor.clone()"
            )
        composed = compose(view, layout)
        with torch.no_grad():
            if value.untyped_storage().data_ptr() == memory.untyped_storage().data_ptr():
                value = value.clone()
            if composed is None:
                self._scatter(memory, view, value)
                return
            forward, backwards = _forward(composed)
            part = memory.as_strided(forward.shape, forward.stride, forward.offset)
            part.copy_(_flipped(value, backwards))

    def _scatter(self, memory: Any, view: View, value: Any) -> None:
        """By index, where strides cannot express the view."""
        places = np.unravel_index(positions(view), tuple(memory.shape))
        index = tuple([self.api.from_host(np.array(place)) for place in places])
        _bits(memory).index_put_(index, _bits(value))

    def synchronize(self) -> None:
        """Return when torch has computed everything."""
        if self.place.type == "cuda":
            torch.cuda.synchronize(self.place)

    def cached(self) -> int:
        """Bytes in torch's cache."""
        if self.place.type != "cuda":
            return 0
        return int(torch.cuda.memory_reserved(self.place) - torch.cuda.memory_allocated(self.place))

    def trim(self) -> int:
        """Free them; returns how many bytes that were."""
        before = self.cached()
        if before:
            torch.cuda.empty_cache()
        return before - self.cached()


def _layout(tensor: Any) -> View:
    return View(tuple(tensor.shape), tuple(tensor.stride()), tensor.storage_offset())


def _forward(view: View) -> tuple[View, list[int]]:
    """The same elements without negative strides, and the axes that are reversed."""
    backwards = [axis for axis, step in enumerate(view.stride) if step < 0]
    return (view.flip(backwards), backwards) if backwards else (view, [])


def _flipped(tensor: Any, axes: list[int]) -> Any:
    """``tensor`` with the order along some axes reversed."""
    return _bits(tensor).flip(axes).view(tensor.dtype) if axes else tensor


def _bits(tensor: Any) -> Any:
    """The same memory as integers, which torch can move; complex and negated tensors it can too."""
    if tensor.is_complex() or tensor.is_neg():
        return tensor
    return tensor.view(_SIGNED[tensor.itemsize])
