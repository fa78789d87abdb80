"""Drawings: every node is there, nothing overlaps, and no name gets out of its text."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from children import run
from hypothesis import given, settings
from hypothesis import strategies as st

import onebuf
from onebuf import OpGraph
from onebuf.op_graph.drawing.captions import printable, width
from onebuf.op_graph.drawing.layers import GAP, place

PROJECT = Path(__file__).parents[2]
SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = [
    *["<script>alert(1)</script>", '"/><image href="x"/>', "&amp;", "]]>", "a\nb", "\x1b[31mred"],
    *["\x00", "\u202eevil", "日本語", "é", "\ufffe", "'", "<!--", "x" * 500, "</title><g>"],
]


def random_graph(numbers: Any, count: int) -> OpGraph:
    """A graph of sums of what came before."""
    graph = OpGraph()
    tensors = [graph.tensor(f"x{n}", (2, 2), "float32") for n in range(2)]
    for number in range(count):
        one, two = (tensors[-1 - numbers[2 * number + k] % min(len(tensors), 8)] for k in (0, 1))
        if numbers[2 * number] % 3 == 0:
            tensors.append(graph.operation("sum", one, axis=1, keepdims=True))
        else:
            pairs = ((one, "i,j"), (two, "i,j"))
            fits = one.shape == two.shape
            tensors.append(
                graph.operation("add", *pairs, result="i,j")
                if fits
                else graph.operation("add", one, two)
            )
    return graph


def boxes(text: str) -> list[tuple[float, float, float, float]]:
    """Left, top, right and bottom of every figure of a picture."""
    found = []
    for group in ElementTree.fromstring(text).iter(f"{SVG}g"):
        for rect in group.iter(f"{SVG}rect"):
            x, y, w, h = (float(rect.attrib[key]) for key in ("x", "y", "width", "height"))
            found.append((x, y, x + w, y + h))
        for oval in group.iter(f"{SVG}ellipse"):
            x, y, a, b = (float(oval.attrib[key]) for key in ("cx", "cy", "rx", "ry"))
            found.append((x - a, y - b, x + a, y + b))
    return found


def overlap(one: Any, two: Any) -> bool:
    """Whether two rectangles have a point in common."""
    return bool(one[0] < two[2] and two[0] < one[2] and one[1] < two[3] and two[1] < one[3])


@given(st.lists(st.integers(0, 100), min_size=40, max_size=40), st.integers(0, 20))
@settings(max_examples=60)
def test_no_figures_overlap_and_all_are_inside(numbers: list[int], count: int) -> None:
    graph = random_graph(numbers, count)
    text = graph.to_svg()
    found = boxes(text)
    assert len(found) == len(graph.nodes)
    for at, one in enumerate(found):
        assert not any(overlap(one, two) for two in found[at + 1 :])
    picture = ElementTree.fromstring(text)
    wide, high = float(picture.attrib["width"]), float(picture.attrib["height"])
    assert all(a >= 0 and b >= 0 and c <= wide and d <= high for a, b, c, d in found)


@given(st.lists(st.integers(0, 100), min_size=40, max_size=40), st.integers(1, 20))
@settings(max_examples=60)
def test_edges_lead_downwards_and_end_at_figures(numbers: list[int], count: int) -> None:
    graph = random_graph(numbers, count)
    picture = ElementTree.fromstring(graph.to_svg())
    paths = [path for path in picture.iter(f"{SVG}path") if path.attrib.get("class") == "e"]
    assert len(paths) == len(graph.edges)
    figures = boxes(graph.to_svg())
    for path, edge in zip(paths, graph.edges, strict=True):
        places = [float(one) for one in re.findall(r"-?\d+\.\d", path.attrib["d"])]
        source, target = figures[edge.source.number], figures[edge.target.number]
        assert source[0] <= places[0] <= source[2]
        assert (source[1] + source[3]) / 2 - 0.2 <= places[1] <= source[3] + 0.2
        assert target[1] - 0.2 <= places[-1] <= (target[1] + target[3]) / 2 + 0.2


@given(
    st.lists(st.floats(20, 200), min_size=1, max_size=12),
    st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=20),
)
def test_neighbours_in_a_layer_keep_their_distance(
    widths: list[float], pairs: list[tuple[int, int]]
) -> None:
    edges = [(a, b) for a, b in pairs if a < b < len(widths)]
    placed = place(widths, edges, [0] * len(widths))
    for source, target in edges:
        assert placed.layer[source] < placed.layer[target]
    for one in range(len(widths)):
        for two in range(one):
            if placed.layer[one] == placed.layer[two]:
                distance = abs(placed.x[one] - placed.x[two])
                assert distance >= (widths[one] + widths[two]) / 2 + GAP - 1e-6


def test_labels_are_drawn_on_edges() -> None:
    graph = OpGraph()
    a, b = graph.tensor("A", (2, 3), "int8"), graph.tensor("B", (3, 2), "int8")
    graph.operation("contract", (a, "row,k"), (b, "k,column"), result="column,row")
    picture = ElementTree.fromstring(graph.to_svg())
    texts = [one.text for one in picture.iter(f"{SVG}text") if one.attrib.get("class") == "l"]
    assert texts == ["row,k", "k,column", "column,row"]


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_stays_in_its_text(name: str) -> None:
    graph = OpGraph()
    graph.operation("abs", graph.tensor(name, (2,), "float32"), name=name + "!")
    picture = ElementTree.fromstring(graph.to_svg())
    tags = {element.tag.removeprefix(SVG) for element in picture.iter()}
    assert tags == {
        "svg",
        "style",
        "defs",
        "marker",
        "path",
        "rect",
        "g",
        "title",
        "ellipse",
        "text",
    }
    shown = [one.text for one in picture.iter(f"{SVG}text")]
    assert printable(name) in shown
    lines = graph.draw().splitlines()
    assert len(lines) == 3
    assert all(line.isprintable() for line in lines)


def test_text_is_aligned_by_columns() -> None:
    graph = OpGraph()
    graph.operation("abs", graph.tensor("日本", (2,), "float32"), name="longer")
    lines = graph.draw().splitlines()[1:]
    assert [width(line[: line.index("float32")]) for line in lines] == [10, 10]


def test_text_says_how_each_tensor_is_made() -> None:
    graph = OpGraph()
    x = graph.tensor("x", (2, 3), "float32")
    y = graph.operation("multiply", x, 0.5)
    graph.operation("sum", y, axis=(0,), keepdims=True, name="total")
    graph.operation("add", (y, "i,j"), (x, "i,j"), result="j,i")
    graph.operation("add", x, graph.constant(1.5, "float32", (2, 3)))
    assert graph.draw().splitlines() == [
        "OpGraph: 7 tensors, 4 operations, 11 edges",
        "  x      float32[2, 3]  input",
        "  %8     float32[2, 3]  all 1.5",
        "  %3     float32[2, 3]  = multiply(x, 0.5)",
        "  total  float32[1, 3]  = sum(%3, axis=0, keepdims=True)  sink",
        "  %7     float32[3, 2]  = add(%3[i,j], x[i,j]) -> [j,i]  sink",
        "  %10    float32[2, 3]  = add(x, %8)  sink",
    ]


def test_an_empty_graph_is_drawn() -> None:
    assert OpGraph().draw() == "OpGraph: 0 tensors, 0 operations, 0 edges"
    ElementTree.fromstring(OpGraph().to_svg())


def test_a_cycle_that_is_still_open_is_drawn() -> None:
    graph = OpGraph()
    graph.add_edge(graph.add_operation("abs"), graph.tensor("x", (2,), "float32"))
    ElementTree.fromstring(graph.draw("svg"))


def test_notebooks_show_the_picture() -> None:
    graph = OpGraph()
    graph.tensor("A", (), "bool")
    assert graph._repr_svg_() == graph.to_svg() == graph.draw("svg")


def test_the_rules_of_a_picture_are_for_it_alone() -> None:
    style = ElementTree.fromstring(OpGraph().to_svg()).find(f"{SVG}style")
    assert style is not None
    assert all(rule.startswith(".onebuf-graph ") for rule in (style.text or "").split("}") if rule)


def test_every_constant_is_drawn() -> None:
    for dtype in onebuf.dtypes.ALL:
        graph = OpGraph()
        graph.operation(
            "positive" if dtype.kind != "b" else "logical_not", graph.constant(1, dtype)
        )
        assert re.search(r"\((1|True|1\.0|1\+0j)\)", graph.draw()), graph.draw()


def test_thousands_of_nodes_are_drawn() -> None:
    program = """
        import numpy as np
        import onebuf

        rng = np.random.default_rng(0)
        with onebuf.config(eager_numel=0):
            values = [onebuf.asarray(np.ones((8, 8)))]
            for _ in range(3000):
                one, two = rng.integers(max(0, len(values) - 40), len(values), 2)
                values.append(values[one] + values[two])
            graph = onebuf.OpGraph.of(onebuf.stack([value.sum() for value in values]).sum())
        print(len(graph.nodes) > 10_000, graph.to_svg().count("<g>") == len(graph.nodes))
        print(len(graph.draw().splitlines()) > 5000)
    """
    assert run(program, timeout=120) == "True True\nTrue\n"


def test_the_picture_in_the_docs_is_what_the_script_draws() -> None:
    path = PROJECT / "tools" / "draw_op_graph.py"
    spec = importlib.util.spec_from_file_location("draw_op_graph", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.PICTURE.read_text(encoding="utf-8") == module.draw(), (
        "run python tools/draw_op_graph.py"
    )


def test_values_of_constants_are_shown_in_short() -> None:
    graph = OpGraph()
    graph.operation("add", graph.tensor("x", (), "float32"), np.float32(0.1))
    assert "add(x, 0.1)" in graph.draw()
