"""Selecting: kernels of masks, chunk by chunk of CHUNK elements.

How many elements a mask takes is not known before it is looked at, so there are two passes: one
counts what each chunk takes, the other moves it, once every chunk knows where its part begins. The
second pass has no branch on a single bit: every element is stored where the next one taken belongs,
and stays there if it is one. That happens on the stack, so that no chunk touches the part of
another; then as many elements as were counted are copied.

A kernel is ``void kernel(ptr args, i64 begin, i64 end)`` on chunks ``begin`` to ``end``. The words
of ``args`` are named by `COUNT`, `PICK`, `POSITIONS`, `FILL` and `SPREAD`; strides are in bytes.
The memory of each array is given by its first byte and the one after its last: a chunk that would
leave it sets ``report`` to the number of the array, which is 1 for the mask, and ends the call.
"""

from __future__ import annotations

from functools import cache

from onebuf.render.builder import Value
from onebuf.render.llvm.function import Text

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
"""Then, for each axis, its extent, and the address and the two ends of where positions go."""


class _Chunks(Text):
    """A function that goes over chunks; ``words`` names its arguments."""

    def __init__(self, words: tuple[str, ...]) -> None:
        super().__init__()
        self.words = {name: self.word(number, "i64") for number, name in enumerate(words)}
        place = self.b.emit(f"getelementptr i64, ptr %args, i64 {words.index('report')}")
        self.report = place
        begin, end = Value("%begin", "i64", True), Value("%end", "i64", True)
        self.chunk = self.open(begin, [], 1, end)
        size = self.whole(CHUNK)
        self.first = self.b.binary("mul", self.chunk.counter, size)
        self.limit = self.least(self.plus(self.first, size), self.words["numel"])
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
        """Write an element, or a vector, to an address."""
        self.b.line(f"store {value.type} {value.name}, ptr {self.pointer(address)}, align 1")

    def check(self, number: int, name: str, address: Value, nbytes: Value) -> None:
        """End the call unless ``nbytes`` bytes from ``address`` on are in memory of ``name``."""
        b = self.b
        below = b.compare("icmp ult", address, self.words[f"{name}_first"])
        beyond = b.compare("icmp ugt", self.plus(address, nbytes), self.words[f"{name}_end"])
        wrong = b.binary("or", below, beyond)
        failed, fine = b.label("outside"), b.label("inside")
        b.line(f"br i1 {wrong.name}, label %{failed}, label %{fine}")
        b.line(f"{failed}:")
        b.line(f"store i64 {number}, ptr {self.report}, align 8")
        b.line("ret void")
        b.line(f"{fine}:")

    def times(self, value: Value, number: int) -> Value:
        """A multiple of an index."""
        return self.b.binary("mul", value, self.whole(number))

    def part(self) -> tuple[Value, Value]:
        """Where the part of this chunk begins, and how many elements it has."""
        at = self.plus(self.words["starts"], self.times(self.chunk.counter, 8))
        start = self.load("i64", at)
        return start, self.minus(self.load("i64", self.plus(at, 8)), start)

    def unless(self, test: Value, word: str) -> str:
        """Go on where ``test`` is false, else at the label that is returned."""
        other, here = self.b.label(word), self.b.label("here")
        self.b.line(f"br i1 {test.name}, label %{other}, label %{here}")
        self.b.line(f"{here}:")
        return other

    def join(self, label: str) -> None:
        """Where those that left and those that went on meet."""
        self.b.line(f"br label %{label}")
        self.b.line(f"{label}:")

    def bit(self, index: Value) -> Value:
        """1 if the mask takes an element of the chunk, else 0."""
        byte = self.load("i8", self.plus(self.mask, index))
        taken = self.b.compare("icmp ne", byte, self.b.constant("i8", 0))
        return self.b.convert("zext", taken, "i64")


class _Staged(_Chunks):
    """A function that puts what a chunk takes on the stack first."""

    def __init__(self, words: tuple[str, ...], of: str, itemsize: int) -> None:
        super().__init__(words)
        self.of = of
        self.itemsize = itemsize
        memory = self.memory(CHUNK + 8, of)
        self.stage = Value(self.b.emit(f"ptrtoint ptr {memory.name} to i64"), "i64", True)

    def element(self, index: Value) -> Value:
        """What belongs to an index of the chunk."""
        raise NotImplementedError

    def gather(self) -> None:
        """Put the elements that are taken side by side."""
        b = self.b
        middle = b.binary("and", self.count, self.whole(-8))
        eights = self.open(self.whole(0), [self.whole(0)], 8, middle)
        word = self.load("i64", self.plus(self.mask, eights.counter))
        nothing = b.compare("icmp eq", word, self.whole(0))
        before = b.block
        skip = self.unless(nothing, "skip")
        for by in (4, 2, 1):  # any bit of a byte becomes its lowest
            word = b.binary("or", word, b.binary("lshr", word, self.whole(by)))
        flags = b.binary("and", word, self.whole(_ONES))
        sums = self.times(flags, _ONES)  # byte k: how many of the first k + 1 are taken
        place = eights.carried[0]
        for lane in range(8):
            value = self.element(self.plus(eights.counter, lane))
            at = place
            if lane:
                earlier = b.binary("lshr", sums, self.whole(8 * (lane - 1)))
                at = self.plus(place, b.binary("and", earlier, self.whole(255)))
            self.store(value, self.plus(self.stage, self.times(at, self.itemsize)))
        more = self.plus(place, b.binary("lshr", sums, self.whole(56)))
        here = b.block
        self.join(skip)
        name = b.emit(f"phi i64 [ {place.name}, %{before} ], [ {more.name}, %{here} ]")
        self.close(eights, [Value(name, "i64", True)])
        rest = self.open(middle, eights.carried, 1, self.count)
        at = self.plus(self.stage, self.times(rest.carried[0], self.itemsize))
        self.store(self.element(rest.counter), at)
        self.close(rest, [self.plus(rest.carried[0], self.bit(rest.counter))])

    def copy(self, target: Value, nbytes: Value) -> None:
        """Copy what was put side by side to where it belongs."""
        wide = f"<{COPIED_NBYTES} x i8>"
        middle = self.b.binary("and", nbytes, self.whole(-COPIED_NBYTES))
        for of, step, first, end in (
            (wide, COPIED_NBYTES, self.whole(0), middle),
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
        none = self.unless(self.b.compare("icmp eq", taken, self.whole(0)), "none")
        stride = self.words["stride"]
        self.place = self.plus(self.words["source"], self.b.binary("mul", self.first, stride))
        last = self.b.binary("mul", self.minus(self.count, self.whole(1)), stride)
        for end in (self.place, self.plus(self.place, last)):
            self.check(2, "source", end, self.whole(itemsize))
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
        names: list[str] = []
        for axis in range(ndim):
            target = f"target{axis}"
            names += [f"extent{axis}", target, f"{target}_first", f"{target}_end"]
        super().__init__((*POSITIONS, *names), "i64", 8)
        start, taken = self.part()
        none = self.unless(self.b.compare("icmp eq", taken, self.whole(0)), "none")
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
        """Each position as one index for each axis."""
        loop = self.open(self.whole(0), [], 1, taken)
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
    """The kernel that counts what each chunk takes."""
    text = _Chunks(COUNT)
    b, lanes = text.b, 32
    middle = text.last_whole(text.whole(0), text.count, lanes)
    zeros = Value("zeroinitializer", "i8")
    b.lanes = lanes
    loop = text.open(text.whole(0), [zeros], lanes, middle)
    b.lanes = 1
    found = text.load(f"<{lanes} x i8>", text.plus(text.mask, loop.counter))
    b.lanes = lanes
    flags = b.compare("icmp ne", Value(found.name, "i8"), b.constant("i8", 0))
    sums = b.binary("add", loop.carried[0], b.convert("zext", flags, "i8"))
    text.close(loop, [sums])
    wide = b.convert("zext", loop.carried[0], "i32")
    b.declarations.add(f"declare i32 @llvm.vector.reduce.add.v{lanes}i32(<{lanes} x i32>)")
    total = b.emit(f"call i32 @llvm.vector.reduce.add.v{lanes}i32(<{lanes} x i32> {wide.name})")
    b.lanes = 1
    start = b.convert("zext", Value(total, "i32", True), "i64")
    rest = text.open(middle, [start], 1, text.count)
    text.close(rest, [text.plus(rest.carried[0], text.bit(rest.counter))])
    at = text.plus(text.words["counts"], text.times(text.chunk.counter, 8))
    text.store(rest.carried[0], at)
    return text.done()


@cache
def pick_text(itemsize: int) -> str:
    """The kernel that puts the elements that are taken side by side."""
    return _Pick(itemsize).done()


@cache
def positions_text(ndim: int) -> str:
    """The kernel that says where the elements that are taken are, axis by axis."""
    return _Positions(ndim).done()


@cache
def fill_text(itemsize: int) -> str:
    """The kernel that writes one value to all elements that a mask takes."""
    text = _Chunks(FILL)
    b, of = text.b, f"i{8 * itemsize}"
    lanes = max(1, 32 // itemsize)
    place = text.plus(text.words["target"], text.times(text.first, itemsize))
    text.check(2, "target", place, text.times(text.count, itemsize))
    value = text.word(FILL.index("value"), of)
    middle = text.last_whole(text.whole(0), text.count, lanes)
    for width, first, end in ((lanes, text.whole(0), middle), (1, middle, text.count)):
        loop = text.open(first, [], width, end)
        at = text.plus(place, text.times(loop.counter, itemsize))
        wide = f"<{width} x {of}>"
        bytes_ = text.load(f"<{width} x i8>", text.plus(text.mask, loop.counter))
        old = text.load(wide, at)
        one = b.emit(f"insertelement {wide} poison, {of} {value.name}, i64 0")
        zeros = f"<{width} x i32> zeroinitializer"
        new = b.emit(f"shufflevector {wide} {one}, {wide} poison, {zeros}")
        taken = b.emit(f"icmp ne <{width} x i8> {bytes_.name}, zeroinitializer")
        both = b.emit(f"select <{width} x i1> {taken}, {wide} {new}, {wide} {old.name}")
        text.store(Value(both, wide), at)
        text.close(loop, [])
    return text.done()


@cache
def spread_text(itemsize: int) -> str:
    """The kernel that writes values, one after another, to the elements that a mask takes."""
    text = _Chunks(SPREAD)
    b, of = text.b, f"i{8 * itemsize}"
    start, taken = text.part()
    none = text.unless(b.compare("icmp eq", taken, text.whole(0)), "none")
    place = text.plus(text.words["target"], text.times(text.first, itemsize))
    text.check(2, "target", place, text.times(text.count, itemsize))
    source = text.plus(text.words["source"], text.times(start, itemsize))
    text.check(3, "source", source, text.times(taken, itemsize))
    last = text.minus(taken, text.whole(1))
    loop = text.open(text.whole(0), [text.whole(0)], 1, text.count)
    # The value after the last one is nobody's, so the last one is read again.
    number = text.least(loop.carried[0], last)
    new = text.load(of, text.plus(source, text.times(number, itemsize)))
    at = text.plus(place, text.times(loop.counter, itemsize))
    bit = text.bit(loop.counter)
    flag = b.compare("icmp ne", bit, text.whole(0))
    text.store(b.select(flag, new, text.load(of, at)), at)
    text.close(loop, [text.plus(loop.carried[0], bit)])
    text.join(none)
    return text.done()
