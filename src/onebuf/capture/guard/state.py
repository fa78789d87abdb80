"""State: what a function can reach without its arguments, and what its code may read of it.

The walk begins at a function and at objects among its arguments. It follows the names that code
mentions (`onebuf.capture.reads`): globals, free variables, attributes. It follows functions and
methods into their own code, and containers into their elements. Attributes that no code mentions
are searched for buffers alone. The names depend on the code that is reached and the code on the
names, so the walk is repeated until no name is new.

Only user code is followed. What cannot be compared later, such as an
iterator, is a reason to refuse: `State.refusal`.
"""

from __future__ import annotations

import builtins
import functools
import io
import os
import random
import sys
import weakref
from collections.abc import Callable, Iterable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from enum import Enum
from importlib.util import resolve_name
from types import BuiltinMethodType, FunctionType, MappingProxyType, MethodType, ModuleType
from typing import Any

import numpy as np

from onebuf.capture.reads.bytecode import COUNTING_METHODS, uses_of
from onebuf.capture.reads.containers import DESCRIPTORS, dict_of, harmless, items_of, slots_of
from onebuf.capture.reads.exact import CONTENTS, exact_keys, exact_set, is_value
from onebuf.capture.reads.fact import Check, Fact
from onebuf.capture.reads.names import Names
from onebuf.capture.reads.own_code import OwnCode
from onebuf.capture.reads.path import Path, Step
from onebuf.capture.reads.user_code import is_own, is_user_class, is_user_function, is_user_module
from onebuf.native import FUNCTIONS
from onebuf.pytree import container_of

MOST_OBJECTS = 10_000
"""Functions that reach more objects are not captured: checking them would take too long."""
MOST_NBYTES = 1 << 20
"""The content of larger NumPy arrays is not compared."""
UNKNOWN = frozenset({"eval", "exec", "globals", "__import__"})
"""Built-in functions that read what no name in the code tells."""
MISSING = object()
"""In place of a value that is not there."""


@dataclass(slots=True)
class State:
    """What a function reached."""

    facts: list[Fact] = field(default_factory=list)
    """All that its code could know, in an order in which it can be checked."""
    refusal: str | None = None
    """Why the function cannot be captured; None: it can."""
    stored: frozenset[str] = frozenset()
    """Names of globals, free variables and attributes that the code writes."""

    @property
    def leaves(self) -> list[tuple[Path, Any]]:
        """Where the values are that the code may read, and what they were."""
        kinds = (Check.VALUE, Check.IDENTITY, Check.BUFFER, Check.CONTENT, Check.FUNCTION)
        return [(fact.path, fact.expected) for fact in self.facts if fact.check in kinds]

    @property
    def buffers(self) -> list[tuple[Path, Any]]:
        """Where the buffers are, each once."""
        return [(path, value) for path, check, value in self.facts if check is Check.BUFFER]


def reachable(function: Callable[..., Any], objects: Sequence[tuple[Path, Any]] = ()) -> State:
    """What ``function`` can reach without its arguments, and through ``objects`` among them.

    >>> scale = 2.0
    >>> def double(x):
    ...     return x * scale
    >>> [(str(path), value) for path, value in reachable(double).leaves[1:]]
    [('global scale', 2.0)]
    """
    roots = [(Path(None, Step.OBJECT, function, "the function"), function), *objects]
    names = Names()
    while True:
        walk = _Walk(names)
        walk.run(roots)
        if walk.found == names or walk.state.refusal is not None:
            walk.state.stored = frozenset(walk.found.stored)
            return walk.state
        names = walk.found


class _Refused(Exception):
    """The walk met something that cannot be checked later."""


class _Walk:
    """One walk, for which attributes named in ``names`` are read."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.found = Names()
        self.state = State()
        self.seen: dict[int, tuple[Path, Any]] = {}
        """Where objects were first found, by id, and the objects, which have to stay alive."""
        self.known: set[tuple[int, str]] = set()
        """The globals that were looked at: id of the dict, and name."""
        self.own = OwnCode(names, self.found)
        self.todo: list[tuple[Path, Any]] = []
        self.searched: list[tuple[Path, Any]] = []
        """What is searched for buffers alone, after everything else."""

    def run(self, roots: Iterable[tuple[Path, Any]]) -> None:
        self.todo = list(roots)[::-1]
        try:
            while self.todo:
                begin = len(self.todo) - 1
                self.visit(*self.todo.pop())
                self.todo[begin:] = self.todo[begin:][::-1]
            while self.searched:
                self.search(*self.searched.pop())
        except _Refused as refusal:
            self.state.refusal = str(refusal)

    def fact(self, path: Path, check: Check, expected: Any = None) -> None:
        self.state.facts.append(Fact(path, check, expected))

    def meet(self, path: Path, value: Any) -> bool:
        """Whether ``value`` is met for the first time."""
        first = self.seen.get(id(value))
        if first is not None:
            self.fact(path, Check.SAME, first[0])
            return False
        if len(self.seen) >= MOST_OBJECTS:
            raise _Refused(
                f"the function reaches more than {MOST_OBJECTS:,} objects, the last one at {path}; "
                f"give it what it needs as arguments"
            )
        self.seen[id(value)] = path, value
        return True

    def visit(self, path: Path, value: Any) -> None:
        """Note what can be known of ``value``, and what has to be visited after it."""
        if is_value(value):
            self.fact(path, Check.VALUE, value)
        elif self.meet(path, value):
            kind = value.__class__
            if is_buffer(value):
                self.fact(path, Check.BUFFER, value)
            elif kind is FunctionType:
                self.function(path, value)
            elif kind in FUNCTIONS:
                self.fact(path, Check.IDENTITY, value)
                self.learn(value.__wrapped__)
            elif isinstance(value, type):
                self.fact(path, Check.IDENTITY, value)
                self.methods(value, is_called=True)
            elif isinstance(value, ModuleType):
                self.module(path, value)
            elif isinstance(value, CONTENTS):
                self.content(path, value)
            elif kind is MethodType:
                self.parts(path, value, "__func__", "__self__")
            elif kind is functools.partial:
                self.parts(path, value, "func", "args", "keywords")
            elif isinstance(value, tuple | list | dict | set | frozenset | MappingProxyType):
                self.container(path, value)
            elif isinstance(value, weakref.ref):
                self.fact(path, Check.IDENTITY, value)
                self.todo.append((path.then(Step.REFERENT), value()))
            elif isinstance(value, ContextVar):
                self.fact(path, Check.IDENTITY, value)
                self.todo.append((path.then(Step.CONTEXT, MISSING), value.get(MISSING)))
            else:
                self.other(path, value)

    def parts(self, path: Path, value: Any, *names: str) -> None:
        """Visit an object that is made of some attributes."""
        self.fact(path, Check.CLASS, value.__class__)
        for name in names:
            self.todo.append((path.then(Step.ATTRIBUTE, name), getattr(value, name)))

    # ------------------------------------------------------------------------------- functions

    def function(self, path: Path, function: FunctionType) -> None:
        if is_own(function):
            self.fact(path, Check.IDENTITY, function)
            self.learn(function)
            return
        if not is_user_function(function):
            self.fact(path, Check.IDENTITY, function)
            attributes = path.then(Step.DICT)
            for name, value in vars(function).items():  # functions that it wraps or dispatches to
                self.todo.append((attributes.then(Step.ENTRY, name), value))
            return
        self.fact(path, Check.FUNCTION, function)
        uses = uses_of(function.__code__)
        self.found.add(uses, function)
        name = function.__name__
        if function.__defaults__ is not None:
            self.todo.append((path.then(Step.DEFAULT, None, name), function.__defaults__))
        if function.__kwdefaults__ is not None:
            self.todo.append((path.then(Step.KEYWORD_DEFAULT, None, name), function.__kwdefaults__))
        for name, ways in uses.cells.items():
            number = function.__code__.co_freevars.index(name)
            place = path.then(Step.CELL, number, name)
            try:
                value = function.__closure__[number].cell_contents  # type: ignore[index]
            except ValueError:
                self.fact(place, Check.NO_CONTENT)
            else:
                if not harmless(value, ways):
                    self.todo.append((place, value))
        for name, ways in uses.globals.items():
            variables = function.__globals__
            if not harmless(variables.get(name, MISSING), ways):
                self.read_global(variables, name)
        for level, name in uses.imports:
            self.read_import(function, level, name)
        self.attributes(path.then(Step.DICT), vars(function))

    def read_global(self, variables: dict[str, Any], name: str) -> None:
        value = variables.get(name, MISSING)
        if (id(variables), name) in self.known:
            return
        self.known.add((id(variables), name))
        path = Path(None, Step.GLOBAL, variables, name)
        if value is not MISSING:
            self.todo.append((path, value))
            return
        self.fact(path, Check.NO_GLOBAL)
        if name in UNKNOWN and hasattr(builtins, name):
            raise _Refused(
                f"the function calls {name}, and what that reads cannot be known; "
                f"write what it does as ordinary code"
            )

    def read_import(self, function: FunctionType, level: int, name: str) -> None:
        if level:
            package = function.__globals__.get("__package__") or ""
            try:
                name = resolve_name("." * level + name, package)
            except ImportError:
                return  # the import fails in the same way, and the function with it
        self.read_global(sys.modules, name)

    def learn(self, value: Any) -> None:
        """Add the names that code of onebuf's own mentions, and visit the variables it reads."""
        for variables, name in self.own.learn(value):
            self.read_global(variables, name)

    # ----------------------------------------------------------------------- classes, instances

    def methods(self, kind: type, is_called: bool) -> None:
        """Visit what code finds in a class; ``is_called``: it may make instances."""
        for base in kind.__mro__:
            if is_own(base):
                self.learn(base)
            if not is_user_class(base):
                continue
            for name, value in vars(base).items():
                if not self.names.has_method(name, value, is_called):
                    continue
                # Instances find the first one; `super` finds others, in the class that has them.
                for owner in (kind, base):
                    if (id(owner), name) not in self.known:
                        self.known.add((id(owner), name))
                        self.member(owner, base, name, value)
                        break
        if is_user_class(type(kind)):
            self.methods(type(kind), is_called)

    def member(self, owner: type, base: type, name: str, value: Any) -> None:
        """Visit the entry ``name`` of ``base`` as code finds it in ``owner``."""
        kind = Path(None, Step.OBJECT, owner, f"class {owner.__name__}")
        if isinstance(value, FunctionType) or not hasattr(type(value), "__get__"):
            self.todo.append((kind.then(Step.ATTRIBUTE, name), value))
            return
        kind = Path(None, Step.OBJECT, base, f"class {base.__name__}")
        path = kind.then(Step.DICT).then(Step.ENTRY, name)
        for parts in DESCRIPTORS:
            if isinstance(value, parts):
                self.parts(path, value, *DESCRIPTORS[parts])
                return
        self.todo.append((path, value))

    def other(self, path: Path, value: Any) -> None:
        """Visit an instance of any class."""
        kind = value.__class__
        if kind.__module__ == "collections" or kind.__module__ == "array":
            self.container(path, value)
            return
        if not (is_own(kind) and container_of(value)):  # which is known by what it holds
            self.fact(path, Check.IDENTITY, value)
        if isinstance(value, Enum):
            return
        self.fact(path, Check.CLASS, kind)
        is_user = is_user_class(kind) or is_own(kind)
        if is_user:
            self.instance(path, value)
        elif hasattr(kind, "__next__") and not isinstance(value, io.IOBase):
            raise _Refused(
                f"{path} is an iterator, a {kind.__name__}, which gives something else each time; "
                f"give what it gives as an argument"
            )
        elif isinstance(value, BuiltinMethodType):
            owner = value.__self__
            if not isinstance(owner, ModuleType) and value.__name__ not in COUNTING_METHODS:
                self.todo.append((path.then(Step.ATTRIBUTE, "__self__"), owner))
        else:
            values = dict_of(value)
            self.attributes(path.then(Step.DICT), values)
            if hasattr(kind, "__wrapped__") or "__wrapped__" in values:
                self.todo.append((path.then(Step.ATTRIBUTE, "__wrapped__"), value.__wrapped__))

    def instance(self, path: Path, value: Any) -> None:
        """Visit the attributes of an instance of a user's class, and the methods of the class."""
        self.methods(value.__class__, is_called=False)
        if value.__class__.__dictoffset__:
            inside = path.then(Step.DICT)
            self.fact(inside, Check.ATTRIBUTES, tuple(dict_of(value)))
            self.attributes(inside, dict_of(value), is_user=True)
        for name in slots_of(value.__class__):
            place = path.then(Step.ATTRIBUTE, name)
            inner = getattr(value, name, MISSING)
            if not self.names.reads_attribute(name, inner):
                self.searched.append((place, inner))
            elif inner is MISSING:
                self.fact(place, Check.NO_ATTRIBUTE, name)
            else:
                self.todo.append((place, inner))

    def attributes(self, inside: Path, values: dict[str, Any], is_user: bool = False) -> None:
        """Visit attributes that are read; search others of users' objects."""
        for name, value in values.items():
            place = inside.then(Step.ENTRY, name)
            if name in self.names.read or (is_user and self.names.reads_attribute(name, value)):
                self.todo.append((place, value))
            elif is_buffer(value) or (is_user and not self.names.counts(name, value)):
                self.searched.append((place, value))

    def module(self, path: Path, module: ModuleType) -> None:
        self.fact(path, Check.IDENTITY, module)
        if is_own(module):
            self.learn(module)
        elif is_user_module(module):
            for name, value in list(vars(module).items()):
                if self.names.reads_global(name) and not self.names.counts(name, value):
                    self.read_global(vars(module), name)
        elif module is os and not self.names.read.isdisjoint({"environ", "getenv"}):
            self.content(path.then(Step.ATTRIBUTE, "environ"), os.environ)
        elif module is random:
            self.content(path.then(Step.ATTRIBUTE, "_inst"), random._inst)
        elif module is np.random or (module is np and "random" in self.names.read):
            where = Path(None, Step.OBJECT, np.random.mtrand, "numpy.random")
            self.content(where.then(Step.ATTRIBUTE, "_rand"), np.random.mtrand._rand)

    # ------------------------------------------------------------------------------ containers

    def content(self, path: Path, value: Any) -> None:
        """Note the content of an object that may be written to."""
        self.fact(path, Check.CLASS, value.__class__)
        if isinstance(value, np.ndarray) and (value.dtype.hasobject or value.nbytes > MOST_NBYTES):
            raise _Refused(
                f"{path} is a NumPy array of {value.nbytes:,} bytes and dtype {value.dtype}, too "
                f"large to compare at each call; make a buffer of it, or give it as an argument"
            )
        self.fact(path, Check.CONTENT, value)

    def container(self, path: Path, value: Any) -> None:
        kind = value.__class__
        self.fact(path, Check.CLASS, kind)
        if isinstance(value, set | frozenset):
            if not all(is_value(one) or isinstance(one, Enum | type) for one in value):
                raise _Refused(
                    f"{path} is a set of objects that are no plain values; make it a list"
                )
            self.fact(path, Check.SET, exact_set(value))
        elif isinstance(value, dict | MappingProxyType):
            self.fact(path, Check.KEYS, exact_keys(value))
        elif hasattr(value, "__len__"):
            self.fact(path, Check.LENGTH, len(value))
        for key, item in items_of(value):
            self.todo.append((path.then(Step.ITEM, key), item))
        if is_user_class(kind) or is_own(kind):
            self.instance(path, value)
        else:  # such as UserDict, which keeps its elements in an attribute
            inside = path.then(Step.DICT)
            for name, inner in dict_of(value).items():
                self.todo.append((inside.then(Step.ENTRY, name), inner))

    def search(self, path: Path, value: Any) -> None:
        """Note buffers in ``value``, and where else there may be some."""
        if is_value(value) or id(value) in self.seen:
            return
        if is_buffer(value):
            self.meet(path, value)
            self.fact(path, Check.BUFFER, value)
        elif isinstance(value, tuple | list | dict):
            self.meet(path, value)
            for key, item in items_of(value):
                self.searched.append((path.then(Step.ITEM, key), item))
        elif not isinstance(value, type | ModuleType | FunctionType) and (
            is_user_class(type(value)) or is_own(type(value))
        ):
            self.meet(path, value)
            inside = path.then(Step.DICT)
            for name, inner in dict_of(value).items():
                self.searched.append((inside.then(Step.ENTRY, name), inner))
            for name in slots_of(type(value)):
                inner = getattr(value, name, None)
                self.searched.append((path.then(Step.ATTRIBUTE, name), inner))


def is_buffer(value: Any) -> bool:
    """Whether ``value`` is a handle on a node, as buffers are."""
    return hasattr(value.__class__, "_node")
