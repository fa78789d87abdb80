"""A stage for a guided run: prose, and code that is shown, run, and followed by what it gave.

The code shown is the code run. Everything fits 80 columns, and colour appears only where a person
looks at a terminal and has not set ``NO_COLOR``.
"""

from __future__ import annotations

import ast
import linecache
import os
import sys
import textwrap
from collections.abc import Iterable, Iterator
from time import perf_counter
from typing import Any

from tqdm import tqdm

from onebuf.errors import OnebufError

WIDTH = 80
SCRIPT = "<tour>"
"""What the code calls its file, in explanations and errors."""

BOLD, CYAN, RESET = "\033[1m", "\033[36m", "\033[0m"


class Stage:
    """Where a tour happens: a namespace that its code shares, and a place to print.

    >>> stage = Stage({"six": 6})
    >>> _ = stage.run("six * 7")
    <BLANKLINE>
        ... six * 7
        42
    """

    def __init__(self, names: dict[str, Any]) -> None:
        self.names = names | {"print": self.show}
        self.is_terminal = sys.stdout.isatty()
        self._colours = self.is_terminal and not os.environ.get("NO_COLOR")
        self._lines: list[str] = []

    def title(self, text: str) -> None:
        """Begin a chapter."""
        print(f"\n{self._painted(text, BOLD)}\n{'─' * len(text)}")

    def say(self, text: str) -> None:
        """Print a paragraph, wrapped."""
        print("\n" + textwrap.fill(" ".join(text.split()), WIDTH))

    def show(self, value: object) -> None:
        """Print lines as they are, indented; in the code on this stage, this is ``print``."""
        print(textwrap.indent(str(value), "    "))

    def run(self, source: str) -> list[float]:
        """Show and run each statement, with its value or error; the seconds that each took."""
        print()
        seconds = []
        for statement, lines in self._statements(textwrap.dedent(source).strip()):
            for number, line in enumerate(lines):
                self.show(self._painted(f"{'... ' if number else '>>> '}{line}", CYAN))
            start = perf_counter()
            try:
                value = self._execute(statement)
            except OnebufError as error:
                value = None
                message = f"{type(error).__name__}: {error}"
                self.show(textwrap.fill(message, WIDTH - 4, subsequent_indent="    "))
            seconds.append(perf_counter() - start)
            if value is not None:
                self.show(repr(value))
        return seconds

    def progress(self, steps: Iterable[Any]) -> Iterable[Any]:
        """``steps``, with a progress bar if the output is a terminal."""
        bar: Iterable[Any] = tqdm(
            steps, disable=not self.is_terminal, file=sys.stdout, ncols=WIDTH, leave=False
        )
        return bar

    def _statements(self, source: str) -> Iterator[tuple[ast.stmt, list[str]]]:
        """The statements of ``source`` with their lines, numbered on from those shown before."""
        lines = source.splitlines()
        body = ast.parse(source).body
        shown = len(self._lines)
        self._lines += lines
        text = [line + "\n" for line in self._lines]
        # Explanations quote the line that asked for an operation, and look it up here.
        linecache.cache[SCRIPT] = (sum(map(len, text)), None, text, SCRIPT)
        for statement in body:
            part = lines[statement.lineno - 1 : statement.end_lineno]
            yield ast.increment_lineno(statement, shown), part

    def _execute(self, statement: ast.stmt) -> Any:
        if isinstance(statement, ast.Expr):
            return eval(compile(ast.Expression(statement.value), SCRIPT, "eval"), self.names)
        exec(compile(ast.Module([statement], []), SCRIPT, "exec"), self.names)
        return None

    def _painted(self, text: str, colour: str) -> str:
        return f"{colour}{text}{RESET}" if self._colours else text
