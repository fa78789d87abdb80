"""A line plot as a PNG file, drawn by writing to slices of a buffer; no plotting library is needed.

python examples/line_plot.py                  say how large the plot of a wave is
python examples/line_plot.py wave.png         write it to a file
"""

import struct
import sys
import zlib
from collections.abc import Sequence
from math import cos, exp
from pathlib import Path

import numpy as np

import onebuf

HEIGHT, WIDTH = 400, 720
TOP, BOTTOM, LEFT, RIGHT = 20, 360, 80, 700
"""The pixels between which the curve is drawn."""
INK, GRID, CURVE = (60, 60, 60), (225, 225, 225), (31, 90, 160)
LINES = 5
"""Lines of the grid, in each direction."""
SIGNS = {
    "0": "75557", "1": "26227", "2": "71747", "3": "71717", "4": "55711", "5": "74717",
    "6": "74757", "7": "71122", "8": "75757", "9": "75717", ".": "00002", "-": "00700",
    "e": "07747", "+": "02720",
}  # fmt: skip
"""Signs as five rows of three dots: the bits of an octal digit are one row."""
DOT = 2
"""Pixels of a dot, in each direction."""


def line_plot(values: Sequence[float]) -> onebuf.Buffer:
    """The curve of ``values`` with a grid and its numbers, as (height, width, 3) bytes."""
    if len(values) < 2 or not np.isfinite(values).all():
        raise ValueError(f"line_plot needs two finite values or more, got {list(values)[:5]}")
    image = onebuf.full((HEIGHT, WIDTH, 3), 255, dtype="uint8").realize()
    low, high = min(values), max(values)
    high = high if high > low else low + 1.0
    for part in range(LINES):
        share = part / (LINES - 1)
        row, column = round(BOTTOM - share * (BOTTOM - TOP)), round(LEFT + share * (RIGHT - LEFT))
        image[row, LEFT:RIGHT] = onebuf.asarray(GRID, dtype="uint8")
        image[TOP:BOTTOM, column] = onebuf.asarray(GRID, dtype="uint8")
        write(image, f"{low + share * (high - low):.3g}", row - 5, LEFT - 10, from_right=True)
        write(image, f"{share * (len(values) - 1):.4g}", BOTTOM + 10, column - 8)
    columns = np.arange(LEFT, RIGHT + 1)
    places = (columns - LEFT) / (RIGHT - LEFT) * (len(values) - 1)
    heights = np.interp(places, np.arange(len(values)), values)
    rows = np.rint(BOTTOM - (heights - low) / (high - low) * (BOTTOM - TOP)).astype(int).tolist()
    for column, row, before in zip(columns.tolist(), rows, [rows[0], *rows], strict=False):
        top, bottom = sorted((row, before))
        image[top - 1 : bottom + 1, column] = onebuf.asarray(CURVE, dtype="uint8")
    return image


def write(image: onebuf.Buffer, text: str, row: int, column: int, from_right: bool = False) -> None:
    """Draw ``text`` with its upper left corner at a pixel; or its right one, ``from_right``."""
    if from_right:
        column -= 4 * DOT * len(text)
    for place, sign in enumerate(text):
        bits = [[int(digit) >> (2 - dot) & 1 for dot in range(3)] for digit in SIGNS[sign]]
        dots = onebuf.repeat(onebuf.repeat(onebuf.asarray(bits), DOT, axis=0), DOT, axis=1)
        left = column + 4 * DOT * place
        area = image[row : row + 5 * DOT, left : left + 3 * DOT]
        area[...] = onebuf.where(dots[..., None] == 1, onebuf.asarray(INK, dtype="uint8"), area)


def png(image: onebuf.Buffer) -> bytes:
    """The image as a PNG file: https://www.w3.org/TR/png-3/."""
    height, width, _ = image.shape
    # Every row begins with the number of its filter, and 0 is none.
    rows = onebuf.concat([onebuf.zeros((height, 1), dtype="uint8"), image.reshape(height, -1)], 1)
    parts = [b"\x89PNG\r\n\x1a\n"]
    for name, data in (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(np.asarray(rows).tobytes(), 9)),
        (b"IEND", b""),
    ):
        parts += [struct.pack(">I", len(data)), name, data]
        parts.append(struct.pack(">I", zlib.crc32(name + data)))
    return b"".join(parts)


if __name__ == "__main__":
    image = line_plot([exp(-x / 60) * cos(x / 6) for x in range(200)])
    found = png(image)
    print(f"{image.shape[1]} x {image.shape[0]} pixels, {len(found):,} bytes of PNG")
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_bytes(found)
