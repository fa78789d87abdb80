"""Replays: the call of a captured function where one of its quick replays fits.

A quick replay is one generated function that checks everything the capture depends on, and then
launches its kernels. `Replays` tries those of a function in turn, and leaves every other call to
the class that inherits it. With the native core it is a class of the core's, and two checks and
launches of the generated code are objects of the core's as well: `form` and `launch`.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

from onebuf.dtypes import DT, Array
from onebuf.events import listeners
from onebuf.memory import POOL
from onebuf.native import core
from onebuf.ops import place
from onebuf.tracing import current

QuickReplay = Callable[[tuple[Any, ...], dict[str, Any]], Any]
"""From the arguments of a call to its result; None if the capture does not fit."""

RESULT_AT, NOTHING_AT = -1, -2
"""In place of the number of an operand: the result; or nothing, which begins at 0."""

if TYPE_CHECKING or core is None:

    class Replays:
        """A function that is replayed where one of its quick replays fits."""

        quick: tuple[QuickReplay, ...]
        """These are tried in turn."""
        replays: int
        """How often a capture was replayed in place of a call."""

        def __init__(self) -> None:
            self.quick = ()
            self.replays = 0

        def __call__(self, *args: Any, **kwargs: Any) -> Any:
            """What the function returns."""
            if self.quick and current() is None and not listeners():
                for quick in self.quick:
                    result = quick(args, kwargs)
                    if result is not None:
                        self.replays += 1
                        return result
            return self._slowly(args, kwargs)

        def _slowly(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
            """What the function returns, if no quick replay fits."""
            raise NotImplementedError

else:
    core.set_replays(current, listeners)
    Replays = core.Replays


def form(array: Array) -> Callable[[object], bool] | None:
    """Whether an object is a plain buffer that is stored like ``array``; None without the core."""
    return None if core is None or array.ndim > core.MOST_AXES else core.Form(array)


class Kernel(NamedTuple):
    """A kernel, and all of its arguments but some addresses."""

    program: Any
    tail: bytes
    """The words behind the addresses."""
    end: int
    releases: bool
    """Whether other threads may run meanwhile."""
    slots: tuple[tuple[int, int], ...]
    """Of each address, the number of the operand it is in, or one of the two above, and how many
    bytes further on it is."""
    operands: int
    result: tuple[tuple[int, ...], DT] | None
    """Shape and dtype of the result that it makes memory for, if there is one."""


def launch(kernel: Kernel, base: object = ...) -> Callable[..., Any] | None:
    """A launch as a function of nodes, buffers and addresses that gives the node of the result.

    With a ``base``, which may be None, it gives a buffer that has it. None where there is no core,
    or it has no place for so much.
    """
    program, *words, result = kernel
    if core is None or max(len(kernel.slots), len(kernel.tail) // 8) > core.MOST_WORDS:
        return None
    ends: tuple[Any, ...] = (None,) * 6
    if result is not None:
        shape, dtype = result
        numel = prod(shape)
        place(shape, dtype, numel)  # which puts up a shelf for such cells, if there is to be one
        ends = (POOL.shelves.by_kind.get(result), place, shape, dtype, numel, base)
    found: Callable[..., Any] = core.Launch(program.address, program, *words, *ends)
    return found
