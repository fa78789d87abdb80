"""Formulas of `onebuf.render` as functions of NumPy arrays, compiled in memory."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm
import numpy as np

from onebuf.render import Builder, Value

llvm.initialize_all_targets()
llvm.initialize_all_asmprinters()

Array = np.ndarray[Any, Any]
DTYPES = {"float": np.dtype(np.float32), "double": np.dtype(np.float64), "i8": np.dtype(bool)}


def module(
    formula: Callable[..., Value],
    element: str,
    lanes: int,
    operands: int = 1,
    uniform: tuple[int, ...] = (),
) -> tuple[str, str]:
    """A module with one function, and the type of its result.

    ``f(first, ..., result, count)`` applies the formula to ``count`` elements, a multiple of
    ``lanes``. An operand in ``uniform`` is its first element in all lanes.
    """
    b = Builder(lanes)
    values = []
    b.line("loop:")
    b.line("%i = phi i64 [ 0, %entry ], [ %next, %LAST ]")
    align = f"align {DTYPES[element].itemsize}"
    for k in range(operands):
        one = k in uniform
        at = b.emit(f"getelementptr {element}, ptr %p{k}, i64 {0 if one else '%i'}")
        loaded = b.emit(f"load {b.type(element, one)}, ptr {at}, {align}")
        values.append(Value(loaded, element, one))
    value = formula(b, *values)
    if value.type == "i1":
        value = b.convert("zext", value, "i8")
    wide = b.spread(value)
    at = b.emit(f"getelementptr {value.type}, ptr %result, i64 %i")
    align = f"align {DTYPES[value.type].itemsize}"
    b.line(f"store {b.type(value.type)} {wide}, ptr {at}, {align}")
    b.line(f"%next = add i64 %i, {lanes}")
    b.line("%more = icmp slt i64 %next, %count")
    last = b.block
    b.line("br i1 %more, label %loop, label %done")
    parameters = "".join(f"ptr %p{k}, " for k in range(operands))
    lines = [
        *sorted(b.declarations),
        *b.helpers.values(),
        f"define void @f({parameters}ptr %result, i64 %count) {{",
        "entry:",
        "  br label %loop",
        b.text().replace("%LAST", "%" + last),
        "done:",
        "  ret void",
        "}",
    ]
    return "\n".join(lines), value.type


def machine(cpu: str = "", triple: str = "") -> Any:
    """What code is generated for; this machine unless told otherwise."""
    target = llvm.Target.from_triple(triple) if triple else llvm.Target.from_default_triple()
    features = "" if cpu or triple else llvm.get_host_cpu_features().flatten()
    name = cpu or ("" if triple else llvm.get_host_cpu_name())
    return target.create_target_machine(cpu=name, features=features, opt=1, jit=not triple)


def assembly(text: str, cpu: str = "", triple: str = "") -> str:
    """The assembly of a module."""
    parsed = llvm.parse_assembly(text)
    parsed.verify()
    return str(machine(cpu, triple).emit_assembly(parsed))


class Compiled:
    """A formula that is called with arrays of one size."""

    def __init__(
        self,
        formula: Callable[..., Value],
        element: str,
        lanes: int,
        operands: int = 1,
        uniform: tuple[int, ...] = (),
    ) -> None:
        text, result = module(formula, element, lanes, operands, uniform)
        parsed = llvm.parse_assembly(text)
        parsed.verify()
        self._engine = llvm.create_mcjit_compiler(parsed, machine())
        self._engine.finalize_object()
        kind = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * (operands + 1), ctypes.c_int64)
        self.function = kind(self._engine.get_function_address("f"))
        self.lanes, self.result = lanes, DTYPES[result]
        self.dtype = DTYPES[element]

    def __call__(self, *arrays: Array) -> Array:
        count = arrays[0].size
        fill = -count % self.lanes
        full = [np.concatenate([a, np.ones(fill, a.dtype)]) for a in arrays]
        assert all(a.dtype == self.dtype and a.size == count + fill for a in full)
        result = np.empty(count + fill, self.result)
        self.function(*(a.ctypes.data for a in full), result.ctypes.data, count + fill)
        return result[:count]
