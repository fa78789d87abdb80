"""Guard code: a list of checks as one Python function without loops.

The function returns None at the first check that fails; an error while a value is looked up counts
as a failure. A second function of the same checks says which one failed, and what it found. It is
made when it is first asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

MISSING = object()
"""What a failed check found if looking it up failed."""
NOTHING = object()
"""What a check expects that is not about a value."""
MOST_TEXT = 80
"""Longer descriptions of values are cut."""
_LITERALS = frozenset({int, str})


class Failure(NamedTuple):
    """A check that failed: what was checked, what was needed, what was found."""

    where: str
    what: str
    expected: Any
    found: Any

    def __str__(self) -> str:
        where, what, expected, found = self
        if found is MISSING:
            return f"{where} can no longer be read"
        if expected is NOTHING:
            return f"{where} {what}"
        before, now = _shown(expected), _shown(found)
        if before == now:
            now = "another one"
        return f"{where}: {what} {before} became {now}".replace(":  ", ": ")


class GuardCode:
    """The code of one guard while it is written, and what is needed to explain it."""

    def __init__(self, parameters: str) -> None:
        self.parameters = parameters
        self.constants: dict[str, Any] = {}
        self.names: dict[int, str] = {}
        """The names of constants, by id."""
        self.lines: list[tuple[int, str, str | None, str]] = []
        """Number of the check that a line belongs to, text, what is shown, and a condition that
        makes the line needless. If nothing is shown the line sets a variable, else it is the
        condition of a failure."""
        self.checks: list[tuple[str, str, Any]] = []
        self.count = 0
        self.results: list[str] | None = None
        """The variables that the function returns; None: it returns True."""
        self.unless = ""
        """A condition that makes the lines which follow needless."""

    def variable(self) -> str:
        """A new name."""
        self.count += 1
        return f"v{self.count}"

    def constant(self, value: Any) -> str:
        """Python code for a value that does not change."""
        if value.__class__ in _LITERALS and len(text := repr(value)) < 100:
            return text
        return self.reference(value)

    def reference(self, value: Any) -> str:
        """A name for the object ``value``."""
        name = self.names.get(id(value))
        if name is None:
            name = self.names[id(value)] = f"k{len(self.constants)}"
            self.constants[name] = value
        return name

    def set(self, target: str, source: str) -> None:
        """Set a variable, or several; the next check is the one that fails if this does."""
        self.lines.append((len(self.checks), f"{target} = {source}", None, self.unless))

    def fail_if(
        self, condition: str, shown: str, where: str, what: str = "", expected: Any = NOTHING
    ) -> None:
        """Fail where ``condition`` holds; ``shown`` is the code of what was found there."""
        self.lines.append((len(self.checks), condition, shown, self.unless))
        self.checks.append((where, what, expected))

    def compile(self, then: Callable[..., Any] | None = None) -> Callable[..., Any]:
        """The function that returns the results, or None; or what ``then`` makes of the results."""
        lines = []
        known = ""
        for _, text, shown, unless in self.lines:
            if unless != known:
                lines += [f"    if not {unless}:"] if unless else []
                known = unless
            text = text if shown is None else f"if {text}: return None"
            lines.append(f"{'     ' if unless else '    '}{text}")
        end = "  except Exception: return None"
        if then is not None:
            # Its own errors are no failed checks.
            end += f"\n  return {self.reference(then)}({', '.join(self.results or [])})"
        else:
            result = "True" if self.results is None else f"[{', '.join(self.results)}]"
            lines.append(f"    return {result}")
        return self._function(lines, end)

    def explain(self, *arguments: Any) -> Failure | None:
        """The check that fails; None if all hold."""
        lines = []
        last = -1
        for number, text, shown, _ in self.lines:
            if number != last:
                lines.append(f"    at = {number}")
                last = number
            lines.append(f"    {text}" if shown is None else f"    if {text}: return at, {shown}")
        end = f"  except Exception: return at, {self.reference(MISSING)}"
        failed = self._function(["    at = 0", *lines, "    return None"], end)(*arguments)
        if failed is None:
            return None
        number, found = failed
        # Variables that are set after the last check may be missing, too.
        where, what, expected = self.checks[min(number, len(self.checks) - 1)]
        return Failure(where, what, expected, found)

    def _function(self, lines: list[str], end: str) -> Callable[..., Any]:
        text = "\n".join([f"def guard({self.parameters}):", "  try:", *lines, end])
        namespace = dict(self.constants)
        exec(text, namespace)
        return namespace["guard"]  # type: ignore[no-any-return]


def _shown(value: Any) -> str:
    """A value in few words."""
    if isinstance(value, type):
        return value.__qualname__
    try:
        text = repr(value)
    except Exception:
        text = f"a {type(value).__name__}"
    return text if len(text) <= MOST_TEXT else f"{text[: MOST_TEXT - 3]}..."
