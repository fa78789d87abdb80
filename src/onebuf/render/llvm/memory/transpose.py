"""Transposition of a square tile of elements in vector registers."""

from __future__ import annotations

from onebuf.render.builder import Builder

REGISTER_NBYTES = 16
"""Shuffles within this many bytes are cheap; between such parts of a register they cost more."""

TILE_SIZE = {1: 16, 2: 8, 4: 8, 8: 4, 16: 2}
"""The number of rows and columns of a tile, by the size of its elements in bytes."""


def transpose(b: Builder, of: str, rows: list[str], nbytes: int) -> list[str]:
    """The columns of a tile of row vectors of type ``of``, whose elements have ``nbytes`` bytes.

    First, halves of vectors are exchanged until the rest of the work is within REGISTER_NBYTES.
    There, interleaving the first half of the rows with the second rotates the bits of all positions
    by one. After as many rotations as a row number has bits, it has become the column number.
    """
    size = len(rows)
    part = min(size, REGISTER_NBYTES // nbytes)
    span = size
    while span > part:
        rows = _swap(b, of, rows, span)
        span //= 2
    done: list[str] = []
    for first in range(0, size, part):
        group = rows[first : first + part]
        for _ in range(part.bit_length() - 1):
            half = part // 2
            pairs = zip(group[:half], group[half:], strict=True)
            group = [row for pair in pairs for row in _interleave(b, of, pair, size, part)]
        done += group
    return done


def _swap(b: Builder, of: str, rows: list[str], span: int) -> list[str]:
    """In each square of ``span`` rows, exchange the upper right and the lower left quarter."""
    size, half = len(rows), span // 2
    swapped = list(rows)
    for number, row in enumerate(rows):
        if number & half:
            continue
        other = rows[number + half]
        low = [e if not e & half else size + e - half for e in range(size)]
        high = [e + half if not e & half else size + e for e in range(size)]
        swapped[number] = shuffled(b, of, row, other, low)
        swapped[number + half] = shuffled(b, of, row, other, high)
    return swapped


def _interleave(b: Builder, of: str, pair: tuple[str, str], size: int, part: int) -> list[str]:
    """The interleaved lower, and upper, halves of each ``part`` elements of two vectors."""
    found = []
    for start in (0, part // 2):
        places = [
            place
            for first in range(0, size, part)
            for element in range(first + start, first + start + part // 2)
            for place in (element, size + element)
        ]
        found.append(shuffled(b, of, *pair, places))
    return found


def joined(b: Builder, of: str, parts: list[str], size: int) -> str:
    """The concatenation of vectors of ``size`` elements; their number is a power of two."""
    if of == "i128":
        pairs = [b.emit(f"bitcast <{size} x i128> {part} to <{2 * size} x i64>") for part in parts]
        whole = size * len(parts)
        both = joined(b, "i64", pairs, 2 * size)
        return b.emit(f"bitcast <{2 * whole} x i64> {both} to <{whole} x i128>")
    while len(parts) > 1:
        places = ", ".join(f"i32 {place}" for place in range(2 * size))
        wide, mask = f"<{size} x {of}>", f"<{2 * size} x i32> <{places}>"
        two_by_two = zip(parts[::2], parts[1::2], strict=True)
        parts = [
            b.emit(f"shufflevector {wide} {one}, {wide} {two}, {mask}") for one, two in two_by_two
        ]
        size *= 2
    return parts[0]


def shuffled(b: Builder, of: str, one: str, two: str, places: list[int]) -> str:
    """The elements of two vectors at ``places``, -1 for any element."""
    if of == "i128":  # processors shuffle no such elements, so they are pairs of i64
        return _shuffled_pairs(b, one, two, places)
    wide = f"<{len(places)} x {of}>"
    mask = ", ".join("i32 poison" if place < 0 else f"i32 {place}" for place in places)
    return b.emit(f"shufflevector {wide} {one}, {wide} {two}, <{len(places)} x i32> <{mask}>")


def _shuffled_pairs(b: Builder, one: str, two: str, places: list[int]) -> str:
    count = len(places)
    whole, halves = f"<{count} x i128>", f"<{2 * count} x i64>"
    first, second = (
        name if name == "poison" else b.emit(f"bitcast {whole} {name} to {halves}")
        for name in (one, two)
    )
    pairs = [2 * place + side if place >= 0 else -1 for place in places for side in (0, 1)]
    found = shuffled(b, "i64", first, second, pairs)
    return b.emit(f"bitcast {halves} {found} to {whole}")
