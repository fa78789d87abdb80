"""Labels: the names that a text such as ``"i, jk, l"`` gives to the axes of a tensor.

Labels are separated by commas, because a label may have several letters: ``"ij"`` is one label.
Pure: nothing here knows about elements.
"""

from __future__ import annotations

import re
from functools import lru_cache

from onebuf.errors import LabelError, ShapeError, UnlabelledError

_LABEL = re.compile(r"[\w']+")


def parse(text: str) -> tuple[str, ...]:
    """The labels in ``text``, without the spaces around them.

    >>> parse("i, jk, l"), parse("")
    (('i', 'jk', 'l'), ())
    """
    return _parsed(str(text))


@lru_cache(1024)
def _parsed(text: str) -> tuple[str, ...]:
    if not text.strip():
        return ()
    labels = tuple([part.strip() for part in text.split(",")])
    for place, label in enumerate(labels):
        if not label:
            raise LabelError(
                f"labels need a name each, and label {place} of {text!r} is empty; leave out the "
                f"comma, or name it, as in 'i,j'"
            )
        if not _LABEL.fullmatch(label):
            raise LabelError(
                f"a label needs letters, digits, '_' and ''' alone, got {label!r} in {text!r}; "
                f"labels are separated by commas, as in 'i,j', and every axis has one"
            )
    return labels


def labels_for(text: str, shape: tuple[int, ...]) -> tuple[str, ...]:
    """The labels in ``text`` for a tensor of ``shape``: one for each of its axes.

    >>> labels_for("i,i", (3, 3))
    ('i', 'i')
    """
    labels = parse(text)
    if len(labels) != len(shape):
        raise LabelError(_miscounted(str(text), labels, shape))
    return labels


def extents_of(labels: tuple[str, ...], shape: tuple[int, ...]) -> dict[str, int]:
    """How far each label runs; a label that a tensor has twice needs one extent.

    >>> extents_of(("i", "j"), (2, 3))
    {'i': 2, 'j': 3}
    """
    found = dict(zip(labels, shape, strict=True))
    if len(found) != len(labels):
        for label, extent in zip(labels, shape, strict=True):
            if found[label] != extent:
                raise conflict(label, extent, found[label], f"of a tensor of shape {shape}")
    return found


def conflict(label: str, one: int, other: int, where: str) -> ShapeError:
    """The error for a label that would have to run over two extents."""
    return ShapeError(
        f"a label needs one extent, and {label!r} has {one} and {other} {where}; rename one of "
        f"the two, or slice a tensor (extents of 1 are not broadcast here)"
    )


def unlabelled(what: str) -> UnlabelledError:
    """The error for ``c["i,j"] = value``, where the value has no labels."""
    return UnlabelledError(
        f"labels on the left of '=' need a labelled expression on the right, got {what}; label "
        f"it, as in c['i,j'] = x['j,i'], or write c[...] = x for elements in the order that they "
        f"have"
    )


def _miscounted(text: str, labels: tuple[str, ...], shape: tuple[int, ...]) -> str:
    ndim = len(shape)
    letters = [letter for label in labels for letter in label]
    hint = "separate them by commas, as in 'i,j'"
    if len(letters) == ndim:
        hint = f"{text!r} has no comma between some: write {','.join(letters)!r}"
    elif not ndim:
        hint = "a tensor without axes has the labels ''"
    return (
        f"a text as a key needs a label for each of the {ndim} axes of shape {shape}, got "
        f"{len(labels)} in {text!r}; {hint} (only integers, slices, ellipsis, None and integer or "
        f"boolean arrays are valid indices without labels)"
    )
