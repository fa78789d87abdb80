"""Import hook: a module of ours is imported when the user imports a certain module of theirs.

Some libraries know array types from a class or a registry entry of their own. To register there
means to import them, and onebuf imports no library that the user did not. So each registration is
a module (`onebuf.clients.einops`), which is imported

- at once, if their module is imported already;
- else as soon as it is. A finder at the head of ``sys.meta_path`` waits for it. The finder takes
  the spec that the other finders give and wraps its loader in one that imports our module after
  theirs has been executed. Then the finder removes itself. For every other module it costs one
  comparison.

If the import of ours fails, theirs succeeds all the same, with a warning.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any


def when_imported(theirs: str, ours: str) -> None:
    """Import the module ``ours`` as soon as the module ``theirs`` is imported."""
    if theirs in sys.modules:
        _tell(theirs, ours)
    else:
        sys.meta_path.insert(0, _Finder(theirs, ours))


def _tell(theirs: str, ours: str) -> None:
    try:
        import_module(ours)
    except Exception as error:
        warnings.warn(
            f"onebuf could not make itself known to {theirs.partition('.')[0]}: {error!r}; "
            f"convert buffers with numpy.asarray(...) for it",
            RuntimeWarning,
            stacklevel=2,
        )


class _Finder:
    """Waits in ``sys.meta_path`` for one module."""

    def __init__(self, theirs: str, ours: str) -> None:
        self.theirs = theirs
        self.ours = ours

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec of the module waited for, with a loader that tells us; else None."""
        if name != self.theirs or self not in sys.meta_path:
            return None
        sys.meta_path.remove(self)
        spec: ModuleSpec | None = import_module("importlib.util").find_spec(name)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader, self)  # type: ignore[assignment]
        else:
            sys.meta_path.insert(0, self)
        return spec


class _Loader:
    """Another loader, and what to do once it has executed the module."""

    def __init__(self, loader: Any, finder: _Finder) -> None:
        self.loader = loader
        self.finder = finder

    def __getattr__(self, name: str) -> Any:
        return getattr(self.loader, name)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """What the other loader makes."""
        return self.loader.create_module(spec)  # type: ignore[no-any-return]

    def exec_module(self, module: ModuleType) -> None:
        """Execute the module as the other loader does, then import ours."""
        try:
            self.loader.exec_module(module)
        except BaseException:
            sys.meta_path.insert(0, self.finder)  # the next attempt may succeed
            raise
        assert module.__spec__ is not None
        module.__spec__.loader = module.__loader__ = self.loader
        _tell(self.finder.theirs, self.finder.ours)
