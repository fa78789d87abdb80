"""Elements found in a file: in mapped memory, or to be read region by region.

Whatever a file's format, opening it gives one of these two. Positions and extents count elements.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np

from onebuf.layout import View
from onebuf.memory import Block, Territory


class Held(NamedTuple):
    """Elements that are in memory already: which block, of what type, and where in the block.

    Every tensor has a block of its own, so that ``view.offset`` is 0 wherever the file stores
    elements in row-major or column-major order.

    >>> block = Block.foreign(np.arange(6, dtype=np.int16))
    >>> Held(block, np.dtype("int16"), View.contiguous((2, 3))).window().tolist()
    [[0, 1, 2], [3, 4, 5]]
    """

    block: Block
    dtype: np.dtype[Any]
    view: View

    def window(self) -> np.ndarray[Any, Any]:
        """The elements as a NumPy array on the same memory, which stays alive as long as it."""
        itemsize = self.dtype.itemsize
        stride_bytes = [step * itemsize for step in self.view.stride]
        return self.block.window(
            self.view.shape, self.dtype, stride_bytes, self.view.offset * itemsize
        )


class Source(Protocol):
    """Elements that are read on demand, a region at a time.

    A region is one half-open range ``(low, high)`` for each axis.
    """

    @property
    def name(self) -> str:
        """What to call it in messages: the path, and the name inside the file if any."""
        ...

    @property
    def shape(self) -> tuple[int, ...]:
        """Extent of each axis."""
        ...

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of what `read` returns, in the byte order of this machine."""
        ...

    @property
    def writable(self) -> bool:
        """Whether `write` is allowed."""
        ...

    @property
    def territory(self) -> Territory:
        """The same for whatever leads to the same elements."""
        ...

    def read(self, bounds: Sequence[tuple[int, int]]) -> np.ndarray[Any, Any]:
        """A new array with the elements of the region."""
        ...

    def write(self, bounds: Sequence[tuple[int, int]], array: np.ndarray[Any, Any]) -> None:
        """Replace the elements of the region, and no others."""
        ...

    def flush(self) -> None:
        """Wait until everything written so far is in the file."""
        ...


Opened: TypeAlias = Held | Source | Mapping[str, Held] | Mapping[str, Source]
"""What opening a file gives: one array, or several by name."""
