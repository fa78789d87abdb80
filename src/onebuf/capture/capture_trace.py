"""The trace of a function that is being captured: values that it read are noted down.

Python code that read a value may have gone one way or the other because of it. So a capture serves
only calls in which every read gives the value that it gave then.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from onebuf.dtypes import Array
from onebuf.graph import COPY, Node, here, make
from onebuf.tracing import Trace


class Read(NamedTuple):
    """A value that the function read: what it is computed by, its elements, and the line."""

    node: Node
    value: Array
    line: str

    def is_same(self, value: Array) -> bool:
        """Whether ``value`` has the same bits, in the same dtype and shape."""
        return value.shape == self.value.shape and value.tobytes() == self.value.tobytes()


class CaptureTrace(Trace):
    """The trace of a function that is being captured."""

    what = "a function that is being captured"

    def __init__(self) -> None:
        super().__init__()
        self.reads: list[Read] = []

    def read(self, node: Node) -> Array:
        """The elements of ``node``; the region of the capture ends here."""
        value = super().read(node)
        # A copy, so that it stays what was read if the memory is written later.
        kept = make(COPY, (node,), None, node.shape, node.dtype, unique=True)
        self.reads.append(Read(kept, np.array(value), here()))
        return value
