"""Writing: a nest and how to render it in, the text of a module out."""

from __future__ import annotations

from onebuf.kernel import Nest
from onebuf.render.columns import Columns
from onebuf.render.loops import Loops
from onebuf.render.rendering import Rendering
from onebuf.render.scans import Scans
from onebuf.render.searching import Rows
from onebuf.render.squares import Squares
from onebuf.render.tiles import Tiles

_STRATEGIES: dict[str, type[Loops]] = {
    "rows": Rows,
    "columns": Columns,
    "squares": Squares,
    "tiles": Tiles,
    "scans": Scans,
}


def render(nest: Nest, name: str, rendering: Rendering) -> str:
    """The module that defines ``nest`` as function ``name``."""
    return _STRATEGIES[rendering.strategy](nest, rendering).module(name)
