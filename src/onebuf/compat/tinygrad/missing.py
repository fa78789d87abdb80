"""Errors for what tinygrad has and this layer does not carry."""

from __future__ import annotations

from onebuf.errors import OnebufError


class NotCarried(OnebufError, NotImplementedError):
    """A choice of tinygrad's that there is nothing for here."""


class MissingName(OnebufError, AttributeError):
    """A name of tinygrad's that there is nothing for here."""

    def __init__(self, owner: str, name: str) -> None:
        super().__init__(
            f"{owner} of onebuf.compat.tinygrad has no attribute {name!r}; docs/compat.md lists "
            "what there is"
        )
        self.name = name
