"""The picture on docs/op-graphs.md: the softmax of a linear layer, as an op graph.

::

    python tools/draw_op_graph.py        # writes docs/op-graph.svg
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import onebuf

PICTURE = Path(__file__).parents[1] / "docs" / "op-graph.svg"


def draw() -> str:
    """The text of the picture."""
    x, w, b = (onebuf.asarray(np.ones(shape, "float32")) for shape in ((32, 8), (8, 4), (4,)))
    with onebuf.config(eager_numel=0):
        h = x @ w + b
        e = onebuf.exp(h - h.max(axis=1, keepdims=True))
        graph = onebuf.OpGraph.of(e / e.sum(axis=1, keepdims=True), x=x, w=w, b=b)
    return graph.to_svg()


if __name__ == "__main__":
    PICTURE.write_text(draw(), encoding="utf-8")
