"""Mask kernels: boolean selection and assignment, in chunks of CHUNK elements.

The number of elements that a mask selects is not known in advance, so selection takes two passes.
The first counts the selected elements of each chunk; the prefix sums of the counts say where each
chunk writes. The second compacts each chunk without a branch per element: every element is stored
at the next free position, and the position advances only if the element is selected. It does so on
the stack, so that chunks do not overwrite one another, and then copies the selected elements.

A kernel is ``void kernel(ptr args, i64 begin, i64 end)`` on chunks ``begin`` to ``end``. The words
of ``args`` are named by `COUNT`, `PICK`, `POSITIONS`, `FILL` and `SPREAD`; strides are in bytes.
Each array comes with its first byte and its end: a chunk that would access memory outside sets
``report`` to the number of the array, which is 1 for the mask, and the call returns.
"""

from __future__ import annotations

from functools import cache

from onebuf.render.builder import Value
from onebuf.render.llvm.function import FunctionBuilder

CHUNK = 2048
COPIED_NBYTES = 32
"""Bytes that are copied at a time."""
_ONES = 0x0101010101010101

_MASK = ("mask", "mask_first", "mask_end", "numel")
COUNT = (*_MASK, "report", "counts")
_SOURCE = ("source", "source_first", "source_end")
_TARGET = ("target", "target_first", "target_end")
PICK = (*_MASK, "report", "starts", *_SOURCE, *_TARGET, "stride")
FILL = (*_MASK, "report", *_TARGET, "value", "value_high")
SPREAD = (*_MASK, "report", "starts", *_TARGET, *_SOURCE)
POSITIONS = (*_MASK, "report", "starts")
"""Then, for each axis, its extent, and the address and the bounds of its positions."""


def position_words(ndim: int) -> tuple[str, ...]:
    """The words of `POSITIONS` with those of all axes."""
    names: list[str] = []
    for axis in range(ndim):
        target = f"target{axis}"
        names += [f"extent{axis}", target, f"{target}_first", f"{target}_end"]
    return (*POSITIONS, *names)


class ChunkBuilder(FunctionBuilder):
    """A function with a loop over chunks; ``words`` names its arguments."""

    def __init__(self, words: tuple[str, ...]) -> None:
        super().__init__()
        self.words = {name: self.word(number, "i64") for number, name in enumerate(words)}
        self.report = self.word_address(words.index("report"))
        begin, end = Value("%begin", "i64", True), Value("%end", "i64", True)
        self.chunk = self.open(begin, [], 1, end)
        size = self.index(CHUNK)
        self.first = self.b.binary("mul", self.chunk.counter, size)
        self.limit = self.minimum(self.plus(self.first, size), self.words["numel"])
        self.count = self.minus(self.limit, self.first)
        self.mask = self.plus(self.words["mask"], self.first)
        self.check(1, "mask", self.mask, self.count)

    def done(self) -> str:
        """The finished module."""
        self.close(self.chunk, [])
        return self.module("kernel")

    # -- memory ------------------------------------------------------------------------------------

    def pointer(self, address: Value) -> str:
        """An address to load from or store to."""
        return self.b.emit(f"inttoptr i64 {address.name} to ptr")

    def load(self, of: str, address: Value) -> Value:
        """An element, or a vector, at an address."""
        return Value(self.b.emit(f"load {of}, ptr {self.pointer(address)}, align 1"), of, True)

    def store(self, value: Value, address: Value) -> None:
        """Store an element, or a vector, at an address."""
        self.b.line(f"store {value.type} {value.name}, ptr {self.pointer(address)}, align 1")

    def check(self, number: int, name: str, address: Value, nbytes: Value) -> None:
        """Return from the call unless ``nbytes`` bytes from ``address`` on are in ``name``."""
        b = self.b
        below = b.compare("icmp ult", address, self.words[f"{name}_first"])
        beyond = b.compare("icmp ugt", self.plus(address, nbytes), self.words[f"{name}_end"])
        b.return_if(b.binary("or", below, beyond).name, number, self.report)

    def times(self, value: Value, number: int) -> Value:
        """A multiple of an index."""
        return self.b.binary("mul", value, self.index(number))

    def part(self) -> tuple[Value, Value]:
        """The position of this chunk's first selected element, and the number of them."""
        at = self.plus(self.words["starts"], self.times(self.chunk.counter, 8))
        start = self.load("i64", at)
        return start, self.minus(self.load("i64", self.plus(at, 8)), start)

    def unless(self, test: Value, word: str) -> str:
        """Branch to the label that is returned if ``test`` holds, else continue."""
        other, here = self.b.label(word), self.b.label("here")
        self.b.line(f"br i1 {test.name}, label %{other}, label %{here}")
        self.b.line(f"{here}:")
        return other

    def join(self, label: str) -> None:
        """The block in which both branches meet."""
        self.b.line(f"br label %{label}")
        self.b.line(f"{label}:")

    def bit(self, index: Value) -> Value:
        """1 if the mask selects an element of the chunk, else 0."""
        byte = self.load("i8", self.plus(self.mask, index))
        taken = self.b.compare("icmp ne", byte, self.b.constant("i8", 0))
        return self.b.convert("zext", taken, "i64")


class _Staged(ChunkBuilder):
    """A function that compacts the selected elements of a chunk on the stack."""

    def __init__(self, words: tuple[str, ...], of: str, itemsize: int) -> None:
        super().__init__(words)
        self.of = of
        self.itemsize = itemsize
        memory = self.memory(CHUNK + 8, of)
        self.stage = Value(self.b.emit(f"ptrtoint ptr {memory.name} to i64"), "i64", True)

    def element(self, index: Value) -> Value:
        """The value of an index of the chunk."""
        raise NotImplementedError

    def gather(self) -> None:
        """Compact the selected elements."""
        b = self.b
        middle = b.binary("and", self.count, self.index(-8))
        eights = self.open(self.index(0), [self.index(0)], 8, middle)
        word = self.load("i64", self.plus(self.mask, eights.counter))
        nothing = b.compare("icmp eq", word, self.index(0))
        before = b.block
        skip = self.unless(nothing, "skip")
        for by in (4, 2, 1):  # a byte's lowest bit becomes the "or" of all its bits
            word = b.binary("or", word, b.binary("lshr", word, self.index(by)))
        flags = b.binary("and", word, self.index(_ONES))
        sums = self.times(flags, _ONES)  # byte k: how many of the first k + 1 are selected
        place = eights.carried[0]
        for lane in range(8):
            value = self.element(self.plus(eights.counter, lane))
            at = place
            if lane:
                earlier = b.binary("lshr", sums, self.index(8 * (lane - 1)))
                at = self.plus(place, b.binary("and", earlier, self.index(255)))
            self.store(value, self.plus(self.stage, self.times(at, self.itemsize)))
        more = self.plus(place, b.binary("lshr", sums, self.index(56)))
        here = b.block
        self.join(skip)
        name = b.emit(f"phi i64 [ {place.name}, %{before} ], [ {more.name}, %{here} ]")
        self.close(eights, [Value(name, "i64", True)])
        rest = self.open(middle, eights.carried, 1, self.count)
        at = self.plus(self.stage, self.times(rest.carried[0], self.itemsize))
        self.store(self.element(rest.counter), at)
        self.close(rest, [self.plus(rest.carried[0], self.bit(rest.counter))])

    def copy(self, target: Value, nbytes: Value) -> None:
        """Copy the compacted elements to their target."""
        wide = f"<{COPIED_NBYTES} x i8>"
        middle = self.b.binary("and", nbytes, self.index(-COPIED_NBYTES))
        for of, step, first, end in (
            (wide, COPIED_NBYTES, self.index(0), middle),
            (self.of, self.itemsize, middle, nbytes),
        ):
            loop = self.open(first, [], step, end)
            value = self.load(of, self.plus(self.stage, loop.counter))
            self.store(value, self.plus(target, loop.counter))
            self.close(loop, [])


class _Pick(_Staged):
    def __init__(self, itemsize: int) -> None:
        super().__init__(PICK, f"i{8 * itemsize}", itemsize)
        start, taken = self.part()
        none = self.unless(self.b.compare("icmp eq", taken, self.index(0)), "none")
        stride = self.words["stride"]
        self.place = self.plus(self.words["source"], self.b.binary("mul", self.first, stride))
        last = self.b.binary("mul", self.minus(self.count, self.index(1)), stride)
        for end in (self.place, self.plus(self.place, last)):
            self.check(2, "source", end, self.index(itemsize))
        self.gather()
        target = self.plus(self.words["target"], self.times(start, itemsize))
        nbytes = self.times(taken, itemsize)
        self.check(3, "target", target, nbytes)
        self.copy(target, nbytes)
        self.join(none)

    def element(self, index: Value) -> Value:
        distance = self.b.binary("mul", index, self.words["stride"])
        return self.load(self.of, self.plus(self.place, distance))


class _Positions(_Staged):
    def __init__(self, ndim: int) -> None:
        super().__init__(position_words(ndim), "i64", 8)
        start, taken = self.part()
        none = self.unless(self.b.compare("icmp eq", taken, self.index(0)), "none")
        self.gather()
        targets = []
        for axis in range(ndim):
            place = self.plus(self.words[f"target{axis}"], self.times(start, 8))
            self.check(2 + axis, f"target{axis}", place, self.times(taken, 8))
            targets.append(place)
        if ndim == 1:
            self.copy(targets[0], self.times(taken, 8))
        else:
            self._digits(targets, taken)
        self.join(none)

    def _digits(self, targets: list[Value], taken: Value) -> None:
        """Each position as one index per axis."""
        loop = self.open(self.index(0), [], 1, taken)
        distance = self.times(loop.counter, 8)
        position = self.load("i64", self.plus(self.stage, distance))
        for axis in range(len(targets) - 1, 0, -1):
            extent = self.words[f"extent{axis}"]
            outer = self.b.binary("udiv", position, extent)
            digit = self.minus(position, self.b.binary("mul", outer, extent))
            self.store(digit, self.plus(targets[axis], distance))
            position = outer
        self.store(position, self.plus(targets[0], distance))
        self.close(loop, [])

    def element(self, index: Value) -> Value:
        return self.plus(self.first, index)


@cache
def count_text() -> str:
    """The kernel that counts the selected elements of each chunk."""
    function = ChunkBuilder(COUNT)
    b, lanes = function.b, 32
    middle = function.last_multiple(function.index(0), function.count, lanes)
    zeros = Value("zeroinitializer", "i8")
    b.lanes = lanes
    loop = function.open(function.index(0), [zeros], lanes, middle)
    b.lanes = 1
    found = function.load(f"<{lanes} x i8>", function.plus(function.mask, loop.counter))
    b.lanes = lanes
    flags = b.compare("icmp ne", Value(found.name, "i8"), b.constant("i8", 0))
    sums = b.binary("add", loop.carried[0], b.convert("zext", flags, "i8"))
    function.close(loop, [sums])
    wide = b.convert("zext", loop.carried[0], "i32")
    b.declarations.add(f"declare i32 @llvm.vector.reduce.add.v{lanes}i32(<{lanes} x i32>)")
    total = b.emit(f"call i32 @llvm.vector.reduce.add.v{lanes}i32(<{lanes} x i32> {wide.name})")
    b.lanes = 1
    start = b.convert("zext", Value(total, "i32", True), "i64")
    rest = function.open(middle, [start], 1, function.count)
    function.close(rest, [function.plus(rest.carried[0], function.bit(rest.counter))])
    at = function.plus(function.words["counts"], function.times(function.chunk.counter, 8))
    function.store(rest.carried[0], at)
    return function.done()


@cache
def pick_text(itemsize: int) -> str:
    """The kernel that compacts the selected elements."""
    return _Pick(itemsize).done()


@cache
def positions_text(ndim: int) -> str:
    """The kernel that gives the indices of the selected elements, axis by axis."""
    return _Positions(ndim).done()


@cache
def fill_text(itemsize: int) -> str:
    """The kernel that stores one value in all selected elements."""
    function = ChunkBuilder(FILL)
    b, of = function.b, f"i{8 * itemsize}"
    lanes = max(1, 32 // itemsize)
    place = function.plus(function.words["target"], function.times(function.first, itemsize))
    function.check(2, "target", place, function.times(function.count, itemsize))
    value = function.word(FILL.index("value"), of)
    middle = function.last_multiple(function.index(0), function.count, lanes)
    for width, first, end in ((lanes, function.index(0), middle), (1, middle, function.count)):
        loop = function.open(first, [], width, end)
        at = function.plus(place, function.times(loop.counter, itemsize))
        wide = f"<{width} x {of}>"
        bytes_ = function.load(f"<{width} x i8>", function.plus(function.mask, loop.counter))
        old = function.load(wide, at)
        one = b.emit(f"insertelement {wide} poison, {of} {value.name}, i64 0")
        zeros = f"<{width} x i32> zeroinitializer"
        new = b.emit(f"shufflevector {wide} {one}, {wide} poison, {zeros}")
        taken = b.emit(f"icmp ne <{width} x i8> {bytes_.name}, zeroinitializer")
        both = b.emit(f"select <{width} x i1> {taken}, {wide} {new}, {wide} {old.name}")
        function.store(Value(both, wide), at)
        function.close(loop, [])
    return function.done()


@cache
def spread_text(itemsize: int) -> str:
    """The kernel that stores values, one after another, in the selected elements."""
    function = ChunkBuilder(SPREAD)
    b, of = function.b, f"i{8 * itemsize}"
    start, taken = function.part()
    none = function.unless(b.compare("icmp eq", taken, function.index(0)), "none")
    place = function.plus(function.words["target"], function.times(function.first, itemsize))
    function.check(2, "target", place, function.times(function.count, itemsize))
    source = function.plus(function.words["source"], function.times(start, itemsize))
    function.check(3, "source", source, function.times(taken, itemsize))
    last = function.minus(taken, function.index(1))
    loop = function.open(function.index(0), [function.index(0)], 1, function.count)
    # There is no value after the last one, so the last one is read again.
    number = function.minimum(loop.carried[0], last)
    new = function.load(of, function.plus(source, function.times(number, itemsize)))
    at = function.plus(place, function.times(loop.counter, itemsize))
    bit = function.bit(loop.counter)
    flag = b.compare("icmp ne", bit, function.index(0))
    function.store(b.select(flag, new, function.load(of, at)), at)
    function.close(loop, [function.plus(loop.carried[0], bit)])
    function.join(none)
    return function.done()
