"""Mask kernels by vector instructions that move the selected lanes of a register together.

They are `onebuf.render.llvm.mask_kernels` for processors that have such instructions, with the same
arguments and results. A vector is compressed in a register and stored whole where the next selected
element belongs: the lanes after the selected ones are overwritten by the next vector. The last
vectors of a chunk are masked, so that no chunk writes to the part of another, even if the mask is
changed meanwhile. (Compression straight to memory is slow on some processors.)
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Literal

from onebuf.render.builder import Builder, Value
from onebuf.render.llvm.mask_kernels import PICK, SPREAD, ChunkBuilder, position_words
from onebuf.render.llvm.memory.masked_access import lane_mask
from onebuf.render.llvm.rendering import VECTOR_NBYTES

Way = Literal["compress", "permute"]
"""``compress``: AVX-512 has an instruction. ``permute``: AVX2 permutes 8 lanes of 4 bytes, in an
order that a table has for each of the 256 masks."""

_TABLE = "orders"


def way(itemsize: int, features: str) -> Way | None:
    """How elements of ``itemsize`` bytes are compressed by a processor with ``features``.

    >>> way(4, "+avx2"), way(2, "+avx2,+avx512f"), way(2, "+avx512f,+avx512vbmi2")
    ('permute', None, 'compress')
    """
    known = features.split(",")
    if (itemsize >= 4 and "+avx512f" in known) or "+avx512vbmi2" in known:
        return "compress"
    return "permute" if itemsize in (4, 8) and "+avx2" in known else None


class _Compressed(ChunkBuilder):
    """A function that goes through a chunk in vectors of ``lanes`` elements of type ``of``."""

    def __init__(self, words: tuple[str, ...], itemsize: int, how: Way) -> None:
        super().__init__(words)
        self.itemsize = itemsize
        self.of = f"i{8 * itemsize}"
        self.how = how
        self.lanes = (VECTOR_NBYTES if how == "compress" else VECTOR_NBYTES // 2) // itemsize

    def flags(self, index: Value) -> tuple[Value, Value]:
        """Which lanes from ``index`` of the chunk on are selected, and how many."""
        b, lanes = self.b, self.lanes
        found = self.load(f"<{lanes} x i8>", self.plus(self.mask, index))
        b.lanes = lanes
        flags = b.compare("icmp ne", Value(found.name, "i8"), b.constant("i8", 0))
        b.lanes = 1
        return flags, self.count_of(flags)

    def bits(self, flags: Value) -> Value:
        """Flags as the lowest bits of an i64."""
        lanes = self.lanes
        name = self.b.emit(f"bitcast <{lanes} x i1> {flags.name} to i{lanes}")
        whole = Value(name, f"i{lanes}", True)
        return Value(name, "i64", True) if lanes == 64 else self.b.convert("zext", whole, "i64")

    def count_of(self, flags: Value) -> Value:
        """How many flags are set."""
        return self.b.call("llvm.ctpop", self.bits(flags))

    def compressed(self, values: str, flags: Value) -> str:
        """The selected lanes of a vector, moved together; what comes after them is undefined."""
        if self.how == "permute":
            return self._permuted(values, flags)
        b, lanes, of = self.b, self.lanes, self.of
        selected = flags.name
        if self.itemsize == 16:  # there are instructions for pairs of i64
            pairs = ", ".join(f"i32 {lane // 2}" for lane in range(2 * lanes))
            both = f"<{2 * lanes} x i32> <{pairs}>"
            selected = b.emit(
                f"shufflevector <{lanes} x i1> {selected}, <{lanes} x i1> poison, {both}"
            )
            values = b.emit(f"bitcast <{lanes} x i128> {values} to <{2 * lanes} x i64>")
            lanes, of = 2 * lanes, "i64"
        wide, marks = f"<{lanes} x {of}>", f"<{lanes} x i1>"
        name = f"@llvm.experimental.vector.compress.v{lanes}{of}"
        b.declarations.add(f"declare {wide} {name}({wide}, {marks}, {wide})")
        found = b.emit(f"call {wide} {name}({wide} {values}, {marks} {selected}, {wide} poison)")
        if self.itemsize == 16:
            return b.emit(f"bitcast {wide} {found} to <{self.lanes} x i128>")
        return found

    def _permuted(self, values: str, flags: Value) -> str:
        b, wide = self.b, f"<{self.lanes} x {self.of}>"
        b.helpers[_TABLE] = _orders(self.lanes)
        order = b.emit(f"getelementptr [8 x i8], ptr @{_TABLE}, i64 {self.bits(flags).name}, i64 0")
        short = b.emit(f"load <8 x i8>, ptr {order}, align 8")
        places = b.emit(f"zext <8 x i8> {short} to <8 x i32>")
        words = b.emit(f"bitcast {wide} {values} to <8 x i32>")
        permute = "@llvm.x86.avx2.permd"
        b.declarations.add(f"declare <8 x i32> {permute}(<8 x i32>, <8 x i32>)")
        found = b.emit(f"call <8 x i32> {permute}(<8 x i32> {words}, <8 x i32> {places})")
        return b.emit(f"bitcast <8 x i32> {found} to {wide}")

    def gather(
        self,
        taken: Value,
        vector: Callable[[Value], str],
        element: Callable[[Value], Value],
        store: Callable[[str, Value, Value | None], None],
    ) -> None:
        """Store the selected elements of the chunk, which are ``taken`` in number.

        ``vector`` and ``element`` are the values at an index of the chunk; ``store`` stores a
        vector, or those of its lanes that are asked for, or an element, at a place.
        """
        b = self.b
        middle = self.last_multiple(self.index(0), self.count, self.lanes)
        loop = self.open(self.index(0), [self.index(0)], self.lanes, middle)
        place = loop.carried[0]
        flags, number = self.flags(loop.counter)
        packed = self.compressed(vector(loop.counter), flags)
        room = self.minus(taken, place)
        whole, part, done = (b.label(word) for word in ("whole", "part", "done"))
        fits = b.compare("icmp sge", room, self.index(self.lanes))
        b.line(f"br i1 {fits.name}, label %{whole}, label %{part}")
        b.line(f"{whole}:")
        store(packed, place, None)
        b.line(f"br label %{done}")
        b.line(f"{part}:")
        store(packed, place, room)
        b.line(f"br label %{done}")
        b.line(f"{done}:")
        self.close(loop, [self.plus(place, number)])
        rest = self.open(middle, [place], 1, self.count)
        place = rest.carried[0]
        full = self.unless(b.compare("icmp sge", place, taken), "full")
        store(element(rest.counter).name, place, self.index(0))
        self.join(full)
        self.close(rest, [self.plus(place, self.bit(rest.counter))])

    def write(self, of: str, value: str, address: Value, room: Value | None) -> None:
        """Store a vector; with ``room``, its first lanes, or a single element if that is 0."""
        b, pointer, align = self.b, self.pointer(address), 1
        if room is None:
            b.line(f"store <{self.lanes} x {of}> {value}, ptr {pointer}, align {align}")
        elif room.name == "0":
            b.line(f"store {of} {value}, ptr {pointer}, align {align}")
        else:
            b.lanes = self.lanes
            masked_store(b, of, value, pointer, lane_mask(b, room))
            b.lanes = 1


def masked_store(b: Builder, of: str, value: str, pointer: str, active: Value) -> None:
    """Store the active lanes of a vector, at an address that need not be aligned."""
    wide, flags = b.type(of), b.type("i1")
    name = f"@llvm.masked.store.{b.mangled(of)}.p0"
    b.declarations.add(f"declare void {name}({wide}, ptr, i32, {flags})")
    b.line(f"call void {name}({wide} {value}, ptr {pointer}, i32 1, {flags} {active.name})")


@cache
def _orders(lanes: int) -> str:
    """For each mask of ``lanes`` lanes, 8 words in all, the words of the selected ones in order."""
    words = 8 // lanes
    rows = []
    for mask in range(1 << lanes):
        chosen = [lane for lane in range(lanes) if mask >> lane & 1]
        order = [lane * words + word for lane in chosen for word in range(words)]
        rows.append("[8 x i8] [" + ", ".join(f"i8 {n}" for n in [*order, *[0] * 8][:8]) + "]")
    body = ", ".join(rows)
    return f"@{_TABLE} = internal constant [{len(rows)} x [8 x i8]] [{body}], align 64"


@cache
def pick_text(itemsize: int, how: Way) -> str:
    """The kernel that compacts the selected elements of contiguous memory."""
    function = _Compressed(PICK, itemsize, how)
    b, of = function.b, function.of
    start, taken = function.part()
    none = function.unless(b.compare("icmp eq", taken, function.index(0)), "none")
    source = function.plus(function.words["source"], function.times(function.first, itemsize))
    function.check(2, "source", source, function.times(function.count, itemsize))
    target = function.plus(function.words["target"], function.times(start, itemsize))
    function.check(3, "target", target, function.times(taken, itemsize))

    def address(of_all: Value, index: Value) -> Value:
        return function.plus(of_all, function.times(index, itemsize))

    function.gather(
        taken,
        lambda index: function.load(f"<{function.lanes} x {of}>", address(source, index)).name,
        lambda index: function.load(of, address(source, index)),
        lambda value, place, room: function.write(of, value, address(target, place), room),
    )
    function.join(none)
    return function.done()


@cache
def positions_text(how: Way) -> str:
    """The kernel that gives the indices of the selected elements of one axis."""
    function = _Compressed(position_words(1), 8, how)
    b = function.b
    start, taken = function.part()
    none = function.unless(b.compare("icmp eq", taken, function.index(0)), "none")
    target = function.plus(function.words["target0"], function.times(start, 8))
    function.check(2, "target0", target, function.times(taken, 8))
    ramp = ", ".join(f"i64 {lane}" for lane in range(function.lanes))

    def indices(index: Value) -> str:
        first = function.plus(function.first, index)
        b.lanes = function.lanes
        found = b.binary("add", first, Value(f"<{ramp}>", "i64"))
        b.lanes = 1
        return found.name

    function.gather(
        taken,
        indices,
        lambda index: function.plus(function.first, index),
        lambda value, place, room: function.write(
            "i64", value, function.plus(target, function.times(place, 8)), room
        ),
    )
    function.join(none)
    return function.done()


@cache
def spread_text(itemsize: int) -> str:
    """The kernel that stores values, one after another, in the selected elements.

    The values are expanded, which is the reverse of `Way` ``compress``, for at most 8 bytes.
    """
    function = _Compressed(SPREAD, itemsize, "compress")
    b, of, lanes = function.b, function.of, function.lanes
    start, taken = function.part()
    none = function.unless(b.compare("icmp eq", taken, function.index(0)), "none")
    target = function.plus(function.words["target"], function.times(function.first, itemsize))
    function.check(2, "target", target, function.times(function.count, itemsize))
    source = function.plus(function.words["source"], function.times(start, itemsize))
    function.check(3, "source", source, function.times(taken, itemsize))
    middle = function.last_multiple(function.index(0), function.count, lanes)
    loop = function.open(function.index(0), [function.index(0)], lanes, middle)
    place = loop.carried[0]
    flags, number = function.flags(loop.counter)
    after = function.plus(place, number)
    over = function.unless(b.compare("icmp sgt", after, taken), "over")
    at = function.plus(target, function.times(loop.counter, itemsize))
    wide, marks = f"<{lanes} x {of}>", f"<{lanes} x i1>"
    old = function.load(wide, at)
    values = function.pointer(function.plus(source, function.times(place, itemsize)))
    expand = f"@llvm.masked.expandload.v{lanes}{of}"
    b.declarations.add(f"declare {wide} {expand}(ptr, {marks}, {wide})")
    operands = f"ptr {values}, {marks} {flags.name}, {wide} {old.name}"
    function.store(Value(b.emit(f"call {wide} {expand}({operands})"), wide), at)
    function.join(over)
    function.close(loop, [after])
    rest = function.open(middle, [place], 1, function.count)
    bit = function.bit(rest.counter)
    after = function.plus(rest.carried[0], bit)
    is_none = b.compare("icmp eq", bit, function.index(0))
    skip = b.binary("or", is_none, b.compare("icmp sgt", after, taken))
    over = function.unless(skip, "over")
    value = function.load(of, function.plus(source, function.times(rest.carried[0], itemsize)))
    function.store(value, function.plus(target, function.times(rest.counter, itemsize)))
    function.join(over)
    function.close(rest, [after])
    function.join(none)
    return function.done()
