"""The dialect of OpenCL C."""

from __future__ import annotations

from math import copysign, isfinite, isnan
from typing import Any, ClassVar

import numpy as np

from onebuf.dtypes import DT, float32, float64, int64, kind
from onebuf.render.clike.dialect import (
    NARROW,
    Dialect,
    Flags,
    KernelText,
    Memory,
    Parameter,
    Scalar,
)

_SUFFIX = {"int64": "L", "uint64": "UL", "uint32": "U"}


class OpenClC(Dialect):
    """OpenCL C 1.2, with float64 if the device has it.

    >>> OpenClC().literal(np.dtype("float32"), 1.5)
    '1.5f'
    """

    types: ClassVar[dict[str, str]] = {
        "bool": "bool",
        "int8": "char",
        "int16": "short",
        "int32": "int",
        "int64": "long",
        "uint8": "uchar",
        "uint16": "ushort",
        "uint32": "uint",
        "uint64": "ulong",
        "float32": "float",
        "float64": "double",
        "complex64": "float2",
        "complex128": "double2",
        "float8_e4m3fn": "uchar",
        "float8_e5m2": "uchar",
        **dict.fromkeys(NARROW, "float"),
    }
    memory_types: ClassVar[dict[str, str]] = {"bool": "uchar", **dict.fromkeys(NARROW, "ushort")}

    def __init__(self, has_float64: bool = True, splits_bounds: bool = False) -> None:
        self.has_float64 = has_float64
        self.splits_bounds = splits_bounds

    def is_whole(self, dimension: int, bound: str) -> str:
        """Whether all of this work-item's group is below a bound."""
        end = f"(get_group_id({dimension}) + 1) * get_local_size({dimension})"
        return f"(long)({end}) <= {bound}"

    def literal(self, dtype: DT, value: Any) -> str:
        """A number."""
        letter = kind(dtype)
        if letter == "c":
            part = float64 if dtype.itemsize == 16 else float32
            return self.pair(dtype, *[_real(part, float(one)) for one in (value.real, value.imag)])
        if dtype.name.startswith("float8"):
            return str(np.asarray(value, dtype).view(np.uint8))  # only copied, never computed with
        if letter == "f":
            return _real(dtype, float(value))
        if letter == "b":
            return "true" if value else "false"
        number, suffix = int(value), _SUFFIX.get(dtype.name, "")
        if number == -(1 << 63):
            return f"(-{(1 << 63) - 1}L - 1L)"
        if number == -(1 << 31) and dtype.name == "int32":
            return f"(-{(1 << 31) - 1} - 1)"
        return f"{number}{suffix}" if number >= 0 else f"({number}{suffix})"

    def bits(self, dtype: DT, text: str) -> str:
        """The bits of a float."""
        return f"as_ulong({text})" if dtype == float64 else f"as_uint({text})"

    def of_bits(self, dtype: DT, text: str) -> str:
        """The float of some bits."""
        return f"as_double({text})" if dtype == float64 else f"as_float({text})"

    def global_id(self, dimension: int) -> str:
        """The index of a work-item among all."""
        return f"(long)get_global_id({dimension})"

    def group_id(self, dimension: int) -> str:
        """The index of a work-group."""
        return f"(long)get_group_id({dimension})"

    def local_id(self, dimension: int) -> str:
        """The index of a work-item in its group."""
        return f"(long)get_local_id({dimension})"

    def barrier(self) -> str:
        """A barrier of a work-group."""
        return "barrier(CLK_LOCAL_MEM_FENCE);"

    def shared(self, dtype: DT, name: str, size: int) -> str:
        """Memory that a work-group shares."""
        return f"__local {self.memory_type(dtype)} {name}[{size}];"

    def assemble(self, text: KernelText) -> str:
        """The whole text; products and sums are not contracted to fused operations."""
        head = ["#pragma OPENCL EXTENSION cl_khr_fp64 : enable"] if self.has_float64 else []
        parameters = ", ".join([self._declared(parameter) for parameter in text.parameters])
        size = ""
        if text.local_size:
            sizes = (*text.local_size, 1, 1)[:3]
            size = f"__attribute__((reqd_work_group_size({', '.join(map(str, sizes))}))) "
        return "\n".join(
            [
                *head,
                "#pragma OPENCL FP_CONTRACT OFF",
                *text.functions,
                f"__kernel {size}void {text.name}({parameters}) {{",
                *[f"  {line}" for line in (*text.shared, *text.body)],
                "}",
                "",
            ]
        )

    def _declared(self, parameter: Parameter) -> str:
        if isinstance(parameter, Memory):
            const = "" if parameter.is_output else "const "
            return f"__global {const}{self.memory_type(parameter.dtype)} *{parameter.name}"
        if isinstance(parameter, Flags):
            return f"__global {self.type(int64)} *{parameter.name}"
        if isinstance(parameter, Scalar):
            type_ = "uchar" if kind(parameter.dtype) == "b" else self.type(parameter.dtype)
            return f"const {type_} {parameter.name}"
        return f"const {self.type(int64)} {parameter.name}"


def _real(dtype: DT, value: float) -> str:
    suffix = "" if dtype == float64 else "f"
    if isnan(value):
        return "as_double(0x7ff8000000000000UL)" if dtype == float64 else "as_float(0x7fc00000U)"
    if not isfinite(value):
        infinite = (
            "as_double(0x7ff0000000000000UL)" if dtype == float64 else "as_float(0x7f800000U)"
        )
        return infinite if value > 0 else f"(-{infinite})"
    digits = repr(abs(value))
    return f"(-{digits}{suffix})" if copysign(1, value) < 0 else f"{digits}{suffix}"
