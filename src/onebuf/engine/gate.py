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
grouping = _module("onebuf.scheduler.fuse.fusion")
guards = _module("onebuf.scheduler.guard")
in_place = _module("onebuf.engine.write.kernel_write")
launching = _module("onebuf.engine.cpu.launch")
passes = _module("onebuf.scheduler.fuse.multipass")
placed_writing = _module("onebuf.engine.device.write")
placing = _module("onebuf.engine.device.plan")
products = _module("onebuf.scheduler.fuse.matmul")
rows = _module("onebuf.engine.cpu.rows")
selecting = _module("onebuf.engine.cpu.mask_select")
sharing = _module("onebuf.engine.device.sharing")
steps = _module("onebuf.engine.run.kernel_steps")
supporting = _module("onebuf.engine.cpu.supports")
transferring = _module("onebuf.engine.device.transfer")
vectors = _module("onebuf.engine.run.matvec")
