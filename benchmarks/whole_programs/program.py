"""A program: a function of a module that looks like NumPy, and of data that NumPy has made."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy

Data = Callable[[int], tuple[Any, ...]]
Run = Callable[..., Any]


@dataclass(frozen=True)
class Program:
    """A function, the sizes that it is run with, and its group: "small" or "large" arrays."""

    name: str
    group: str
    run: Run
    """Of the module and the data, to one result or several."""
    data: Data
    """Of a size, to the arguments after the module."""
    size: int
    tiny: int
    """The size that tests use."""
    rtol: float

    @property
    def title(self) -> str:
        """What the program is, in a few words."""
        return (self.run.__doc__ or self.name).strip().split("\n")[0].rstrip(".")


def program(
    table: dict[str, Program], group: str, data: Data, size: int, tiny: int, rtol: float = 1e-9
) -> Callable[[Run], Run]:
    """Put a function into ``table`` as a program."""

    def add(run: Run) -> Run:
        name = run.__name__
        table[name] = Program(name, group, run, data, size, tiny, rtol)
        return run

    return add


def on_host(results: Any) -> list[numpy.ndarray[Any, Any]]:
    """The results of a program as arrays, so that nothing is left to be computed."""
    several = results if isinstance(results, tuple | list) else (results,)
    return [numpy.asarray(one) for one in several]


def distance(answers: list[Any], wanted: list[Any]) -> float:
    """The largest difference of floats, over the largest one wanted; infinity if others differ.

    >>> distance([numpy.array([1.0, 3.0])], [numpy.array([1.0, 4.0])])
    0.25
    """
    if len(answers) != len(wanted):
        return math.inf
    worst = 0.0
    for answer, want in zip(answers, wanted, strict=True):
        if answer.shape != want.shape or answer.dtype != want.dtype:
            return math.inf
        if want.dtype.kind not in "fc":
            if not numpy.array_equal(answer, want):
                return math.inf
        elif want.size:
            is_known = numpy.isfinite(want)
            if not numpy.array_equal(numpy.isfinite(answer), is_known):
                return math.inf
            scale = numpy.abs(want[is_known]).max(initial=0.0) or 1.0
            apart = numpy.abs(answer[is_known] - want[is_known]).max(initial=0.0)
            worst = max(worst, float(apart / scale))
    return worst
