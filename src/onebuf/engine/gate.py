"""The gate to tier 2: what groups, renders and compiles is imported when a kernel is first needed.

It is as much code as all the rest, and most programs that import onebuf do not need it at once.
Only here is it imported by name; after the first time this costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from onebuf.late import load


def _module(name: str) -> Callable[[], Any]:
    @cache
    def module() -> Any:
        return load(name)

    return module


arena = _module("onebuf.scheduler.arena")
cpu = _module("onebuf.backends.cpu")
grouping = _module("onebuf.scheduler.grouping")
guards = _module("onebuf.scheduler.guards")
in_place = _module("onebuf.engine.in_place")
launching = _module("onebuf.engine.launching")
passes = _module("onebuf.scheduler.passes")
placed_writing = _module("onebuf.engine.placed_writing")
placing = _module("onebuf.engine.placing")
products = _module("onebuf.scheduler.products")
rows = _module("onebuf.engine.rows")
selecting = _module("onebuf.engine.selecting")
sharing = _module("onebuf.engine.sharing")
steps = _module("onebuf.engine.kernel_steps")
supporting = _module("onebuf.engine.supporting")
transferring = _module("onebuf.engine.transferring")
vectors = _module("onebuf.engine.vectors")
