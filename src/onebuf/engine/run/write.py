"""Writes in place, after every pending read of the old elements.

The order is always the same: the new elements are computed, the pending readers of the memory are
realised, the memory is written. An error comes before the write, never in the middle of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from onebuf import switch
from onebuf.dtypes import Array, meet_scalar, typed_scalar
from onebuf.engine.cpu.small_kernels import OUR_COMPLEX_LOOPS, OUR_LOOPS, is_ours, run_ours
from onebuf.engine.run.pending_readers import is_mapped_twice, settle_readers
from onebuf.engine.run.realize import force, is_here, own, peek, read
from onebuf.engine.run.small_write import write_small
from onebuf.engine.run.write_checks import check_fits, check_in_place, check_kind
from onebuf.engine.step.region import check_region, write_region
from onebuf.errors import DeviceError, DTypeError, ReadOnlyError, ShapeError
from onebuf.events import listeners, run_told
from onebuf.graph import (
    BINARY,
    Node,
    Number,
    Op,
    elementwise_dtype,
    settle,
)
from onebuf.late import Late
from onebuf.layout import broadcast_shapes
from onebuf.machine import CPU, Cluster, Delegated, Tracer
from onebuf.memory import FileBlock, address_of
from onebuf.ops import (
    SCALARS,
    Scalar,
    adopted,
    binary,
    cast,
    constant,
    library,
    power,
    quietly,
    view_of,
)
from onebuf.options import options

if TYPE_CHECKING:
    from onebuf.engine.run import (
        device_write,
        in_place_loops,
        kernel_write,
        layout_write,
        transfer,
    )
    from onebuf.engine.run.layout_write import Scatter
    from onebuf.ops.structured import nodes as structured_nodes
else:
    device_write = Late("onebuf.engine.run.device_write")
    in_place_loops = Late("onebuf.engine.run.in_place_loops")
    kernel_write = Late("onebuf.engine.run.kernel_write")
    layout_write = Late("onebuf.engine.run.layout_write")
    structured_nodes = Late("onebuf.ops.structured.nodes")
    transfer = Late("onebuf.engine.run.transfer")


_SCALARS = frozenset(SCALARS)


def assign(target: Node, value: Node | Scalar) -> None:
    """Write ``value``, broadcast and converted, to the elements of ``target``."""
    if not target.has_strides:
        _assign_through(target, value)
        return
    if not is_here(target):
        if not (isinstance(value, Node) and _is_same_view(target, value)):
            _assign_afar(target, value)
        return
    _check_here(value, target)
    check_region(target)
    if isinstance(value, Node) and (_is_itself(target, value) or _write_by_kernel(target, value)):
        return
    new = peek(value) if isinstance(value, Node) else np.asarray(typed_scalar(value, target.dtype))
    check_fits(new.shape, target.shape)
    check_kind(new, target)
    if target.on_demand is not None:
        _assign_source(target, new)
        return
    if switch.on:
        switch.point("write.ready")
    array = writable(target)
    settle_readers(target)
    if switch.on:
        switch.point("write.start")
    if isinstance(value, Node) and (np.may_share_memory(array, new) or is_mapped_twice(target)):
        new = new.copy()  # NumPy alone does not get every overlap right
    if listeners():
        run_told("assign", (new.nbytes, array.nbytes), 0, quietly, _copy, array, new)
    else:
        quietly(_copy, array, new)
    if switch.on:
        switch.point("write.done")


def update(op: Op, target: Node, value: Node | Scalar) -> None:
    """``target = op(target, value)`` in the memory of ``target``."""
    if write_small(op, target, target, value):
        return
    dtype = target.dtype
    if isinstance(value, Node):
        check_fits(value.shape, target.shape, in_place=True)
    if not target.has_strides:
        new = binary(op, target, value)
        check_in_place(op.name, new.dtype, dtype)
        assign(target, cast(new, dtype))
        return
    if not is_here(target):
        new = binary(op, target, value)
        check_in_place(op.name, new.dtype, dtype)
        _assign_afar(target, cast(new, dtype))
        return
    _check_here(value, target)
    if isinstance(value, Node):
        result = elementwise_dtype(op, dtype, value.dtype)
    else:
        scalar: type = value.__class__
        result = elementwise_dtype(op, dtype, meet_scalar(dtype, scalar))
    check_in_place(op.name, result, dtype)
    if write_result(op, target, target, value):
        return
    operand: Any = peek(value) if isinstance(value, Node) else typed_scalar(value, dtype)
    if isinstance(value, Node) and is_mapped_twice(target):
        operand = operand.copy()
    plain = power(dtype, value) if op is BINARY["pow"] else None
    if plain is not None:
        loop = OUR_LOOPS[plain]
        if dtype.kind == "c":
            loop = OUR_COMPLEX_LOOPS.get(plain, loop)
        change(op.name, target, lambda array: loop(array, array))
        return
    change(op.name, target, lambda array: _update(op, array, operand, result))


def _is_itself(target: Node, value: Node) -> bool:
    """Whether the elements are there already: what ``x[a:b] += y`` ends with."""
    if (
        settle(value) is None
        or target.on_demand is not None
        or value.block is not target.base.block
    ):
        return False
    one, two = writable(target), settle(value)
    assert two is not None
    return (
        address_of(one) == address_of(two)
        and one.strides == two.strides
        and one.shape == two.shape
        and one.dtype == two.dtype
    )


def _is_same_view(target: Node, value: Node) -> bool:
    """The same on another device, where memory has no addresses."""
    return (
        value.base is target.base
        and value.has_strides
        and value.dtype is target.dtype
        and view_of(value) == view_of(target)
        and not isinstance(target.device, Delegated)
    )


def _write_by_kernel(target: Node, value: Node) -> bool:
    """Compute ``value`` in the place that it is written to, if that is large and compiled."""
    if target.nbytes <= options().eager_nbytes or target.on_demand is not None:
        return False
    check_fits(value.shape, target.shape)
    check_kind(value, target)
    array = writable(target)
    if not kernel_write.is_worth(array):
        return False
    settle_readers(target)
    return kernel_write.write(target, array, kernel_write.fitted(value, target.shape, target.dtype))


def write_result(op: Op, target: Node, *operands: Any) -> bool:
    """Compute ``op`` of ``operands`` in the memory of ``target``, in one pass; whether it was done.

    ``target`` is large, and its shape and dtype are known to take the result. A kernel does it once
    that is worth compiling, NumPy's loop before, if it is plain.
    """
    if target.nbytes <= options().eager_nbytes or target.on_demand is not None:
        return False
    array = writable(target)
    loop = in_place_loops.loop_for(op, target, array, operands)
    if kernel_write.is_worth(array) and (loop is None or loop.is_slow):
        settle_readers(target)
        seconds = None if loop is None else loop.seconds
        if kernel_write.write_op(op, target, array, operands, seconds):
            return True
    if loop is None:
        return False
    change(op.name, target, loop.run)
    return True


def compute_into(op: Op, target: Node, *operands: Any) -> bool:
    """Compute ``op`` of ``operands``, nodes or Python scalars, in the memory of ``target``.

    False, and nothing is written, if that takes more than one pass or ends in an error.
    """
    if write_small(op, target, *operands):
        return True
    if op is BINARY["pow"] or not target.has_strides or not is_here(target):
        return False
    nodes = [x for x in operands if isinstance(x, Node)]
    for node in nodes:
        is_plain = node.has_strides and is_here(node) and node.dtype is nodes[0].dtype
        if not is_plain or isinstance(node.device, Tracer):
            return False
    kinds: list[Any] = [x.dtype if isinstance(x, Node) else x.__class__ for x in operands]
    dtypes = [meet_scalar(nodes[0].dtype, x) if x in _SCALARS else x for x in kinds]
    try:
        shape = broadcast_shapes(*[node.shape for node in nodes])
        result = elementwise_dtype(op, *dtypes)
    except (ShapeError, DTypeError):
        return False
    if shape != target.shape or not np.can_cast(result, target.dtype, "same_kind"):
        return False
    return write_result(op, target, *operands)


def _update(op: Op, array: Array, operand: Any, result: np.dtype[Any]) -> None:
    made = array
    if not op.is_exact or is_ours(op, result, result):
        made = np.empty(array.shape, result)  # our kernels neither convert nor expect an overlap
    if is_ours(op, result, result):
        run_ours(op, (array, operand), None, made)
    else:
        OUR_LOOPS[op](array, operand, made)
    if made is array:
        return
    np.copyto(array, made, casting="same_kind")


def new_elements(target: Node, value: Node | Scalar) -> Node:
    """``value`` in the dtype of ``target``, on its own device; a number is at home everywhere."""
    dtype = target.dtype
    if isinstance(value, Node):
        check_kind(value, target)
        converted = cast(value, dtype)
        # The memory that a number is kept in is the host's, so the number itself goes there.
        return constant((), read(converted)[()], dtype) if isinstance(value, Number) else converted
    typed = typed_scalar(value, dtype)
    check_kind(np.asarray(typed), target)
    return constant((), typed, dtype)


def _assign_afar(target: Node, value: Node | Scalar) -> None:
    """Write to elements on another device."""
    node = new_elements(target, value)
    check_fits(node.shape, target.shape)
    if isinstance(target.device, Tracer):
        _check_own_places(target)
        target.device.driver.assign(target, node)
        return
    if isinstance(target.device, Cluster):
        _check_own_places(target)
        prepared = target.device.driver.prepared(target, node)
        force(target)
        settle_readers(target)
        target.device.driver.write(target, prepared)
        return
    new = device_write.prepared(target, node)
    _check_own_places(target)
    force(target)
    settle_readers(target)
    device_write.write(target, new)


def _assign_through(target: Node, value: Node | Scalar) -> None:
    """Write to elements that a layout without strides sees."""
    node = new_elements(target, value)
    check_fits(node.shape, target.shape)
    part = structured_nodes.structured(target)
    if part is not None and not part.is_turned:
        assign(part.storage, layout_write.stored_elements(part, node))
    else:
        _scatter(target, layout_write.Scatter(target, read(node)))


def put_at(target: Node, axes: tuple[Array, ...], values: Array) -> None:
    """Write to the elements at some indices of a view without strides."""
    _scatter(target, layout_write.Scatter(target, values, axes))


def _scatter(target: Node, scatter: Scatter) -> None:
    """Write to some of the stored elements that ``target`` sees."""
    storage = target.base
    if is_here(storage):
        change("put", storage, scatter.put)
        return
    array = np.array(read(storage))
    scatter.put(array)
    assign(storage, transfer.moved(adopted(array), storage.device or CPU))


def _check_here(value: Node | Scalar, target: Node) -> None:
    if isinstance(value, Node) and isinstance(value.device, Tracer):
        raise value.device.trace.leaked(value)
    if isinstance(value, Node) and not is_here(value):
        raise DeviceError(
            f"a write needs elements on the device of what is written, CPU, got {value.device}; "
            f"copy them first: x.to_device('CPU')"
        )


def change(name: str, target: Node, edit: Callable[[Array], Any]) -> None:
    """Let ``edit`` write to the elements of ``target``, wherever the host keeps them."""
    if isinstance(target.device, Tracer):
        call = _edited, (target,), (edit,), target.shape, target.dtype, f"{name} in place"
        assign(target, library(*call))
    elif not target.has_strides:
        before = np.array(read(target), order="C")
        after, again = before.copy(), layout_write.all_different(before)
        other = again.copy()
        _edit(name, edit, after)
        _edit(name, edit, again)  # shows what was written with the value that it had
        is_written = layout_write.differing_elements(before, after)
        is_written |= layout_write.differing_elements(other, again)
        axes = np.nonzero(is_written)
        _scatter(target, layout_write.Scatter(target, after[axes], axes))
    elif target.on_demand is not None:
        check_region(target)
        array = np.array(read(target))
        _edit(name, edit, array)
        _assign_source(target, array)
    else:
        if switch.on:
            switch.point("write.ready")
        array = writable(target)
        settle_readers(target)
        if switch.on:
            switch.point("write.start")
        _edit(name, edit, array)
        if switch.on:
            switch.point("write.done")


def _edited(array: Array, edit: Callable[[Array], Any]) -> Array:
    """A copy of ``array`` that was edited."""
    made = array.copy()
    edit(made)
    return made


def _edit(name: str, edit: Callable[[Array], Any], array: Array) -> None:
    if listeners():
        run_told(name, (array.nbytes, array.nbytes), 0, quietly, edit, array)
    else:
        quietly(edit, array)


def writable(node: Node) -> Array:
    """The elements of ``node`` to write to, or an error that says why not."""
    array = own(node)
    if not array.flags.writeable:
        raise ReadOnlyError(_why_read_only(node))
    if not array.flags.c_contiguous:
        _check_own_places(node)
    return array


def _check_own_places(node: Node) -> None:
    view = view_of(node)
    if view.overlaps_itself:
        raise ReadOnlyError(
            f"a write needs every element to have its own place in memory, but strides "
            f"{view.stride} let elements of shape {node.shape} share places (an expanded "
            f"or windowed view); write to a copy instead: b = b.copy()"
        )


def _why_read_only(node: Node) -> str:
    if isinstance(node.block, FileBlock):
        return (
            f"{node.block.path} was opened for reading; open it with mode='r+' to change the file, "
            f"or with mode='c' to change the buffer alone"
        )
    return (
        "the destination is read-only: this buffer's memory is read only, because its owner's is, "
        "or it was made so by setflags; write to a copy instead: b = b.copy()"
    )


def _assign_source(target: Node, new: Array) -> None:
    check_region(target)
    settle_readers(target)
    write_region(target, new)


def _copy(array: Array, new: Array) -> None:
    np.copyto(array, new, casting="unsafe")
