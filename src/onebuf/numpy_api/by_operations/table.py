"""The table of functions of NumPy that have a form made of operations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from onebuf.errors import NotDifferentiable

Form = TypeVar("Form", bound=Callable[..., Any])

BY_OPERATIONS: dict[Any, Callable[..., Any]] = {}
"""By function of NumPy: ours, which takes those of its arguments that it knows."""


def stands_for(*theirs: Any) -> Callable[[Form], Form]:
    """Enter what follows as the form of a function of NumPy."""

    def enter(ours: Form) -> Form:
        for function in theirs:
            BY_OPERATIONS[function] = ours
        return ours

    return enter


def without_form(name: str, got: str) -> NotDifferentiable:
    """The error for arguments with which a function is not made of operations.

    >>> raise without_form("pad", "mode='mean'")
    Traceback (most recent call last):
    onebuf.errors.NotDifferentiable: pad with mode='mean' reads the elements of its operand...
    """
    return NotDifferentiable(
        f"{name} with {got} reads the elements of its operand, and no gradient leads through that; "
        f"call it with other arguments, or cut it off with onebuf.stop_gradient(x)"
    )
