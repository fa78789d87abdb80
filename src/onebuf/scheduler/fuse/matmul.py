"""Matmul fusion: matrix products in one item with the kernel that reads their rows.

A kernel that reads a product row by row can run on some rows as soon as BLAS has computed them, so
that the whole product needs no memory. The two are one item then, a `MatmulKernel`, whatever the
kernel does to a row: a bias, an activation, a softmax. (Elsewhere: epilogue fusion.)
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import gcd, lcm

from onebuf.graph import MATMUL, Node
from onebuf.kernel import LOAD
from onebuf.scheduler.fuse.concat import ConcatKernel
from onebuf.scheduler.fuse.group import Group
from onebuf.scheduler.fuse.streamed_fold import StreamedFold
from onebuf.scheduler.items import Item, Traffic

Fused = Group | ConcatKernel | StreamedFold | Item
"""What fusion gives."""


@dataclass(frozen=True, slots=True, eq=False)
class FusedMatmul:
    """A matrix product that a kernel reads: ``numel`` elements of it for each outermost index."""

    item: Item
    numel: int
    is_kept: bool
    """Whether the product is also asked for, or read by another item."""

    @property
    def node(self) -> Node:
        """The product."""
        return self.item.node

    @property
    def columns(self) -> int:
        """How many elements a row of the product has; a product with a vector is one column."""
        return self.node.shape[-1] if len(self.node.srcs[1].shape) > 1 else 1

    @property
    def together(self) -> int:
        """The least number of outermost indices that take whole rows."""
        return self.columns // gcd(self.columns, self.numel)


@dataclass(frozen=True, slots=True, eq=False)
class MatmulKernel(Traffic):
    """Matrix products, and the group that reads their rows as they are computed."""

    matmuls: tuple[FusedMatmul, ...]
    group: Group

    kind = "kernel"

    @property
    def name(self) -> str:
        """The operations, in order."""
        return " + ".join([*[matmul.item.name for matmul in self.matmuls], self.group.name])

    @property
    def reason(self) -> str:
        """Why it is a kernel of its own."""
        return self.group.reason

    @property
    def parts(self) -> tuple[Group, ...]:
        """The groups to launch."""
        return (self.group,)

    @property
    def passes(self) -> tuple[MatmulKernel]:
        """Itself: it reads its memory once."""
        return (self,)

    @property
    def asked(self) -> tuple[Node, ...]:
        """The nodes that a run needs."""
        return (*self.group.asked, *[matmul.node for matmul in self.matmuls])

    @property
    def whole(self) -> tuple[Node, ...]:
        """The nodes that BLAS reads, as whole arrays."""
        return tuple([operand.base for matmul in self.matmuls for operand in matmul.item.inputs])

    @property
    def outputs(self) -> tuple[Node, ...]:
        """The results of the group, and the products that are kept."""
        return (*self.group.outputs, *[matmul.node for matmul in self.matmuls if matmul.is_kept])

    @property
    def inputs(self) -> tuple[Node, ...]:
        """The nodes that have to be in memory first."""
        products = {id(matmul.node) for matmul in self.matmuls}
        operands = [operand for matmul in self.matmuls for operand in matmul.item.inputs]
        others = [node for node in self.group.inputs if id(node) not in products]
        return tuple({id(node): node for node in (*operands, *others)}.values())

    @property
    def step(self) -> int:
        """The least number of outermost indices that take whole rows of every product."""
        return lcm(*[matmul.together for matmul in self.matmuls])


def fuse_matmuls(plan: Sequence[Fused], roots: Collection[int]) -> list[Fused | MatmulKernel]:
    """The plan, each matrix product in one item with the first kernel that reads it by rows.

    ``roots`` are the nodes, by id, that become stored in any case.
    """
    found = [item for item in plan if isinstance(item, Item) and item.node.op is MATMUL]
    if not found:
        return list(plan)
    readers: dict[int, list[Fused]] = {}
    for item in plan:
        for base in {id(node.base): node.base for node in item.inputs}.values():
            readers.setdefault(id(base), []).append(item)
    matmuls: dict[int, list[FusedMatmul]] = {}
    for item in found:
        first, *others = readers.get(id(item.node), [item])
        numel = _numel(item.node, first)
        if numel is not None:
            is_kept = bool(others) or id(item.node) in roots
            matmuls.setdefault(id(first), []).append(FusedMatmul(item, numel, is_kept))
    inside = {id(matmul.item) for fused in matmuls.values() for matmul in fused}
    left = [item for item in plan if id(item) not in inside]
    return [_fused(item, matmuls.get(id(item), ())) for item in left]


def _fused(item: Fused, matmuls: Sequence[FusedMatmul]) -> Fused | MatmulKernel:
    return MatmulKernel(tuple(matmuls), item) if matmuls and isinstance(item, Group) else item


def _numel(node: Node, reader: Fused) -> int | None:
    """How many elements of the product ``node`` each outermost index needs; None: not by rows."""
    if not isinstance(reader, Group) or not node.numel:
        return None
    nest = reader.nest
    if nest.folds_all or nest.scans_all:
        return None
    slots = {number for number, reach in enumerate(reader.reaches) if reach.node is node}
    if any(step.op is LOAD and step.args and step.arg in slots for step in nest.steps):
        return None  # a gather, or a load with padding
    strides = {reach.view.stride[0] for reach in reader.reaches if reach.node is node}
    numel = strides.pop()
    # Indices that advance by numel and together cover the product cannot overlap.
    if strides or numel <= 0 or numel * reader.extents[0] != node.numel:
        return None
    return numel
