"""One class made of several: the members of its base classes, put into the class itself.

A class of many parts is easy to read. Code that looks attributes up statically, as
`inspect.getattr_static`, narwhals and runtime-checkable protocols do, walks over every base class
in Python, for each name that it looks for; so the parts are bases only until the class is made.
"""

from __future__ import annotations

from typing import Any

_OF_THE_PART = frozenset(
    ("__annotations__", "__dict__", "__doc__", "__module__", "__slots__", "__weakref__")
)
"""Members that say something of the class that they stand in."""


def join(kind: type, root: type) -> None:
    """Let ``kind`` derive from ``root`` alone, and have itself what the bases in between have.

    Its parts must not use ``super()``, and nothing finds them among its bases any more.

    >>> class Root: pass
    >>> class Part(Root): size = 2
    >>> class Whole(Part): pass
    >>> join(Whole, Root)
    >>> Whole.__bases__ == (Root,), Whole().size
    (True, 2)
    """
    members: dict[str, Any] = dict(vars(kind))
    for part in kind.__mro__[1 : kind.__mro__.index(root)]:
        for name, value in vars(part).items():
            if name not in members and name not in _OF_THE_PART:
                members[name] = value
                setattr(kind, name, value)
    kind.__bases__ = (root,)
