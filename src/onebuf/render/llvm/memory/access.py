"""Access: how a slot's elements are loaded and stored, by the class of its innermost stride."""

from __future__ import annotations

from typing import NamedTuple

from onebuf.kernel import INDEX, Nest, Step
from onebuf.render.builder import Builder, Value
from onebuf.render.llvm.element.elementwise import TYPES, memory_type
from onebuf.render.llvm.memory.gather import beyond, gathered, guarded, masked, over_lanes
from onebuf.render.llvm.memory.masked_access import Tail, load_on
from onebuf.render.llvm.memory.transpose import joined, shuffled, transpose
from onebuf.render.llvm.rendering import Rendering


class Bounds(NamedTuple):
    """Where a slot's memory begins and ends, and where to say that it would be left."""

    first: Value
    end: Value
    report: Value


class Access:
    """Loads, stores and addresses of one nest's slots."""

    def __init__(self, nest: Nest, strides: list[list[Value]], rendering: Rendering) -> None:
        self.nest = nest
        self.strides = strides
        self.streamed = rendering.streamed
        self.paces = rendering.paces
        self.bounds: dict[int, Bounds] = {}
        """The bounds of the slots whose addresses are checked."""
        self.tail: Tail | None = None
        """Which lanes are on, where not all are."""

    def moved(self, b: Builder, slot: int, axis: int, place: Value, index: Value) -> Value:
        """Where the slot is at one index of ``axis``: an address, or a position."""
        step = self.nest.slots[slot].steps[axis]
        if step == 0:
            return place
        distance = index
        lanes, b.lanes = b.lanes, 1
        if step != 1:
            distance = b.binary("mul", index, self.strides[slot][axis])
        if place.type == "i64":
            place = b.binary("add", place, distance)
        else:
            of = memory_type(self.nest.slots[slot].dtype)
            where = b.emit(f"getelementptr {of}, ptr {place.name}, i64 {distance.name}")
            place = Value(where, "ptr", True)
        b.lanes = lanes
        return place

    def load(
        self, b: Builder, step: Step, place: Value, axis: int, operands: tuple[Value, ...] = ()
    ) -> Value:
        """The element at ``place``, or as many along ``axis`` as there are lanes.

        ``operands`` are as `onebuf.kernel.nest.indexed_load` says.
        """
        slot = self.nest.slots[step.arg]
        if step.op is INDEX:
            return self._positions(b, step.arg, place, axis)
        of = memory_type(slot.dtype)
        inside = next((operand for operand in operands if operand.type == "i1"), None)
        apart = None
        for operand in operands:
            if operand.type != "i1" and (operand.uniform or b.lanes == 1):
                place = beyond(b, of, place, operand.name)
            elif operand.type != "i1":
                apart = operand
        if inside is not None:
            value = guarded(
                b,
                inside,
                of,
                lambda: self._load(b, step.arg, place, axis, apart),
                lambda: self._load_some(b, step.arg, place, axis, apart, inside),
            )
        else:
            value = self._load(b, step.arg, place, axis, apart)
        if TYPES[slot.dtype.name] == "i1":
            return b.compare("icmp ne", value, b.constant(of, 0))
        return value

    def _load(self, b: Builder, number: int, place: Value, axis: int, apart: Value | None) -> Value:
        slot = self.nest.slots[number]
        pace = slot.steps[axis]
        of = memory_type(slot.dtype)
        size = slot.dtype.alignment
        if apart is not None:
            distances = self._distances(b, number, axis, apart)
            self._check_between(b, number, place, distances)
            return gathered(b, of, size, place, distances)
        self.check(b, number, place, self.strides[number][axis] if pace else None)
        if b.lanes == 1 or pace == 0:
            return Value(b.emit(f"load {of}, ptr {place.name}, align {size}"), of, True)
        if pace == 1:
            return Value(self.read(b, of, size, place.name), of)
        if pace == -1:
            return self._backwards(b, of, size, place)
        if self.paces and self.paces[number]:
            return self._spaced(b, of, size, place, self.paces[number])
        return self._gathered(b, of, size, place, self.strides[number][axis])

    def _load_some(
        self,
        b: Builder,
        number: int,
        place: Value,
        axis: int,
        apart: Value | None,
        inside: Value,
    ) -> Value:
        """The lanes that are ``inside``; the others are 0, and nothing is read for them."""
        slot = self.nest.slots[number]
        distances = self._distances(b, number, axis, apart)
        if number in self.bounds:
            least = b.select(inside, distances, b.constant("i64", (1 << 63) - 1))
            most = b.select(inside, distances, b.constant("i64", -(1 << 63)))
            self._check_ends(b, number, place, least, most)
        of = memory_type(slot.dtype)
        return masked(b, of, slot.dtype.alignment, place, distances, inside)

    def _distances(self, b: Builder, number: int, axis: int, apart: Value | None) -> Value:
        """How far from the first lane's place each lane is, in elements."""
        zero = b.constant("i64", 0)
        along = zero
        if self.nest.slots[number].steps[axis]:
            along = self._positions(b, number, zero, axis)
        if apart is None:
            return Value(b.spread(along), "i64")
        return apart if along is zero else b.binary("add", apart, along)

    def _check_between(self, b: Builder, number: int, place: Value, distances: Value) -> None:
        if number in self.bounds:
            self._check_ends(b, number, place, distances, distances)

    def _check_ends(self, b: Builder, number: int, place: Value, least: Value, most: Value) -> None:
        """Check the lanes nearest to the beginning and the end of a slot's memory."""
        of = memory_type(self.nest.slots[number].dtype)
        for end in (over_lanes(b, "smin", least), over_lanes(b, "smax", most)):
            self.check(b, number, beyond(b, of, place, end), None)

    def read(self, b: Builder, of: str, size: int, address: str) -> str:
        """The neighbours from ``address`` on, as many as there are lanes on."""
        if self.tail is not None:
            return load_on(b, self.tail.on, of, size, address)
        return b.emit(f"load {b.type(of)}, ptr {address}, align {size}")

    def check(
        self, b: Builder, slot: int, place: Value, stride: Value | None, count: int = 1
    ) -> None:
        """Return from the kernel if the lanes at ``place``, each of ``count`` neighbours and
        ``stride`` from the one before, are not all within the slot's bounds."""
        bounds = self.bounds.get(slot)
        if bounds is None:
            return
        nbytes = self.nest.slots[slot].dtype.itemsize
        lanes, b.lanes = b.lanes, 1
        first = Value(b.emit(f"ptrtoint ptr {place.name} to i64"), "i64", True)
        ends = [first]
        if stride is not None and lanes > 1:
            last = b.constant("i64", (lanes - 1) * nbytes)
            if self.tail is not None:
                others = b.binary("add", self.tail.lanes, b.constant("i64", -1))
                last = b.binary("mul", others, b.constant("i64", nbytes))
            far = b.binary("mul", stride, last)
            ends.append(b.binary("add", first, far))
        for at in ends:
            end = b.binary("add", at, b.constant("i64", count * nbytes))
            below = b.compare("icmp ult", at, bounds.first)
            beyond = b.compare("icmp ugt", end, bounds.end)
            wrong = b.binary("or", below, beyond)
            failed, fine = b.label("outside"), b.label("inside")
            b.line(f"br i1 {wrong.name}, label %{failed}, label %{fine}")
            b.line(f"{failed}:")
            b.line(f"store i64 {slot + 1}, ptr {bounds.report.name}, align 8")
            b.line("ret void")
            b.line(f"{fine}:")
        b.lanes = lanes

    def _backwards(self, b: Builder, of: str, size: int, place: Value) -> Value:
        """Neighbours in memory, the last one first."""
        first = b.emit(f"getelementptr {of}, ptr {place.name}, i64 {1 - b.lanes}")
        name = b.emit(f"load {b.type(of)}, ptr {first}, align {size}")
        return Value(shuffled(b, of, name, "poison", list(range(b.lanes))[::-1]), of)

    def _spaced(self, b: Builder, of: str, size: int, place: Value, pace: int) -> Value:
        """Elements a few apart, picked from whole vectors; the last of these ends with the last
        element, so that nothing beyond it is read."""
        lanes = b.lanes
        wanted = [lane * pace for lane in range(lanes)]
        starts = [*range(0, (pace - 1) * lanes, lanes), wanted[-1] + 1 - lanes]
        found, picked = "poison", [-1] * lanes
        for start in starts:
            first = b.emit(f"getelementptr {of}, ptr {place.name}, i64 {start}")
            vector = b.emit(f"load {b.type(of)}, ptr {first}, align {size}")
            places = []
            for lane, element in enumerate(wanted):
                if picked[lane] < 0 and start <= element < start + lanes:
                    places.append(lanes + element - start)
                    picked[lane] = element
                else:
                    places.append(lane if picked[lane] >= 0 else -1)
            found = shuffled(b, of, found, vector, places)
        return Value(found, of)

    def _gathered(self, b: Builder, of: str, size: int, place: Value, stride: Value) -> Value:
        """Elements at a distance from each other, one by one."""
        vector, lanes = "poison", b.lanes
        where = place.name
        for lane in range(lanes):
            if lane:
                where = b.emit(f"getelementptr {of}, ptr {where}, i64 {stride.name}")
            one = b.emit(f"load {of}, ptr {where}, align {size}")
            vector = b.emit(f"insertelement {b.type(of)} {vector}, {of} {one}, i64 {lane}")
        return Value(vector, of)

    def turned(self, b: Builder, slot: int, place: Value, axis: int, size: int) -> list[Value]:
        """``size`` vectors along ``axis``, one after another along the axis after it, where
        elements are neighbours."""
        target = self.nest.slots[slot]
        of, nbytes = memory_type(target.dtype), target.dtype.itemsize
        align = target.dtype.alignment
        stride = self.strides[slot][axis].name
        where = place.name
        parts: list[list[str]] = [[] for _ in range(size)]
        self.check(b, slot, place, self.strides[slot][axis], size)
        for first in range(0, b.lanes, size):
            lanes = []
            for lane in range(size):
                if first or lane:
                    where = b.emit(f"getelementptr {of}, ptr {where}, i64 {stride}")
                lanes.append(b.emit(f"load <{size} x {of}>, ptr {where}, align {align}"))
            for part, vector in zip(parts, transpose(b, of, lanes, nbytes), strict=True):
                part.append(vector)
        values = [Value(joined(b, of, part, size), of) for part in parts]
        if TYPES[target.dtype.name] == "i1":
            return [b.compare("icmp ne", value, b.constant(of, 0)) for value in values]
        return values

    def _positions(self, b: Builder, slot: int, place: Value, axis: int) -> Value:
        if b.lanes == 1 or self.nest.slots[slot].steps[axis] == 0:
            return place
        numbers = ", ".join(f"i64 {lane}" for lane in range(b.lanes))
        ramp = Value(f"<{numbers}>", "i64")
        if self.nest.slots[slot].steps[axis] != 1:
            ramp = b.binary("mul", ramp, self.strides[slot][axis])
        return b.binary("add", ramp, place)

    def store(self, b: Builder, slot: int, place: Value, value: Value, axis: int) -> None:
        """Write one element, or as many along ``axis`` as there are lanes."""
        target = self.nest.slots[slot]
        size = target.dtype.alignment
        pace = target.steps[axis]
        self.check(b, slot, place, self.strides[slot][axis] if pace else None)
        value = self.to_memory(b, value)
        if b.lanes == 1:
            b.line(f"store {value.type} {value.name}, ptr {place.name}, align {size}")
            return
        assert pace, "a store in a vector loop has to move with it"
        name = b.spread(value)
        if self.tail is not None:
            self.tail.write(name, value.type, place.name)
            return
        if pace == 1:
            how = f"align {size}"
            if self.streamed:
                how = f"align {min(64, target.dtype.itemsize * b.lanes)}, !nontemporal !0"
            b.line(f"store {b.type(value.type)} {name}, ptr {place.name}, {how}")
            return
        where = place.name
        stride = self.strides[slot][axis].name
        for lane in range(b.lanes):
            if lane:
                where = b.emit(f"getelementptr {value.type}, ptr {where}, i64 {stride}")
            one = b.emit(f"extractelement {b.type(value.type)} {name}, i64 {lane}")
            b.line(f"store {value.type} {one}, ptr {where}, align {size}")

    def to_memory(self, b: Builder, value: Value) -> Value:
        """A value as it is kept in memory: bools are bytes there."""
        return b.convert("zext", value, "i8") if value.type == "i1" else value
