"""Leaves: nodes for elements that are in memory, and for what is left when it was given back.

Small operations and views make little else, so a leaf stores only what differs between leaves.
"""

from __future__ import annotations

from pickle import PickleBuffer
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from onebuf.dtypes import DT, Array, is_added
from onebuf.errors import ExportError
from onebuf.graph.node import Node, Readers
from onebuf.graph.op import FREED, STORED
from onebuf.machine import CPU, Device
from onebuf.memory import POOL, Block, Cell, address_of
from onebuf.native import native_class


@native_class
class Leaf(Node):
    """A node for elements in memory: ``array`` lies on ``block``.

    Made for every small operation and every view, so it stores only what differs between leaves.
    """

    __slots__ = ()

    op = STORED
    srcs = ()
    arg = None
    made_at = None
    device: Device | None = CPU

    def __init__(self, array: Array, block: Block) -> None:
        self.shape = array.shape
        self.dtype = array.dtype
        self.array = array
        self.block = block
        self.claimed = False

    @property
    def readers(self) -> Readers:  # type: ignore[override]
        """The pending nodes that read the block, through this leaf or another."""
        assert self.block is not None
        return self.block.readers


@native_class
class Foreign(Leaf):
    """A leaf on a foreign array, whose block is made when it is first needed."""

    __slots__ = ()

    def __init__(self, array: Array) -> None:
        self.shape = array.shape
        self.dtype = array.dtype
        self.array = array
        self.claimed = False
        self._block: Block | None = None

    @property
    def block(self) -> Block:  # type: ignore[override]
        """The block that the elements lie on."""
        if self._block is None:
            assert self.array is not None
            made = Block.foreign(self.array)
            # One for all threads. No interpreter switches between these lines.
            if self._block is None:
                self._block = made
        return self._block


@native_class
class Part(Leaf):
    """A leaf on the memory of another, its owner, whose block it shares.

    The native core makes one for each view. Most views live shorter than a block takes to be made,
    so no block is made before something asks for it.
    """

    __slots__ = ()

    _block: Block | None
    _owner: Leaf

    if TYPE_CHECKING:

        def __init__(self) -> None: ...

    @property
    def block(self) -> Block:  # type: ignore[override]
        """The block that the elements lie on."""
        if self._block is None:
            self._block = self._owner.block
        assert self._block is not None
        return self._block

    @property
    def owner(self) -> Leaf:
        """The leaf that has the memory."""
        return self._owner


@native_class
class Number(Leaf):
    """A single number: it has a dtype, and is at home everywhere as Python's are.

    ``scalar`` is one of NumPy's scalars, or the equal one of Python's for float64, int64 and bool.
    Made for every element that is read, so its memory is made only if it is needed. It is
    never written, so any number of buffers may have it.
    """

    __slots__ = ()

    shape = ()
    device = None
    claimed = True
    scalar: Any
    _array: Array | None
    _block: Block | None

    if TYPE_CHECKING:

        def __init__(self) -> None: ...

    else:
        __init__ = object.__init__  # quicker than a method of its own

    @classmethod
    def of(cls, scalar: Any, dtype: DT) -> Self:
        """The node of ``scalar``, which is of ``dtype``."""
        self = cls()
        self.scalar = scalar
        self.dtype = dtype
        self._array = self._block = None
        return self

    @property
    def array(self) -> Array:  # type: ignore[override]
        """The number as an array of its own."""
        if self._array is None:
            made = np.array(self.scalar, self.dtype)
            made.flags.writeable = False
            # One for all threads. No interpreter switches between these lines.
            if self._array is None:
                self._array = made
        return self._array

    @property
    def block(self) -> Block:  # type: ignore[override]
        """The block that the array lies on."""
        if self._block is None:
            array = self.array
            made = Block(array, 0, array.nbytes, address_of(array), False)
            if self._block is None:
                self._block = made
        return self._block


@native_class
class Element(Number):
    """A number that was read from a buffer, in which a write would be lost."""

    __slots__ = ()


@native_class
class Fresh(Leaf):
    """A leaf without other holders: what an operation on small operands has just computed.

    Its memory is a cell of the pool, which goes back to its shelf when the leaf dies. The first
    use of the block (by a view, a window, a pending reader) makes one of the cell, shared like any
    other.
    """

    __slots__ = ()

    def __init__(self, cell: Cell, shape: tuple[int, ...], dtype: DT) -> None:
        self.shape = shape
        self.dtype = dtype
        self.array = cell[0]
        self.claimed = False
        self._cell = cell
        self._block: Block | None = None

    @property
    def is_shared(self) -> bool:
        """Whether others may have the memory: the block was made, or there are parts of it."""
        return self._block is not None or self.parts > 0

    @property
    def block(self) -> Block:  # type: ignore[override]
        """The block that the elements lie on."""
        if self._block is None:
            made = POOL.adopt(self._cell)
            # Another thread, or code that ran in between, may have been first; two blocks of one
            # cell would give its memory back twice. No interpreter switches between these lines.
            if self._block is None:
                self._block = made
                made.gives_back = True
        return self._block

    def __del__(self) -> None:
        if self._block is None:
            cell = self._cell
            if len(cell[2]) < cell[3]:
                cell[2].append(cell)
            else:
                POOL.give_back(cell[1])


class LooseBlock(Block):
    """A block on memory that is one array's own: no other block has any of it."""

    __slots__ = ()


class Loose(Leaf):
    """A leaf without other holders, on memory of NumPy's that is its array's own.

    What NumPy has just computed stays where it is: taking memory of the pool for a few elements
    costs as much as the operation. As with `Fresh`, the block is made at its first use.
    """

    __slots__ = ()

    _block: Block | None

    def __init__(self, array: Array, dtype: DT) -> None:
        self.shape = array.shape
        self.dtype = dtype
        self.array = array
        self.claimed = False
        self._block = None

    @property
    def is_shared(self) -> bool:
        """Whether others may have the memory: the block was made, or there are parts of it."""
        return self._block is not None or self.parts > 0

    @property
    def block(self) -> Block:  # type: ignore[override]
        """The block that the elements lie on."""
        if self._block is None:
            array = self.array
            assert array is not None
            # NumPy leaves out arrays between an array and the one whose memory it is, so the pins
            # of windows must lie on something else.
            exported: Any = array.view(np.uint8) if is_added(self.dtype) else array
            memory = PickleBuffer(exported)
            made = LooseBlock(memory, 0, array.nbytes, address_of(array), True)
            # One for all threads. No interpreter switches between these lines.
            if self._block is None:
                self._block = made
        return self._block


class Freed(Node):
    """What is left of a node whose memory was given back: it cannot be read."""

    __slots__ = ()

    op = FREED
    srcs = ()
    arg = None
    array = None
    block = None
    made_at = None

    def __init__(self, shape: tuple[int, ...], dtype: DT, device: Device | None = CPU) -> None:
        self.shape = shape
        self.dtype = dtype
        self.claimed = True
        self.device = device

    @property
    def readers(self) -> Readers:  # type: ignore[override]
        """It cannot be read, so asking is the mistake."""
        raise self.refusal()

    def refusal(self) -> ExportError:
        """The error for any use of it."""
        return ExportError("this buffer was freed, so it has no elements; make a new one")
