"""Order arguments: the letters by which NumPy names orders in memory and methods of sorting."""

from __future__ import annotations

from typing import Any

from onebuf.errors import ArgumentError, ArgumentTypeError


def memory_order(name: str, order: Any, default: str = "C", known: str = "ACFK") -> str:
    """``order`` as a capital letter; None stands for the ``default`` of the function ``name``.

    >>> memory_order("copy", "f"), memory_order("copy", None)
    ('F', 'C')
    """
    if order is None:
        return default
    if isinstance(order, str) and len(order) == 1 and order.upper() in known:
        return order.upper()
    letters = ", ".join(map(repr, known[:-1]))
    raise ArgumentError(f"{name} needs order {letters} or {known[-1]!r}, got {order!r}")


def check_sort(name: str, kind: Any, order: Any) -> None:
    """Raise if ``kind`` is no method of sorting of NumPy's, or there are fields to sort by.

    NumPy reads the first letter alone. All methods give the same order here.
    """
    if kind is not None:
        if not isinstance(kind, str | bytes):
            raise ArgumentTypeError(f"{name} needs a text as kind, got {kind!r}")
        text = kind.decode("latin-1") if isinstance(kind, bytes) else kind
        if text[:1] not in tuple("qhmsQHMS"):
            raise ArgumentError(
                f"{name} needs kind to be 'quicksort', 'heapsort', 'mergesort', 'stable' or None, "
                f"got {kind!r}"
            )
    if order is not None:
        raise ArgumentError(
            f"{name} needs order None: elements have no fields; got {order!r}; leave it out"
        )
