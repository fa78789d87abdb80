"""Contraction paths: in which order the operands of an Einstein sum become one.

Only sums of three operands and more import this module: opt_einsum takes longer to import than
onebuf does.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import opt_einsum

from onebuf.errors import ArgumentError
from onebuf.ops.einstein.subscripts import Label, Labels

Path = list[tuple[int, ...]]


def find(
    inputs: Sequence[Labels], shapes: Sequence[tuple[int, ...]], output: Labels, optimize: Any
) -> Path:
    """Which operands to take together, step by step; what comes of a step goes to the end."""
    count = len(inputs)
    if optimize is False or optimize is None:
        return [tuple(range(count))]
    if isinstance(optimize, list | tuple):
        return _checked(optimize, count)
    try:
        return _found(tuple(inputs), tuple(shapes), output, optimize)
    except (KeyError, TypeError, ValueError) as error:
        raise ArgumentError(
            f"einsum needs optimize=True, False, a strategy of opt_einsum such as 'greedy', or a "
            f"path; got {optimize!r} ({error})"
        ) from None


@lru_cache(256, typed=True)
def _found(
    inputs: tuple[Labels, ...], shapes: tuple[tuple[int, ...], ...], output: Labels, optimize: Any
) -> Path:
    """The path that opt_einsum finds, which takes it longer than small products take."""
    symbols: dict[Label, str] = {}
    for label in [label for labels in inputs for label in labels]:
        symbols.setdefault(label, opt_einsum.get_symbol(len(symbols)))
    written = ",".join(["".join([symbols[label] for label in labels]) for labels in inputs])
    equation = written + "->" + "".join([symbols[label] for label in output])
    found, _ = opt_einsum.contract_path(
        equation, *shapes, shapes=True, optimize="auto" if optimize is True else optimize
    )
    return [tuple(positions) for positions in found]


def _checked(path: Sequence[Any], count: int) -> Path:
    """A path that the caller found, if it leads from ``count`` operands to one result."""
    steps = [step for step in path if not isinstance(step, str)]  # NumPy's begin with a word
    for positions in steps:
        if len({*positions} & {*range(count)}) != len(positions) or not positions:
            raise ArgumentError(
                f"einsum needs a path of positions among the operands that are left, got "
                f"{positions!r} of {count} in {path!r}"
            )
        count -= len(positions) - 1
    if count != 1:
        raise ArgumentError(
            f"einsum needs a path to one result, got {path!r}, which leaves {count}"
        )
    return steps
