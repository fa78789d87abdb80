"""Bytecode: which names a function's code reads, and which it only counts with.

Code that counts, such as ``calls += 1``, ``log.append(x)`` and ``counts["n"] += 1`` as statements,
reads a value only to write it back, so nothing that the function computes depends on it. Such uses
of a name are kept apart from reads. Whatever is not understood counts as a read. The analysis is
linear and follows no jumps: a name in a branch that is never taken is read, too.
"""

from __future__ import annotations

import dis
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from types import CodeType

COUNTING_METHODS = frozenset({"append", "appendleft", "add", "extend", "update"})
"""Methods that only add to their container."""
DYNAMIC = frozenset(
    {
        *("getattr", "hasattr", "vars", "dir", "attrgetter", "methodcaller", "__dict__"),
        *("asdict", "astuple", "replace", "copy", "deepcopy", "__getattribute__", "__getstate__"),
    }
)
"""Names by which code reads attributes without naming them."""
TEXT = frozenset({"str", "repr", "format", "print", "ascii", "__str__", "__repr__", "__format__"})
"""Names by which code makes text of objects."""
_SILENT = frozenset({"CACHE", "EXTENDED_ARG", "NOP", "RESUME", "PRECALL", "NOT_TAKEN"})
_GLOBALS = frozenset({"LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"})
_CELLS = frozenset({"LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF"})
_ATTRIBUTES = frozenset({"LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER_ATTR", "IMPORT_FROM"})
_CONSTANTS = frozenset({"LOAD_CONST", "LOAD_SMALL_INT"})
_STORES = {"STORE_GLOBAL": "LOAD_GLOBAL", "STORE_NAME": "LOAD_NAME", "STORE_DEREF": "LOAD_DEREF"}
_WRITES = frozenset({*_STORES, "STORE_ATTR", "DELETE_ATTR", "DELETE_GLOBAL", "DELETE_DEREF"})
_OF_CELLS = _CELLS | {"STORE_DEREF", "DELETE_DEREF"}
_SIMPLE = _CONSTANTS | {"LOAD_FAST", "LOAD_FAST_BORROW", "LOAD_FAST_CHECK"}
"""Instructions that push one value and have no other effect."""


class Use(Enum):
    """What code does with a name."""

    READ = "read"
    ADD = "x += 1"
    """It is counted up: harmless for numbers and text."""
    GROW = "x.append(...) or x[key] += 1"
    """It is added to: harmless for built-in containers."""


@dataclass(frozen=True, slots=True)
class Uses:
    """What code, and the code inside of it, does with names from outside."""

    globals: dict[str, frozenset[Use]]
    cells: dict[str, frozenset[Use]]
    """Free variables, by name."""
    attributes: dict[str, frozenset[Use]]
    """Attributes of any object."""
    imports: frozenset[tuple[int, str]]
    """Modules that are imported: the level, 0 for absolute imports, and the name."""
    strings: frozenset[str]
    """Constants that may be names of attributes."""
    stored: frozenset[str]
    """Globals, free variables and attributes that are written, other than by counting."""
    is_text: bool
    """Whether objects are made text."""

    @property
    def is_dynamic(self) -> bool:
        """Whether attributes are read without being named."""
        return not DYNAMIC.isdisjoint(self.globals) or not DYNAMIC.isdisjoint(self.attributes)


@lru_cache(4096)
def uses_of(code: CodeType) -> Uses:
    """What ``code`` does with names from outside.

    >>> def f(x):
    ...     global calls
    ...     calls += 1
    ...     return x * scale
    >>> uses = uses_of(f.__code__)
    >>> sorted(uses.globals), sorted(use.name for use in uses.globals["calls"])
    (['calls', 'scale'], ['ADD'])
    """
    found = _Collector()
    instructions = [one for one in dis.get_instructions(code) if one.opname not in _SILENT]
    free = set(code.co_freevars)
    for at, instruction in enumerate(instructions):
        if instruction.opname not in _OF_CELLS or instruction.argval in free:
            found.note(instructions, at, instruction)
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            found.add(uses_of(inner), free)
        else:
            found.strings.update(_texts(inner))
    return Uses(
        {name: frozenset(uses) for name, uses in found.globals.items()},
        {name: frozenset(uses) for name, uses in found.cells.items()},
        {name: frozenset(uses) for name, uses in found.attributes.items()},
        frozenset(found.imports),
        frozenset(found.strings),
        frozenset(found.stored),
        found.is_text or not TEXT.isdisjoint(found.globals),
    )


class _Collector:
    """Uses while they are collected."""

    def __init__(self) -> None:
        self.globals: dict[str, set[Use]] = {}
        self.cells: dict[str, set[Use]] = {}
        self.attributes: dict[str, set[Use]] = {}
        self.imports: set[tuple[int, str]] = set()
        self.strings: set[str] = set()
        self.stored: set[str] = set()
        self.is_text = False

    def note(self, all: Sequence[dis.Instruction], at: int, one: dis.Instruction) -> None:
        """Note what one instruction does."""
        name = one.opname
        if name in _GLOBALS:
            self.globals.setdefault(one.argval, set()).add(_use(all, at))
        elif name in _CELLS:
            self.cells.setdefault(one.argval, set()).add(_use(all, at))
        elif name in _ATTRIBUTES:
            self.attributes.setdefault(one.argval, set()).add(_use(all, at))
        elif name == "IMPORT_NAME":
            self.imports.add((_level(all, at), one.argval))
        elif name.startswith(("FORMAT_", "CONVERT_VALUE")):
            self.is_text = True
        elif name in _WRITES and not _ends_count(all, at):
            self.stored.add(one.argval)
        elif name.startswith(("MATCH_CLASS", "MATCH_KEYS")):
            self.attributes.setdefault("__dict__", set()).add(Use.READ)

    def add(self, inner: Uses, free: set[str]) -> None:
        """Add what code inside of this code does; ``free`` are the free variables of this code."""
        for name, uses in inner.globals.items():
            self.globals.setdefault(name, set()).update(uses)
        for name, uses in inner.cells.items():
            if name in free:
                self.cells.setdefault(name, set()).update(uses)
        for name, uses in inner.attributes.items():
            self.attributes.setdefault(name, set()).update(uses)
        self.imports |= inner.imports
        self.strings |= inner.strings
        self.stored |= inner.stored
        self.is_text |= inner.is_text


def _use(all: Sequence[dis.Instruction], at: int) -> Use:
    """How the value that the instruction at ``at`` loads is used."""
    if _is_counted_up(all, at):
        return Use.ADD
    if _is_grown(all, at) or _item_is_counted_up(all, at):
        return Use.GROW
    return Use.READ


def _names(all: Sequence[dis.Instruction], first: int, count: int) -> list[str]:
    return [one.opname for one in all[first : first + count]]


def _is_counted_up(all: Sequence[dis.Instruction], at: int) -> bool:
    """Whether it is the load of ``x += 1``, or of ``y.x += 1``."""
    load = all[at]
    if len(all) < at + 4 or all[at + 1].opname not in _CONSTANTS:
        return False
    if all[at + 2].opname != "BINARY_OP":
        return False
    store = all[at + 3]
    if load.opname in _GLOBALS or load.opname in _CELLS:
        return store.opname in _STORES and store.argval == load.argval
    if load.opname != "LOAD_ATTR" or at == 0 or _names(all, at - 1, 1) != ["COPY"]:
        return False
    return _names(all, at + 3, 2) == ["SWAP", "STORE_ATTR"] and all[at + 4].argval == load.argval


def _item_is_counted_up(all: Sequence[dis.Instruction], at: int) -> bool:
    """Whether it is the load of ``x`` in ``x[key] += 1`` with a simple key."""
    if len(all) < at + 10 or all[at + 1].opname not in _SIMPLE:
        return False
    subscript = all[at + 4]
    return (
        _names(all, at + 2, 2) == ["COPY", "COPY"]
        and (subscript.opname == "BINARY_SUBSCR" or subscript.argrepr == "[]")
        and all[at + 5].opname in _CONSTANTS
        and _names(all, at + 6, 4) == ["BINARY_OP", "SWAP", "SWAP", "STORE_SUBSCR"]
    )


def _is_grown(all: Sequence[dis.Instruction], at: int) -> bool:
    """Whether it is the load of ``x`` in the statement ``x.append(...)``."""
    if len(all) < at + 4:
        return False
    method = all[at + 1]
    if method.opname not in ("LOAD_METHOD", "LOAD_ATTR") or method.argval not in COUNTING_METHODS:
        return False
    if method.opname == "LOAD_ATTR" and not _loads_method(method):
        return False
    depth = 2  # the method, and the object that it belongs to
    for place in range(at + 2, len(all) - 1):
        one = all[place]
        if one.opcode in _JUMPS:  # a branch, or from Python 3.12 on a comprehension
            return False
        depth += _effect(one)
        if depth < 2:
            is_call = one.opname in ("CALL", "CALL_KW")
            return is_call and depth == 1 and all[place + 1].opname == "POP_TOP"
    return False


_JUMPS = frozenset({*dis.hasjrel, *dis.hasjabs})


def _loads_method(instruction: dis.Instruction) -> bool:
    return "NULL" in instruction.argrepr


def _effect(instruction: dis.Instruction) -> int:
    """By how much an instruction makes the stack deeper."""
    has_argument = instruction.opcode >= dis.HAVE_ARGUMENT
    argument = instruction.arg if has_argument else None
    effect = dis.stack_effect(instruction.opcode, argument, jump=False)
    if instruction.opname == "CALL" and "PRECALL" in dis.opmap:
        # PRECALL, which is left out above, takes the arguments off the stack.
        effect += dis.stack_effect(dis.opmap["PRECALL"], argument)
    return effect


def _ends_count(all: Sequence[dis.Instruction], at: int) -> bool:
    """Whether the store at ``at`` is the end of ``x += 1``."""
    back = 4 if all[at].opname == "STORE_ATTR" else 3
    return at >= back and _is_counted_up(all, at - back)


def _level(all: Sequence[dis.Instruction], at: int) -> int:
    """The level of the import at ``at``: how many dots its name has."""
    found = all[at - 2].argval if at >= 2 and all[at - 2].opname in _CONSTANTS else 0
    return found if isinstance(found, int) else 0


def _texts(constant: object) -> Iterator[str]:
    """The texts in a constant that may be names."""
    if isinstance(constant, str):
        if constant.isidentifier():
            yield constant
    elif isinstance(constant, tuple | frozenset):
        for one in constant:
            yield from _texts(one)
