"""Products: matrix products, each as one item with the kernel that takes its rows.

A kernel that reads a product row by row can run on some rows as soon as they are there, so that the
product as a whole needs no memory. The two are one item then, a `Product`, whatever the kernel does
to a row: a bias, an activation, a softmax.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import gcd, lcm

from onebuf.graph import MATMUL, Node
from onebuf.kernel import LOAD
from onebuf.scheduler.fuse.concat import Join
from onebuf.scheduler.fuse.group import Group
from onebuf.scheduler.items import Item


@dataclass(frozen=True, slots=True, eq=False)
class Factors:
    """A matrix product that a kernel reads: ``numel`` elements of it for each outermost index."""

    item: Item
    numel: int
    is_kept: bool
    """Whether others want the product as well."""

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
class Product:
    """Matrix products, and the kernel that takes rows of them as they come."""

    factors: tuple[Factors, ...]
    group: Group

    @property
    def kind(self) -> str:
        """It is a kernel of several operations."""
        return "kernel"

    @property
    def name(self) -> str:
        """The operations that it does, in order."""
        return " + ".join([*[part.item.name for part in self.factors], self.group.name])

    @property
    def node(self) -> Node:
        """The first output."""
        return self.group.node

    @property
    def reason(self) -> str:
        """Why it exists."""
        return self.group.reason

    @property
    def parts(self) -> tuple[Group, ...]:
        """The kernel."""
        return (self.group,)

    @property
    def passes(self) -> tuple[Product]:
        """Itself: it goes over its memory once."""
        return (self,)

    @property
    def asked(self) -> tuple[Node, ...]:
        """The nodes that a run asks for."""
        products = tuple([part.node for part in self.factors])
        return (*self.group.asked, *products)

    @property
    def whole(self) -> tuple[Node, ...]:
        """The nodes that are read by others than kernels."""
        return tuple([operand.base for part in self.factors for operand in part.item.inputs])

    @property
    def kept(self) -> tuple[Node, ...]:
        """The products that are results as well."""
        return tuple([part.node for part in self.factors if part.is_kept])

    @property
    def outputs(self) -> tuple[Node, ...]:
        """The results of the kernel, and the products that others want."""
        return (*self.group.outputs, *self.kept)

    @property
    def inputs(self) -> tuple[Node, ...]:
        """The nodes that have to be in memory first."""
        products = {id(part.node) for part in self.factors}
        operands = [operand for part in self.factors for operand in part.item.inputs]
        others = [node for node in self.group.inputs if id(node) not in products]
        return tuple({id(node): node for node in (*operands, *others)}.values())

    @property
    def bytes_read(self) -> int:
        """Bytes of all operands, each counted once."""
        return sum(node.nbytes for node in self.inputs)

    @property
    def bytes_written(self) -> int:
        """Bytes of the results."""
        return sum(node.nbytes for node in self.outputs)

    @property
    def step(self) -> int:
        """The least number of outermost indices that take whole rows of every product."""
        return lcm(*[part.together for part in self.factors])


def with_products(
    plan: Sequence[Group | Join | Item], roots: Collection[int]
) -> list[Group | Join | Product | Item]:
    """The plan, each matrix product in one item with the first kernel that reads it by rows.

    ``roots`` are the nodes, by id, that become stored in any case.
    """
    found = [item for item in plan if isinstance(item, Item) and item.node.op is MATMUL]
    if not found:
        return list(plan)
    readers: dict[int, list[Group | Join | Item]] = {}
    for item in plan:
        for base in {id(node.base): node.base for node in item.inputs}.values():
            readers.setdefault(id(base), []).append(item)
    parts: dict[int, list[Factors]] = {}
    for item in found:
        first, *others = readers.get(id(item.node), [item])
        numel = _numel(item.node, first)
        if numel is not None:
            kept = bool(others) or id(item.node) in roots
            parts.setdefault(id(first), []).append(Factors(item, numel, kept))
    inside = {id(part.item) for joined in parts.values() for part in joined}
    left = [item for item in plan if id(item) not in inside]
    return [_joined(item, parts.get(id(item), ())) for item in left]


def _joined(item: Group | Join | Item, parts: Sequence[Factors]) -> Group | Join | Product | Item:
    return Product(tuple(parts), item) if parts and isinstance(item, Group) else item


def _numel(node: Node, reader: Group | Join | Item) -> int | None:
    """How many elements of the product ``node`` each outermost index needs; None: not by rows."""
    if not isinstance(reader, Group) or not node.numel:
        return None
    nest = reader.nest
    if nest.folds_all or nest.scans_all:
        return None
    slots = {number for number, reach in enumerate(reader.reaches) if reach.node is node}
    if any(step.op is LOAD and step.args and step.arg in slots for step in nest.steps):
        return None  # it goes where indices or borders say
    steps = {reach.view.stride[0] for reach in reader.reaches if reach.node is node}
    numel = steps.pop()
    # What stays in memory and moves by this much from index to index cannot reach further at any.
    if steps or numel <= 0 or numel * reader.extents[0] != node.numel:
        return None
    return numel
