"""Einstein's notation read: which label each axis of each operand has, and of the result.

A label is a letter, or an integer in the form without text. The axes below an ellipsis get
labels of their own, `Broadcast`, counted from the last one, because that is how shapes broadcast.
Pure: nothing here knows about elements.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import index as as_int
from types import EllipsisType
from typing import Any

from onebuf.errors import ArgumentError, ArgumentTypeError, ShapeError


@dataclass(frozen=True, slots=True, order=True)
class Broadcast:
    """An axis below an ellipsis, by how many follow it there."""

    following: int


Label = str | int | Broadcast
Labels = tuple[Label, ...]
Sparse = tuple[str | int | EllipsisType, ...]
"""Labels as they are written, before an ellipsis becomes as many axes as it stands for."""


@dataclass(frozen=True, slots=True)
class Summation:
    """What to sum: the labels of every operand's axes, and those of the result's.

    >>> parse_text("ij,jk", (2, 2))
    Summation(inputs=(('i', 'j'), ('j', 'k')), output=('i', 'k'))
    """

    inputs: tuple[Labels, ...]
    output: Labels


def parse_text(subscripts: str, ndims: Sequence[int]) -> Summation:
    """The summation that ``subscripts`` asks for, for operands of so many dimensions.

    >>> parse_text("...i,i->...", (2, 1)).output
    (Broadcast(following=0),)
    """
    return _parsed(subscripts, tuple(ndims))


@lru_cache(256)
def _parsed(subscripts: str, ndims: tuple[int, ...]) -> Summation:
    """`parse_text`, which programs ask for again and again."""
    text = subscripts.replace(" ", "")
    left, arrow, right = text.partition("->")
    terms = [_characters(subscripts, term) for term in left.split(",")]
    output = _characters(subscripts, right) if arrow else None
    return _summation(repr(subscripts), terms, output, ndims)


def parse_lists(
    terms: Sequence[Any], output: Sequence[Any] | None, ndims: Sequence[int]
) -> Summation:
    """The same for labels given as lists of integers.

    >>> parse_lists([[0, 1], [1, 2]], [0, 2], (2, 2)).output
    (0, 2)
    """
    told = ", ".join(map(repr, terms)) + ("" if output is None else f" -> {output!r}")
    numbered = [_numbers(term) for term in terms]
    return _summation(told, numbered, None if output is None else _numbers(output), ndims)


def extents(summation: Summation, shapes: Sequence[tuple[int, ...]]) -> dict[Label, int]:
    """How far each label runs; an extent of 1 broadcasts."""
    found: dict[Label, int] = {}
    for number, (labels, shape) in enumerate(zip(summation.inputs, shapes, strict=True)):
        own: dict[Label, int] = {}
        for label, extent in zip(labels, shape, strict=True):
            if own.setdefault(label, extent) != extent:
                raise ShapeError(
                    f"einsum needs equal extents along a diagonal, got {own[label]} and {extent} "
                    f"for the index {_name(label)} in operand {number} of shape {shape}; slice it"
                )
            known = found.setdefault(label, extent)
            if known == 1:
                found[label] = extent
            elif extent not in (1, known):
                raise ShapeError(
                    f"einsum needs one extent for the index {_name(label)}, got {known} and then "
                    f"{extent} in operand {number} of shape {shape}; rename one of the indices, "
                    f"or slice an operand"
                )
    return found


def _characters(subscripts: str, term: str) -> Sparse:
    parts = term.split("...")
    if len(parts) > 2 or not all(part.isalpha() for part in parts if part):
        raise ArgumentError(
            f"einsum needs letters, ',', '->' and one '...' an operand, got {term!r} in "
            f"{subscripts!r}; for example 'ij,jk->ik'"
        )
    return (*parts[0], ..., *parts[1]) if len(parts) == 2 else tuple(term)


def _numbers(term: Any) -> Sparse:
    try:
        labels = tuple([part if part is ... else as_int(part) for part in term])
    except TypeError:
        raise ArgumentTypeError(
            f"einsum without text needs a list of integers after each operand, got {term!r}; "
            f"for example einsum(x, [0, 1], y, [1, 2])"
        ) from None
    if labels.count(...) > 1:
        raise ArgumentError(f"einsum needs at most one ellipsis an operand, got {term!r}")
    return labels


def _summation(
    told: str, terms: Sequence[Sparse], output: Sparse | None, ndims: Sequence[int]
) -> Summation:
    if len(terms) != len(ndims):
        raise ArgumentError(
            f"einsum needs as many operands as subscripts, got {len(terms)} subscripts in {told} "
            f"and {len(ndims)} operands"
        )
    inputs = tuple([_filled(told, term, ndim) for term, ndim in zip(terms, ndims, strict=True)])
    hidden = max([sum(isinstance(label, Broadcast) for label in labels) for labels in inputs])
    return Summation(inputs, _output(told, inputs, output, _broadcast(hidden)))


def _filled(told: str, term: Sparse, ndim: int) -> Labels:
    named = len(term) - term.count(...)
    if ndim < named or (ndim > named and ... not in term):
        written = "".join("..." if label is ... else str(label) for label in term)
        raise ArgumentError(
            f"einsum needs an index for each axis of an operand, got {written!r} for one of {ndim} "
            f"dimensions in {told}; '...' stands for the axes that are not named"
        )
    return _replaced(term, _broadcast(ndim - named))


def _replaced(term: Sparse, hidden: Labels) -> Labels:
    labels: list[Label] = []
    for label in term:
        labels.extend(hidden if isinstance(label, EllipsisType) else (label,))
    return tuple(labels)


def _broadcast(count: int) -> Labels:
    return tuple([Broadcast(following) for following in reversed(range(count))])


def _output(
    told: str, inputs: tuple[Labels, ...], written: Sparse | None, hidden: Labels
) -> Labels:
    counts = Counter(label for labels in inputs for label in labels)
    if written is None:
        once: list[Any] = [
            label for label, n in counts.items() if n == 1 and not isinstance(label, Broadcast)
        ]
        return (*hidden, *sorted(once))
    if hidden and ... not in written:
        raise ArgumentError(
            f"einsum needs '...' in the result where an operand's stands for axes, got {told}; "
            f"write '->...', or name the axes to sum over them"
        )
    output = _replaced(written, hidden)
    for label in output:
        if label not in counts or output.count(label) > 1:
            raise ArgumentError(
                f"einsum needs each index of the result once, and in an operand, got "
                f"{_name(label)} in {told}"
            )
    return output


def _name(label: Label) -> str:
    return (
        f"{label.following} from the end of '...'"
        if isinstance(label, Broadcast)
        else (repr(label))
    )
