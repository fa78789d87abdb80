"""Pytrees: nested containers as a flat list of leaves and a structure.

Containers are tuples, lists, dicts, named tuples, instances of dataclasses and None, which is a
container of nothing; `register` adds others. Any other object is a leaf. Classes are taken exactly:
an instance of a subclass of ``dict`` is a leaf unless its class is registered. `flatten` and
`Structure.unflatten` undo each other, and two structures are equal if and only if their containers
and keys are: the order of the keys of a dict counts, and ``1`` and ``True`` are different keys.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from onebuf.errors import ArgumentError, ArgumentTypeError

ToChildren: TypeAlias = Callable[[Any], tuple[Iterable[Any], Hashable]]
"""Gives the children of a container, and the rest of it, which is static."""
FromChildren: TypeAlias = Callable[[Any, tuple[Any, ...]], Any]
"""Makes a container of its static rest and its children."""


@dataclass(frozen=True, slots=True)
class Container:
    """How containers of one class are taken apart and made again."""

    to_children: ToChildren
    from_children: FromChildren


class _Leaf:
    """The structure of a leaf."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "*"


_LEAF = _Leaf()
_Spec: TypeAlias = Any
"""``_LEAF``, or a tuple of the class of a container, its static rest and its children's specs."""


class Structure:
    """The containers of a pytree, without its leaves; hashable. ``count`` is that of the leaves."""

    __slots__ = ("spec", "count")

    def __init__(self, spec: _Spec, count: int) -> None:
        self.spec = spec
        self.count = count

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Structure) and self.spec == other.spec

    def __hash__(self) -> int:
        return hash(self.spec)

    def unflatten(self, leaves: Sequence[Any]) -> Any:
        """The pytree of this structure with these leaves.

        >>> leaves, structure = flatten({"a": 1, "b": (2, 3)})
        >>> structure.unflatten(["x", "y", "z"])
        {'a': 'x', 'b': ('y', 'z')}
        """
        if len(leaves) != self.count:
            raise ArgumentError(
                f"needed {self.count} leaves for the {self}, got {len(leaves)}; "
                f"give as many as flatten gave"
            )
        if self.spec is _LEAF:
            return leaves[0]
        return _built(self.spec, iter(leaves))

    def __repr__(self) -> str:
        return f"Structure({_shown(self.spec)})"


def flatten(tree: Any) -> tuple[list[Any], Structure]:
    """The leaves of a pytree from left to right, and its structure.

    >>> flatten((1, [2, None], {"a": 3}))
    ([1, 2, 3], Structure((*, [*, None], {'a': *})))
    """
    leaves: list[Any] = []
    try:
        spec = _walk(tree, leaves)
    except RecursionError:
        _refuse_cycle(tree)
        raise
    return leaves, Structure(spec, len(leaves))


def map(function: Callable[[Any], Any], tree: Any) -> Any:  # noqa: A001 - as in jax.tree
    """The pytree with ``function`` applied to each leaf.

    >>> map(lambda x: 2 * x, {"a": 1, "b": [2, 3]})
    {'a': 2, 'b': [4, 6]}
    """
    leaves, structure = flatten(tree)
    return structure.unflatten([function(leaf) for leaf in leaves])


def register(kind: type, to_children: ToChildren, from_children: FromChildren) -> None:
    """Let instances of the class ``kind`` be containers.

    ``to_children(x)`` gives the children of ``x`` and its static rest, which has to be hashable;
    ``from_children(rest, children)`` makes a container like ``x``. Registering a class again
    replaces what was registered.

    >>> class Box:
    ...     def __init__(self, content):
    ...         self.content = content
    >>> register(Box, lambda box: ((box.content,), None), lambda _, children: Box(*children))
    >>> flatten(Box([1, 2]))[0]
    [1, 2]
    """
    if kind in _BUILT_IN:
        raise ArgumentTypeError(
            f"register needs a class that is no container yet, got {kind.__name__}; "
            f"make a subclass of it and register that"
        )
    _registered[kind] = Container(to_children, from_children)
    _plain.discard(kind)


def is_leaf(value: Any) -> bool:
    """Whether ``value`` is no container.

    >>> is_leaf(3), is_leaf([]), is_leaf(None)
    (True, False, False)
    """
    return container_of(value) is None


def container_of(value: Any) -> Container | None:
    """How to take ``value`` apart; None for a leaf."""
    kind = value.__class__
    found = _BUILT_IN.get(kind) or _registered.get(kind)
    if found is None:
        if issubclass(kind, tuple) and hasattr(kind, "_fields"):
            return Container(lambda value: (value, None), lambda _, children: kind._make(children))
        if not isinstance(value, type) and hasattr(kind, "__dataclass_fields__"):
            return _dataclass(kind)
    return found


def _walk(tree: Any, leaves: list[Any]) -> _Spec:
    """The spec of ``tree``, whose leaves are appended to ``leaves``."""
    kind = tree.__class__
    children: Iterable[Any]
    if kind is tuple or kind is list:
        children = tree
        rest: Hashable = None
    elif kind is dict:
        children = tree.values()
        rest = tuple([key if key.__class__ is str else _Key(key) for key in tree])
    elif kind in _plain:
        leaves.append(tree)
        return _LEAF
    else:
        container = container_of(tree)
        if container is None:
            if len(_plain) < MOST_CLASSES:
                _plain.add(kind)
            leaves.append(tree)
            return _LEAF
        children, rest = container.to_children(tree)
    specs = []
    for child in children:
        if child.__class__ in _plain:
            leaves.append(child)
            specs.append(_LEAF)
        else:
            specs.append(_walk(child, leaves))
    return kind, rest, tuple(specs)


def _built(spec: _Spec, leaves: Iterator[Any]) -> Any:
    if spec is _LEAF:
        return next(leaves)
    kind, rest, specs = spec
    children = [next(leaves) if one is _LEAF else _built(one, leaves) for one in specs]
    if kind is tuple:
        return tuple(children)
    if kind is list:
        return children
    if kind is dict:
        return _from_dict(rest, children)
    found = _BUILT_IN.get(kind) or _registered.get(kind)
    if found is not None:
        return found.from_children(rest, tuple(children))
    if issubclass(kind, tuple):
        return kind._make(children)
    return _dataclass(kind).from_children(rest, tuple(children))


class _Key:
    """A key of a dict that is no text: equal to keys of the same class and value alone."""

    __slots__ = ("key", "exact")

    def __init__(self, key: Hashable) -> None:
        self.key = key
        self.exact = _exact(key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and self.exact == other.exact

    def __hash__(self) -> int:
        return hash(self.exact)

    def __repr__(self) -> str:
        return repr(self.key)


def _exact(key: Any) -> Hashable:
    if key.__class__ is tuple:
        return tuple([_exact(one) for one in key])
    if key.__class__ in (float, complex):  # 0.0 equals -0.0
        return key.__class__, repr(key)
    return key.__class__, key


def _dataclass(kind: type) -> Container:
    """How instances of a dataclass are taken apart: all that they have, fields or not.

    They are made without calling ``__init__``, which may compute with what it is given.
    """

    def to_children(value: Any) -> tuple[Iterable[Any], Hashable]:
        names = [name for name in kind.__dataclass_fields__ if hasattr(value, name)]  # type: ignore[attr-defined]
        names += [name for name in getattr(value, "__dict__", ()) if name not in names]
        return [getattr(value, name) for name in names], tuple(names)

    def from_children(names: Any, children: tuple[Any, ...]) -> Any:
        made: Any = object.__new__(kind)
        for name, child in zip(names, children, strict=True):
            object.__setattr__(made, name, child)
        return made

    return Container(to_children, from_children)


def _from_dict(keys: Any, children: Sequence[Any]) -> dict[Any, Any]:
    names = [key.key if key.__class__ is _Key else key for key in keys]
    return dict(zip(names, children, strict=True))


_BUILT_IN = {
    tuple: Container(lambda value: (value, None), lambda _, children: children),
    list: Container(lambda value: (value, None), lambda _, children: list(children)),
    dict: Container(lambda value: (value.values(), tuple(value)), _from_dict),
    type(None): Container(lambda value: ((), None), lambda _, children: None),
}
_registered: dict[type, Container] = {}
_plain: set[type] = {int, float, bool, str, complex, bytes}
"""Classes whose instances are leaves, as far as they are known."""
MOST_CLASSES = 1000
"""Classes of leaves that are remembered, which keeps them alive."""


def _shown(spec: _Spec) -> str:
    if spec is _LEAF:
        return "*"
    kind, rest, specs = spec
    inner = [_shown(one) for one in specs]
    if kind is type(None):
        return "None"
    if kind is tuple:
        return f"({', '.join(inner)}{',' * (len(inner) == 1)})"
    if kind is list:
        return f"[{', '.join(inner)}]"
    if kind is dict:
        return f"{{{', '.join([f'{k!r}: {v}' for k, v in zip(rest, inner, strict=True)])}}}"
    return f"{kind.__name__}({', '.join(inner)})"


def _refuse_cycle(tree: Any) -> None:
    """Raise an error if ``tree`` has a container that contains itself."""
    done: set[int] = set()
    above: dict[int, Any] = {}
    todo: list[tuple[Any, bool]] = [(tree, False)]
    while todo:
        value, is_end = todo.pop()
        if is_end:
            del above[id(value)]
            done.add(id(value))
            continue
        container = container_of(value)
        if container is None or id(value) in done:
            continue
        if id(value) in above:
            raise ArgumentError(
                f"needed a tree of containers, got a {value.__class__.__name__} that contains "
                f"itself; leave the inner reference out"
            )
        above[id(value)] = value
        todo.append((value, True))
        todo.extend([(child, False) for child in container.to_children(value)[0]])
