"""Paths: where code finds a value, as steps from a root.

A path does not hold the value: it is looked up again through every step, so a path leads to what is
there now.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any


class Step(Enum):
    """What one step of a path does."""

    GLOBAL = "a global"
    """The key is the dict of a module, and the name is the label."""
    OBJECT = "an object that is always the same one"
    ARGUMENT = "a leaf of the arguments, by its number"
    CELL = "a free variable, by its number"
    DEFAULT = "the defaults of a function"
    KEYWORD_DEFAULT = "the defaults of arguments by keyword"
    ATTRIBUTE = "an attribute"
    DICT = "the dict of an object"
    ENTRY = "an attribute, as an entry of the dict of its object"
    ITEM = "an element of a container"
    CONTEXT = "the value of a context variable; the key if it has none"
    REFERENT = "the object of a weak reference"


_SOURCES = {
    Step.OBJECT: "{k}",
    Step.CELL: "{p}.__closure__[{k}].cell_contents",
    Step.DEFAULT: "{p}.__defaults__",
    Step.KEYWORD_DEFAULT: "{p}.__kwdefaults__",
    Step.DICT: "{p}.__dict__",
    Step.ENTRY: "{p}[{k}]",
    Step.ITEM: "{p}[{k}]",
    Step.CONTEXT: "{p}.get({k})",
    Step.REFERENT: "{p}()",
}
"""Steps as Python code: ``{p}`` is where it starts, ``{k}`` its key."""


@dataclass(frozen=True, slots=True, eq=False)
class Path:
    """Where a value is: ``step`` with ``key`` from ``parent``; ``label`` names it for people."""

    parent: Path | None
    step: Step
    key: Any
    label: str = ""

    def then(self, step: Step, key: Any = None, label: str = "") -> Path:
        """The path that goes one step further."""
        return Path(self, step, key, label)

    def source(self, parent: str, constant: Callable[[Any], str]) -> str:
        """Python code for this step, for ``parent`` as the name of what it starts from."""
        if self.step is Step.GLOBAL:
            return f"{constant(self.key)}[{self.label!r}]"
        if self.step is Step.ATTRIBUTE:
            return f"{parent}.{self.key}"
        source = _SOURCES[self.step]
        return source.format(p=parent, k=constant(self.key) if "{k}" in source else "")

    def __str__(self) -> str:
        match self.step:
            case Step.GLOBAL:
                return f"global {self.label}"
            case Step.OBJECT | Step.ARGUMENT:
                return self.label
            case Step.CELL:
                return f"closure {self.label}"
            case Step.DEFAULT | Step.KEYWORD_DEFAULT:
                return f"defaults of {self.label}"
            case Step.ATTRIBUTE:
                return f"{self.parent}.{self.key}"
            case Step.ENTRY:
                assert self.parent is not None
                return f"{self.parent.parent}.{self.key}"
            case Step.ITEM:
                return f"{self.parent}[{self.key!r}]"
            case Step.CONTEXT:
                return f"{self.parent}.get()"
            case Step.REFERENT:
                return f"{self.parent}()"
            case _:
                return f"{self.parent}.__dict__"
