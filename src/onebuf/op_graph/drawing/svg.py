"""Op graphs as SVG: tensors as boxes, operations as ellipses, edges that lead downwards.

The text of an SVG picture, without any program or package. Everything that a graph says is escaped.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from math import sqrt

from onebuf.op_graph.drawing import captions
from onebuf.op_graph.drawing.layers import Placed, place
from onebuf.op_graph.structure import Structure
from onebuf.op_graph.vertices import OperationNode, TensorNode, Vertex

CHARACTER = 7.25
"""The width of a character of 12 pixels; of all, as the font has one width."""
SMALL = 0.84
"""The size of small text next to that."""
LINE = 15.0
"""From one line of text to the next."""
BETWEEN = 46.0
"""Between two layers."""
MARGIN = 20.0

_RULES = (
    "text{font:12px 'DejaVu Sans Mono',Menlo,Consolas,monospace;text-anchor:middle;fill:#1f2933}",
    *(".s{font-size:10px;fill:#52606d}", ".l{font-size:10px;fill:#7c2d12}"),
    *(".e{fill:none;stroke:#64748b;stroke-width:1.2}", ".h{fill:#ffffff;opacity:.9}"),
    *(".t{fill:#f8fafc;stroke:#94a3b8}", ".i{fill:#e0f2fe;stroke:#0284c7}"),
    *(".c{fill:#f1f5f9;stroke:#cbd5e1}", ".o{fill:#dcfce7;stroke:#16a34a}"),
    *(".p{fill:#fef3c7;stroke:#d97706}", ".x{fill:#fee2e2;stroke:#dc2626;stroke-dasharray:4 2}"),
)
_STYLE = "".join([f".onebuf-graph {rule}" for rule in _RULES])
"""Rules for this picture alone: in a web page, those of one picture apply to all."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A node as it is drawn: its lines of text, their size, and how it looks."""

    lines: tuple[str, ...]
    style: str
    is_box: bool
    width: float
    height: float
    title: str

    def edge_y(self, dx: float) -> float:
        """How far the border is above or below the centre, ``dx`` beside it."""
        if self.is_box:
            return self.height / 2
        return self.height / 2 * sqrt(max(0.0, 1 - (2 * dx / self.width) ** 2))


def draw(graph: Structure) -> str:
    """The text of a picture."""
    figures = [_figure(graph, node) for node in graph.nodes]
    edges = [(edge.source.number, edge.target.number) for edge in graph.edges]
    first = [int(isinstance(node, OperationNode)) for node in graph.nodes]
    placed = place([figure.width for figure in figures], edges, first)
    return "\n".join(_Picture(graph, figures, placed).lines()) + "\n"


def _figure(graph: Structure, node: Vertex) -> Figure:
    if isinstance(node, OperationNode):
        given = captions.printable(captions.arguments(node), 28)
        lines = (captions.printable(node.name), *([given] if given else []))
        style = "p" if node.opaque is None else "x"
        title = f"{node.name}({captions.arguments(node)})"
        wide, high = _text_size(lines)
        return Figure(lines, style, False, wide * 1.3 + 22, high * 1.35 + 8, title)
    style = "t"
    if node.value is not None:
        style = "c"
    elif not graph._incoming[node.number]:
        style = "i"
    elif not graph._outgoing[node.number]:
        style = "o"
    lines = (captions.tensor_title(node), captions.kind(node))
    wide, high = _text_size(lines)
    return Figure(lines, style, True, wide + 20, high + 10, f"{node.title} {node.kind}")


def _text_size(lines: tuple[str, ...]) -> tuple[float, float]:
    widths = [
        captions.width(line) * CHARACTER * (SMALL if at else 1) for at, line in enumerate(lines)
    ]
    return max(30.0, *widths), LINE * len(lines)


class _Picture:
    """Coordinates in pixels, from the upper left corner."""

    def __init__(self, graph: Structure, figures: list[Figure], placed: Placed) -> None:
        self.graph = graph
        self.figures = figures
        self.placed = placed
        count = len(figures)
        heights = [0.0] * (max(placed.layer, default=-1) + 1)
        for figure, layer in zip(figures, placed.layer, strict=False):
            heights[layer] = max(heights[layer], figure.height)
        self.tops = [MARGIN]
        for height in heights:
            self.tops.append(self.tops[-1] + height + BETWEEN)
        self.heights = heights
        lefts = [x - f.width / 2 for x, f in zip(placed.x, figures, strict=False)]
        rights = [x + f.width / 2 for x, f in zip(placed.x, figures, strict=False)]
        shift = MARGIN - min([*lefts, *placed.x[count:]], default=0.0)
        self.x = [x + shift for x in placed.x]
        self.width = max([*rights, *placed.x[count:]], default=0.0) + shift + MARGIN
        self.height = max(self.tops[-1] - BETWEEN, MARGIN) + MARGIN
        self.taken: defaultdict[int, list[tuple[float, float, float]]] = defaultdict(list)

    def y(self, node: int) -> float:
        """The middle of the layer of a node."""
        layer = self.placed.layer[node]
        return self.tops[layer] + self.heights[layer] / 2

    def lines(self) -> Iterator[str]:
        """The elements of the picture."""
        size = f'width="{self.width:.0f}" height="{self.height:.0f}"'
        box = f'viewBox="0 0 {self.width:.0f} {self.height:.0f}"'
        yield f'<svg xmlns="http://www.w3.org/2000/svg" class="onebuf-graph" {size} {box}>'
        yield f"<style>{_STYLE}</style>"
        yield (
            '<defs><marker id="onebuf-arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
            'markerHeight="7" orient="auto-start-reverse"><path d="M0 .8 8 4 0 7.2z" '
            'fill="#64748b"/></marker></defs>'
        )
        yield f'<rect {size} fill="#ffffff"/>'
        labels = []
        for path, label in self._edges():
            yield path
            labels.append(label)
        for node in range(len(self.figures)):
            yield self._node(node)
        yield from [label for label in labels if label]
        yield "</svg>"

    def _node(self, node: int) -> str:
        figure, x, y = self.figures[node], self.x[node], self.y(node)
        wide, high = figure.width, figure.height
        if figure.is_box:
            corner = f'x="{x - wide / 2:.1f}" y="{y - high / 2:.1f}"'
            shape = f'<rect {corner} width="{wide:.1f}" height="{high:.1f}" rx="7"'
        else:
            shape = f'<ellipse cx="{x:.1f}" cy="{y:.1f}" rx="{wide / 2:.1f}" ry="{high / 2:.1f}"'
        title = _escaped(captions.printable(figure.title, 400))
        texts = []
        for at, line in enumerate(figure.lines):
            base = y + 4 + LINE * (at - (len(figure.lines) - 1) / 2)
            style = ' class="s"' if at else ""
            texts.append(f'<text x="{x:.1f}" y="{base:.1f}"{style}>{_escaped(line)}</text>')
        head = f'<g><title>{title}</title>{shape} class="{figure.style}"/>'
        return head + "".join(texts) + "</g>"

    def _edges(self) -> Iterator[tuple[str, str]]:
        """The path of each edge, and its label."""
        leaving = self._ports(at_source=True)
        arriving = self._ports(at_source=False)
        for number, edge in enumerate(self.graph.edges):
            route = self.placed.routes[number]
            source, target = route[0], route[-1]
            begin, end = leaving[number], arriving[number]
            points = [(self.x[source] + begin, self.y(source) + self.figures[source].edge_y(begin))]
            for bend in route[1:-1]:
                layer = self.placed.layer[bend]
                points.append((self.x[bend], self.tops[layer]))
                points.append((self.x[bend], self.tops[layer] + self.heights[layer]))
            points.append((self.x[target] + end, self.y(target) - self.figures[target].edge_y(end)))
            path = f'<path class="e" marker-end="url(#onebuf-arrow)" d="{_curve(points)}"/>'
            label = ""
            if edge.label:
                at = -2 if isinstance(edge.source, TensorNode) else 0
                ends = points[at:] if at else points[:2]
                label = self._label(edge.label, ends[0], ends[1], self.placed.layer[target])
            yield path, label

    def _ports(self, at_source: bool) -> list[float]:
        """How far beside the centre of its node each edge begins or ends.

        Operands arrive from left to right in their order; results leave towards where they go.
        """
        edges = self.graph.edges
        by_node: defaultdict[int, list[int]] = defaultdict(list)
        for number, edge in enumerate(edges):
            by_node[(edge.source if at_source else edge.target).number].append(number)
        found = [0.0] * len(edges)
        for node, numbers in by_node.items():
            if at_source:
                numbers.sort(key=lambda one: (self.x[self.placed.routes[one][1]], one))
            room = self.figures[node].width * (0.8 if self.figures[node].is_box else 0.6)
            step = min(18.0, room / len(numbers))
            for at, number in enumerate(numbers):
                found[number] = (at - (len(numbers) - 1) / 2) * step
        return found

    def _label(
        self, text: str, begin: tuple[float, float], end: tuple[float, float], layer: int
    ) -> str:
        """A label on the way from one point to another, where no other one is."""
        shown = captions.printable(text, 24)
        wide = captions.width(shown) * CHARACTER * SMALL + 4
        x = y = 0.0
        for part in (0.5, 0.32, 0.68, 0.22, 0.78):
            ease = part * part * (3 - 2 * part)
            x = begin[0] + (end[0] - begin[0]) * ease
            y = begin[1] + (end[1] - begin[1]) * part
            near = self.taken[layer]
            if not any(abs(x - a) < (wide + w) / 2 and abs(y - b) < 12 for a, b, w in near):
                break
        self.taken[layer].append((x, y, wide))
        ground = f'x="{x - wide / 2:.1f}" y="{y - 7:.1f}" width="{wide:.1f}" height="13"'
        return (
            f'<rect class="h" {ground} rx="3"/>'
            f'<text class="l" x="{x:.1f}" y="{y + 3.5:.1f}">{_escaped(shown)}</text>'
        )


def _curve(points: list[tuple[float, float]]) -> str:
    """A smooth path downwards through points."""
    parts = [f"M{points[0][0]:.1f} {points[0][1]:.1f}"]
    for (a, b), (c, d) in pairwise(points):
        if a == c:
            parts.append(f"V{d:.1f}")
        else:
            middle = (b + d) / 2
            parts.append(f"C{a:.1f} {middle:.1f} {c:.1f} {middle:.1f} {c:.1f} {d:.1f}")
    return "".join(parts)


def _escaped(text: str) -> str:
    return escape(text, quote=True)
