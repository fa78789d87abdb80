"""Guards: whether everything that a captured function depended on is as it was.

A guard checks the arguments of a call, the state that the function reaches
(`onebuf.capture.guard.state`) and the ambient state, and gives all buffers among them, which are
the inputs of a replay. It is generated code (`onebuf.capture.guard.guard_code`): a few tens of
nanoseconds for each thing it checks. It holds no buffers, but the objects that it compares by
identity.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from onebuf.capture.guard.ambient import AMBIENT
from onebuf.capture.guard.call import Call, inner_labels, labels_of
from onebuf.capture.guard.checks import Checks
from onebuf.capture.guard.guard_code import GuardCode
from onebuf.capture.guard.state import State, is_buffer, reachable
from onebuf.capture.reads.exact import content, exact_keys, exact_set, is_value
from onebuf.capture.reads.fact import Check, Fact
from onebuf.capture.reads.path import Path, Step
from onebuf.pytree import container_of, flatten


class Guard:
    """What a captured function depended on.

    ``bind(args, kwargs)`` gives the buffers among the arguments, in the order of their leaves, and
    those that the function reaches, in the order of `State.buffers`. It gives None if anything
    differs, and if a buffer that was stored is pending. A NumPy array among the arguments is given
    as it is.
    """

    __slots__ = ("bind", "_code")

    def __init__(self, code: GuardCode) -> None:
        self.bind: Callable[[tuple[Any, ...], dict[str, Any]], list[Any] | None] = code.compile()
        self._code = code

    def then(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """A function like `bind` that gives what ``function`` makes of the buffers.

        It gives None if anything differs.
        """
        return self._code.compile(function)

    def check(self, args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] | None = None) -> bool:
        """Whether nothing that the function depends on differs."""
        return self.bind(args, dict(kwargs or {})) is not None

    def why_not(self, args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] | None = None) -> str:
        """What differs, in words; an empty text if nothing does."""
        failure = self._code.explain(args, dict(kwargs or {}))
        return "" if failure is None else str(failure)


def reach(call: Call, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> State:
    """The state that a call reaches: of the function, and of objects among the arguments."""
    values = call.normalise(*args, **kwargs)
    leaves, _ = flatten(values)
    labels = [
        label
        for name, value in zip(call.names, values, strict=True)
        for label in labels_of(f"argument {name}", value)
    ]
    objects = [
        (Path(None, Step.ARGUMENT, number, label), leaf)
        for number, (label, leaf) in enumerate(zip(labels, leaves, strict=True))
        if not (is_buffer(leaf) or is_value(leaf) or leaf.__class__ is np.ndarray)
    ]
    return reachable(call.function, objects)


def write_guard(
    call: Call, args: tuple[Any, ...], kwargs: Mapping[str, Any], state: State
) -> Guard:
    """The guard of a function that is called in this way; ``state`` is what the call reaches.

    >>> scale = 2.0
    >>> def f(x, y):
    ...     return x * y * scale
    >>> call = Call(f)
    >>> guard = write_guard(call, (1, "a"), {}, reach(call, (1, "a"), {}))
    >>> guard.check((1, "a")), guard.check((1,), {"y": "a"}), guard.check((2, "a"))
    (True, True, False)
    >>> guard.why_not((2, "a"))
    'argument x: 1 became 2'
    """
    writer = _Writer()
    writer.arguments(call, call.normalise(*args, **kwargs))
    writer.ambient()
    writer.state(state)
    return writer.guard()


def write_state_guard(state: State) -> Guard:
    """The guard of some state alone: its `Guard.check` takes no arguments."""
    writer = _Writer()
    writer.state(state)
    return writer.guard()


class _Writer:
    """The code of one guard while it is written."""

    def __init__(self) -> None:
        self.code = GuardCode("args, kwargs")
        self.checks = Checks(self.code)
        self.variables: dict[Path, str] = {}
        self.leaves: list[str] = []
        """The variable of each leaf of the arguments."""

    def guard(self) -> Guard:
        self.checks.distinct()
        self.code.results = self.checks.results
        return Guard(self.code)

    def arguments(self, call: Call, values: Sequence[Any]) -> None:
        """Check the arguments, given one example for each parameter."""
        names = [self.code.variable() for _ in values]
        if names:
            given = f"{self.code.reference(call.normalise)}(*args, **kwargs)"
            if call.is_positional:
                given = f"args if not kwargs and len(args) == {len(names)} else {given}"
            self.code.set(f"{', '.join(names)},", given)
        else:
            self.code.fail_if("args or kwargs", "args", "the call", "arguments", ())
        for variable, name, value in zip(names, call.names, values, strict=True):
            self.tree(variable, f"argument {name}", value)

    def tree(self, name: str, where: str, value: Any) -> None:
        """Check a part of the arguments that is ``value`` in the example."""
        container = container_of(value)
        if container is None:
            self.leaf(name, where, value)
            return
        if value is None:
            self.checks.value(name, where, None)
            return
        code = self.code
        self.checks.same_class(name, where, value.__class__)
        given, rest = container.to_children(value)
        children = list(given)
        parts = [code.variable() for _ in children]
        source = name
        if isinstance(value, tuple | list):
            self.checks.length(name, where, len(parts))
        elif value.__class__ is dict:
            self.checks.keys(name, where, exact_keys(value))
            source = f"{name}.values()"
        else:
            source = code.variable()
            code.set(f"{source}, {source}_", f"{code.reference(container.to_children)}({name})")
            code.fail_if(f"{source}_ != {code.reference(rest)}", f"{source}_", where, "parts", rest)
        if parts:
            code.set(f"{', '.join(parts)},", source)
        labels = inner_labels(where, value, rest, len(parts))
        for part, label, child in zip(parts, labels, children, strict=True):
            self.tree(part, label, child)

    def leaf(self, name: str, where: str, value: Any) -> None:
        self.leaves.append(name)
        if is_buffer(value):
            self.checks.buffer(name, where, value)
        elif value.__class__ is np.ndarray:
            self.checks.array(name, where, value)
        elif is_value(value):
            self.checks.value(name, where, value)

    def ambient(self) -> None:
        """Check what every operation depends on."""
        code = self.code
        table = code.reference(AMBIENT)
        code.fail_if(
            f"len({table}) != {len(AMBIENT)}", f"len({table})", "ambient state", "", len(AMBIENT)
        )
        for part, function in AMBIENT.items():
            state = function()
            name, constant = code.variable(), code.reference(state)
            code.set(name, f"{code.reference(function)}()")
            code.fail_if(
                f"{name} is not {constant} and {name} != {constant}", name, part, "", state
            )

    def state(self, state: State) -> None:
        """Check what the function reaches."""
        for fact in state.facts:
            if fact.check in _ABSENT:
                self.absent(fact)
            else:
                self.fact(self.at(fact.path), str(fact.path), fact)

    def at(self, path: Path) -> str:
        """The variable of the value at ``path``."""
        name = self.variables.get(path)
        if name is None:
            if path.step is Step.ARGUMENT:
                name = self.leaves[path.key]
            elif path.step is Step.OBJECT:
                name = self.code.reference(path.key)
            else:
                parent = "" if path.parent is None else self.at(path.parent)
                name = self.code.variable()
                self.code.set(name, path.source(parent, self.code.constant))
            self.variables[path] = name
        return name

    def absent(self, fact: Fact) -> None:
        """Check that something still is not there."""
        path = fact.path
        if path.parent is None:
            there = f"{path.label!r} in {self.code.reference(path.key)}"
        elif fact.check is Check.NO_ATTRIBUTE:
            there = f"hasattr({self.at(path.parent)}, {path.key!r})"
        else:
            cell = f"{self.at(path.parent)}.__closure__[{path.key}]"
            there = f"{self.code.reference(_has_content)}({cell})"
        self.code.fail_if(there, "None", str(path), "was not there, and is now")

    def fact(self, name: str, where: str, fact: Fact) -> None:
        """Check one fact of the value that the variable ``name`` has."""
        code, checks, expected = self.code, self.checks, fact.expected
        match fact.check:
            case Check.VALUE:
                checks.value(name, where, expected)
            case Check.IDENTITY:
                constant = code.reference(expected)
                code.fail_if(f"{name} is not {constant}", name, where, "", expected)
            case Check.SAME:
                code.fail_if(f"{name} is not {self.at(expected)}", name, where, "is another object")
            case Check.CLASS:
                checks.same_class(name, where, expected)
            case Check.LENGTH:
                checks.length(name, where, expected)
            case Check.KEYS:
                checks.keys(name, where, expected)
            case Check.ATTRIBUTES:
                checks.field(f"tuple({name})", where, "names", expected)
            case Check.SET:
                checks.field(f"{code.reference(exact_set)}({name})", where, "elements", expected)
            case Check.CONTENT:
                checks.changed(f"{code.reference(content)}({name})", where, content(expected))
            case Check.FUNCTION:
                checks.function(name, where, expected)
            case Check.BUFFER:
                checks.buffer(name, where, expected)


_ABSENT = frozenset({Check.NO_GLOBAL, Check.NO_ATTRIBUTE, Check.NO_CONTENT})


def _has_content(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018 - reading it is the question
    except ValueError:
        return False
    return True
