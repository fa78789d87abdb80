"""Operations that a device lacks, rewritten in simpler ones that it has.

Devices that run kernels say which operations these may contain (`KernelDriver.supports`); array
libraries have all. What a device lacks is looked up in `onebuf.op_graph.rewrite.rewrites`, again
for each of the simpler operations; where there is no rewrite, an error names the operation and the
device.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from onebuf.backends.protocols import interprets, runs_kernels
from onebuf.errors import DeviceError
from onebuf.graph import LIBRARY, Kind, Node, make
from onebuf.machine import Device
from onebuf.op_graph.rewrite.rewrites import REWRITES
from onebuf.scheduler.trace.tracer import lacking

Lacks = Callable[[Node], str | None]
"""Why a device cannot compute a node; None if it can."""


def lowered(result: Node, operands: Sequence[Node], who: str) -> Node:
    """``result``, of operations that its device has; ``who`` is what it is the result of."""
    device = result.device
    if device is None or device.is_host:
        return result
    lacks = lacks_on(device)
    return result if lacks is None else _rebuilt(result, operands, device, lacks, who)


def lacks_on(device: Device) -> Lacks | None:
    """What says which nodes a device cannot compute; None if it can compute all."""
    driver = device.driver
    if not runs_kernels(driver):
        return _is_call if device.has_operations else None
    if interprets(driver):
        return None

    def lacks(node: Node) -> str | None:
        given = [src.dtype for src in node.srcs]
        if node.op.kind in (Kind.REDUCE, Kind.SCAN):
            if driver.supports(node.op, tuple(given), node.dtype):
                return None
            return f"{node.op.name} of {given[0].name} has no kernel"
        return lacking(node, given, driver.supports) or _is_call(node)

    return lacks


def _is_call(node: Node) -> str | None:
    """Why a call of a library on the host cannot be done on a device; None for all else."""
    if node.op is not LIBRARY or not node.srcs:
        return None
    return f"{getattr(node.arg, 'name', '') or 'a library call'} is done by a library on the host"


def _rebuilt(
    result: Node, operands: Sequence[Node], device: Device, lacks: Lacks, who: str
) -> Node:
    """``result`` with everything between it and ``operands`` rewritten that the device lacks."""
    done: dict[int, Node] = {id(node): node for node in operands}
    held: list[Node] = []  # so that no id is given to another node meanwhile
    todo = [(result, False)]
    while todo:
        node, visited = todo.pop()
        if id(node) in done:
            continue
        if not visited:
            todo.append((node, True))
            todo.extend([(src, False) for src in node.srcs])
            continue
        held.append(node)
        srcs = tuple([done[id(src)] for src in node.srcs])
        reason = lacks(node)
        if reason is not None:
            rewrite = REWRITES.get(node.op.name)
            simpler = None if rewrite is None else rewrite(*srcs, node=node)
            if simpler is None:
                raise DeviceError(
                    f"{who}: {device} lacks it ({reason}), and nothing simpler is known for it; "
                    f"convert to another dtype, or compute on the host: x.to_device('CPU')"
                )
            done[id(node)] = _rebuilt(simpler, srcs, device, lacks, who)
        elif all(one is two for one, two in zip(srcs, node.srcs, strict=True)):
            done[id(node)] = node
        else:
            done[id(node)] = make(node.op, srcs, node.arg, node.shape, node.dtype)
    return done[id(result)]
