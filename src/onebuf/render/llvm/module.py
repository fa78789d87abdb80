"""Writing: a nest and how to render it in, the text of a module out."""

from __future__ import annotations

from onebuf.kernel import Nest
from onebuf.render.llvm.loop.cache_tiles import Tiles
from onebuf.render.llvm.loop.columns import Columns
from onebuf.render.llvm.loop.early_exit import Rows
from onebuf.render.llvm.loop.loops import Loops
from onebuf.render.llvm.loop.register_tiles import Squares
from onebuf.render.llvm.loop.scans import Scans
from onebuf.render.llvm.rendering import Rendering

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
