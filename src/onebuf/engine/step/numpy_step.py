"""NumPy steps: one operation on NumPy's loops, from memory to memory. This is tier 1."""

from __future__ import annotations

import sys
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from onebuf.backends.numpy.loops import run_into
from onebuf.dtypes import Array
from onebuf.engine.cpu.small_kernels import is_ours, run_ours
from onebuf.engine.step.error_context import line_of, say_where
from onebuf.engine.step.operand import fetch
from onebuf.engine.step.plan import Given, Held, Numbers
from onebuf.events import Copied, KernelRan, kernel_frame, listeners, tell
from onebuf.graph import (
    COPY,
    LIBRARY,
    MATMUL,
    WRITE,
    Kind,
    Leaf,
    Node,
    attach,
    engine_lock,
    settle,
)
from onebuf.late import Late
from onebuf.memory import Block
from onebuf.ops import adopted, new_array, quietly
from onebuf.scheduler import NOTHING, Item, reading

if TYPE_CHECKING:
    from onebuf.engine.cpu import gemm
    from onebuf.engine.step import matvec
else:
    gemm = Late("onebuf.engine.cpu.gemm")
    matvec = Late("onebuf.engine.step.matvec")

COMPILER = "llvmlite.binding"
"""The module of the compiler, once it is loaded."""


class NumpyStep:
    """An operation on NumPy's loops."""

    __slots__ = ("done", "_number", "_kind", "_reason")

    def __init__(self, item: Item, numbers: Numbers) -> None:
        self.done: tuple[int, ...] = ()
        self._number = numbers[id(item.node)]
        self._kind = item.kind
        self._reason = item.reason

    def run(self, held: Held, arena: int, given: Given) -> None:
        """Compute the node."""
        node = held[self._number]
        assert node is not None
        operands = tuple([reading(src) for src in node.srcs])
        run_item(Item(self._kind, self._reason, operands, (node,)))


def run_item(item: Item) -> None:
    """Compute the result of ``item``, which becomes stored."""
    node = item.node
    turn = engine_lock.current()
    if item.kind == NOTHING:
        attach(node, *new_array(node.shape, node.dtype))
        return
    try:
        found = [reading(source) for source in item.inputs]  # held while they are read
        operands = tuple([fetch(source) for source in found])
        if node.op is WRITE:
            engine_lock.check(turn)
            quietly(_write, node, *operands)
            return
        name, start = node.op.name, perf_counter()
        if listeners():
            out, block = kernel_frame(name)(compute, node, operands)
        else:
            out, block = compute(node, operands)
    except engine_lock.Overtaken:
        raise
    except Exception as error:
        say_where(error, node.op.name, node)
        raise
    engine_lock.check(turn)
    if not listeners():
        attach(node, out, block)
        return
    seconds = perf_counter() - start
    is_copy = node.op.kind is Kind.COPY
    line = line_of(node) if is_copy else None
    attach(node, out, block)  # a listener may compute, and then this is done
    tell(KernelRan(name, item.bytes_written, seconds, 1, item.bytes_read, start))
    if is_copy:
        tell(Copied(out.nbytes, item.reason, line))


def _write(node: Node, new: Array) -> None:
    """Do a WRITE whose elements are there."""
    array = settle(node.arg.target)
    assert array is not None, f"{node.arg.target} is not in memory"
    np.copyto(array, new.copy() if np.may_share_memory(array, new) else new)


def computed(node: Node, operands: tuple[Array, ...]) -> Node:
    """What ``node``, whose operands are elsewhere, stands for, on memory of its own."""
    try:
        return Leaf(*compute(node, operands))
    except Exception as error:
        say_where(error, node.op.name, node)
        raise


def compute(node: Node, operands: tuple[Array, ...]) -> tuple[Array, Block]:
    """The elements of ``node``, and the block that they lie on."""
    if node.op is LIBRARY:  # brings memory of its own, which is as good as the pool's
        found = np.asarray(quietly(node.arg, *operands), dtype=node.dtype)
        assert found.shape == node.shape, f"{node} came out with shape {found.shape}"
        if not any(np.may_share_memory(found, operand) for operand in operands):
            made = adopted(found)
            assert made.array is not None
            assert made.block is not None
            return made.array, made.block
        operands = (found,)
    out, block = new_array(node.shape, node.dtype)
    if node.op is MATMUL:
        quietly(_multiply, node, operands, out)
    elif operands and is_ours(node.op, operands[0].dtype, node.dtype):
        quietly(run_ours, node.op, operands, node.arg, out)
    else:
        quietly(run_into, COPY if node.op is LIBRARY else node.op, operands, node.arg, out)
    return out, block


def _multiply(node: Node, factors: tuple[Array, ...], out: Array) -> None:
    """The matrix product of ``factors``; on the threads of kernels, once there may be some."""
    x, y = factors
    if _may_be_fold(node, factors):
        matvec.matrix_product(x, y, out)
    elif COMPILER not in sys.modules or not gemm.multiply(x, y, out):
        run_into(MATMUL, factors, None, out)


def _may_be_fold(node: Node, factors: tuple[Array, ...]) -> bool:
    """Whether a product is one with a vector, and not plainly one for BLAS."""
    if 1 not in (*node.shape[-2:], *[factor.ndim for factor in factors]):
        return False
    return node.dtype.kind in "iu" or not all(factor.flags.forc for factor in factors)
