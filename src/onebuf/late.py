"""Late imports: modules that are imported when they are first needed, in the middle of a program.

A module that needs another one late names it twice: for type checkers and import-linter by an
import under TYPE_CHECKING, at run time by `Late`. A test checks that the two agree.

Importing is thousands of steps, and between any two of them Python may run other code: a signal
handler on the main thread, a finaliser of collected garbage on any. If that code computes with
buffers, it finds a module that is there and not complete. So the main thread lets another thread
import, which no signal handler runs on, and waits; and no garbage is collected meanwhile. Code that
needs the module in between waits for the import to end, as any second thread does. An interrupt
ends the waiting alone.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any

ROOT = "onebuf"


class Late:
    """A module that is imported when one of its names is first asked for.

    It stands in the globals of the module that makes it, and the module takes its place there.

    >>> errors = Late("onebuf.errors")
    >>> errors.ShapeError.__name__
    'ShapeError'
    >>> type(errors).__name__
    'module'
    """

    __slots__ = ("_name", "_globals")

    def __init__(self, name: str) -> None:
        self._name = name
        self._globals = sys._getframe(1).f_globals

    def __getattr__(self, name: str) -> Any:
        module = load(self._name)
        for own, value in list(self._globals.items()):
            if value is self:
                self._globals[own] = module
        return getattr(module, name)


def load(name: str) -> ModuleType:
    """The module of ``name``, whole; for modules that nothing which is being imported needs.

    >>> load("onebuf.errors").__name__
    'onebuf.errors'
    """
    module = sys.modules.get(name)
    if module is not None and not _is_being_imported(module):
        return module
    threading = import_module("threading")  # which NumPy does without
    if threading.current_thread() is threading.main_thread() and not _is_being_imported(
        sys.modules[ROOT]
    ):
        worker = threading.Thread(target=_try_import, args=(name,), name="onebuf-import")
        try:
            worker.start()
        except RuntimeError:
            pass  # the interpreter ends, or the system has no more threads: import it here
        else:
            worker.join()
    return _import(name)


def _is_being_imported(module: ModuleType) -> bool:
    return bool(getattr(module.__spec__, "_initializing", False))


def _try_import(name: str) -> None:
    try:
        _import(name)
    except Exception:
        return  # the thread that waits imports it once more, and raises the error where it belongs


def _import(name: str) -> ModuleType:
    with uncollected():
        return import_module(name)


@contextmanager
def uncollected() -> Iterator[None]:
    """Let no garbage be collected in this block of code.

    An import makes many objects that stay, which a collector would walk again and again.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


@contextmanager
def importing_root() -> Iterator[None]:
    """`uncollected`, after which all objects count as old: those of a package stay.

    Else the next collection of young objects would walk all of them. To freeze and to unfreeze
    moves them, and looks at none; what a program froze itself stays frozen.
    """
    with uncollected():
        yield
        if not gc.get_freeze_count():
            gc.freeze()
            gc.unfreeze()
