"""The native core joined with the classes of buffers and nodes.

`install` gives the core what it has to know: the classes, where memory comes from, which loop
computes an operation on which dtypes, and the Python method behind each of its own. Then it puts
the core's methods in the place of those. Without the core, nothing happens.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from onebuf.backends.numpy.small_folds import SHORT
from onebuf.buffer.buffer import Buffer
from onebuf.buffer.exchange.array_protocols import ForeignProtocols
from onebuf.buffer.exchange.conversion import Conversion
from onebuf.buffer.handle import PLACE
from onebuf.buffer.movement import Movement
from onebuf.buffer.numpy.in_place import InPlace
from onebuf.buffer.numpy.ndarray_methods import NdarrayMethods
from onebuf.buffer.operators import Operators
from onebuf.buffer.reductions import Reductions
from onebuf.dtypes import DT, as_dtype, meet_scalar
from onebuf.errors import OnebufError
from onebuf.graph import (
    BINARY,
    CONSTANT,
    FAILED,
    INEXACT,
    REDUCE,
    UNARY,
    VIEW,
    Element,
    Foreign,
    Fresh,
    Leaf,
    Loose,
    Node,
    Number,
    Op,
    Part,
    elementwise_dtype,
    reduce_dtype,
)
from onebuf.graph.origin import is_ours
from onebuf.graph.readers import MANY, prune
from onebuf.late import Late
from onebuf.layout import View
from onebuf.machine import CPU
from onebuf.memory import POOL
from onebuf.native import HandleFields, core, quick
from onebuf.ops import quiet_context
from onebuf.ops.apply import known_constant
from onebuf.ops.eager import known_loop
from onebuf.ops.numpy import short_calls
from onebuf.options import options

if TYPE_CHECKING:
    from onebuf.engine.cpu import small_kernels
else:
    small_kernels = Late("onebuf.engine.cpu.small_kernels")

F = TypeVar("F", bound=Callable[..., Any])

_OPERATORS = {
    "add": "add",
    "subtract": "sub",
    "multiply": "mul",
    "divide": "truediv",
    "floor_divide": "floordiv",
    "remainder": "mod",
    "pow": "pow",
    "bitwise_and": "and",
    "bitwise_or": "or",
    "bitwise_xor": "xor",
    "bitwise_left_shift": "lshift",
    "bitwise_right_shift": "rshift",
    "matmul": "matmul",
}
_COMPARISONS = {
    "less": "lt",
    "less_equal": "le",
    "equal": "eq",
    "not_equal": "ne",
    "greater": "gt",
    "greater_equal": "ge",
}
_SIGNS = {"negative": "neg", "positive": "pos", "abs": "abs", "bitwise_invert": "invert"}
_FUNCTIONS = ("exp", "log", "sqrt", "sin", "cos", "tanh", "abs", "square", "maximum", "minimum")
_REDUCTIONS = (
    *("sum", "prod", "max", "min", "all", "any"),
    *("argmax", "argmin", "mean", "var", "std"),
)
_MOVEMENTS = ("reshape", "ravel", "transpose", "permute")
_DELEGATES = ("nonzero", "argpartition", "ptp", "choose")
_CONVERSIONS = ("__bool__", "__int__", "__float__", "__index__", "__len__", "__iter__")

_FLOATS = tuple(np.dtype(name) for name in ("float16", "float32", "float64"))
_WIDE = np.dtype("float64")
_UFUNCS: dict[Op, Any] = {BINARY[name]: getattr(np, name) for name in ("maximum", "minimum")}
"""Loops that are no ufunc only because NumPy wants their ``out`` by name."""
_FOLDS: dict[str, Any] = {
    "sum": np.add,
    "prod": np.multiply,
    "max": np.maximum,
    "min": np.minimum,
    "all": np.logical_and,
    "any": np.logical_or,
}
_kept: list[Any] = []
"""Programs whose addresses the core has: they stay."""
_operations: dict[Op, Any] = {}

How = tuple[Any, ...] | None
"""NumPy's ufunc and the dtypes of its loop, or the addresses of two kernels and their dtypes: for
operands of one shape, and for a second operand that is one element. None: Python computes it."""


def operation(op: Op) -> Any:
    """``op`` as the core knows it; None without the core."""
    if core is None:
        return None
    found = _operations.get(op)
    if found is None:
        arity = op.arity or 1
        resolve = _one(op) if arity == 1 else _two(op)
        found = _operations[op] = core.Operation(resolve, arity, op, _pending_dtype(op))
    return found


def _pending_dtype(op: Op) -> Callable[[Any, Any], DT | None]:
    """The dtype of ``op`` by those of its operands, for nodes that are still to be computed."""

    def result(first: Any, second: Any) -> DT | None:
        is_power = op is BINARY["pow"] and isinstance(second, type)  # may be another function
        if is_power:
            return None
        try:
            if second is None:
                return elementwise_dtype(op, first)
            one = meet_scalar(second, first) if isinstance(first, type) else first
            two = meet_scalar(first, second) if isinstance(second, type) else second
            return elementwise_dtype(op, one, two)
        except OnebufError:
            return None

    return result


def _scalar_node(value: Any, beside: DT) -> Node | None:
    """The constant that a Python number becomes next to elements of dtype ``beside``."""
    try:
        return known_constant(value, meet_scalar(beside, value.__class__))
    except OnebufError:
        return None


def delegate(target: Any) -> Callable[[F], F]:
    """Let the core try first ``target`` on arrays, which only reads and gives new memory."""
    return quick("delegate", target)


def accumulating(name: str, is_wide: bool, needs_axis: bool) -> Callable[[F], F]:
    """Let the core try first to go along an axis with an operation of two.

    If ``is_wide``, small integers become 64 bits wide; if it ``needs_axis``, no axis means the flat
    elements.
    """
    return quick("accumulate", (operation(BINARY[name]), is_wide, needs_axis))


def clipping() -> Callable[[F], F]:
    """Let the core try first to keep elements between two bounds."""
    return quick("clip", (operation(BINARY["maximum"]), operation(BINARY["minimum"])))


def _two(op: Op) -> Callable[[Any, Any], How]:
    def resolve(first: Any, second: Any) -> How:
        is_swapped = isinstance(first, type)  # a number of Python's on the left
        typed, other = (second, first) if is_swapped else (first, second)
        one = meet_scalar(typed, first) if is_swapped else first
        two = meet_scalar(typed, second) if isinstance(second, type) else second
        if op in INEXACT:
            is_plain = not is_swapped and one == two and one in _FLOATS[1:]
            return _pair_kernels(op, one) if is_plain else None
        function, result = known_loop(op, typed, other)
        return _numpy_loop(_UFUNCS.get(op, function), (one, two), result)

    return resolve


def _one(op: Op) -> Callable[[Any, Any], How]:
    def resolve(operand: Any, _: Any) -> How:
        if op in INEXACT:
            result = elementwise_dtype(op, operand)
            return _kernel(op, result) if result in _FLOATS else None
        function, result = known_loop(op, operand)
        return _numpy_loop(function, (operand,), result)

    return resolve


def _numpy_loop(ufunc: Any, operands: tuple[DT, ...], result: DT) -> How:
    """The loop that NumPy takes for operands of these dtypes."""
    if ufunc.__class__ is not np.ufunc:
        return None
    found = [as_dtype(dtype) for dtype in ufunc.resolve_dtypes((*operands, None))]
    return (ufunc, *found) if found[-1] is result else None


def _kernel(op: Op, dtype: DT) -> How:
    program = small_kernels.elementwise(op, dtype, (1,), dtype)
    if program is None:
        return None
    _kept.append(program)
    return program.address, program.address, dtype, dtype


def _pair_kernels(op: Op, dtype: DT) -> How:
    programs = [small_kernels.elementwise(op, dtype, (1, step), dtype) for step in (1, 0)]
    if None in programs:
        return None
    _kept.extend(programs)
    return (*[program.address for program in programs], dtype, dtype, dtype)


def _reduction(name: str, dtype: DT, form: int) -> How:
    """How a reduction over one row, several, several short ones, or columns is computed."""
    op = REDUCE[name]
    result = reduce_dtype(op, dtype)
    if small_kernels.is_ours(op, dtype, result):
        program = small_kernels.fold_program(op, dtype, form)
        if program is None:
            return None
        _kept.append(program)
        return program.address, program.address, dtype, dtype
    if name in ("all", "any") and dtype != np.dtype(bool):
        return None
    wide = result if name in ("sum", "prod") else dtype
    return _numpy_loop(_FOLDS[name], (wide, wide), result)


def install() -> None:
    """Put the core to use."""
    if core is None:
        return
    core.set_classes(Buffer, Node, Leaf, Fresh, Loose, Foreign, Number, Element, PLACE, Part)
    core.set_creation(as_dtype, lambda: options().default_float)
    core.set_pending(
        *(VIEW, CONSTANT, FAILED, CPU, View, is_ours, prune, MANY),
        *(lambda: options().eager_nbytes, _scalar_node),
    )
    core.set_quiet(quiet_context)
    core.set_memory(POOL.shelves.shelf, POOL.cell, POOL.give_back)
    for name, method in _OPERATORS.items():
        how = np.matmul if name == "matmul" else operation(BINARY[name])
        twins = [getattr(Operators, f"__{kind}{method}__") for kind in ("", "r", "i")]
        core.set_operator(name, how, *twins)
        for kind in ("", "r", "i"):
            _replace(Operators, f"__{kind}{method}__")
    for name, method in (_COMPARISONS | _SIGNS).items():
        how = operation(BINARY[name] if name in _COMPARISONS else UNARY[name])
        core.set_operator(name, how, getattr(Operators, f"__{method}__"), None, None)
        _replace(Operators, f"__{method}__")
    core.set_operator("square", operation(UNARY["square"]), None, None, None)
    for name in _FUNCTIONS:
        op = (UNARY | BINARY)[name]
        _replace_method(Operators, name, "one" if op.arity == 1 else "two", operation(op))
    core.set_reductions(_reduction, SHORT)
    for name in _REDUCTIONS:
        _replace_method(Reductions, name, name)
    for name in _MOVEMENTS:
        _replace_method(Movement, name, name)
    _replace_method(Conversion, "item", "item")
    _replace_method(Buffer, "copy", "copy")
    _replace_method(Movement, "flatten", "flatten")
    _replace_method(NdarrayMethods, "dot", "matmul")
    for name in ("tolist", "to_python"):
        _replace_method(Conversion, name, "tolist")
    _replace_method(Buffer, "astype", "astype")
    bounds = operation(BINARY["maximum"]), operation(BINARY["minimum"])
    _replace_method(Operators, "clip", "clip", bounds)
    for name, pair in {"cumsum": "add", "cumprod": "multiply"}.items():
        _replace_method(NdarrayMethods, name, "accumulate", (operation(BINARY[pair]), True, True))
    for name in _DELEGATES:
        _replace_method(NdarrayMethods, name, "delegate", getattr(np, name))
    for name in ("take", "repeat", "round", "searchsorted"):
        _replace_method(NdarrayMethods, name, "delegate", getattr(short_calls, name))
    _replace_method(InPlace, "argsort", "delegate", short_calls.argsort)
    for name in _CONVERSIONS:
        core.set_slot(name, getattr(Conversion, name))
        _replace(Conversion, name)
    _replace_method(ForeignProtocols, "__array__", "as_array")
    _replace_method(ForeignProtocols, "__buffer__", "as_memory")
    _replace_property(Movement, "T", "transpose")
    _replace_property(Buffer, "shape", "shape")
    core.set_items(Buffer.__getitem__, Buffer.__setitem__, Buffer.__delitem__)
    for name in ("__getitem__", "__setitem__", "__delitem__"):
        _replace(Buffer, name)


def _replace(owner: type, name: str) -> None:
    """Let a class have the core's attribute in place of its own."""
    setattr(owner, name, vars(HandleFields)[name])


def _replace_method(owner: type, name: str, kind: str, what: Any = None) -> None:
    """Let the core try first what a method does."""
    setattr(owner, name, core.Method(kind, vars(owner)[name], what))


def _replace_property(owner: type, name: str, kind: str) -> None:
    """Let the core try first what a property gives."""
    old: property = vars(owner)[name]
    get = core.Function(kind, old.fget, None)
    setattr(owner, name, property(get, old.fset, old.fdel, old.__doc__))
