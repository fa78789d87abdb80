"""The ways in which a function can be reached: every one has to give the same special values.

At once and lazily; on one number and on arrays long enough for vector instructions and for what
they leave over; contiguous and strided; as a function, an operator and an operator in place; with
buffers and with Python's numbers.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

import onebuf as xp
from onebuf import Buffer

Array = np.ndarray[Any, Any]
Result = tuple[str, Buffer, Array]
"""Which way, what came out, and the numbers of the cases that its elements are."""

LENGTHS = (1, 3, 17)

PREFIX: dict[str, Callable[[Any], Any]] = {
    "abs": operator.abs,
    "negative": operator.neg,
    "positive": operator.pos,
}
INFIX: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add,
    "divide": operator.truediv,
    "equal": operator.eq,
    "floor_divide": operator.floordiv,
    "greater": operator.gt,
    "greater_equal": operator.ge,
    "less": operator.lt,
    "less_equal": operator.le,
    "multiply": operator.mul,
    "not_equal": operator.ne,
    "pow": operator.pow,
    "remainder": operator.mod,
    "subtract": operator.sub,
}
IN_PLACE: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.iadd,
    "divide": operator.itruediv,
    "floor_divide": operator.ifloordiv,
    "multiply": operator.imul,
    "pow": operator.ipow,
    "remainder": operator.imod,
    "subtract": operator.isub,
}


def at_once() -> AbstractContextManager[Any]:
    return xp.config()


def lazily() -> AbstractContextManager[Any]:
    return xp.config(eager_numel=0)


def ways(name: str, operands: list[Array], at: Array) -> Iterator[Result]:
    """Every way to apply ``name`` to ``operands``, whose elements are the cases ``at``."""
    function = getattr(xp, name)
    forms: list[tuple[str, Callable[..., Any]]] = [(name, function)]
    if len(operands) == 1 and name in PREFIX:
        forms.append(("prefix", PREFIX[name]))
    if len(operands) == 2 and name in INFIX:
        forms.append(("infix", INFIX[name]))
    if len(operands) == 2 and name in IN_PLACE:
        forms.append(("in place", IN_PLACE[name]))
    for mode, context in (("at once", at_once), ("lazily", lazily)):
        for form, call in forms:
            with context():
                yield f"{form}, {mode}", call(*_buffers(operands)), at
                yield f"{form}, {mode}, strided", call(*_strided(operands)), at
            for i in _sample(len(at), 2):
                one = [array[i] for array in operands]
                with context():
                    yield f"{form}, {mode}, 0-d", call(*_buffers(one)), at[i]
                    for length in LENGTHS:
                        many = [np.full(length, number) for number in one]
                        yield f"{form}, {mode}, {length}", call(*_buffers(many)), at[[i] * length]
        if len(operands) == 2:
            yield from _with_numbers(forms, mode, context, operands, at)


def _with_numbers(
    forms: list[tuple[str, Callable[..., Any]]],
    mode: str,
    context: Callable[[], AbstractContextManager[Any]],
    operands: list[Array],
    at: Array,
) -> Iterator[Result]:
    """One operand a number of Python's."""
    for i in _sample(len(at), 3):
        x, y = (array[i] for array in operands)
        for form, call in forms:
            with context():
                yield f"{form}, {mode}, x2 a number", call(*_buffers([x]), y.item()), at[i]
                if form != "in place":
                    yield f"{form}, {mode}, x1 a number", call(x.item(), *_buffers([y])), at[i]


def _buffers(arrays: list[Any]) -> list[Buffer]:
    return [xp.asarray(np.array(array)) for array in arrays]


def _strided(arrays: list[Array]) -> list[Buffer]:
    """The same elements, three places apart and from the last to the first in memory."""
    return [xp.asarray(np.repeat(array[::-1], 3))[::-3] for array in arrays]


def _sample(count: int, most: int) -> list[int]:
    return sorted({round(i) for i in np.linspace(0, count - 1, min(most, count))})
