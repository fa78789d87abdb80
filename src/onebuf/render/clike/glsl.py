"""The dialect of GLSL for Vulkan.

Elements of 8 and 16 bits are packed in memory, four or two in a word of 32 bits, and computed in 32
bits, so that devices need no small types. Neighbours in a word belong to different work-items, so a
store is an atomic exclusive or of the bits that differ. Devices must have 64-bit integers, which
positions are; float64 is optional.

Arguments are push constants if they fit, else they are in a buffer of their own, the last one. If
there are more arrays than a device can bind, some share one buffer. Functions of floats are of
`onebuf.render.clike.glsl_math`, which computes in float64; devices without it use GLSL's own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import copysign, isfinite
from typing import Any, ClassVar

import numpy as np

from onebuf.dtypes import DT, float32, float64, kind
from onebuf.render.clike.dialect import (
    NARROW,
    Dialect,
    Flags,
    KernelText,
    Memory,
    Parameter,
    Scalar,
    Size,
)
from onebuf.render.clike.glsl_math import FORMULAS, PREFIX, constant, library
from onebuf.render.clike.glsl_short import SHORT

PUSHED = 128
"""Bytes of push constants that every device has."""

_SMALL = {"INT8": "int", "INT16": "int", "UINT8": "uint", "UINT16": "uint"}
"""Names for types of less than a word, and the types that they are computed in."""
_DOUBLE = re.compile(r"\b(double|dvec2)\b")
_CALLED = re.compile(rf"\b{PREFIX}(\w+)\(")


@dataclass(frozen=True, slots=True)
class Arguments:
    """The order in memory of the numbers among a kernel's arguments."""

    fields: tuple[tuple[Scalar | Size, str], ...]
    """Each with the NumPy name of its type; the wider ones come first, so there is no padding."""

    @property
    def nbytes(self) -> int:
        """Their size in bytes."""
        return sum(np.dtype(type_).itemsize for _, type_ in self.fields)

    @property
    def is_pushed(self) -> bool:
        """Whether they are push constants."""
        return self.nbytes <= PUSHED


def arguments(parameters: Sequence[Parameter]) -> Arguments:
    """How the numbers among ``parameters`` are passed.

    >>> arguments([Scalar(0, np.dtype("int8")), Size("n0", 5)]).fields
    ((Size(name='n0', value=5), 'int64'), (Scalar(number=0, dtype=dtype('int8')), 'int32'))
    """
    fields = [(one, _argument(one)) for one in parameters if isinstance(one, Scalar | Size)]
    fields.sort(key=lambda field: -np.dtype(field[1]).itemsize)
    return Arguments(tuple(fields))


def _argument(one: Scalar | Size) -> str:
    if isinstance(one, Size):
        return "int64"
    if one.dtype.itemsize >= 8:
        return str(one.dtype.name)
    if one.dtype.itemsize == 1:
        return "int32" if kind(one.dtype) == "i" else "uint32"
    return {"b": "uint32", "u": "uint32", "i": "int32", "f": "float32"}[kind(one.dtype)]


class Glsl(Dialect):
    """GLSL 4.5 for Vulkan; kernels that do not fix the size of groups get ``local``.

    >>> Glsl().literal(np.dtype("float32"), 1.5), Glsl().cast("INT8", "x")
    ('1.5f', 'bitfieldExtract(int(x), 0, 8)')
    """

    types: ClassVar[dict[str, str]] = {
        "bool": "bool",
        "int8": "INT8",
        "int16": "INT16",
        "int32": "int",
        "int64": "int64_t",
        "uint8": "UINT8",
        "uint16": "UINT16",
        "uint32": "uint",
        "uint64": "uint64_t",
        "float32": "float",
        "float64": "double",
        "complex64": "vec2",
        "complex128": "dvec2",
        "float8_e4m3fn": "UINT8",
        "float8_e5m2": "UINT8",
        **dict.fromkeys(NARROW, "float"),
    }
    memory_types: ClassVar[dict[str, str]] = {"bool": "UINT8", **dict.fromkeys(NARROW, "UINT16")}
    functions: ClassVar[dict[str, str]] = {
        "fabs": "abs",
        **{name: PREFIX + name for name in FORMULAS},
    }

    def __init__(
        self,
        has_float64: bool = True,
        local: tuple[int, int, int] = (64, 1, 1),
        copies: int = 1,
        packed: Mapping[int, int] | None = None,
    ) -> None:
        self.has_float64 = has_float64
        self.local = local
        self.copies = copies
        """By how much innermost loops are unrolled."""
        self.packed = packed or {}
        """Slots that share one buffer, and the byte at which each begins there."""

    # -- values ------------------------------------------------------------------------------------

    def cast(self, type_: str, text: str) -> str:
        """A conversion."""
        if type_ in ("INT8", "INT16"):
            return f"bitfieldExtract(int({text}), 0, {type_[3:]})"
        if type_ in ("UINT8", "UINT16"):
            return f"(uint({text}) & {'0xffu' if type_ == 'UINT8' else '0xffffu'})"
        return f"{type_}({text})"

    def widen(self, text: str) -> str:
        """A signed integer as one of 64 bits, put together from words.

        Mesa 22.3 knows that a conversion leaves the sign where it is, and then compares the upper
        words alone with the wrong bits: ``int64_t(x) < 0`` is never true.
        """
        return f"packInt2x32(ivec2(int({text}), int({text}) >> 31))"

    def literal(self, dtype: DT, value: Any) -> str:
        """A number."""
        letter = kind(dtype)
        if letter == "b":
            return "true" if value else "false"
        if letter == "c":
            part = float64 if dtype.itemsize == 16 else float32
            return self.pair(dtype, *[_real(part, one) for one in (value.real, value.imag)])
        if letter == "f" and dtype.itemsize == 1:
            return f"{int(np.asarray(value, dtype).view(np.uint8))}u"  # only copied
        if letter == "f":
            return _real(dtype, float(value))
        number = int(value)
        if letter == "u":
            return f"{number}UL" if dtype.itemsize == 8 else f"{number}u"
        if dtype.itemsize < 8:
            return constant("i32", number)
        return f"{number}L" if 0 <= number < 1 << 31 else constant("i64", number)

    def bits(self, dtype: DT, text: str) -> str:
        """The bits of a float."""
        return f"doubleBitsToUint64({text})" if dtype == float64 else f"floatBitsToUint({text})"

    def of_bits(self, dtype: DT, text: str) -> str:
        """The float of some bits."""
        return f"uint64BitsToDouble({text})" if dtype == float64 else f"uintBitsToFloat({text})"

    # -- indices -----------------------------------------------------------------------------------

    def global_id(self, dimension: int) -> str:
        """The index of a work-item among all."""
        size, item = self.local[dimension], f"gl_LocalInvocationID.{'xyz'[dimension]}"
        return f"{self.group_id(dimension)} * {size}L + int64_t({item})"

    def group_id(self, dimension: int) -> str:
        """The index of a work-group."""
        return f"GROUP_{dimension}"

    def local_id(self, dimension: int) -> str:
        """The index of a work-item in its group."""
        return f"int64_t(gl_LocalInvocationID.{'xyz'[dimension]})"

    def barrier(self) -> str:
        """A barrier of a work-group."""
        return "barrier();"

    # -- memory ------------------------------------------------------------------------------------

    def element(self, memory: str, place: str) -> str:
        """An element, to be read."""
        return f"get_{memory}({place})" if memory[0] == "m" else f"{memory}[int({place})]"

    def assign(self, memory: str, place: str, value: str) -> str:
        """The statement that writes an element."""
        if memory[0] == "m":
            return f"put_{memory}({place}, {value});"
        return f"{memory}[int({place})] = {value};"

    def shared(self, dtype: DT, name: str, size: int) -> str:
        """Memory that a work-group shares."""
        return f"shared {self.memory_type(dtype)} {name}[{size}];"

    # -- the text ----------------------------------------------------------------------------------

    def assemble(self, text: KernelText) -> str:
        """The whole text; products and sums are not contracted to fused operations."""
        local = (*text.local_size, 1, 1)[:3] if text.local_size else self.local
        sizes = ", ".join([f"local_size_{x} = {n}" for x, n in zip("xyz", local, strict=True)])
        body = _unrolled([_exact(line) for line in text.body], self.copies)
        functions = [_exact_function(function) for function in text.functions]
        return "\n".join(
            [
                "#version 450",
                "#extension GL_EXT_scalar_block_layout : require",
                "#extension GL_ARB_gpu_shader_int64 : require",
                *[f"#define {name} {type_}" for name, type_ in _SMALL.items()],
                f"layout({sizes}) in;",
                *self._memories(text.parameters),
                *_group_indices(body),
                *text.shared,
                *self._library("\n".join([*functions, *body])),
                *functions,
                "void main() {",
                *[f"  {line}" for line in body],
                "}",
                "",
            ]
        )

    def _memories(self, parameters: Sequence[Parameter]) -> list[str]:
        """The buffers, each with its binding, and the arguments."""
        lines: list[str] = []
        together = [
            one for one in parameters if isinstance(one, Memory) and one.slot in self.packed
        ]
        binding = 0
        for one in parameters:
            if isinstance(one, Memory) and one not in together:
                lines += self._memory(one, binding)
                binding += 1
            elif isinstance(one, Flags):
                lines.append(_block(binding, f"int64_t {one.name}[];", one.name))
                binding += 1
        for one in together:
            lines += self._memory(one, binding)
        binding += bool(together)
        order = arguments(parameters)
        fields = " ".join([f"{_WIDE[type_]} {one.name};" for one, type_ in order.fields])
        if not fields:
            return lines
        if order.is_pushed:
            return [*lines, f"layout(push_constant, scalar) uniform Arguments {{ {fields} }};"]
        return [*lines, _block(binding, fields, "Arguments")]

    def _memory(self, memory: Memory, binding: int) -> list[str]:
        name, type_ = memory.name, self.memory_type(memory.dtype)
        first = self.packed.get(memory.slot, 0) // memory.dtype.itemsize
        more = f" + {first}" if first else ""
        if type_ not in _SMALL:
            return [
                _block(binding, f"{type_} {name}[];", name),
                f"#define get_{name}(i) {name}[int(i){more}]",
                f"#define put_{name}(i, v) {name}[int(i)] = v",
            ]
        bits = 8 * memory.dtype.itemsize
        each = 32 // bits
        word = f"{name}[i / {each}]"
        value, mask = _SMALL[type_], f"0x{(1 << bits) - 1:x}u"
        return [
            _block(binding, f"uint {name}[];", name),
            f"{value} get_{name}(int64_t place) {{",
            f"  int i = int(place){more};",
            f"  return bitfieldExtract({value}({word}), (i % {each}) * {bits}, {bits});",
            "}",
            f"void put_{name}(int64_t place, {value} v) {{",
            f"  int i = int(place), shift = (i % {each}) * {bits};",
            f"  uint differs = (({word} >> shift) ^ uint(v)) & {mask};",
            f"  atomicXor({word}, differs << shift);",
            "}",
        ]

    def _library(self, text: str) -> list[str]:
        """The functions that a text calls, directly or not."""
        found: dict[str, str] = {}
        elements = ["float", "double"] if self.has_float64 and _DOUBLE.search(text) else ["float"]
        for name in sorted({match for match in _CALLED.findall(text) if match in FORMULAS}):
            for element in elements:
                found |= library(name, element) if self.has_float64 else SHORT[name]
        return list(found.values())


_WIDE = {
    **{"complex64": "vec2", "complex128": "dvec2"},
    **{"int64": "int64_t", "uint64": "uint64_t", "float64": "double"},
    **{"int32": "int", "uint32": "uint", "float32": "float"},
}


def _block(binding: int, fields: str, name: str) -> str:
    return f"layout(set = 0, binding = {binding}, scalar) buffer Block_{name} {{ {fields} }};"


def _group_indices(body: Sequence[str]) -> list[str]:
    """The indices of groups; a one-dimensional kernel is launched over all three dimensions."""
    lines = [
        f"#define GROUP_{n} int64_t(gl_WorkGroupID.{axis})" for n, axis in enumerate("xyz") if n
    ]
    several = any("GROUP_1" in line or "GROUP_2" in line for line in body)
    return [*lines, "#define GROUP_0 " + ("int64_t(gl_WorkGroupID.x)" if several else _ONE)]


_ONE = (
    "(int64_t(gl_WorkGroupID.x) + int64_t(gl_NumWorkGroups.x) * int64_t(gl_WorkGroupID.y + "
    "gl_NumWorkGroups.y * gl_WorkGroupID.z))"
)


_LOOP = re.compile(r"\s*for \(int64_t (\w+) = ([^;]*); \w+ < ([^;]*); \w+\+\+\) {")


def _unrolled(lines: Sequence[str], copies: int) -> list[str]:
    """The lines with innermost loops unrolled by ``copies``, each with a loop for the remainder."""
    found: list[str] = []
    at = 0
    while at < len(lines):
        loop = _LOOP.fullmatch(lines[at]) if copies > 1 else None
        end = _end(lines, at) if loop else at
        body = lines[at + 1 : end]
        if loop is None or any(_LOOP.fullmatch(line) for line in body):
            found.append(lines[at])
            at += 1
            continue
        name, first, last = loop.groups()
        found.append(f"int64_t {name} = {first};")
        found.append(f"while ({name} + {copies - 1}L < {last}) {{")
        found += ["{", *body, "}", f"{name}++;"] * copies
        found += ["}", f"for (; {name} < {last}; {name}++) {{", *body, "}"]
        at = end + 1
    return found


def _end(lines: Sequence[str], begin: int) -> int:
    """The line that ends the block that a line begins."""
    depth = 0
    for at in range(begin, len(lines)):
        depth += lines[at].endswith("{") - lines[at].strip().startswith("}")
        if depth == 0:
            return at
    raise AssertionError("a loop is ended")


def _exact(line: str) -> str:
    """A declaration of floats, marked precise: its operations are not contracted."""
    return re.sub(r"^(\s*)((?:float|double|vec2|dvec2) \w+ =)", r"\1precise \2", line)


def _exact_function(text: str) -> str:
    """A function with all its operations on floats marked precise."""
    found = re.match(r"(float|double|vec2|dvec2) ", text)
    if found is not None:
        kept = rf"{{ precise {found[1]} found = \1; return found; }}"
        text = re.sub(r"return ([^;]*[^;\w][^;]*);", kept, text)
    return "\n".join([_exact(line) for line in text.split("\n")])


def _real(dtype: DT, value: float) -> str:
    element = "double" if dtype == float64 else "float"
    if isfinite(value) and dtype == float32:
        value = float(np.float32(value))
    text = constant(element, abs(value))
    return f"(-{text})" if copysign(1, value) < 0 else text
