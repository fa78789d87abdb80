"""Explaining: what realising a node would do, as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from onebuf.engine.plan.build import parts_of
from onebuf.engine.plan.decide import items_for
from onebuf.engine.plan.liveness import alone_in, states_of
from onebuf.engine.run.realize import is_here
from onebuf.graph import COPY, FUTURE, Kind, Node
from onebuf.late import Late
from onebuf.machine import Delegated
from onebuf.options import options
from onebuf.scheduler import Item, is_readable
from onebuf.scheduler.plan_key import walk_of

if TYPE_CHECKING:
    from onebuf.engine.cpu import launch
    from onebuf.scheduler import arena
    from onebuf.scheduler.fuse.multipass import Kernel
else:
    launch = Late("onebuf.engine.cpu.launch")
    arena = Late("onebuf.scheduler.arena")


def explain(nodes: Sequence[Node]) -> str:
    """Which passes over memory ``nodes`` still need, why, and how many bytes each moves."""
    wanted = [node for node in nodes if not is_readable(node)]
    device = wanted[0].device if wanted else None
    if isinstance(device, Delegated):
        return device.driver.explain(wanted)  # type: ignore[no-any-return]
    walk = walk_of(wanted).nodes
    alone = alone_in(walk, states_of(walk, wanted)) - {id(node.base) for node in wanted}
    awaited = sum(node.op is FUTURE for node in walk)
    del walk
    items = items_for(wanted)
    if not items:
        return _waits(awaited) or "nothing to compute: the elements are at hand"
    read = sum(item.bytes_read for item in items)
    written = sum(item.bytes_written for item in items)
    copies = sum(item.node.op is COPY for item in items)
    head = (
        f"{len(items)} {_plural(len(items), 'kernel')}, {_size(read)} read, "
        f"{_size(written)} written, {copies or 'no'} {_plural(copies, 'copy', 'copies')}"
    )
    if all(is_here(node) for node in wanted):
        parts = [part for item in items for part in parts_of(item)]
        saved = arena.arena_of(parts, alone)[0].saved
        head += f", {_size(saved)} saved by sharing memory" if saved else ""
    names: dict[int, str] = {}
    rows = [_row(number, item, names) for number, item in enumerate(items, 1)]
    return "\n".join([*filter(None, [_waits(awaited)]), head, *rows])


def _waits(count: int) -> str:
    return f"waits for {count} {_plural(count, 'future')}" if count else ""


def _row(number: int, item: Item | Kernel, names: dict[int, str]) -> str:
    node = item.node
    operands = ", ".join(_operand(operand, names) for operand in item.inputs)
    names.update({id(output): f"%{number}" for output in item.outputs})
    result = ", ".join(f"{output.dtype.name}{list(output.shape)}" for output in item.outputs)
    lines = [f"  %{number} = {item.name}({operands}) -> {result}"]
    lines.append(f"       {item.kind}, {_size(item.bytes_written)}: {item.reason}")
    if options().search_seconds and not isinstance(item, Item):
        found = [launch.found_by_search(part) for part in item.parts]
        lines += [f"       {line}" for line in found if line]
    if node.origin is not None:
        lines.append(f"       from {node.origin}")
    return "\n".join(lines)


def _operand(node: Node, names: dict[int, str]) -> str:
    if node.op.kind is Kind.CONSTANT:
        return str(node.arg)
    name = names.get(id(node.base))
    if name is None:
        return f"{node.op.name} {node.dtype.name}{list(node.shape)}"
    return name if node is node.base else f"view of {name}"


def _plural(count: int, one: str, many: str | None = None) -> str:
    return one if count == 1 else many or one + "s"


def _size(nbytes: float) -> str:
    """Bytes for people.

    >>> _size(100), _size(40_000_000)
    ('100 B', '40.0 MB')
    """
    for unit in ("B", "kB", "MB", "GB"):
        if nbytes < 1000 or unit == "GB":
            break
        nbytes /= 1000
    return f"{nbytes:.0f} B" if unit == "B" else f"{nbytes:.1f} {unit}"
