"""Own code: the names that modules, optimisers and tensors of onebuf mention.

Their code does not change, so it is not guarded. It is read for the attributes of users' objects
that it mentions, and for its global variables. By convention, those in capitals are constant.
"""

from __future__ import annotations

from types import FunctionType, ModuleType
from typing import Any

from onebuf.capture.reads.bytecode import uses_of
from onebuf.capture.reads.containers import DESCRIPTORS
from onebuf.capture.reads.names import Names
from onebuf.capture.reads.user_code import is_own


class OwnCode:
    """Adds to ``found`` what own code mentions; of classes, the methods that ``names`` has."""

    def __init__(self, names: Names, found: Names) -> None:
        self.names = names
        self.found = found
        self.known: set[int] = set()
        """Functions, classes and modules that were looked at, by id."""

    def learn(self, value: Any) -> list[tuple[dict[str, Any], str]]:
        """The global variables, by dict and name, that ``value`` and what it calls read."""
        variables: list[tuple[dict[str, Any], str]] = []
        todo = [value]
        while todo:
            one = todo.pop()
            if id(one) in self.known:
                continue
            self.known.add(id(one))
            for kind, parts in DESCRIPTORS.items():
                if isinstance(one, kind):
                    todo.extend([getattr(one, part) for part in parts])
            if not isinstance(one, FunctionType | type | ModuleType) or not is_own(one):
                continue
            if isinstance(one, FunctionType):
                todo.extend(self._read(one, variables))
            elif isinstance(one, type):
                entries = vars(one).items()
                todo.extend(
                    [entry for name, entry in entries if self.names.has_method(name, entry)]
                )
            else:
                todo.extend([entry for name, entry in vars(one).items() if name in self.names.uses])
        return variables

    def _read(
        self, function: FunctionType, variables: list[tuple[dict[str, Any], str]]
    ) -> list[Any]:
        """What ``function`` may call; the variables that it reads are added to ``variables``."""
        uses = uses_of(function.__code__)
        self.found.add(uses, function)
        known = function.__globals__
        read = [name for name in uses.globals if name in known]
        variables += [
            (known, one) for one in read if not one.isupper() and not _is_code(known[one])
        ]
        cells = [cell.cell_contents for cell in function.__closure__ or ()]
        return [*cells, *[known[name] for name in read]]


def _is_code(value: Any) -> bool:
    return isinstance(value, ModuleType) or callable(value)
