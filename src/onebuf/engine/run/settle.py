"""Settling a reader: it is computed before the memory that it reads is written or handed out.

A reader that cannot be computed is no reason for not writing, so its error is its own: it raises
when the reader is asked for.
"""

from __future__ import annotations

from onebuf.engine.run.realize import force
from onebuf.graph import Node, fail
from onebuf.graph.promise import depends_on_failed

WRONG = (ValueError, TypeError, LookupError, ArithmeticError)
"""Errors of expressions that cannot be computed; others may go away."""


def settle_one(reader: Node, errors: tuple[type[Exception], ...] = WRONG) -> None:
    """Compute ``reader``, or let it raise from now on, if the error is one of ``errors``."""
    try:
        force(reader)
    except Exception as error:
        if not isinstance(error, errors) and not depends_on_failed(reader):
            raise
        fail(reader, error)
