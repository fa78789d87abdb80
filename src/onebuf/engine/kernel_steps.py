"""Which step runs which kernel."""

from __future__ import annotations

from collections.abc import Collection

from onebuf.engine.plans import Numbers, Step
from onebuf.engine.products import ProductStep
from onebuf.engine.steps import KernelStep, PassesStep
from onebuf.scheduler.passes import Kernel, Passes
from onebuf.scheduler.products import Product


def kernel_step(
    kernel: Kernel, numbers: Numbers, gifts: dict[int, int], private: Collection[int]
) -> Step:
    """The step that runs ``kernel``; nobody can ask for nodes that are ``private``, by id."""
    if isinstance(kernel, Product):
        return ProductStep(kernel, numbers, gifts, private)
    if isinstance(kernel, Passes):
        passes = [KernelStep(group, numbers, gifts, group.name) for group in kernel.passes]
        return PassesStep(kernel.name, passes)
    return KernelStep(kernel, numbers, gifts, kernel.name)
