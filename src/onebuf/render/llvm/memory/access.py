"""Memory access: loads and stores of a slot's elements, by the class of its innermost stride."""

from __future__ import annotations

from typing import NamedTuple

from onebuf.kernel import INDEX, Nest, Step
from onebuf.render.builder import Builder, Value
from onebuf.render.llvm.element.elementwise import TYPES, memory_type
from onebuf.render.llvm.memory import gather
from onebuf.render.llvm.memory.gather import offset_address, reduce_vector
from onebuf.render.llvm.memory.masked_access import Tail, masked_load
from onebuf.render.llvm.memory.transpose import TILE_SIZE, joined, shuffled, transpose
from onebuf.render.llvm.rendering import Rendering


class Bounds(NamedTuple):
    """The first byte and the end of a slot's memory, and the word that reports a violation."""

    first: Value
    end: Value
    report: Value


class Access:
    """Loads, stores and addresses of one nest's slots."""

    def __init__(self, nest: Nest, strides: list[list[Value]], rendering: Rendering) -> None:
        self.nest = nest
        self.strides = strides
        self.streamed = rendering.streamed
        self.small_strides = rendering.small_strides
        self.bounds: dict[int, Bounds] = {}
        """The bounds of the slots whose addresses are checked."""
        self.tail: Tail | None = None
        """The active lanes of a masked vector."""

    def advance_all(
        self, b: Builder, axis: int, addresses: tuple[Value, ...], index: Value
    ) -> tuple[Value, ...]:
        """The address of every slot at one index of ``axis``."""
        pairs = enumerate(addresses)
        return tuple([self.advance(b, slot, axis, address, index) for slot, address in pairs])

    def advance(self, b: Builder, slot: int, axis: int, address: Value, index: Value) -> Value:
        """The address of a slot at one index of ``axis``; a position for a slot of INDEX."""
        step = self.nest.slots[slot].steps[axis]
        if step == 0:
            return address
        distance = index
        lanes, b.lanes = b.lanes, 1
        if step != 1:
            distance = b.binary("mul", index, self.strides[slot][axis])
        if address.type == "i64":
            address = b.binary("add", address, distance)
        else:
            of = memory_type(self.nest.slots[slot].dtype)
            address = offset_address(b, of, address, distance.name)
        b.lanes = lanes
        return address

    def load(
        self, b: Builder, step: Step, address: Value, axis: int, operands: tuple[Value, ...] = ()
    ) -> Value:
        """The element at ``address``, or a vector of elements along ``axis``.

        ``operands`` are those of `onebuf.kernel.nest.indexed_load`.
        """
        slot = self.nest.slots[step.arg]
        if step.op is INDEX:
            return self._positions(b, step.arg, address, axis)
        of = memory_type(slot.dtype)
        inside = next((operand for operand in operands if operand.type == "i1"), None)
        indexed = None
        for operand in operands:
            if operand.type != "i1" and (operand.uniform or b.lanes == 1):
                address = offset_address(b, of, address, operand.name)
            elif operand.type != "i1":
                indexed = operand
        if inside is not None:
            value = gather.conditional_load(
                b,
                inside,
                of,
                lambda: self._load(b, step.arg, address, axis, indexed),
                lambda: self._load_some(b, step.arg, address, axis, indexed, inside),
            )
        else:
            value = self._load(b, step.arg, address, axis, indexed)
        if TYPES[slot.dtype.name] == "i1":
            return b.compare("icmp ne", value, b.constant(of, 0))
        return value

    def _load(
        self, b: Builder, number: int, address: Value, axis: int, indexed: Value | None
    ) -> Value:
        slot = self.nest.slots[number]
        step = slot.steps[axis]
        of = memory_type(slot.dtype)
        size = slot.dtype.alignment
        if indexed is not None:
            distances = self._distances(b, number, axis, indexed)
            if number in self.bounds:
                self._check_distances(b, number, address, distances, distances)
            return gather.gather(b, of, size, address, distances)
        self.check(b, number, address, self.strides[number][axis] if step else None)
        if b.lanes == 1 or step == 0:
            return Value(b.emit(f"load {of}, ptr {address.name}, align {size}"), of, True)
        if step == 1:
            return Value(self.read(b, of, size, address.name), of)
        if step == -1:
            return self._reversed(b, of, size, address)
        if self.small_strides and self.small_strides[number]:
            return self._deinterleaved(b, of, size, address, self.small_strides[number])
        return self._strided(b, of, size, address, self.strides[number][axis])

    def _load_some(
        self,
        b: Builder,
        number: int,
        address: Value,
        axis: int,
        indexed: Value | None,
        inside: Value,
    ) -> Value:
        """The lanes that are ``inside``; the others are 0, and do not access memory."""
        slot = self.nest.slots[number]
        distances = self._distances(b, number, axis, indexed)
        if number in self.bounds:
            least = b.select(inside, distances, b.constant("i64", (1 << 63) - 1))
            most = b.select(inside, distances, b.constant("i64", -(1 << 63)))
            self._check_distances(b, number, address, least, most)
        of = memory_type(slot.dtype)
        return gather.masked_gather(b, of, slot.dtype.alignment, address, distances, inside)

    def _distances(self, b: Builder, number: int, axis: int, indexed: Value | None) -> Value:
        """The distance in elements of each lane from the first lane's address."""
        zero = b.constant("i64", 0)
        along = zero
        if self.nest.slots[number].steps[axis]:
            along = self._positions(b, number, zero, axis)
        if indexed is None:
            return Value(b.spread(along), "i64")
        return indexed if along is zero else b.binary("add", indexed, along)

    def _check_distances(
        self, b: Builder, number: int, address: Value, least: Value, most: Value
    ) -> None:
        """Check the lanes with the least and the greatest distance."""
        of = memory_type(self.nest.slots[number].dtype)
        for end in (reduce_vector(b, "smin", least), reduce_vector(b, "smax", most)):
            self.check(b, number, offset_address(b, of, address, end), None)

    def read(self, b: Builder, of: str, size: int, address: str) -> str:
        """Contiguous elements from ``address`` on, one for each active lane."""
        if self.tail is not None:
            return masked_load(b, self.tail.mask, of, size, address)
        return b.emit(f"load {b.type(of)}, ptr {address}, align {size}")

    def check(
        self, b: Builder, slot: int, address: Value, stride: Value | None, count: int = 1
    ) -> None:
        """Return from the kernel unless all lanes are within the slot's bounds.

        Each lane accesses ``count`` contiguous elements: the first one from ``address`` on, each of
        the others ``stride`` elements after the one before.
        """
        bounds = self.bounds.get(slot)
        if bounds is None:
            return
        nbytes = self.nest.slots[slot].dtype.itemsize
        lanes, b.lanes = b.lanes, 1
        first = Value(b.emit(f"ptrtoint ptr {address.name} to i64"), "i64", True)
        ends = [first]
        if stride is not None and lanes > 1:
            last = b.constant("i64", (lanes - 1) * nbytes)
            if self.tail is not None:
                others = b.binary("add", self.tail.active, b.constant("i64", -1))
                last = b.binary("mul", others, b.constant("i64", nbytes))
            far = b.binary("mul", stride, last)
            ends.append(b.binary("add", first, far))
        for at in ends:
            end = b.binary("add", at, b.constant("i64", count * nbytes))
            below = b.compare("icmp ult", at, bounds.first)
            beyond = b.compare("icmp ugt", end, bounds.end)
            b.return_if(b.binary("or", below, beyond).name, slot + 1, bounds.report.name)
        b.lanes = lanes

    def _reversed(self, b: Builder, of: str, size: int, address: Value) -> Value:
        """Contiguous elements, the last one first."""
        first = b.emit(f"getelementptr {of}, ptr {address.name}, i64 {1 - b.lanes}")
        name = b.emit(f"load {b.type(of)}, ptr {first}, align {size}")
        return Value(shuffled(b, of, name, "poison", list(range(b.lanes))[::-1]), of)

    def _deinterleaved(self, b: Builder, of: str, size: int, address: Value, stride: int) -> Value:
        """Elements at a small stride, shuffled out of contiguous vectors; the last vector ends with
        the last element, so that nothing after it is read."""
        lanes = b.lanes
        wanted = [lane * stride for lane in range(lanes)]
        starts = [*range(0, (stride - 1) * lanes, lanes), wanted[-1] + 1 - lanes]
        found, picked = "poison", [-1] * lanes
        for start in starts:
            first = b.emit(f"getelementptr {of}, ptr {address.name}, i64 {start}")
            vector = b.emit(f"load {b.type(of)}, ptr {first}, align {size}")
            indices = []
            for lane, element in enumerate(wanted):
                if picked[lane] < 0 and start <= element < start + lanes:
                    indices.append(lanes + element - start)
                    picked[lane] = element
                else:
                    indices.append(lane if picked[lane] >= 0 else -1)
            found = shuffled(b, of, found, vector, indices)
        return Value(found, of)

    def _strided(self, b: Builder, of: str, size: int, address: Value, stride: Value) -> Value:
        """Elements at a stride, loaded one by one."""
        vector, pointer = "poison", address.name
        for lane in range(b.lanes):
            if lane:
                pointer = b.emit(f"getelementptr {of}, ptr {pointer}, i64 {stride.name}")
            one = b.emit(f"load {of}, ptr {pointer}, align {size}")
            vector = b.emit(f"insertelement {b.type(of)} {vector}, {of} {one}, i64 {lane}")
        return Value(vector, of)

    def load_transposed(
        self, b: Builder, slot: int, address: Value, axis: int, count: int
    ) -> list[Value]:
        """``count`` vectors along ``axis``, one for each index of the axis after it, along which
        the slot is contiguous."""
        target = self.nest.slots[slot]
        of, nbytes = memory_type(target.dtype), target.dtype.itemsize
        align = target.dtype.alignment
        stride = self.strides[slot][axis].name
        size = min(b.lanes, count)
        if nbytes > 1:  # bytes take the fewest shuffles in wide tiles
            size = min(size, TILE_SIZE[nbytes])
        pointer = address.name
        parts: list[list[str]] = [[] for _ in range(count)]
        self.check(b, slot, address, self.strides[slot][axis], count)
        for first in range(0, b.lanes, size):
            tiles: list[list[str]] = [[] for _ in range(0, count, size)]
            for lane in range(size):
                if first or lane:
                    pointer = b.emit(f"getelementptr {of}, ptr {pointer}, i64 {stride}")
                for number, tile in enumerate(tiles):
                    part = pointer
                    if number:
                        part = b.emit(f"getelementptr {of}, ptr {pointer}, i64 {number * size}")
                    tile.append(b.emit(f"load <{size} x {of}>, ptr {part}, align {align}"))
            columns = [column for tile in tiles for column in transpose(b, of, tile, nbytes)]
            for found, column in zip(parts, columns, strict=True):
                found.append(column)
        values = [Value(joined(b, of, part, size), of) for part in parts]
        if TYPES[target.dtype.name] == "i1":
            return [b.compare("icmp ne", value, b.constant(of, 0)) for value in values]
        return values

    def _positions(self, b: Builder, slot: int, position: Value, axis: int) -> Value:
        if b.lanes == 1 or self.nest.slots[slot].steps[axis] == 0:
            return position
        numbers = ", ".join(f"i64 {lane}" for lane in range(b.lanes))
        ramp = Value(f"<{numbers}>", "i64")
        if self.nest.slots[slot].steps[axis] != 1:
            ramp = b.binary("mul", ramp, self.strides[slot][axis])
        return b.binary("add", ramp, position)

    def store(self, b: Builder, slot: int, address: Value, value: Value, axis: int) -> None:
        """Store one element, or a vector of elements along ``axis``."""
        target = self.nest.slots[slot]
        size = target.dtype.alignment
        step = target.steps[axis]
        self.check(b, slot, address, self.strides[slot][axis] if step else None)
        value = self.to_memory(b, value)
        if b.lanes == 1:
            b.line(f"store {value.type} {value.name}, ptr {address.name}, align {size}")
            return
        assert step, "a store in a vector loop has to move with it"
        name = b.spread(value)
        if self.tail is not None:
            self.tail.write(name, value.type, address.name)
            return
        if step == 1:
            how = f"align {size}"
            if self.streamed:
                how = f"align {min(64, target.dtype.itemsize * b.lanes)}, !nontemporal !0"
            b.line(f"store {b.type(value.type)} {name}, ptr {address.name}, {how}")
            return
        pointer = address.name
        stride = self.strides[slot][axis].name
        for lane in range(b.lanes):
            if lane:
                pointer = b.emit(f"getelementptr {value.type}, ptr {pointer}, i64 {stride}")
            one = b.emit(f"extractelement {b.type(value.type)} {name}, i64 {lane}")
            b.line(f"store {value.type} {one}, ptr {pointer}, align {size}")

    def to_memory(self, b: Builder, value: Value) -> Value:
        """A value as it is in memory, where bools are bytes."""
        return b.convert("zext", value, "i8") if value.type == "i1" else value
