"""Structure: the layout that a buffer's elements are held in, to look at and to change.

A buffer with a layout sees its stored elements through it. Every method of a buffer works; what no
layout can hold any more is stored element by element, as in any other buffer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from onebuf.buffer.handle import Handle
from onebuf.graph import Node
from onebuf.late import Late
from onebuf.ops import copied, expanded, view_of

if TYPE_CHECKING:
    from onebuf import engine
    from onebuf.buffer.exchange import sparse_export
    from onebuf.buffer.layout import allocator as allocators
    from onebuf.buffer.layout.allocator import Allocator
    from onebuf.layout import layout as layouts
    from onebuf.layout.layout import Layout
    from onebuf.machine import runtime as runtimes
    from onebuf.ops.structured import nodes, symmetry_proof
    from onebuf.sparsity import Sparsity
    from onebuf.symmetry import Group
else:
    allocators = Late("onebuf.buffer.layout.allocator")
    layouts = Late("onebuf.layout.layout")
    nodes = Late("onebuf.ops.structured.nodes")
    runtimes = Late("onebuf.machine.runtime")
    sparse_export = Late("onebuf.buffer.exchange.sparse_export")
    symmetry_proof = Late("onebuf.ops.structured.symmetry_proof")
    engine = Late("onebuf.engine")


class Structure(Handle):
    """How the elements are held, and who allocates them."""

    __slots__ = ()

    @property
    def layout(self) -> Layout:
        """What is known of the elements: shape, symmetry, sparsity, tiles.

        >>> import onebuf
        >>> onebuf.zeros((2, 3)).layout
        Layout((2, 3))
        """
        found = layout_of(self._node)
        return layouts.Layout(self._node.shape) if found is None else found

    @property
    def symmetry(self) -> Group | None:
        """The symmetry that the elements certainly have; None if none is known.

        It is that of the layout, or what the expression of a lazy buffer proves: `x + x.T` is
        symmetric whatever x holds.
        """
        found = layout_of(self._node)
        if found is not None and found.symmetry is not None:
            return found.symmetry
        return symmetry_proof.proven_symmetry(self._node)

    @property
    def sparsity(self) -> Sparsity | None:
        """The elements that are 0 and not stored; None if every one is stored."""
        found = layout_of(self._node)
        return None if found is None else found.sparsity

    def dense(self) -> Self:
        """The same elements, each stored: a copy if the buffer has a layout, else this buffer."""
        node = self._node
        return self if node.has_strides else self._value(engine.taken(expanded(node)))

    def is_contiguous(self) -> bool:
        """Whether the elements lie in row-major order without gaps."""
        return self._node.has_strides and view_of(self._node).is_contiguous

    def contiguous(self) -> Self:
        """The same elements in row-major order: this buffer, or a copy if it is not."""
        if self.is_contiguous():
            return self
        return (
            self._value(engine.taken(copied(self._node)))
            if self._node.has_strides
            else self.dense()
        )

    @property
    def allocator(self) -> Allocator:
        """What allocates buffers like this one: of its kind, on its device."""
        return allocators.Allocator(self._node.device, type(self))

    @property
    def runtime(self) -> Any:
        """What the buffer's program runs on: a `Runtime`, or the one that was opened for it."""
        return runtimes.THREADS

    def to_scipy(self, format: str | None = None) -> Any:
        """The elements as a sparse array of SciPy: "csr", "coo" or "bsr".

        The stored elements are shared where the format has them in the same order: single elements
        with "csr" and "coo", tiles of one size with "bsr".
        """
        return sparse_export.to_scipy(self, format)

    def to_sparse(self) -> Any:
        """The elements as a COO array of the package sparse, which shares single elements."""
        return sparse_export.to_sparse(self)


def layout_of(node: Node) -> Layout | None:
    """The layout through which all elements of ``node`` are seen; None: there is none."""
    return None if node.has_strides else nodes.layout_of(node)
