"""A capture: what one call of a function did with buffers, ready to be done again.

The graph of the call is cut into regions where the function read a value
(`onebuf.capture.regions`). All but the last compute what was read; the last computes results, and
what is to be written. Nothing is written before all reads gave the values that they gave when the
function was captured, so a replay that goes another way has changed nothing, and the function can
be called.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple
from weakref import ref

from onebuf import pytree
from onebuf.buffer import Buffer
from onebuf.buffer.exchange.construction import Bits, draws_noted
from onebuf.buffer.handle import PLACE
from onebuf.capture.capture_trace import CaptureTrace, Read
from onebuf.capture.regions import Region, cut
from onebuf.engine import assign, force, is_here, read, settle_readers, writable
from onebuf.engine.run.pending_readers import has_neighbours
from onebuf.errors import ArgumentError
from onebuf.graph import COPY, INPUT, VIEW, Freed, Node, make
from onebuf.layout import View, compose
from onebuf.machine import Tracer
from onebuf.memory import address_of
from onebuf.ops import Draw, seen, view_of
from onebuf.options import config

Draws = list[tuple[Bits, Draw]]
LEAST_NBYTES = 1 << 14
"""A quick program does not overwrite fewer bytes than this: they are sooner copied."""
_PLACES = {0: PLACE}
"""What buffers without axes that are memory have in place of a base."""


class NotCaptured(Exception):
    """A call that cannot be replayed; the text says why."""


class Seen(NamedTuple):
    """A result that is a view of a given buffer; without a view, that buffer itself."""

    given: int
    view: View | None


class Computed(NamedTuple):
    """A result that is computed: its number among those of the last region."""

    number: int
    is_number: bool
    kind: type[Buffer]
    rank: int


class Kept(NamedTuple):
    """A result that is no buffer, or one that the function did not make."""

    value: Any


class Write(NamedTuple):
    """A given buffer that is written, and the number of its new elements."""

    given: int
    number: int


class Recorded:
    """A call that was traced: its graph, what it returned, and what it wrote.

    ``wanted`` are the nodes that it computes in the end, by the numbers that `Computed` and `Write`
    have; ``parameters`` has the number of the given buffer for each parameter, by id.
    """

    def __init__(
        self, trace: CaptureTrace, parameters: dict[int, int], structure: Any, draws: Draws
    ) -> None:
        self.trace = trace
        self.parameters = parameters
        self.structure = structure
        self.draws = draws
        self.same: list[int] = []
        """For each leaf of the results, the first one that is the same object."""
        self.returned: list[Seen | Computed | Kept] = []
        self.writes: list[Write] = []
        self.wanted: list[Node] = []
        self.left: list[tuple[ref[Buffer], Seen | Computed | Kept]] = []
        """Buffers that the function left where others find them, as attributes."""

    def classify(self, given: Sequence[Buffer], nodes: Sequence[Node], leaves: list[Any]) -> None:
        """Find out what becomes of the leaves of the results, and what is written."""
        bases = {id(node): number for number, node in enumerate(nodes)}
        objects = {id(buffer): number for number, buffer in enumerate(given)}
        made: dict[int, Any] = {}
        for place, leaf in enumerate(leaves):
            self.same.append(made.setdefault(id(leaf), place))
            self.returned.append(self._kind(leaf, objects, bases))
        for parameter, base in self.trace.written.values():
            number = self.parameters.get(id(parameter))
            if number is not None:
                self.writes.append(Write(number, self._wanted(base.srcs[0])))

    def leave(self, given: Sequence[Buffer], nodes: Sequence[Node], left: Sequence[Buffer]) -> None:
        """Let replays give new elements to buffers that the function made and ``left`` behind."""
        bases = {id(node): number for number, node in enumerate(nodes)}
        old = {id(buffer) for buffer in given}
        for buffer in left:
            node = buffer._node
            is_mine = isinstance(node.device, Tracer) and node.device.trace is self.trace
            if not is_mine or id(buffer) in old:
                continue
            if any(node.base is one.base for one in self.wanted):  # which others have
                node = make(COPY, (node,), None, node.shape, node.dtype, unique=True)
                number = self._wanted(node)
                kind = Computed(number, buffer._is_number, type(buffer), len(node.shape))
                self.left.append((ref(buffer), kind))
            else:
                self.left.append((ref(buffer), self._kind(buffer, {}, bases)))

    def _kind(
        self, leaf: Any, objects: dict[int, int], bases: dict[int, int]
    ) -> Seen | Computed | Kept:
        """What becomes of a leaf of the results."""
        if not isinstance(leaf, Buffer):
            return Kept(leaf)
        if id(leaf) in objects:
            return Seen(objects[id(leaf)], None)
        node = leaf._node
        if id(node.base) in bases and not leaf._is_number:
            return Seen(bases[id(node.base)], node.view)
        if not isinstance(node.device, Tracer) and node.base.array is not None:
            return Kept(leaf)
        return Computed(self._wanted(node), leaf._is_number, type(leaf), len(node.shape))

    def _wanted(self, node: Node) -> int:
        """The number of ``node`` among what the last region computes, in memory of its own."""
        if node.base.op is INPUT:
            node = make(COPY, (node,), None, node.shape, node.dtype, unique=True)
        self.wanted.append(node)
        return len(self.wanted) - 1


class Capture:
    """The regions of a call, what it returned, and what it wrote."""

    def __init__(
        self, recorded: Recorded, real: Sequence[Node], donated: Collection[int] = ()
    ) -> None:
        """``real`` are the nodes of the given buffers; those that are ``donated``, by number, are
        freed by a replay."""
        trace = recorded.trace
        self.reads: list[Read] = trace.reads
        self.writes = recorded.writes
        self._draws = recorded.draws
        self._structure = recorded.structure
        self._same = recorded.same
        self._returned = recorded.returned
        self._left = recorded.left
        ends = [[one.node] for one in trace.reads] + [recorded.wanted]
        with config(eager_numel=0):
            writes = {write.given: write.number for write in recorded.writes}
            self.regions: list[Region] = cut(
                trace, recorded.parameters, real, ends, writes, donated
            )
        self.donated = donated
        self.apart: list[int] | None = None
        """Addresses of given buffers at which what is written overlaps nothing."""
        self.direct = None if donated else self._directly(len(real))
        """Does what `replay` does, of the plainest captures, in fewer steps; None of others."""

    def _directly(self, count: int) -> Callable[..., Any] | None:
        """A replay for ``count`` buffers that is one quick program, and does nothing else."""
        program = self.regions[0].program
        written = None if program is None else program.quick
        if written is None or self.reads or self.writes or self._draws or self._left:
            return None
        if len(self._returned) != 1:
            return None
        returned = self._returned[0]
        if not isinstance(returned, Computed) or self._structure.unflatten([self]) is not self:
            return None
        base = None if returned.is_number else _PLACES.get(returned.rank)
        return written.direct(count, returned.kind, base)

    # -- doing it again ----------------------------------------------------------------------------

    def replay(self, given: Sequence[Buffer], is_first: bool = False) -> Any:
        """The results for other buffers; `Other` if a value that was read is another one now.

        The ``is_first`` replay is for the call that was captured, and uses the same random bits.
        """
        before = [bits.state for bits, _ in self._draws]
        streams = {} if is_first else {old: bits.draw() for bits, old in self._draws}
        values = [buffer._node for buffer in given]
        for region, one in zip(self.regions, self.reads, strict=False):
            found = region.compute(values, streams)
            if not one.is_same(read(found[0])):
                for (bits, _), state in zip(self._draws, before, strict=True):
                    bits.state = state
                raise Other(one.line)
            values += found
        for write in self.writes:
            if is_here(values[write.given]):
                writable(values[write.given])  # before anything is written
        written = self._overwritable(values)
        if written:
            program = self.regions[-1].program
            assert program is not None
            computed = program.run(values, streams, written)
        else:
            computed = self.regions[-1].compute(values, streams)
        for write in self.writes:
            if write.given not in written:
                assign(given[write.given]._node, computed[write.number])
        result = self._results(given, computed)
        for reference, kind in self._left:
            buffer = reference()
            if buffer is not None:
                buffer._node = self._made(kind, given, computed)._node
        for number in self.donated:
            node = given[number]._node
            given[number]._node = Freed(node.shape, node.dtype, node.device)
        return result

    def _overwritable(self, values: Sequence[Node]) -> list[int]:
        """The given buffers, by number, whose memory the last region may overwrite.

        What still has to read that memory is computed first.
        """
        program = self.regions[-1].program
        if program is None or not program.overwritten:
            return []
        found = []
        least = 0 if program.quick is None else LEAST_NBYTES
        for write in self.writes:
            node = values[write.given]
            if write.given in program.overwritten and _is_own(node, least):
                settle_readers(node)
                found.append(write.given)
        return found

    def explain(self) -> str:
        """The regions, and where they end."""
        lines = []
        for number, region in enumerate(self.regions):
            end = "" if number == len(self.reads) else f", ends at {self.reads[number].line}"
            lines.append(f"region {number + 1}: {region.describe()}{end}")
        return "; ".join([*lines, f"{len(self.writes)} buffers written"])

    def _results(self, given: Sequence[Buffer], computed: Sequence[Node]) -> Any:
        leaves: list[Any] = []
        for place, returned in enumerate(self._returned):
            if self._same[place] < place:
                leaves.append(leaves[self._same[place]])
            else:
                leaves.append(self._made(returned, given, computed))
        return self._structure.unflatten(leaves)

    def _made(
        self, kind: Seen | Computed | Kept, given: Sequence[Buffer], computed: Sequence[Node]
    ) -> Any:
        """What the function made, of what was computed."""
        if isinstance(kind, Computed):
            make_one = kind.kind._value if kind.is_number else kind.kind._place
            return make_one(computed[kind.number])
        return _view(given[kind.given], kind.view) if isinstance(kind, Seen) else kind.value


def _is_own(node: Node, least: int) -> bool:
    """Whether a kernel can write all of a node's memory, of at least so many bytes."""
    array = node.array
    if array is None or array.nbytes < least or has_neighbours(node):
        return False
    block = node.block
    in_front = block is not None and address_of(array) == block.address
    return in_front and array.flags.carray


class Other(Exception):
    """A value that was read is another one than when the function was captured."""


def _view(buffer: Buffer, view: View | None) -> Buffer:
    """A view of a buffer's elements, as the function made one."""
    if view is None:
        return buffer
    node = buffer._node
    there = compose(view, view_of(node))
    if there is None:
        return buffer._value(make(VIEW, (node,), view, view.shape, node.dtype))
    return buffer._view(seen(node, there))


def captured(
    call: Callable[[], Any],
    given: Sequence[Buffer],
    donated: Collection[int] = (),
    left: Callable[[], Sequence[Buffer]] = tuple,
) -> Capture:
    """What ``call`` does, as a capture; `NotCaptured` if it cannot be replayed.

    ``given`` are buffers, each once, that the call reaches. While it runs they have no elements.
    Those that are ``donated``, by number, are not used afterwards. ``left`` gives the buffers that
    can be found after the call.
    """
    for buffer in given:
        force(buffer._node)
    trace = CaptureTrace()
    real = [buffer._node for buffer in given]
    nodes = [trace.input(node) for node in real]
    found = recorded(call, given, trace, nodes, [], left)
    for one in found.returned:
        if isinstance(one, Seen) and one.given in donated:
            raise ArgumentError(
                "a donated argument is freed, so it cannot be returned, nor a view of it; return a "
                "copy, or do not donate it"
            )
    return Capture(found, real, donated)


def recorded(
    call: Callable[[], Any],
    given: Sequence[Buffer],
    trace: CaptureTrace,
    nodes: Sequence[Node],
    draws: Draws,
    left: Callable[[], Sequence[Buffer]] = tuple,
) -> Recorded:
    """What ``call`` does while the buffers ``given`` have the INPUTs ``nodes`` of ``trace``.

    Random draws are added to ``draws``.
    """
    parameters = {id(node.arg): number for number, node in enumerate(nodes)}
    token = draws_noted.set(draws)
    try:
        with config(eager_numel=0), trace.recording(), _swapped(given, nodes):
            result = call()
            for buffer, node in zip(given, nodes, strict=True):
                if buffer._node is not node:
                    raise NotCaptured("a buffer got another shape or other memory in the function")
            leaves, structure = pytree.flatten(result)
            found = Recorded(trace, parameters, structure, draws)
            found.classify(given, nodes, leaves)
            found.leave(given, nodes, left())
            return found
    finally:
        draws_noted.reset(token)


@contextmanager
def _swapped(buffers: Sequence[Buffer], nodes: Sequence[Node]) -> Iterator[None]:
    """Let buffers have other nodes."""
    before = [buffer._node for buffer in buffers]
    try:
        for buffer, node in zip(buffers, nodes, strict=True):
            buffer._node = node
        yield
    finally:
        for buffer, node in zip(buffers, before, strict=True):
            buffer._node = node
