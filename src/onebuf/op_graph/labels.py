"""Labelled operations: the axes of operands meet by label, not by position.

``multiply`` and ``einsum`` follow the generalised Einstein convention: an index that the result
does not have is summed over. Other elementwise operations move the axes of each operand to where
the result has their labels; an operand without a label of the result is repeated along it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from onebuf.errors import OpGraphError
from onebuf.graph import Node
from onebuf.op_graph.vertices import Labels
from onebuf.ops import permute, reshape
from onebuf.ops.einstein.einsum import einsum
from onebuf.ops.einstein.subscripts import Summation

EINSTEIN = frozenset({"einsum", "multiply"})
"""Operations that sum over the labels which their result lacks."""


def parse_labels(text: str | Sequence[str]) -> Labels:
    """Labels as they are written, or a sequence of them.

    >>> parse_labels("i, jk,l"), parse_labels("")
    (('i', 'jk', 'l'), ())
    """
    if isinstance(text, str):
        parts = tuple([part.strip() for part in text.split(",")]) if text.strip() else ()
    elif isinstance(text, Sequence) and all(isinstance(part, str) for part in text):
        parts = tuple(text)
    else:
        raise OpGraphError(f"labels are a text such as 'i,j', got {type(text).__name__}")
    for part in parts:
        if not part or "," in part or part != part.strip() or not part.isprintable():
            raise OpGraphError(
                f"a label needs at least one character, and neither ',' nor blanks at its ends; "
                f"got {part!r} in {text!r}; for example 'i,j'"
            )
    return parts


def check_labels(
    name: str, operands: Sequence[Labels], shapes: Sequence[tuple[int, ...]], result: Labels
) -> None:
    """Raise unless labels fit the shapes of the operands, and one another."""
    extents: dict[str, int] = {}
    for number, (labels, shape) in enumerate(zip(operands, shapes, strict=True)):
        if len(labels) != len(shape):
            raise OpGraphError(
                f"{name} needs a label for each axis of operand {number}, of shape {shape}; got "
                f"{','.join(labels)!r}"
            )
        for label, extent in zip(labels, shape, strict=True):
            if extents.setdefault(label, extent) != extent:
                raise OpGraphError(
                    f"{name} needs one extent for the label {label!r}, got {extents[label]} and "
                    f"then {extent} in operand {number} of shape {shape}; rename one of them"
                )
    _check_result(name, operands, result, extents)


def _check_result(
    name: str, operands: Sequence[Labels], result: Labels, extents: dict[str, int]
) -> None:
    for label in result:
        if label not in extents:
            raise OpGraphError(
                f"{name} needs labels of the result that an operand has, got {label!r}; the "
                f"operands have {', '.join(map(repr, extents)) or 'none'}"
            )
        if result.count(label) > 1:
            raise OpGraphError(f"{name} needs each label of the result once, got {label!r} twice")
    if name in EINSTEIN:
        return
    for number, labels in enumerate(operands):
        for label in labels:
            if label not in result:
                raise OpGraphError(
                    f"{name} sums over no label, so that its result needs {label!r} of operand "
                    f"{number}; sum over it with einsum first"
                )
            if labels.count(label) > 1:
                raise OpGraphError(
                    f"{name} needs each label of operand {number} once, got {label!r} twice; take "
                    f"the diagonal with einsum first"
                )


def apply_labelled(
    name: str,
    apply: Callable[..., Node],
    nodes: Sequence[Node],
    operands: Sequence[Labels],
    result: Labels,
) -> Node:
    """The result of an operation on operands whose axes have labels."""
    check_labels(name, operands, [node.shape for node in nodes], result)
    if name in EINSTEIN:
        return einsum(Summation(tuple(operands), result), nodes)
    placed = [_placed(node, labels, result) for node, labels in zip(nodes, operands, strict=True)]
    return apply(*placed)


def _placed(node: Node, labels: Labels, result: Labels) -> Node:
    """``node`` with an axis for each label of the result, of extent 1 where it has none."""
    own = [label for label in result if label in labels]
    order = [labels.index(label) for label in own]
    if order != list(range(len(order))):
        node = permute(node, order)
    if len(own) == len(result):
        return node
    extents = iter(node.shape)
    return reshape(node, [next(extents) if label in own else 1 for label in result])
