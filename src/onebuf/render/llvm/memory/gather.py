"""Gathers and conditional loads: the steps of `onebuf.kernel.nest.indexed_load` as LLVM IR.

If all lanes have the same distance, they are loaded as one vector from there; otherwise they are
gathered. A conditional load is an ordinary load if the condition holds in all lanes, and none if it
holds in no lane. Only a vector with both kinds of lanes is a masked gather.
"""

from __future__ import annotations

from collections.abc import Callable

from onebuf.graph import PAD, TAKE, Op
from onebuf.kernel import FLAG
from onebuf.render.builder import Builder, Value


def address_step(b: Builder, op: Op, operands: tuple[Value, ...], flag: Value) -> Value:
    """The value of a TAKE, PAD or INSIDE step; ``flag`` is set if an index is outside."""
    if op is TAKE:
        return _distance(b, *operands, flag=flag)
    if op is PAD:
        inside, value, border = operands
        if inside.name in ("true", "false"):
            return value if inside.name == "true" else border
        return b.select(inside, value, border)
    position, extent, *other = operands
    inside = b.compare("icmp ult", position, extent)
    return b.binary("and", other[0], inside) if other else inside


def _distance(
    b: Builder, index: Value, extent: Value, stride: Value | None = None, *, flag: Value
) -> Value:
    """The distance of an index in elements; the kernel returns if one is outside."""
    sign = b.binary("ashr", index, b.constant("i64", 63))
    index = b.binary("add", index, b.binary("and", sign, extent))
    left = b.binary("sub", b.binary("sub", extent, b.constant("i64", 1)), index)
    outside = b.compare("icmp slt", b.binary("or", index, left), b.constant("i64", 0))
    b.return_if(reduce_vector(b, "or", outside), FLAG, flag.name)
    return index if stride is None else b.binary("mul", index, stride)


def reduce_vector(b: Builder, how: str, value: Value) -> str:
    """All lanes reduced to one by ``or``, ``and``, ``smin`` or ``smax``."""
    if b.lanes == 1 or value.uniform:
        return value.name
    name = f"llvm.vector.reduce.{how}.{b.mangled(value.type)}"
    b.declarations.add(f"declare {value.type} @{name}({b.type(value.type)})")
    return b.emit(f"call {value.type} @{name}({b.type(value.type)} {value.name})")


def offset_address(b: Builder, of: str, address: Value, distance: str) -> Value:
    """The address ``distance`` elements after ``address``."""
    return Value(b.emit(f"getelementptr {of}, ptr {address.name}, i64 {distance}"), "ptr", True)


def gather(b: Builder, of: str, size: int, address: Value, distances: Value) -> Value:
    """A vector of elements at different distances from ``address``."""
    if of not in ("i8", "i16"):
        return masked_gather(b, of, size, address, distances, b.constant("i1", 1))
    vector = "poison"  # no processor has a gather of such small elements
    for lane in range(b.lanes):
        distance = b.emit(f"extractelement {b.type('i64')} {distances.name}, i64 {lane}")
        pointer = offset_address(b, of, address, distance).name
        one = b.emit(f"load {of}, ptr {pointer}, align {size}")
        vector = b.emit(f"insertelement {b.type(of)} {vector}, {of} {one}, i64 {lane}")
    return Value(vector, of)


def conditional_load(
    b: Builder,
    inside: Value,
    of: str,
    load: Callable[[], Value],
    load_some: Callable[[], Value],
) -> Value:
    """The value of ``load`` if ``inside`` holds in all lanes, 0 if in none.

    ``load_some`` gives the value of a vector with both kinds of lanes.
    """
    if inside.name == "true":
        return load()
    if inside.name == "false":
        return b.constant(of, 0)
    some, whole, none, part, done = (b.label(word) for word in ("any", "all", "none", "some", "on"))
    b.line(f"br i1 {reduce_vector(b, 'and', inside)}, label %{whole}, label %{none}")
    b.line(f"{whole}:")
    value = load()
    found = [(b.spread(value), b.block)]
    b.line(f"br label %{done}")
    b.line(f"{none}:")
    if b.lanes > 1 and not inside.uniform:
        b.line(f"br i1 {reduce_vector(b, 'or', inside)}, label %{part}, label %{some}")
        b.line(f"{part}:")
        found.append((load_some().name, b.block))
        b.line(f"br label %{done}")
        b.line(f"{some}:")
    found.append(("zeroinitializer", b.block))
    b.line(f"br label %{done}")
    b.line(f"{done}:")
    sources = ", ".join(f"[ {name}, %{block} ]" for name, block in found)
    return Value(b.emit(f"phi {b.type(of)} {sources}"), of, b.lanes == 1)


def masked_gather(
    b: Builder, of: str, size: int, address: Value, distances: Value, inside: Value
) -> Value:
    """A vector of elements at distances from ``address``, 0 in lanes that are not ``inside``."""
    wide, flags, pointers = b.type(of), b.type("i1"), f"<{b.lanes} x ptr>"
    indices = f"{b.type('i64')} {b.spread(distances)}"
    elements = b.emit(f"getelementptr {of}, ptr {address.name}, {indices}")
    name = f"llvm.masked.gather.{b.mangled(of)}.v{b.lanes}p0"
    b.declarations.add(f"declare {wide} @{name}({pointers}, i32, {flags}, {wide})")
    text = f"call {wide} @{name}({pointers} {elements}, i32 {size}, {flags} {b.spread(inside)}, "
    return Value(b.emit(f"{text}{wide} zeroinitializer)"), of)
