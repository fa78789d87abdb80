"""The picture of the architecture, drawn from the sources.

Layers and their order come from the contracts in pyproject.toml, sizes and imports from the modules
themselves, so that the picture cannot show what is not there. The same sources give the same text::

    python tools/draw_architecture.py        # writes docs/architecture.svg

`COLOURS` and `JOURNEY` are all that is said here and nowhere else: what each layer touches, and
where one line of code goes.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from html import escape
from itertools import pairwise
from math import sqrt
from pathlib import Path

PROJECT = Path(__file__).parents[1]
PACKAGE = PROJECT / "src" / "onebuf"
PICTURE = PROJECT / "docs" / "architecture.svg"

COLOURS = {
    "interface": (
        *("cli", "testing", "compat", "onebuf", "clients", "fft", "linalg", "lib", "numpy_api"),
        *("scalar_types", "array_api", "control", "files", "random", "kinds", "op_graph", "buffer"),
        *("nn", "optim", "tensor", "capture", "batching", "gradients"),
    ),
    "effect": (
        *("tracing", "runtimes", "engine", "backends", "ops", "interop", "machine", "memory"),
    ),
    "pure": (
        *("render", "scheduler", "kernel", "graph", "placement", "layout"),
        *("sparsity", "shapes", "symmetry"),
    ),
    "ground": (
        *("options", "pytree", "tasks", "dtypes", "errors", "events", "late", "switch"),
        *("quick", "native"),
    ),
}
LEGEND = {
    "interface": "what users call",
    "effect": "touches memory or devices",
    "pure": "pure: values in, values out; needs no device",
    "ground": "used everywhere",
}
JOURNEY = {
    "buffer": "an operator or method calls the function of its name",
    "ops": "checks operands; small ones are computed at once (tier 0)",
    "graph": "a node: operation, operands, shape, dtype; still pending",
    "engine/run": "realize: values are needed",
    "engine/plan": "its plan is found by key, or is made now",
    "scheduler/fuse": "which operations share a kernel, and why",
    "scheduler/trace": "the kernel as a nest of loops",
    "render/llvm": "the nest as LLVM IR, in vectors",
    "backends/cpu": "machine code, from the compiler or the disk",
    "engine/step": "the plan runs: memory from the pool for each result",
    "engine/cpu": "the call: addresses, sizes, threads",
}
TITLE = "How onebuf is built"
NOTE = (
    "A layer imports only layers below it. Inside a layer, › points to the folder that may be "
    "imported. Numbers are lines of code."
)

SCALE = 0.078  # pixels for a line of code
LEFT, TOP, GAP, PAD = 54.0, 104.0, 7.0, 6.0
LEAF, HEADER = 24.0, 21.0
CELL = 13.5
MOST = 580.0  # wider rows of folders are broken between two levels of a contract
LISTED = 300  # modules beside folders that have fewer lines than this are not drawn
LETTER, DIGIT = 8.0, 6.2


@dataclass
class Box:
    """A folder or module, the boxes inside it, and where it is drawn."""

    path: str
    lines: int
    level: int = 0
    """In the contract of the box around it; neighbours that may not import one another share it."""
    rows: list[list[Box]] = field(default_factory=list)
    x: float = 0.0
    y: float = 0.0
    width: float = 0.0
    height: float = 0.0

    @property
    def name(self) -> str:
        """The last part of its path."""
        return "import onebuf" if self.path == "onebuf" else self.path.rpartition("/")[2]

    def all(self) -> Iterator[Box]:
        """It and all that it holds."""
        yield self
        for row in self.rows:
            for box in row:
                yield from box.all()


@dataclass(frozen=True)
class Facts:
    """What is drawn: lines of each folder and module, and imports from layer to layer."""

    lines: dict[str, int]
    imports: dict[tuple[str, str], int]


# -- the sources -----------------------------------------------------------------------------------


@cache
def contracts() -> dict[str, list[list[str]]]:
    """The levels of each container of layers, from the top; neighbours are on one level."""
    linter = tomllib.loads((PROJECT / "pyproject.toml").read_text())["tool"]["importlinter"]
    return {
        container: [re.findall(r"(?<![\w(])\w+(?![\w)])", level) for level in contract["layers"]]
        for contract in linter["contracts"]
        if contract["type"] == "layers"
        for container in contract["containers"]
    }


def levels() -> list[list[str]]:
    """The layers from the top, with the root namespace below what it must not import."""
    found = [level for level in contracts()["onebuf"] if level]
    at = next(n for n, level in enumerate(found) if "compat" in level)
    return [*found[: at + 1], ["onebuf"], *found[at + 1 :]]


def facts() -> Facts:
    """What the sources say now."""
    lines: Counter[str] = Counter()
    imports: Counter[tuple[str, str]] = Counter()
    for path in sorted(PACKAGE.rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        layer = "onebuf" if parts[0] in ("__init__", "__main__") else parts[0]
        count = source.count("\n")
        lines[layer] += count
        for depth in range(2, len(parts)):
            lines["/".join(parts[:depth])] += count
        for target in _imported(source):
            if target != layer:
                imports[layer, target] += 1
    return Facts(dict(lines), dict(imports))


def _imported(source: str) -> Iterator[str]:
    """The layer of each import in a module, inside functions and for types too."""
    for node in ast.walk(ast.parse(source)):
        names: list[str] = []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        yield from sorted({_layer(name) for name in names} - {""})


def _layer(name: str) -> str:
    root, _, rest = name.partition(".")
    first = rest.partition(".")[0]
    if root != "onebuf":
        return ""
    if (PACKAGE / first).is_dir() or (PACKAGE / f"{first}.py").is_file():
        return first or "onebuf"
    return "onebuf"


# -- boxes -----------------------------------------------------------------------------------------


def box_of(path: str, known: Facts, level: int = 0) -> Box:
    """A folder or module with the folders in it, in the order of its contract."""
    prefix = path + "/"
    names = sorted(p.removeprefix(prefix) for p in known.lines if p.startswith(prefix))
    order = contracts().get("onebuf." + path.replace("/", "."), [])
    rank = {name: number for number, names in enumerate(order) for name in names}
    inner = [
        box_of(prefix + name, known, rank.get(name, len(order)))
        for name in sorted(names, key=lambda name: rank.get(name, len(order)))
        if "/" not in name
    ]
    rest = known.lines[path] - sum(box.lines for box in inner)
    if inner and rest >= LISTED:
        inner.append(measured(Box(prefix + "modules", rest, len(order))))
    return measured(Box(path, known.lines[path], level, [inner] if inner else []))


def measured(box: Box) -> Box:
    """The box with the size that its lines, its name and what is inside it need."""
    if box.rows and _width(box.rows[0]) > MOST:
        (inner,) = box.rows
        ends = [n for n in range(1, len(inner)) if inner[n - 1].level < inner[n].level]
        cuts = [[inner[:n], inner[n:]] for n in ends] or [[inner]]
        box.rows = min(cuts, key=lambda rows: max(map(_width, rows)))
    name = LETTER * len(box.name) + DIGIT * len(told(box.lines)) + 20
    needed = max([_width(row) + 2 * PAD for row in box.rows], default=0.0)
    box.width = max(SCALE * box.lines / max(1, len(box.rows)), name, needed)
    heights = [max(one.height for one in row) + PAD for row in box.rows]
    box.height = HEADER + sum(heights) if heights else LEAF
    return box


def _width(row: list[Box]) -> float:
    return sum(one.width + GAP for one in row) - GAP


def place(box: Box, x: float, y: float, height: float) -> None:
    """Put a box, and the boxes inside it, somewhere."""
    box.x, box.y, box.height = x, y, height
    top = y + HEADER
    spare = height - HEADER - sum(max(one.height for one in row) + PAD for row in box.rows)
    for row in box.rows:
        tallest = max(one.height for one in row) + spare / len(box.rows)
        at = x + PAD
        for one in row:
            place(one, at, top, tallest)
            at += one.width + GAP
        top += tallest + PAD


def told(lines: int) -> str:
    """A number of lines with two digits that count.

    >>> told(8408), told(12345), told(146)
    ('8.4k', '12k', '150')
    """
    if lines >= 9950:
        return f"{lines / 1000:.0f}k"
    return f"{lines / 1000:.1f}k" if lines >= 995 else f"{max(10, round(lines, -1))}"


# -- the picture -----------------------------------------------------------------------------------

STYLE = """
text { font-family: Inter, "Segoe UI", "DejaVu Sans", Helvetica, Arial, sans-serif }
text { font-size: 12px; fill: #1c2530 }
.card { fill: #ffffff; stroke: #d8dee6 }
.title { font-size: 19px; font-weight: 600 }
.note { font-size: 11.5px; fill: #55616f }
.count { font-size: 10px; fill: #1c2530; fill-opacity: .6 }
.box { stroke-width: 1 }
.in { fill: #ffffff; fill-opacity: .62; stroke-width: .8 }
.own { fill: none; stroke-dasharray: 2 2 }
.interface { fill: #ffe9c7; stroke: #d99a2b }
.effect { fill: #ffd9d2; stroke: #d96b57 }
.pure { fill: #d3e8fb; stroke: #4a90cf }
.ground { fill: #e7eaee; stroke: #98a3af }
.in.interface, .in.effect, .in.pure, .in.ground { fill: #ffffff }
.guide { stroke: #c4ccd6; stroke-width: 1; fill: none }
.dot { fill: #55616f }
.arrow { fill: none; stroke: #55616f; stroke-width: 1.3 }
.badge { fill: #1c2530 }
.number { fill: #ffffff; font-size: 10px; font-weight: 700; text-anchor: middle }
.level { text-anchor: end; font-size: 10px; fill: #8a95a1 }
"""
DARK = """
text { fill: #e6ebf1 }
.card { fill: #12171d; stroke: #2b3440 }
.note { fill: #a4b0bd }
.count { fill: #e6ebf1 }
.interface { fill: #4a3510; stroke: #d99a2b }
.effect { fill: #4e2620; stroke: #e07f6c }
.pure { fill: #173650; stroke: #5aa2e0 }
.ground { fill: #2b323b; stroke: #7d8894 }
.in.interface, .in.effect, .in.pure, .in.ground { fill: #0b0f14 }
.guide { stroke: #333d49 }
.dot { fill: #a4b0bd }
.arrow { stroke: #a4b0bd }
.badge { fill: #e6ebf1 }
.number { fill: #12171d }
.level { fill: #6c7784 }
"""


def draw(known: Facts) -> str:
    """The picture, as SVG."""
    rows = [[box_of(name, known) for name in level] for level in levels()]
    y = TOP
    for row in rows:
        x, height = LEFT, max(box.height for box in row)
        for box in row:
            place(box, x, y, height)
            x += box.width + GAP
        y += height + GAP
    right = max(row[-1].x + row[-1].width for row in rows) + 34
    width, bottom = right + CELL * len(rows) + 20, y + 14
    height = bottom + 22 * ((len(JOURNEY) + 1) // 2) + 62
    body = [
        *_words(TITLE, LEFT - 30, 36, "title"),
        *_words(NOTE, LEFT - 30, 58, "note"),
        *_legend(LEFT - 30, 82),
        *_matrix(rows, known, right),
        *[line for row in rows for box in row for line in _box(box, _colour(box.path), "outer")],
        *_badges(rows),
        *_journey(LEFT - 30, bottom, width),
    ]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
            f'width="{width:.0f}" height="{height:.0f}" role="img" aria-label="{TITLE}">',
            f"<style>{STYLE}@media (prefers-color-scheme: dark) {{{DARK}}}</style>",
            f'<rect class="card" x="1" y="1" width="{width - 2:.0f}" height="{height - 2:.0f}" '
            f'rx="10"/>',
            *body,
            _record(known),
            "</svg>\n",
        ]
    )


def _words(text: str, x: float, y: float, kind: str = "") -> Iterator[str]:
    named = f' class="{kind}"' if kind else ""
    yield f'<text{named} x="{x:.1f}" y="{y:.1f}">{escape(text)}</text>'


def _rect(kind: str, x: float, y: float, width: float, height: float) -> str:
    return (
        f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" '
        f'rx="{min(4.0, height / 5):.0f}"/>'
    )


def _colour(path: str) -> str:
    layer = path.partition("/")[0]
    return next(colour for colour, layers in COLOURS.items() if layer in layers)


def _box(box: Box, colour: str, kind: str) -> Iterator[str]:
    is_own = box.name == "modules"
    shade = "own" if is_own else kind
    yield _rect(f"box {shade} {colour}", box.x, box.y, box.width, box.height)
    middle = box.y + (HEADER / 2 if box.rows else box.height / 2) + 4
    yield from _words(box.name, box.x + 10, middle, "note" if is_own else "")
    end = box.x + box.width - 6
    yield (
        f'<text class="count" text-anchor="end" x="{end:.1f}" y="{middle:.1f}">'
        f"{told(box.lines)}</text>"
    )
    for row in box.rows:
        for one in row:
            yield from _box(one, colour, "in")
        for one, two in pairwise(row):
            if one.level < two.level and two.name != "modules":
                x, y = one.x + one.width + GAP / 2, one.y + one.height / 2
                yield f'<path class="arrow" d="M{x - 1.8:.1f} {y - 3.5:.1f}l3.4 3.5l-3.4 3.5"/>'


def _legend(x: float, y: float) -> Iterator[str]:
    for colour, says in LEGEND.items():
        yield _rect(f"box {colour}", x, y - 10, 14, 12)
        yield from _words(says, x + 20, y, "note")
        x += 52 + 5.6 * len(says)


def _matrix(rows: list[list[Box]], known: Facts, left: float) -> Iterator[str]:
    """A dot for each pair of layers of which the upper one imports the lower one."""
    level = {box.path: number for number, row in enumerate(rows) for box in row}
    counts: Counter[tuple[int, int]] = Counter()
    for (source, target), count in known.imports.items():
        if level[source] < level[target]:
            counts[level[source], level[target]] += count
    columns = [left + CELL * (len(rows) - 1 - number) + CELL / 2 for number in range(len(rows))]
    middles = [row[0].y + row[0].height / 2 for row in rows]
    for number, row in enumerate(rows):
        end = row[-1].x + row[-1].width + 6
        yield (
            f'<path class="guide" d="M{end:.1f} {middles[number]:.1f}'
            f'H{columns[number]:.1f}V{_top_of(number, counts, middles):.1f}"/>'
        )
    for number, row in enumerate(rows):
        x, y = columns[number], middles[number]
        yield _rect(f"box {_colour(row[0].path)}", x - 5, y - 5, 10, 10)
        yield f'<text class="level" x="{LEFT - 10:.1f}" y="{y + 3.5:.1f}">{number + 1}</text>'
    for (source, target), count in sorted(counts.items()):
        radius = min(1.7 + 0.62 * sqrt(count), 6.2)
        yield (
            f'<circle class="dot" cx="{columns[target]:.1f}" cy="{middles[source]:.1f}" '
            f'r="{radius:.1f}"/>'
        )
    x, y = left + 6 * CELL, middles[-1] - 60
    for number, says in enumerate(
        (
            "A dot: the layer in its row",
            "imports the layer of the square",
            "at the foot of its column.",
            "Large dots are many imports.",
            "All squares are below their dots.",
        )
    ):
        yield from _words(says, x, y + 16 * number, "note")


def _top_of(number: int, counts: Counter[tuple[int, int]], middles: list[float]) -> float:
    """Where the guide of a layer's column begins: at the first that imports it."""
    return middles[min([source for source, target in counts if target == number], default=number)]


def _badges(rows: list[list[Box]]) -> Iterator[str]:
    boxes = {box.path: box for row in rows for outer in row for box in outer.all()}
    for number, path in enumerate(JOURNEY, 1):
        yield from _badge(number, boxes[path].x + 1, boxes[path].y + 1)


def _badge(number: int, x: float, y: float) -> Iterator[str]:
    yield f'<circle class="badge" cx="{x:.1f}" cy="{y:.1f}" r="7.5"/>'
    yield f'<text class="number" x="{x:.1f}" y="{y + 3.5:.1f}">{number}</text>'


def _journey(x: float, y: float, width: float) -> Iterator[str]:
    yield f'<path class="guide" d="M{x:.1f} {y:.1f}H{width - 24:.1f}"/>'
    yield from _words("Where y = (x * 2 + 1).sum(axis=0); print(y) goes:", x, y + 26)
    half = (len(JOURNEY) + 1) // 2
    for number, (path, says) in enumerate(JOURNEY.items()):
        left, top = x + 8 + width / 2 * (number // half), y + 50 + 22 * (number % half)
        yield from _badge(number + 1, left, top - 4)
        yield from _words(path, left + 16, top)
        yield from _words(says, left + 124, top, "note")


def _record(known: Facts) -> str:
    """What a picture was drawn from, as a comment in it."""
    lines = [f"{path} {count}" for path, count in sorted(known.lines.items())]
    imports = [f"{one} > {two} {count}" for (one, two), count in sorted(known.imports.items())]
    return "\n".join(["<!--", *lines, *imports, "-->"])


def recorded(picture: str) -> Facts:
    """What a picture was drawn from."""
    lines = re.findall(r"^([\w/]+) (\d+)$", picture, re.MULTILINE)
    imports = re.findall(r"^(\w+) > (\w+) (\d+)$", picture, re.MULTILINE)
    return Facts(
        {path: int(count) for path, count in lines},
        {(one, two): int(count) for one, two, count in imports},
    )


if __name__ == "__main__":
    PICTURE.write_text(draw(facts()), encoding="utf-8")
    print(f"wrote {PICTURE.relative_to(PROJECT)}")
