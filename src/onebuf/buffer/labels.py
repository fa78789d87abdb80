"""Labelled expressions: ``c["i,j"] = a["i,k"] * b["k,j"]``. Loaded when one is first written.

A text as a key gives every axis a label. Sums and products of labelled buffers are formulas: they
hold buffers and compute nothing. The labels of the result give a formula its meaning, and any
label that the result does not have is summed over.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, NoReturn

from onebuf.buffer.handle import Handle
from onebuf.buffer.operators import operand
from onebuf.dtypes import DT
from onebuf.engine import assign, check_in_place, update
from onebuf.errors import ArgumentTypeError
from onebuf.graph import Node, Op
from onebuf.ops import copied
from onebuf.ops.einstein.evaluation import check_output, evaluate, evaluate_operand
from onebuf.ops.einstein.formula import (
    ADD,
    DIVIDE,
    MULTIPLY,
    SUBTRACT,
    Formula,
    Number,
    Tensor,
    add,
    divide,
    multiply,
    negative,
    number,
    tensor,
)
from onebuf.ops.einstein.labels import conflict, extents_of, labels_for, parse, unlabelled
from onebuf.ops.einstein.term import diagonals

Build = Callable[[Formula, Formula], Formula]


class Labelled:
    """A sum, product or quotient of buffers whose axes have labels; it computes nothing.

    Made by ``buffer["i,j"]`` and by ``+ - *`` of such expressions, and ``*`` and ``/`` by numbers.
    It is evaluated by ``c["i,j"] = expression``, or by `to`, and reads its buffers then.

    >>> from onebuf import Buffer
    >>> a = Buffer([[1, 2], [3, 4]])
    >>> a["i,j"] * a["j,k"] + 2 * a["i,k"]
    <int32[2, 2]["i,j"] * int32[2, 2]["j,k"] + 2 * int32[2, 2]["i,k"]>
    >>> (a["i,j"] + a["j,i"]).to("i,j")
    Buffer([[2, 5],
            [5, 8]], shape=(2, 2), dtype=int32, device=CPU)
    >>> a["i,i"].item()
    5
    """

    __slots__ = ("_formula", "_kind", "_update")

    _update: Update | None
    """How the formula was made of a buffer's elements, if an operator in place made it."""

    __array_ufunc__ = None
    """NumPy's arrays and numbers leave operators to this class."""

    def __init__(self, formula: Formula, kind: type[Handle]) -> None:
        self._formula = formula
        self._kind = kind
        self._update = None

    @property
    def labels(self) -> tuple[str, ...]:
        """All labels, in the order in which they appear."""
        return tuple(self._formula.extents)

    @property
    def dtype(self) -> DT:
        """The dtype of the elements."""
        found = self._formula.dtype
        assert found is not None, "an expression has a buffer"
        return found

    def to(self, labels: str) -> Any:
        """A new buffer whose axes have these labels; every other label is summed over.

        Parameters
        ----------
        labels
            Labels of the expression in any order, separated by commas; ``""`` for one number.

        Returns
        -------
        Buffer
            A lazy value, never a view: what is written to it shows nowhere else.

        >>> from onebuf import Buffer
        >>> a = Buffer([[1, 2], [3, 4]])
        >>> a["i,j"].to("i").tolist(), (a["i,j"] * a["j,i"]).to("").item()
        ([3, 7], 29)
        """
        if not isinstance(labels, str):
            raise ArgumentTypeError(
                f"to needs the labels of the result as a text such as 'i,j', got {labels!r}"
            )
        formula, names = self._formula, parse(labels)
        node = evaluate(formula, names)
        if isinstance(formula, Tensor) and len(names) == len(formula.extents):
            node = copied(node)  # which was a view
        return self._kind._value(node)

    def item(self) -> Any:
        """The sum over all labels, as a Python number."""
        return self.to("").item()

    def __float__(self) -> float:
        return float(self.to(""))

    def __int__(self) -> int:
        return int(self.to(""))

    def __complex__(self) -> complex:
        return complex(self.to(""))

    def __bool__(self) -> NoReturn:
        raise ArgumentTypeError(
            f"a labelled expression is neither true nor false: {self!r}; evaluate it with "
            f"to('...') first"
        )

    def __array__(self, dtype: Any = None, copy: Any = None) -> NoReturn:
        raise ArgumentTypeError(
            f"a labelled expression has no elements before its result has labels: {self!r}; write "
            f"to('i,j'), with the labels that the result has"
        )

    def __repr__(self) -> str:
        return f"<{self._formula}>"

    # -- operators ---------------------------------------------------------------------------------

    def __add__(self, other: Any, /) -> Any:
        return self if _is_zero(other) else self._with(_add, "+", other)

    def __radd__(self, other: Any, /) -> Any:
        return self if _is_zero(other) else self._with(_add, "+", other, swapped=True)

    def __sub__(self, other: Any, /) -> Any:
        return self if _is_zero(other) else self._with(_subtract, "-", other)

    def __rsub__(self, other: Any, /) -> Any:
        return -self if _is_zero(other) else self._with(_subtract, "-", other, swapped=True)

    def __mul__(self, other: Any, /) -> Any:
        return self._with(multiply, "*", other)

    def __rmul__(self, other: Any, /) -> Any:
        return self._with(multiply, "*", other, swapped=True)

    def __truediv__(self, other: Any, /) -> Any:
        return self._with(_divide, "/", other)

    def __rtruediv__(self, other: Any, /) -> Any:
        return self._with(_divide, "/", other, swapped=True)

    def __neg__(self) -> Labelled:
        return Labelled(negative(self._formula), self._kind)

    def __pos__(self) -> Labelled:
        return self

    def __iadd__(self, other: Any, /) -> Any:
        return self._updated(ADD, self + other, other)

    def __isub__(self, other: Any, /) -> Any:
        return self._updated(SUBTRACT, self - other, other)

    def __imul__(self, other: Any, /) -> Any:
        return self._updated(MULTIPLY, self * other, other)

    def __itruediv__(self, other: Any, /) -> Any:
        return self._updated(DIVIDE, self / other, other)

    def _with(self, build: Build, sign: str, other: Any, swapped: bool = False) -> Any:
        """``self sign other``, or the other way round if ``swapped``."""
        if other.__class__ is Labelled:
            return Labelled(build(self._formula, other._formula), self._kind)
        value = operand(other)
        if value is None:
            return NotImplemented
        if isinstance(value, Node) and value.shape:
            raise ArgumentTypeError(
                f"a labelled expression needs labels on both sides of {sign!r}, got a "
                f"{type(other).__name__} of shape {value.shape} without; write "
                f"x[{_example(len(value.shape))!r}], where x is a buffer"
            )
        one, two = self._formula, number(value)
        formula = build(two, one) if swapped else build(one, two)
        return Labelled(formula, self._kind)

    def _updated(self, op: Op, result: Any, other: Any) -> Any:
        """``result``, which remembers that an operator in place made it of a buffer's elements."""
        mine = self._formula
        if result is self or not isinstance(result, Labelled) or not isinstance(mine, Tensor):
            return result
        if isinstance(other, Labelled):
            change = other._formula
        else:
            value = operand(other)
            assert value is not None, "what has a result is an operand"
            change = number(value)
        result._update = Update(op, mine.node, change)
        return result


class Update(NamedTuple):
    """An operator in place: what it changes, and by what."""

    op: Op
    node: Node
    change: Formula


def label(handle: Handle, text: str) -> Labelled:
    """``handle[text]``."""
    return Labelled(tensor(handle._node, text), type(handle))


def write(handle: Handle, text: str, value: Any) -> None:
    """``handle[text] = value``: nothing is written unless everything fits."""
    if not isinstance(value, Labelled):
        raise unlabelled(f"a {type(value).__name__}")
    node = handle._node
    labels = labels_for(text, node.shape)
    formula = value._formula
    for name, extent in extents_of(labels, node.shape).items():
        other = formula.extents.get(name, extent)
        if other != extent:
            raise conflict(name, extent, other, f"in the result of shape {node.shape} and {value}")
    target = diagonals(labels, node)
    output = tuple(map(str, target.labels))
    check_output(formula, output)
    how = value._update
    if how is None or how.node is not node:
        assign(target.node, evaluate(formula, output))
        return
    change = evaluate_operand(how.op, how.change, output)
    if change is not None:
        update(how.op, target.node, change)
        return
    new = evaluate(formula, output)
    check_in_place(how.op.name, new.dtype, node.dtype)
    assign(target.node, new)


def _add(x: Formula, y: Formula) -> Formula:
    return add(ADD, x, y)


def _subtract(x: Formula, y: Formula) -> Formula:
    return add(SUBTRACT, x, y)


def _divide(x: Formula, y: Formula) -> Formula:
    if isinstance(y, Number):
        return divide(x, y)
    raise ArgumentTypeError(
        f"a labelled expression is divided by numbers alone, got {x} / {y}; divide the elements "
        f"first, as in (1 / b)['i']"
    )


def _is_zero(other: Any) -> bool:
    """Whether this is the number that Python's ``sum`` begins with."""
    return other.__class__ is int and not other


def _example(ndim: int) -> str:
    return ",".join([chr(ord("i") + axis) if axis < 18 else f"i{axis}" for axis in range(ndim)])
