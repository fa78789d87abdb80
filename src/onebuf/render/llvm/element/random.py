"""Random bits as LLVM IR: Philox4x32-10, with the bits of `onebuf.ops.random.philox`.

A counter gives four words of 32 bits. A vector of consecutive positions that begins with the first
word of a counter needs one counter for four lanes, or for two if words have 64 bits. Otherwise each
lane computes its own counter and takes one word of it. Words are held in 64 bits, so that the
product of two fits.
"""

from __future__ import annotations

from onebuf.graph import RANDOM_WORDS, Op
from onebuf.render.builder import Builder, Value

ROUNDS = 10
_MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
_WEYL = (0x9E3779B9, 0xBB67AE85)
_LOW = 0xFFFFFFFF

Words = list[Value]
"""The four words of each counter."""


def random_words(b: Builder, op: Op, position: Value, key: Value, stream: Value) -> Value:
    """Word ``position`` of a stream; positions have the same distance from lane to lane."""
    bits = RANDOM_WORDS[op]
    each = 128 // bits
    lanes = b.lanes
    if position.uniform or lanes < each:
        return _alone(b, bits, position, key, stream)
    vector = f"<{lanes} x i64> {position.name}"
    first = Value(b.emit(f"extractelement {vector}, i64 0"), "i64", True)
    last = Value(b.emit(f"extractelement {vector}, i64 {lanes - 1}"), "i64", True)
    b.lanes = 1
    distance = b.binary("sub", last, first)
    near = b.compare("icmp eq", distance, b.constant("i64", lanes - 1))
    begins = b.binary("and", first, b.constant("i64", each - 1))
    whole = b.binary("and", near, b.compare("icmp eq", begins, b.constant("i64", 0)))
    together, apart, done = (b.label(word) for word in ("together", "apart", "done"))
    b.line(f"br i1 {whole.name}, label %{together}, label %{apart}")
    b.line(f"{together}:")
    one = _together(b, bits, first, lanes, key, stream)
    one_block = b.block
    b.line(f"br label %{done}")
    b.line(f"{apart}:")
    b.lanes = lanes
    two = _alone(b, bits, position, key, stream)
    two_block = b.block
    b.line(f"br label %{done}")
    b.line(f"{done}:")
    type_ = b.type(two.type)
    name = b.emit(f"phi {type_} [ {one}, %{one_block} ], [ {two.name}, %{two_block} ]")
    return Value(name, two.type)


def _alone(b: Builder, bits: int, position: Value, key: Value, stream: Value) -> Value:
    """A counter for each lane."""
    shift = 2 if bits == 32 else 1
    counter = b.binary("lshr", position, b.constant("i64", shift))
    words = _rounds(b, counter, key, stream)
    if bits == 64:
        pairs = [_joined(b, words[0], words[1]), _joined(b, words[2], words[3])]
        return b.select(_bit(b, position, 0), pairs[1], pairs[0])
    odd = _bit(b, position, 0)
    low = b.select(odd, words[1], words[0])
    high = b.select(odd, words[3], words[2])
    return b.convert("trunc", b.select(_bit(b, position, 1), high, low), "i32")


def _together(b: Builder, bits: int, first: Value, lanes: int, key: Value, stream: Value) -> str:
    """All words of the counters from that of ``first`` on, in order; the name of the vector."""
    each = 128 // bits
    counters = lanes // each
    b.lanes = counters
    start = b.binary("lshr", first, b.constant("i64", each // 2))
    ramp = Value(f"<{', '.join(f'i64 {n}' for n in range(counters))}>", "i64")
    counter = b.binary("add", ramp, start) if counters > 1 else start
    words = _rounds(b, counter, key, stream)
    if bits == 64:
        parts = [_joined(b, words[0], words[1]), _joined(b, words[2], words[3])]
    else:
        parts = [b.convert("trunc", word, "i32") for word in words]
    of = f"i{bits}"
    if counters == 1:
        vector = "poison"
        for lane, part in enumerate(parts):
            vector = b.emit(
                f"insertelement <{lanes} x {of}> {vector}, {of} {part.name}, i64 {lane}"
            )
        return vector
    names, width = [b.spread(part) for part in parts], counters
    while len(names) > 1:
        names = [
            _concatenated(b, of, width, one, two)
            for one, two in zip(names[::2], names[1::2], strict=True)
        ]
        width *= 2
    order = ", ".join(f"i32 {part * counters + n}" for n in range(counters) for part in range(each))
    wide = f"<{lanes} x {of}>"
    return b.emit(f"shufflevector {wide} {names[0]}, {wide} poison, <{lanes} x i32> <{order}>")


def _concatenated(b: Builder, of: str, width: int, one: str, two: str) -> str:
    order = ", ".join(f"i32 {n}" for n in range(2 * width))
    wide = f"<{width} x {of}>"
    return b.emit(f"shufflevector {wide} {one}, {wide} {two}, <{2 * width} x i32> <{order}>")


def _rounds(b: Builder, counter: Value, key: Value, stream: Value) -> Words:
    half = b.constant("i64", 32)
    c0, c1 = _low(b, counter), b.binary("lshr", counter, half)
    c2, c3 = _low(b, stream), b.binary("lshr", stream, half)
    k0, k1 = _low(b, key), b.binary("lshr", key, half)
    multipliers = [b.constant("i64", number) for number in _MULTIPLIERS]
    weyl = [b.constant("i64", number) for number in _WEYL]
    for number in range(ROUNDS):
        if number:
            k0, k1 = (_low(b, b.binary("add", *pair)) for pair in ((k0, weyl[0]), (k1, weyl[1])))
        p0, p1 = (
            b.binary("mul", _low(b, c0), multipliers[0]),
            b.binary("mul", _low(b, c2), multipliers[1]),
        )
        c0 = b.binary("xor", b.binary("xor", b.binary("lshr", p1, half), c1), k0)
        c2 = b.binary("xor", b.binary("xor", b.binary("lshr", p0, half), c3), k1)
        c1, c3 = _low(b, p1), _low(b, p0)
    return [c0, c1, c2, c3]


def _low(b: Builder, x: Value) -> Value:
    return b.binary("and", x, b.constant("i64", _LOW))


def _bit(b: Builder, x: Value, number: int) -> Value:
    return b.compare(
        "icmp ne", b.binary("and", x, b.constant("i64", 1 << number)), b.constant("i64", 0)
    )


def _joined(b: Builder, low: Value, high: Value) -> Value:
    return b.binary("or", low, b.binary("shl", high, b.constant("i64", 32)))
