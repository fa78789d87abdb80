"""The LLVM module of a nest, written by the loops of a rendering's strategy."""

from __future__ import annotations

from onebuf.kernel import Nest
from onebuf.render.llvm.loop.cache_tiles import CacheTiles
from onebuf.render.llvm.loop.columns import Columns
from onebuf.render.llvm.loop.early_exit import EarlyExit
from onebuf.render.llvm.loop.register_tiles import RegisterTiles
from onebuf.render.llvm.loop.scans import Scans
from onebuf.render.llvm.loop.vector_loops import Loops
from onebuf.render.llvm.rendering import Rendering

_STRATEGIES: dict[str, type[Loops]] = {
    "rows": EarlyExit,
    "columns": Columns,
    "register_tiles": RegisterTiles,
    "cache_tiles": CacheTiles,
    "scans": Scans,
}


def render(nest: Nest, name: str, rendering: Rendering) -> str:
    """The module that defines ``nest`` as function ``name``."""
    return _STRATEGIES[rendering.strategy](nest, rendering).module(name)
