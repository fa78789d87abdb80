"""Inspection: what this namespace can do, in the form that the standard asks for."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from onebuf import dtypes
from onebuf.array_api.data_type import KINDS, isdtype
from onebuf.errors import ArgumentError
from onebuf.machine import CPU, Device
from onebuf.machine import device as find_device
from onebuf.options import options

_STANDARD = {dtype.name: dtype for dtype in dtypes.STANDARD}


class Devices(tuple[Device, ...]):
    """Devices in a tuple, as the standard has it, which also adds to a list, as it had before.

    >>> Devices((CPU,)) + [None]
    [Device('CPU'), None]
    """

    __slots__ = ()

    def __add__(self, other: Any) -> Any:
        return [*self, *other] if isinstance(other, list) else tuple(self) + other

    def __radd__(self, other: Any) -> Any:
        return [*other, *self] if isinstance(other, list) else NotImplemented


class Info:
    """Capabilities, default device, devices, and dtypes."""

    def capabilities(self) -> dict[str, Any]:
        """What is supported of what the standard leaves open."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> Device:
        """Where buffers are made if no device is given."""
        return CPU

    def default_dtypes(self, *, device: Any = None) -> dict[str, np.dtype[Any]]:
        """The types of Python's numbers."""
        find_device(device)
        default = options().default_float
        return {
            "real floating": default,
            "complex floating": dtypes.complex64 if default.itemsize < 8 else dtypes.complex128,
            "integral": dtypes.int64,
            "indexing": dtypes.int64,
        }

    def devices(self) -> Devices:
        """Every device that has all of the standard: others have what their kernels do."""
        return Devices((CPU,))

    def dtypes(self, *, device: Any = None, kind: Any = None) -> dict[str, np.dtype[Any]]:
        """The types of the standard, of one kind or of all."""
        find_device(device)
        kinds = kind if isinstance(kind, tuple) else (kind,)
        for one in kinds:
            if one is not None and one not in KINDS:
                raise ArgumentError(
                    f"dtypes needs a kind of {', '.join(KINDS)}, a tuple of them or None; "
                    f"got {one!r}"
                )
        return dict(_of_kinds(None if kind is None else kinds))


@cache
def _of_kinds(kinds: tuple[str, ...] | None) -> dict[str, np.dtype[Any]]:
    """The types of the standard of some kinds, or of all."""
    found = _STANDARD.items()
    return {name: dtype for name, dtype in found if kinds is None or isdtype(dtype, kinds)}


def __array_namespace_info__() -> Info:
    """What this namespace can do.

    >>> __array_namespace_info__().default_device()
    Device('CPU')
    """
    return Info()
