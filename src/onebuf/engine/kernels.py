"""Kernels run: a group's nest compiled once, its arguments packed, its indices shared out.

This is tier 2. Programs are found by nest, so a new shape compiles nothing. The compiler itself is
imported when the first kernel is needed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from math import prod
from time import perf_counter
from typing import Any

import numpy as np
from numpy.lib.array_utils import byte_bounds

from onebuf.engine.candidates import Call, Choice
from onebuf.engine.choosing import VECTOR_NBYTES, checked, choose
from onebuf.engine.gate import cpu as _cpu
from onebuf.engine.searching import findings_of, search
from onebuf.errors import BoundsError
from onebuf.events import Copied, KernelRan, kernel_frame, listeners, tell
from onebuf.graph import Kind, Node, attach, settle
from onebuf.kernel import CHUNK, LOAD, Nest, best_order, partials, permuted, reordered
from onebuf.memory import address_of
from onebuf.ops import new_array
from onebuf.options import options
from onebuf.render.rendering import Rendering
from onebuf.render.writing import render
from onebuf.scheduler.grouping import Group
from onebuf.scheduler.tracing import Reach

Array = np.ndarray[Any, Any]
Limits = list[tuple[int, int]]

SHARED = 32768
"""Fewer elements than this are not worth waking another thread for."""
STRIPS = {"rows": 1, "columns": 512, "tiles": 64}
"""Fewer indices than this are not taken apart from their neighbours, by strategy."""
PLAIN = Rendering()


def _compiled(nest: Nest, rendering: Rendering) -> Any:
    return _cpu().compile(render(nest, "kernel", rendering), "kernel")


@cache
def program(nest: Nest, rendering: Rendering = PLAIN) -> Any:
    """The compiled program of a nest."""
    return _compiled(nest, rendering)


@cache
def _first_equal(nest: Nest) -> Nest:
    """The first nest equal to this one: what is known of it is then found without comparing."""
    return nest


def run_group(group: Group) -> None:
    """Compute the outputs of ``group``, which become stored."""
    start = perf_counter()
    made = [new_array(node.shape, node.dtype) for node in group.outputs]
    try:
        launch(group, [array for array, _ in made])
    except Exception as error:
        origin = group.outputs[0].origin
        if origin is not None:
            error.add_note(f"while computing {group.outputs[0].op.name}, asked for at {origin}")
        raise
    if listeners():
        _tell(group, start)
    for node, (array, block) in zip(group.outputs, made, strict=True):
        attach(node, array, block)


def _tell(group: Group, start: float) -> None:
    """Say that the kernel of ``group`` ran."""
    read, written, name = group.bytes_read, group.bytes_written, group.name
    tell(KernelRan(name, written, perf_counter() - start, 2, read, start))
    if group.kind is Kind.COPY:
        origin = group.node.origin
        tell(Copied(written, group.reason, None if origin is None else str(origin)))


def launch(group: Group, outputs: list[Array]) -> None:
    """Run the kernel of ``group`` into ``outputs``."""
    nest, extents = _first_equal(group.nest), group.extents
    addresses = [
        reach.view.offset
        if reach.is_index
        else _address(reach.node, group.outputs, outputs)
        + reach.view.offset * reach.node.dtype.itemsize
        for reach in group.reaches
    ]
    if nest.folds_all and extents[0] > CHUNK:
        limits = None
        if options().check_bounds:
            limits = [_limits(reach, group.outputs, outputs) for reach in group.reaches]
        _in_chunks(group, addresses, limits)
        return
    strides = [reach.view.stride for reach in group.reaches]
    nest, extents, strides = _arranged(nest, extents, strides)
    choice = Choice(choose(nest, extents, addresses, strides))
    limits = None
    now = options()
    if now.check_bounds or now.search_seconds:
        limits = [_limits(reach, group.outputs, outputs) for reach in group.reaches]
    if now.check_bounds:
        choice = Choice(checked(choice.rendering))
    words = pack(addresses, extents, strides, group.scalars, limits if now.check_bounds else None)
    if now.search_seconds and not now.check_bounds and _is_apart(nest, limits):
        call = Call(nest, extents, addresses, strides)
        shared = now.threads != 1 and _is_shared(nest, extents)
        choice = search(call, choice, shared, partial(_prepared, group, nest, words, extents))
    _share(group, program(nest, choice.rendering), words, extents, nest, choice)
    if now.check_bounds and limits is not None:
        _report(words, nest)


def _arranged(
    nest: Nest, extents: tuple[int, ...], strides: list[tuple[int, ...]]
) -> tuple[Nest, tuple[int, ...], list[tuple[int, ...]]]:
    """A nest, its extents and strides with the loops in the best order."""
    order = best_order(nest)
    if order is None:
        return nest, extents, strides
    turned = [permuted(stride, order) for stride in strides]
    return reordered(nest, order), permuted(extents, order), turned


def pack(
    addresses: list[int], extents: Any, strides: Any, scalars: Any, limits: Limits | None = None
) -> Array:
    """The argument block of a call, as `onebuf.render.loops` lays it out.

    ``limits`` are for a kernel that checks its bounds, as `onebuf.render.rendering` says.
    """
    rows = [step for stride in strides for step in stride]
    first = len(addresses) + len(extents) + len(rows)
    more = [] if limits is None else [*(byte for pair in limits for byte in pair), 0]
    words = np.array([*addresses, *extents, *rows, *(0 for _ in scalars), *more], dtype=np.int64)
    for number, scalar in enumerate(scalars, first):
        words[number : number + 1].view(scalar.dtype)[0] = scalar
    return words


def _share(
    group: Group,
    compiled: Any,
    words: Array,
    extents: tuple[int, ...],
    nest: Nest,
    choice: Choice,
) -> None:
    """Run on one thread, or on all of them if the outermost axis can be divided."""
    address = address_of(words)
    if not _is_shared(nest, extents):
        _call(group, compiled.call, (address, 0, extents[0]))
        return
    inner = max(1, prod(extents[1:]))
    least = STRIPS[choice.rendering.strategy] if nest.ndim == 2 else 1
    grain = max(least, choice.grain // inner)
    if len(extents) == 1:
        grain = -(-grain // VECTOR_NBYTES) * VECTOR_NBYTES
    _call(group, *_cpu().shared(compiled, address, extents[0], grain))


def _is_shared(nest: Nest, extents: tuple[int, ...]) -> bool:
    return not nest.folds_all and prod(extents) >= SHARED


def _prepared(
    group: Group, nest: Nest, words: Array, extents: tuple[int, ...], choice: Choice
) -> Callable[[], None]:
    """What runs the kernel once in a given way; its program is forgotten with it."""
    compiled = _compiled(nest, choice.rendering)
    return lambda: _share(group, compiled, words, extents, nest, choice)


def _is_apart(nest: Nest, limits: Limits | None) -> bool:
    """Whether no memory that is written is read as well: then a kernel can run again, and in any
    order of its elements."""
    assert limits is not None
    read = {step.arg for step in nest.steps if step.op is LOAD}
    return not any(
        limits[one][0] < limits[two][1] and limits[two][0] < limits[one][1]
        for one in nest.written
        for two in read
    )


def found_by_search(group: Group) -> str:
    """What searching has found out about a kernel, for people; empty if nothing."""
    nest, extents = group.nest, group.extents
    if nest.folds_all and extents[0] > CHUNK:
        return ""
    nest, extents, strides = _arranged(
        nest, extents, [reach.view.stride for reach in group.reaches]
    )
    call = Call(nest, extents, [0] * len(strides), strides)
    usual = Choice(choose(nest, extents, call.addresses, strides))
    found = findings_of(nest, extents, usual)
    best = found.best(call, usual)
    if best == usual:
        return ""
    return f"{best}: found by search, {1 / found.times[best]:.2f} times as fast as {usual}"


def _call(group: Group, call: Any, arguments: tuple[int, ...]) -> None:
    if listeners():
        kernel_frame(group.name)(call, *arguments)
    else:
        call(*arguments)


def _in_chunks(group: Group, addresses: list[int], limits: Limits | None) -> None:
    """A fold of everything: first chunk by chunk, shared out, then the chunks."""
    first, second = partials(group.nest)
    extent = group.extents[0]
    chunks = -(-extent // CHUNK)
    parts = [np.empty(chunks, slot.dtype) for slot in first.slots[len(group.nest.slots) :]]
    places = [*addresses, *[address_of(part) for part in parts]]
    strides = [*[reach.view.stride for reach in group.reaches], *[(1,) for _ in parts]]
    rendering = PLAIN
    if limits is not None:
        rendering = checked(rendering)
        limits = [*limits, *[byte_bounds(part) for part in parts]]
    words = pack(places, (extent,), strides, group.scalars, limits)
    _call(group, *_cpu().shared(program(first, rendering), address_of(words), extent, 2 * CHUNK))
    again = pack(places, (chunks,), strides, group.scalars, limits)
    program(second, rendering).call(address_of(again), 0, chunks)
    if limits is not None:
        _report(words, first)
        _report(again, second)


def _limits(reach: Reach, outputs: tuple[Node, ...], arrays: list[Array]) -> tuple[int, int]:
    """The first byte of the memory that a slot may reach, and the one after the last."""
    if reach.is_index:
        return (0, 0)
    return byte_bounds(_array(reach.node, outputs, arrays))


def _report(words: Array, nest: Nest) -> None:
    """Raise if the kernel that had these arguments would have left its memory."""
    slot = int(words[-1]) - 1
    if slot >= 0:
        raise BoundsError(
            f"a kernel needs to stay within its memory, and would have left that of slot {slot}, "
            f"{nest.slots[slot]}; it stopped, and results are incomplete. This is a mistake in "
            f"onebuf, not in your program; please report it with this text.\n{nest.listing()}"
        )


def _address(node: Node, outputs: tuple[Node, ...], arrays: list[Array]) -> int:
    return address_of(_array(node, outputs, arrays))


def _array(node: Node, outputs: tuple[Node, ...], arrays: list[Array]) -> Array:
    for output, array in zip(outputs, arrays, strict=True):
        if node is output:
            return array
    stored = settle(node)
    assert stored is not None, f"{node} is not in memory"
    return stored
