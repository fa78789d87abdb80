"""Which step runs which kernel."""

from __future__ import annotations

from collections.abc import Collection

from onebuf.engine.step.kernel_step import KernelStep, MultipassStep
from onebuf.engine.step.matmul_step import MatmulStep
from onebuf.engine.step.plan import Homes, Step
from onebuf.engine.step.streamed_fold_step import StreamedFoldStep
from onebuf.scheduler.fuse.matmul import MatmulKernel
from onebuf.scheduler.fuse.multipass import Kernel, MultipassKernel
from onebuf.scheduler.fuse.streamed_fold import StreamedFold


def kernel_step(kernel: Kernel, homes: Homes, private: Collection[int]) -> Step:
    """The step that runs ``kernel``; nodes that are ``private``, by id, need not become stored."""
    if isinstance(kernel, MatmulKernel):
        return MatmulStep(kernel, homes, private)
    if isinstance(kernel, StreamedFold):
        return StreamedFoldStep(kernel, homes)
    if isinstance(kernel, MultipassKernel):
        return MultipassStep(kernel, [KernelStep(group, group, homes) for group in kernel.passes])
    return KernelStep(kernel, kernel, homes)
