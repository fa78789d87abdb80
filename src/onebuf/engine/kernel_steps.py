"""Which step runs which kernel."""

from __future__ import annotations

from collections.abc import Collection

from onebuf.engine.plans import Homes, Step
from onebuf.engine.products import ProductStep
from onebuf.engine.steps import KernelStep, PassesStep
from onebuf.scheduler.passes import Kernel, Passes
from onebuf.scheduler.products import Product


def kernel_step(kernel: Kernel, homes: Homes, private: Collection[int]) -> Step:
    """The step that runs ``kernel``; nobody can ask for nodes that are ``private``, by id."""
    if isinstance(kernel, Product):
        return ProductStep(kernel, homes, private)
    if isinstance(kernel, Passes):
        return PassesStep(kernel, [KernelStep(group, group, homes) for group in kernel.passes])
    return KernelStep(kernel, kernel, homes)
