"""The pyopencl package, and its errors as ours."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from onebuf.errors import DeviceError, MissingPackage, OutOfMemory

try:
    import pyopencl as cl
except ImportError:
    raise MissingPackage.extra("pyopencl", "opencl", "an OPENCL device") from None

__all__ = ["cl", "our_errors"]


@contextmanager
def our_errors(what: str) -> Iterator[None]:
    """Turn an OpenCL error into one of ours that says what was asked for."""
    try:
        yield
    except cl.MemoryError as error:
        raise OutOfMemory(
            f"{what}: the device has no memory left for it ({error}); delete buffers that are no "
            f"longer needed or work in parts"
        ) from None
    except cl.Error as error:
        raise DeviceError(f"{what}: OpenCL says {error}") from None
