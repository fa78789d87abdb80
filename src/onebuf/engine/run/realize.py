"""Realising: pending nodes become stored, by a plan that is made once for each plan key."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from onebuf import switch
from onebuf.backends.numpy.loops import run_into
from onebuf.dtypes import Array
from onebuf.engine.cpu.fallback import is_internal
from onebuf.engine.cpu.small_kernels import OUR_COMPLEX_LOOPS, OUR_FOLDS, OUR_LOOPS
from onebuf.engine.step.operand import fetch
from onebuf.errors import DeviceError
from onebuf.events import Realized, listeners, tell
from onebuf.graph import VIEW, Kind, Node, StillToCome, engine_lock, fail, is_stored, settle
from onebuf.graph.promise import await_futures, depends_on_failed
from onebuf.late import Late
from onebuf.layout import View
from onebuf.machine import CPU, Delegated, Tracer
from onebuf.memory import PoolBlock
from onebuf.ops import copied, expanded, install, view_of
from onebuf.options import config
from onebuf.scheduler import is_readable, reading

if TYPE_CHECKING:
    from onebuf.backends import protocols
    from onebuf.engine.device import transfer
    from onebuf.engine.plan import decide
    from onebuf.engine.run import by_form
    from onebuf.engine.run.tiles import pushdown, stream
    from onebuf.engine.step import error_context
    from onebuf.engine.step.plan import Held, Plan
    from onebuf.scheduler import pieces
else:
    by_form = Late("onebuf.engine.run.by_form")
    decide = Late("onebuf.engine.plan.decide")
    error_context = Late("onebuf.engine.step.error_context")
    pieces = Late("onebuf.scheduler.pieces")
    protocols = Late("onebuf.backends.protocols")
    transfer = Late("onebuf.engine.device.transfer")
    pushdown = Late("onebuf.engine.run.tiles.pushdown")
    stream = Late("onebuf.engine.run.tiles.stream")

install(OUR_LOOPS, OUR_COMPLEX_LOOPS, OUR_FOLDS, run_into)

COPIED_NBYTES = 2048
"""So few bytes are copied sooner than held."""
GATHERED_NUMEL = 1024
"""So few elements are read through a layout by NumPy; more of them by a kernel."""
OFTEN_OVERTAKEN = 3
"""A plan that was overtaken more often than this is run in the smallest steps."""
MOST_OVERTAKEN = 100
"""And one that was more often than this fails."""
WRONG = (ValueError, TypeError, LookupError, ArithmeticError)
"""Errors of expressions that cannot be computed; others may go away."""
_WITHOUT_MEMORY = frozenset({Kind.VIEW, Kind.SOURCE})
"""The kinds of pending nodes whose elements never get memory of their own."""
_COMPUTED = frozenset({Kind.ELEMENTWISE, Kind.REDUCE, Kind.SCAN, Kind.GATHER})
"""The kinds of nodes whose elements cannot be at hand otherwise; stored ones have another."""


def realize(nodes: Sequence[Node]) -> None:
    """Compute ``nodes``, several in one plan."""
    if len(nodes) == 1 and by_form.by_form(nodes[0], _run_piece):
        return
    wanted = [node for node in nodes if node.array is None and _is_pending(node)]
    if not wanted:
        return
    for place, node in enumerate(wanted):
        if node.op is VIEW and node.arg.__class__ is not View:  # which stores no elements itself
            wanted[place] = node.srcs[0]
    if wanted[0].device is not CPU or len(wanted) > 1:
        wanted = _realized_afar(wanted)
    while wanted:
        asked = None
        try:
            with engine_lock.lock:
                rest = [n for n in wanted if n.op.kind in _COMPUTED or not is_readable(n)]
                while len(rest) > 1:
                    device = rest[0].device
                    _run([node for node in rest if node.device is device], False)
                    rest = [node for node in rest if node.device is not device]
                if rest:
                    _run(rest, False)
            return
        except decide.ReadFirst as first:
            asked = first.wanted
        except StillToCome:
            pass  # below: without the lock, and not as part of this error
        _make_ready(wanted, asked)


def _realized_afar(wanted: list[Node]) -> list[Node]:
    """Let runtimes and traces compute what is theirs; what is left."""
    found: dict[int, list[Node]] = {}
    for node in wanted:
        if isinstance(node.device, Delegated):
            found.setdefault(id(node.device), []).append(node)
    for nodes in found.values():
        nodes[0].device.driver.realize(nodes)  # type: ignore[union-attr]
    return [node for node in wanted if not isinstance(node.device, Delegated)] if found else wanted


def _make_ready(wanted: Sequence[Node], read_first: Sequence[Node] | None) -> None:
    """Compute tile by tile what has to be ``read_first``; if nothing has, wait for futures."""
    if read_first is None:
        await_futures(wanted)
    else:
        stream.stream(read_first, _computed)


def _is_pending(node: Node) -> bool:
    """Whether ``node`` has to be computed; short for what is usually asked."""
    return node.op.kind in _COMPUTED or not (node.on_demand is not None or is_readable(node))


def read(node: Node) -> Array:
    """The elements of ``node`` to look at: never to write to, never to hand out.

    The array keeps what it lies on alive. What another device holds is downloaded.
    """
    return _held(node, False)


def peek(node: Node) -> Array:
    """As `read`, for a caller that holds ``node`` for as long as it uses the array."""
    return _held(node, True)


def _held(node: Node, is_mine: bool) -> Array:
    """The elements of ``node``, in an array that keeps their memory alive.

    ``is_mine``: the caller keeps ``node`` alive, so its own array will do.
    """
    if not is_here(node):
        return downloaded(node)
    if node.op.kind in _WITHOUT_MEMORY and is_part(node):
        return stream.region(node, _computed)
    if not node.has_strides and node.numel > GATHERED_NUMEL:
        node, is_mine = expanded(node), False
    realize([node])
    found = reading(node)
    array = fetch(found)
    if found.array is array and not (found is node and is_mine):
        if array.nbytes <= COPIED_NBYTES:
            array = array.copy()
        elif isinstance(found.block, PoolBlock):  # other memory is held by arrays on it
            array = found.block.held(array)
    if switch.on:
        switch.point("read.ready")
    return array


def downloaded(node: Node, out: Array | None = None) -> Array:
    """The elements of a node on another device, in ``out`` or in host memory of their own."""
    if isinstance(node.device, Delegated):
        return node.device.driver.gather(node, out)  # type: ignore[no-any-return]
    if not node.has_strides:
        node = expanded(node)
    return transfer.download(node, node if node.is_placed else without_gaps(node), out)


def without_gaps(node: Node) -> Node:
    """A node on the same device with the same elements, stored without gaps.

    Arrays of a library, and views on a device that computes nothing, may keep their gaps.
    """
    if is_part(node):
        part = copied(node)
        force(part)
        return part
    realize([node])
    source = reading(node)
    driver = node.device.driver  # type: ignore[union-attr]
    if protocols.holds_arrays(driver):
        return source
    view, is_placed = view_of(source), source.strided_base.is_placed
    host_picks = view.mask is None and not protocols.runs_kernels(driver)
    if not is_placed or not (view.is_contiguous or host_picks):
        source = copied(source)
        force(source)
    return source


def look(node: Node, name: str) -> Array:
    """The elements that ``name`` has to look at before it knows the shape of its result."""
    if isinstance(node.device, Tracer):
        node.device.refuse(name, node)
        return read(node)
    if not is_here(node):
        raise DeviceError(
            f"{name} looks at its elements on the host, and these are on {node.device}; "
            f"{node.device.way_home}"  # type: ignore[union-attr]
        )
    return read(node)


def own(node: Node) -> Array:
    """The elements of ``node`` in memory that is its base's alone, to write to or hand out."""
    array = settle(node)
    if array is not None:
        return array
    if node.op.kind in _WITHOUT_MEMORY and is_here(node) and is_part(node):
        return np.array(stream.region(node, _computed))
    if isinstance(node.device, Tracer):
        node.device.refuse("handing out memory", node)
    if not node.has_strides or isinstance(node.device, Tracer):
        array = read(node)
        array.flags.writeable = False  # what is written to a copy would be lost
        return array
    if not is_here(node):
        raise DeviceError(
            f"memory of the host was needed, and these elements are on {node.device}; "
            f"{node.device.way_home}"  # type: ignore[union-attr]
        )
    force(node)
    array = settle(node)
    assert array is not None
    return array


def is_here(node: Node) -> bool:
    """Whether ``node`` is on the host, or at home everywhere."""
    device = node.device
    return device is None or device.is_host


def is_part(node: Node) -> bool:
    """Whether ``node`` is read without storing all of the elements that it is a view of.

    They are made on demand, or they are computed from such and there are many more of them.
    """
    base = node.base
    if base.array is not None or base.block is not None or not node.has_strides:
        return False
    if base.op.kind is Kind.SOURCE:
        return True
    return node is not base and stream.is_few(node, base) and bool(pushdown.sourced([base]))


def is_large_and_on_demand(node: Node) -> bool:
    """Whether ``node`` is read or computed from what is made on demand, and is too large to be
    taken into memory for that alone."""
    base = node.base
    if node.nbytes <= stream.TILE_NBYTES or base.block is not None or not node.has_strides:
        return False
    return base.op.kind is Kind.SOURCE or bool(pushdown.sourced([base]))


def compute_region(root: Node, view: View) -> Array:
    """The elements of ``root`` that ``view`` shows, which counts them in row-major order."""
    return stream.part(root, view, _computed)


def _computed(node: Node) -> Array:
    """The elements of ``node``, in an array that keeps their memory alive."""
    if not is_here(node) or (node.block is None and not node.is_view):
        force(node)
    return read(node) if is_here(node) else np.empty(0)


def force(node: Node) -> None:
    """Store the elements of ``node``'s base in memory that is the base's alone."""
    if isinstance(node.device, Delegated):
        node.device.driver.realize([node.base])
        return
    while True:
        asked = None
        try:
            if by_form.by_form(node.base, _run_piece, own=True):
                return
            with engine_lock.lock:
                if not is_stored(node):
                    _run([node.base], True)
            return
        except decide.ReadFirst as first:
            asked = first.wanted
        except StillToCome:
            pass  # below: without the lock
        _make_ready([node], asked)


def settle_one(reader: Node, errors: tuple[type[Exception], ...] = WRONG) -> None:
    """Compute ``reader`` before the memory that it reads is written or handed out.

    An error, if it is one of ``errors``, is the reader's own: it raises when that is asked for.
    """
    try:
        force(reader)
    except Exception as error:
        if not isinstance(error, errors) and not depends_on_failed(reader):
            raise
        fail(reader, error)


def write_compiled(write: Node, seconds: float | None = None) -> bool:
    """Run a WRITE, if there is a kernel for it by now; whether there was.

    ``seconds`` is what it takes without a kernel, if that is known.
    """
    overtaken = 0
    with engine_lock.lock:
        while True:
            turn = engine_lock.begin()
            start = perf_counter() if listeners() else 0.0
            try:
                found = decide.plan_for([write], compiled=True, seconds=seconds)
                if found is not None:
                    _run_plan(*found, turn, start)
                return found is not None
            except decide.ReadFirst:
                return False
            except engine_lock.Overtaken:  # before anything was written
                continue
            except Exception as error:
                if (
                    turn not in engine_lock.turns
                    and is_internal(error)
                    and overtaken < MOST_OVERTAKEN
                ):
                    overtaken += 1  # it was planned for a graph that is no more
                    continue
                if isinstance(error, error_context.OutsideError):
                    raise error_context.explained(error, read) from None
                raise
            finally:
                engine_lock.turns.discard(turn)


def _run(wanted: list[Node], own: bool, overtaken: int = 0, is_piece: bool = False) -> None:
    turn = engine_lock.begin()
    start = perf_counter() if listeners() else 0.0
    try:
        found = decide.plan_for(wanted, own, is_piece=is_piece)
        if found is not None:
            _run_plan(*found, turn, start)
    except Exception as error:
        if turn not in engine_lock.turns and overtaken < MOST_OVERTAKEN:
            # Whatever went wrong, it was planned for a graph that is no more.
            _run_again(wanted, own, overtaken + 1)
            return
        if isinstance(error, error_context.OutsideError):
            raise error_context.explained(error, read) from None
        raise
    finally:
        engine_lock.turns.discard(turn)
    if found is None:
        _run_pieces(wanted, own)


def _run_plan(plan: Plan, held: Held, turn: object, start: float) -> None:
    """Run a plan; planning began at ``start``, if there are listeners."""
    plan.run(held, turn)
    if listeners() and start:
        tell(Realized(len(plan.steps), perf_counter() - start, start))


def _run_again(wanted: list[Node], own: bool, overtaken: int) -> None:
    """Plan anew, for what code that ran in the middle of a plan has left to compute.

    If that happens again and again (a listener that computes, say), the result of every step is
    stored, so that none is computed twice.
    """
    is_done = is_stored if own else is_readable
    left = [node for node in wanted if not is_done(node)]
    if not left:
        return
    if overtaken <= OFTEN_OVERTAKEN:
        _run(left, own, overtaken)
        return
    with config(tier="interpret"):
        _run(left, own, overtaken)


def _run_piece(node: Node) -> bool:
    """Compute a node of a larger graph; False if something else has to be done first."""
    try:
        _run([node], False, is_piece=True)
    except (decide.ReadFirst, StillToCome):
        return False
    return True


def _run_pieces(wanted: list[Node], own: bool) -> None:
    """Compute a graph that is too large for one plan."""
    parts = pieces.pieces(wanted)[::-1]
    while parts:
        _run(parts.pop(), False, is_piece=True)
    rest = wanted if own else [node for node in wanted if _is_pending(node)]
    if rest:
        _run(rest, own, is_piece=True)
