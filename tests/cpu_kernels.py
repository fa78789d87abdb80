"""Kernels as LLVM IR text for the tests of the CPU, and how to hand them arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

LOOP = """
define void @{name}(ptr %args, i64 %begin, i64 %end) nounwind {{
entry:
  %x = load ptr, ptr %args
  br label %look
look:
  %i = phi i64 [%begin, %entry], [%next, %step]
  %more = icmp slt i64 %i, %end
  br i1 %more, label %step, label %done
step:
  %at = getelementptr i64, ptr %x, i64 %i
  %old = load i64, ptr %at
  %new = add i64 %old, {number}
  store i64 %new, ptr %at
  %next = add i64 %i, 1
  br label %look
done:
  ret void
}}
"""


def adding(number: int = 1, name: str = "add") -> str:
    """IR that adds ``number`` to the elements of an int64 array."""
    return LOOP.format(number=number, name=name)


WAITING = """
define void @wait(ptr %args, i64 %begin, i64 %end) nounwind {
entry:
  %flag = load ptr, ptr %args
  br label %look
look:
  %i = phi i64 [%begin, %entry], [%next, %again]
  %now = load atomic i64, ptr %flag monotonic, align 8
  %set = icmp ne i64 %now, 0
  br i1 %set, label %seen, label %again
again:
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %end
  br i1 %more, label %look, label %done
seen:
  %second = getelementptr i64, ptr %flag, i64 1
  store i64 1, ptr %second
  ret void
done:
  ret void
}
"""
"""IR that looks at ``x[0]`` from ``begin`` to ``end`` times, and sets ``x[1]`` if it sees a 1."""


class Arguments:
    """Arrays, and the block of memory with their addresses that a kernel is given."""

    def __init__(self, *arrays: np.ndarray[Any, Any]) -> None:
        self.arrays = arrays
        self.block = np.array([array.ctypes.data for array in arrays], np.int64)
        self.address: int = self.block.ctypes.data


MEETING = """
define void @meet(ptr %args, i64 %begin, i64 %end) nounwind {
entry:
  %x = load ptr, ptr %args
  %second = getelementptr i64, ptr %x, i64 1
  %most.at = getelementptr i64, ptr %x, i64 2
  %third = getelementptr i64, ptr %x, i64 3
  %all = load i64, ptr %second
  %patience = load i64, ptr %third
  %before = atomicrmw add ptr %x, i64 1 seq_cst, align 8
  %inside = add i64 %before, 1
  %most = atomicrmw max ptr %most.at, i64 %inside seq_cst, align 8
  br label %look
look:
  %i = phi i64 [0, %entry], [%next, %again]
  %next = add i64 %i, 1
  %now = load atomic i64, ptr %most.at acquire, align 8
  %met = icmp sge i64 %now, %all
  br i1 %met, label %done, label %again
again:
  %more = icmp slt i64 %next, %patience
  br i1 %more, label %look, label %done
done:
  %left = atomicrmw sub ptr %x, i64 1 seq_cst, align 8
  ret void
}
"""
"""IR whose calls wait for one another.

``x[0]`` counts those that are inside, ``x[2]`` the most that ever were; each waits until that is
``x[1]``, or until it has looked ``x[3]`` times.
"""

BOUNDS = """
define void @bounds(ptr %args, i64 %begin, i64 %end) nounwind {
  %x = load ptr, ptr %args
  %at = getelementptr i64, ptr %x, i64 %begin
  %size = sub i64 %end, %begin
  %old = atomicrmw add ptr %at, i64 %size monotonic, align 8
  ret void
}
"""
"""IR that adds its number of indices to the element at the first one."""
