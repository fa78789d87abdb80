"""Sums of gradients: what a node gets from all that use it.

The parts of a tensor that were used one by one, as the three parts of a projection in attention
are or the steps of a sequence, give gradients that are zero but for their part. The sum of parts
that do not overlap is a join: every element is written once, and nothing is added.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce as fold

from onebuf.graph import BINARY, PAD, Node
from onebuf.ops import binary, concat, constant, reshape


def accumulated(parts: Sequence[Node]) -> Node:
    """The sum of gradients of one shape.

    >>> from onebuf.dtypes import float64
    >>> from onebuf.ops import full, pad
    >>> from onebuf.options import config
    >>> with config(eager_numel=0):
    ...     halves = [full((2,), n, float64) for n in (1, 2)]
    ...     accumulated([pad(halves[0], [(0, 2)]), pad(halves[1], [(2, 0)])])
    <concat(full, full) float64[4]>
    """
    if len(parts) == 1:
        return parts[0]
    whole: list[Node] = []
    tiles: dict[tuple[tuple[int, ...], int], list[Node]] = {}
    for part in parts:
        box = _padded(part)
        axis = None if box is None else _axis(box)
        if box is None or axis is None:
            whole.append(part)
        else:
            tiles.setdefault((box.shape, axis), []).append(box)
    for (_, axis), boxes in tiles.items():
        joined = [_joined(boxes, axis)] if _are_apart(boxes, axis) else boxes
        whole += [reshape(one, parts[0].shape) for one in joined]
    return fold(lambda x, y: binary(BINARY["add"], x, y), whole)


def _padded(part: Node) -> Node | None:
    """The PAD with zeros around that all elements of ``part`` are; None if there is none."""
    base = part.strided_base
    if base.op is not PAD or base.arg.value != 0:
        return None
    return base if part.view.is_contiguous and part.numel == base.numel else None


def _axis(box: Node) -> int | None:
    """The only axis that is padded; None if several are."""
    padded = [axis for axis, widths in enumerate(box.arg.widths) if any(widths)]
    return padded[0] if len(padded) == 1 else None


def _bounds(box: Node, axis: int) -> tuple[int, int]:
    """Where what is padded begins and ends."""
    before, after = box.arg.widths[axis]
    return before, box.shape[axis] - after


def _are_apart(boxes: list[Node], axis: int) -> bool:
    """Whether there are several boxes, and no two of them have a part in common."""
    boxes.sort(key=lambda box: _bounds(box, axis))
    ends = [_bounds(box, axis)[1] for box in boxes]
    starts = [_bounds(box, axis)[0] for box in boxes]
    return len(boxes) > 1 and all(map(int.__le__, ends, starts[1:]))


def _joined(boxes: list[Node], axis: int) -> Node:
    """The sum of boxes that are in order and apart, with zeros in the gaps between them."""
    shape = boxes[0].shape
    pieces: list[Node] = []
    end = 0

    def fill(until: int) -> None:
        if until > end:
            gap = (*shape[:axis], until - end, *shape[axis + 1 :])
            pieces.append(constant(gap, 0, boxes[0].dtype))

    for box in boxes:
        start, after = _bounds(box, axis)
        fill(start)
        pieces.append(box.srcs[0])
        end = after
    fill(shape[axis])
    return concat(pieces, axis)
