"""Moving: loads where indices point, and loads only where there is an element, as LLVM IR.

Lanes whose distance is the same are loaded as ever, from there. Other lanes are gathered.
A load under a condition is the usual one wherever the condition holds in all lanes, and none where
it holds in no lane; only at the ends of what there is are lanes looked at one by one.
"""

from __future__ import annotations

from collections.abc import Callable

from onebuf.graph import PAD, TAKE, Op
from onebuf.kernel import FLAG, INSIDE
from onebuf.render.builder import Builder, Value

MOVES = frozenset({TAKE, PAD, INSIDE})


def emit(b: Builder, op: Op, operands: tuple[Value, ...], flag: Value) -> Value:
    """The value of a step of `onebuf.kernel.nest.indexed_load`; ``flag`` is set if it fails."""
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
    """How far an index reaches; the kernel returns if one is outside."""
    sign = b.binary("ashr", index, b.constant("i64", 63))
    index = b.binary("add", index, b.binary("and", sign, extent))
    left = b.binary("sub", b.binary("sub", extent, b.constant("i64", 1)), index)
    outside = b.compare("icmp slt", b.binary("or", index, left), b.constant("i64", 0))
    failed, fine = b.label("outside"), b.label("inside")
    b.line(f"br i1 {over_lanes(b, 'or', outside)}, label %{failed}, label %{fine}")
    b.line(f"{failed}:")
    b.line(f"store i64 {FLAG}, ptr {flag.name}, align 8")
    b.line("ret void")
    b.line(f"{fine}:")
    return index if stride is None else b.binary("mul", index, stride)


def over_lanes(b: Builder, how: str, value: Value) -> str:
    """One value of all lanes, folded by ``or``, ``and``, ``smin`` or ``smax``."""
    if b.lanes == 1 or value.uniform:
        return value.name
    name = f"llvm.vector.reduce.{how}.{b.mangled(value.type)}"
    b.declarations.add(f"declare {value.type} @{name}({b.type(value.type)})")
    return b.emit(f"call {value.type} @{name}({b.type(value.type)} {value.name})")


def beyond(b: Builder, of: str, place: Value, distance: str) -> Value:
    """The address ``distance`` elements beyond ``place``."""
    return Value(b.emit(f"getelementptr {of}, ptr {place.name}, i64 {distance}"), "ptr", True)


def gathered(b: Builder, of: str, size: int, place: Value, distances: Value) -> Value:
    """Lanes at different distances from ``place``."""
    if of not in ("i8", "i16"):
        return masked(b, of, size, place, distances, b.constant("i1", 1))
    vector = "poison"  # no processor gathers so small ones
    for lane in range(b.lanes):
        where = b.emit(f"extractelement {b.type('i64')} {distances.name}, i64 {lane}")
        one = b.emit(f"load {of}, ptr {beyond(b, of, place, where).name}, align {size}")
        vector = b.emit(f"insertelement {b.type(of)} {vector}, {of} {one}, i64 {lane}")
    return Value(vector, of)


def guarded(
    b: Builder,
    inside: Value,
    of: str,
    load: Callable[[], Value],
    load_some: Callable[[], Value],
) -> Value:
    """What ``load`` gives where ``inside`` holds in all lanes, 0 where in none.

    ``load_some`` is for a vector with both.
    """
    if inside.name == "true":
        return load()
    if inside.name == "false":
        return b.constant(of, 0)
    some, whole, none, part, done = (b.label(word) for word in ("any", "all", "none", "some", "on"))
    b.line(f"br i1 {over_lanes(b, 'and', inside)}, label %{whole}, label %{none}")
    b.line(f"{whole}:")
    value = load()
    found = [(b.spread(value), b.block)]
    b.line(f"br label %{done}")
    b.line(f"{none}:")
    if b.lanes > 1 and not inside.uniform:
        b.line(f"br i1 {over_lanes(b, 'or', inside)}, label %{part}, label %{some}")
        b.line(f"{part}:")
        found.append((load_some().name, b.block))
        b.line(f"br label %{done}")
        b.line(f"{some}:")
    found.append(("zeroinitializer", b.block))
    b.line(f"br label %{done}")
    b.line(f"{done}:")
    sources = ", ".join(f"[ {name}, %{block} ]" for name, block in found)
    return Value(b.emit(f"phi {b.type(of)} {sources}"), of, b.lanes == 1)


def masked(b: Builder, of: str, size: int, place: Value, distances: Value, inside: Value) -> Value:
    """Lanes at some distances from ``place``, those that have no element 0."""
    wide = b.type(of)
    places = f"<{b.lanes} x ptr>"
    where = b.emit(f"getelementptr {of}, ptr {place.name}, {b.type('i64')} {b.spread(distances)}")
    name = f"llvm.masked.gather.{b.mangled(of)}.v{b.lanes}p0"
    flags = b.type("i1")
    b.declarations.add(f"declare {wide} @{name}({places}, i32, {flags}, {wide})")
    text = f"call {wide} @{name}({places} {where}, i32 {size}, {flags} {b.spread(inside)}, "
    return Value(b.emit(f"{text}{wide} zeroinitializer)"), of)
