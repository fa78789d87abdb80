"""Deciding whether to compile a graph: the ski-rental rule.

Interpreting a graph costs little at once and again each time; compiling costs once. So a structure
is interpreted until the time that took, or is about to take, reaches what compiling costs. So a
program does not wait for a compiler to add two vectors, and hot code is compiled. The compiler
itself has to be loaded once: all structures that are due share that cost.
"""

from __future__ import annotations

import sys
from collections.abc import Hashable, Sequence
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

from onebuf.engine.cpu.fallback import is_internal, note
from onebuf.engine.cpu.small_kernels import is_ours
from onebuf.engine.plan.build import make_plan
from onebuf.engine.plan.liveness import alone_in, states_of
from onebuf.engine.step.plan import Held, Plan
from onebuf.graph import FUTURE, ON_DEMAND, RANDOM_BITS, Kind, Node, StillToCome
from onebuf.late import Late
from onebuf.machine import CPU
from onebuf.options import Options, options
from onebuf.scheduler import Item, schedule
from onebuf.scheduler.pieces import MOST_NODES, is_computed
from onebuf.scheduler.plan_key import structure_of, walk_of

if TYPE_CHECKING:
    from onebuf.engine.plan import form, kernels, on_device
    from onebuf.scheduler import guard
    from onebuf.scheduler.fuse import fusion
    from onebuf.scheduler.fuse.multipass import Kernel
else:
    form = Late("onebuf.engine.plan.form")
    kernels = Late("onebuf.engine.plan.kernels")
    on_device = Late("onebuf.engine.plan.on_device")
    guard = Late("onebuf.scheduler.guard")
    fusion = Late("onebuf.scheduler.fuse.fusion")

COMPILE_SECONDS = 0.02
"""What new kernels cost, about."""
LOAD_SECONDS = 0.2
"""What loading the compiler costs, about."""
BYTES_A_SECOND = 2.5e9
"""How fast NumPy's loops go through memory, about, on memory that was just allocated."""
RANDOM_BYTES_A_SECOND = 3e8
"""How fast NumPy's loops make random bits, about."""
ITEM_SECONDS = 5e-6
MOST_STRUCTURES = 65536
MOST_PLANS = 4096
GUARDED = 4
"""A plan that was found so often gets a form, or a guard, which takes a millisecond to write."""
MOST_FORMS = 4
"""So many plans of one line are kept as forms."""
EXPRESSION_NBYTES = 1 << 20
"""An on-demand expression of more bytes is compiled at once: NumPy would need memory for it."""
LONG_NUMEL = 1 << 32
"""A kernel that makes more elements than this on demand takes so long that it shows progress."""

COMPILER = "llvmlite.binding"
"""The module of the compiler, once it is loaded."""

_spent: dict[int, float] = {}
"""Seconds of interpreting, for each structure that was interpreted."""
_waiting = [0.0]
"""Seconds of interpreting what was due, but for the compiler."""


class ReadFirst(Exception):
    """Before ``wanted`` can be planned, elements that are made on demand have to be read."""

    def __init__(self, wanted: list[Node]) -> None:
        super().__init__("elements that are made on demand are read before a plan is made")
        self.wanted = wanted


class Known:
    """A plan, how often it was found, and what it costs if it may be compiled later."""

    __slots__ = ("plan", "structure", "cost", "found")

    def __init__(self, plan: Plan, structure: int, cost: float) -> None:
        self.plan = plan
        self.structure = structure
        self.cost = cost
        """Seconds of interpreting; 0: it is compiled."""
        self.found = 0


_known: dict[Hashable, Known] = {}
"""The plans that were made, by the plan keys and states of their graphs."""
_guards: dict[Hashable, Any] = {}
"""The plans that were last found often for what a line of the program asks for, by that line:
`Forms`, or else a guard and the plan."""


class Forms(NamedTuple):
    """Plans of what one line asks for, as functions."""

    how: Hashable
    """What the plans depend on besides the graph."""
    forms: list[form.Form]
    """The largest first: a large graph is made of few pieces then."""
    recent: list[form.Form]
    """The same, that which was written last first."""
    options: list[Options]
    """One element: options that agreed with ``how``, which need no comparing."""


def forms_of(node: Node, own: bool) -> Sequence[form.Form]:
    """What may compute ``node``, which is pending and on the host, without planning."""
    made_at = node.made_at
    found = None if made_at is None else _guards.get((id(made_at[0]), made_at[1], own))
    if found is None:
        return ()
    now = options()
    if found.options[0] is not now:
        if found.how != _how(now, own, None):
            return ()
        found.options[0] = now
    return found.forms  # type: ignore[no-any-return]


def _how(now: Options, own: bool, afar: Any) -> Hashable:
    """All but the graph that a plan depends on."""
    searches = now.search_seconds > 0
    return (own, now.tier, now.check_bounds, searches, now.donate_nbytes, afar and afar.name)


def plan_for(
    wanted: list[Node],
    own: bool = False,
    compiled: bool = False,
    seconds: float | None = None,
    is_piece: bool = False,
) -> tuple[Plan, Held] | None:
    """What makes ``wanted`` readable, made or remembered, and the nodes to run it with.

    None: there is so much to do that it has to be cut into pieces; or it has to be ``compiled``,
    and that is not worth it yet. ``seconds`` is what the caller takes to do it in another way, if
    that is known. `ReadFirst` if a step would have to ask a source for elements.
    ``is_piece``: this is what was cut.
    """
    now = options()
    made_at = wanted[0].made_at
    device = wanted[0].device
    afar = None if device is None or device.is_host else device
    how = _how(now, own, afar)
    line = (id(made_at[0]), made_at[1], how) if made_at else None
    guarded = _guards.get(line)
    if guarded is not None:
        held = guarded[0](wanted)
        if held is not None:
            return guarded[1], held
    plan_key, walk = walk_of(wanted, how)
    if plan_key is None and FUTURE in [node.op for node in walk]:
        raise StillToCome
    if len(walk) > MOST_NODES and sum(map(is_computed, walk)) > MOST_NODES:
        if any(node.op.kind is Kind.SOURCE for node in walk):
            raise ReadFirst(wanted)
        return None
    states = states_of(walk, wanted)
    key = None if plan_key is None else (plan_key, states)
    known = _known.get(key) if key is not None else None
    if known is not None and (not known.cost or not _is_due(known.structure, known.cost)):
        known.found += 1
        if known.found % GUARDED == 0 and not known.cost and line is not None:
            is_written = _written(wanted, walk, known.plan, states, how, own, is_piece)
            if not is_written:
                _remember(_guards, line, _guard(wanted, walk, known.plan, states))
        if compiled and known.cost:
            return None
        return known.plan, known.plan.nodes_of(walk)
    if afar is not None:
        try:
            works = on_device.work_on(afar, wanted, own)
        except fusion.NotInlined:
            raise ReadFirst(wanted) from None
        if _reads_sources(works):
            raise ReadFirst(wanted)
        plan = on_device.plan_on(afar, works, walk)
        if key is not None:
            _remember(_known, key, Known(plan, 0, 0.0))
        return plan, plan.nodes_of(walk)
    try:
        decision = _decide(wanted, own, walk, states, dry=False, seconds=seconds)
        if _reads_sources(decision.items) or _is_long(decision.items, walk):
            raise ReadFirst(wanted)
        if compiled and decision.cost:
            return None
        alone = alone_in(walk, states) - {id(node.base) for node in wanted}
        plan = make_plan(decision.items, walk, alone, decision.replayed)
    except ReadFirst:
        raise
    except Exception as error:
        if isinstance(error, fusion.NotInlined):
            raise ReadFirst(wanted) from None
        decision, plan = Decision([], []), _without_kernels(error, wanted, own, walk)
    if key is not None:
        _remember(_known, key, Known(plan, decision.structure, decision.cost))
    return plan, plan.nodes_of(walk)


def _reads_sources(items: Sequence[Any]) -> bool:
    """Whether a step reads elements that are made on demand, and not by a kernel."""
    return any(
        node.on_demand is not None
        for item in items
        for node in (item.inputs if isinstance(item, Item) else (*item.inputs, *item.whole))
    )


def _is_long(items: Sequence[Any], walk: Sequence[Node]) -> bool:
    """Whether kernels go over so much that is made on demand that it is done tile by tile."""
    if not any(node.op is ON_DEMAND for node in walk):
        return False
    parts = [part for item in items if not isinstance(item, Item) for part in item.parts]
    return any(prod(part.extents) > LONG_NUMEL for part in parts)


def _without_kernels(error: Exception, wanted: list[Node], own: bool, walk: list[Node]) -> Plan:
    """A plan that interprets, where planning or compiling ended in ``error``; or the error."""
    if not is_internal(error):
        raise error
    items = schedule(wanted, own)  # where the graph itself is at fault, this raises again
    node = wanted[0]
    note(error, node.base.op.name, None if node.origin is None else str(node.origin))
    return make_plan(items, walk)


def forget_plans() -> None:
    """Make every plan anew, as in a process that has just begun; kernels stay compiled."""
    _known.clear()
    _guards.clear()
    _spent.clear()
    _waiting[0] = 0.0


def _guard(wanted: Sequence[Node], walk: Sequence[Node], plan: Plan, states: bytes) -> Any:
    if len(walk) > guard.MOST_NODES:
        return None
    return guard.write_guard(wanted, plan.needed, plan.made, states), plan


def _written(
    wanted: Sequence[Node],
    walk: Sequence[Node],
    plan: Plan,
    states: bytes,
    how: Hashable,
    own: bool,
    is_piece: bool,
) -> bool:
    """Write the form of a plan, and remember it; False if it has none, or has had it before.

    A plan that is found though it has a form is run where forms are not, so it gets a guard.
    """
    now, made_at = options(), wanted[0].made_at
    if len(wanted) > 1 or wanted[0].device is not CPU or len(walk) > guard.MOST_NODES:
        return False
    if made_at is None or now.check_bounds or now.search_seconds > 0:
        return False
    key = (id(made_at[0]), made_at[1], own)
    before = _guards.get(key)
    others = [] if before is None or before.how != how else before.recent
    if any(one.plan is plan and one.is_open >= is_piece for one in others):
        return False
    written = form.write_form(wanted, walk, plan, states, is_piece)
    if written is None:
        return False
    _guards.pop(key, None)
    recent = [written, *[one for one in others if one.plan is not plan]][:MOST_FORMS]
    largest = sorted(recent, key=lambda one: -one.size)
    _remember(_guards, key, Forms(how, largest, recent, [now]))
    return True


def _remember(table: dict[Hashable, Any], key: Hashable, value: Any) -> None:
    """Put something into a table that never becomes larger than it should: the oldest goes."""
    if value is not None:
        if len(table) >= MOST_PLANS:
            del table[next(iter(table))]
        table[key] = value


def items_for(wanted: Sequence[Node]) -> list[Kernel | Item]:
    """The kernels, or operations on NumPy's loops, that would make ``wanted`` readable."""
    walk = walk_of(wanted).nodes
    return list(_decide(wanted, False, walk, states_of(walk, wanted), dry=True).items)


def decision_for(wanted: Sequence[Node], walk: Sequence[Node]) -> Decision:
    """What is to be done for a graph of which nothing but ``wanted`` is held.

    `ReadFirst` if a step would have to ask a source for elements.
    """
    try:
        decision = _decide(wanted, True, walk, bytes(len(walk)), dry=False)
    except fusion.NotInlined:
        raise ReadFirst(list(wanted)) from None
    if _reads_sources(decision.items) or _is_long(decision.items, walk):
        raise ReadFirst(list(wanted))
    return decision


class Decision(NamedTuple):
    """What is to be done for a graph."""

    items: Sequence[Kernel | Item]
    """Kernels, or operations on NumPy's loops."""
    replayed: list[Node]
    """Values that are held elsewhere, and are computed without being stored."""
    structure: int = 0
    cost: float = 0.0
    """Seconds that interpreting takes; 0: there is nothing to interpret."""


def _decide(
    wanted: Sequence[Node],
    own: bool,
    walk: Sequence[Node],
    states: bytes,
    dry: bool,
    seconds: float | None = None,
) -> Decision:
    """Kernels or NumPy steps; a ``dry`` plan is only shown: it does not count as interpreting."""
    device = wanted[0].device if wanted else None
    if device is not None and not device.is_host:
        return Decision(on_device.work_on(device, wanted, own), [])
    tier = options().tier
    items = schedule(wanted, own)
    structure, cost = 0, 0.0
    if tier == "auto":
        structure = structure_of(walk, len(wanted))
        moved = sum(item.bytes_read + item.bytes_written for item in items)
        drawn = sum(item.bytes_written for item in items if item.node.op is RANDOM_BITS)
        cost = moved / BYTES_A_SECOND + drawn / RANDOM_BYTES_A_SECOND + len(items) * ITEM_SECONDS
        cost = cost if seconds is None else seconds
        if moved > EXPRESSION_NBYTES and any(node.op is ON_DEMAND and node.srcs for node in walk):
            tier = "compile"
    if items and tier != "interpret" and (tier == "compile" or _is_due(structure, cost, dry)):
        try:
            found, replayed = kernels.kernels_of(wanted, items, walk, states)
        except fusion.NotInlined:
            if not dry:
                raise
        else:
            return Decision(found, replayed, structure)
    mixed = [kernels.kernel_of(item) if _needs_kernel(item.node) else item for item in items]
    return Decision(mixed, [], structure, cost)


def _needs_kernel(node: Node) -> bool:
    """Whether NumPy's loops would give other bits than our kernels do in the other tiers."""
    return bool(node.srcs) and is_ours(node.op, node.srcs[0].dtype, node.dtype)


def _is_due(key: int, cost: float, dry: bool = False) -> bool:
    """Whether interpreting a structure once more would cost more, in all, than compiling."""
    total = _spent.get(key, 0.0) + cost
    if not dry:
        if len(_spent) >= MOST_STRUCTURES:
            _spent.clear()
        _spent[key] = total
    if total <= COMPILE_SECONDS:
        return False
    if COMPILER not in sys.modules:
        _waiting[0] += 0.0 if dry else cost
        return total + _waiting[0] > LOAD_SECONDS
    return True
