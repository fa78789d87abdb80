"""Which step runs which kernel."""

from __future__ import annotations

from collections.abc import Collection

from onebuf.engine.plan.plan import Homes, Step
from onebuf.engine.run.kernel_step import KernelStep, PassesStep
from onebuf.engine.run.matmul_step import ProductStep
from onebuf.scheduler.fuse.matmul import Product
from onebuf.scheduler.fuse.multipass import Kernel, Passes


def kernel_step(kernel: Kernel, homes: Homes, private: Collection[int]) -> Step:
    """The step that runs ``kernel``; nobody can ask for nodes that are ``private``, by id."""
    if isinstance(kernel, Product):
        return ProductStep(kernel, homes, private)
    if isinstance(kernel, Passes):
        return PassesStep(kernel, [KernelStep(group, group, homes) for group in kernel.passes])
    return KernelStep(kernel, kernel, homes)
