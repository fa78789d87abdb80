"""NumPy's functions on the memory of buffers: windows go in, and arrays come out as buffers.

What is not worth a kernel, or has a shape that depends on values, is NumPy's own code. Buffers
stay the type of the program: every array in a result becomes one, and what was passed as ``out``
comes back itself.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from functools import update_wrapper
from types import ModuleType, SimpleNamespace
from typing import Any

from onebuf.buffer import Buffer
from onebuf.buffer.native_core import delegate
from onebuf.buffer.numpy.calls import on_arrays

Function = Callable[..., Buffer]

_EXAMPLES = re.compile(r"\n *Examples\n *-+\n")


def delegated(
    function: Any, name: str | None = None, only_reads: bool = True, short: Any = None
) -> Callable[..., Any]:
    """``function`` of NumPy, giving buffers whatever it was given.

    If it ``only_reads``, and its results are new memory, it is short for few stored elements; or
    ``short`` is, which gives the same elements in memory without gaps.

    >>> import numpy as np
    >>> delegated(np.median)([3, 1, 2])
    Buffer(2., shape=(), dtype=float64, device=CPU)
    """

    def call(*args: Any, **kwargs: Any) -> Any:
        return on_arrays(Buffer, short or function, args, kwargs)

    update_wrapper(call, function, assigned=("__name__", "__qualname__"))
    call.__doc__ = without_examples(function.__doc__ or "")
    call.__module__ = "onebuf"
    if name is not None:
        call.__name__ = call.__qualname__ = name
    del call.__wrapped__  # type: ignore[attr-defined]
    call.__signature__ = signature_of(function)  # type: ignore[attr-defined]
    return delegate(short or function)(call) if only_reads else call


def without_examples(text: str) -> str:
    """A docstring of NumPy's without its examples, which show arrays.

    >>> without_examples("Add one.\\n\\nExamples\\n--------\\n>>> f(1)\\n2")
    'Add one.\\n'
    """
    return _EXAMPLES.split(text, maxsplit=1)[0].replace(">>> ", "")


def signature_of(function: Any) -> inspect.Signature:
    """How ``function`` is called; anyhow, where NumPy does not say."""
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return inspect.Signature(
            [
                inspect.Parameter("args", inspect.Parameter.VAR_POSITIONAL),
                inspect.Parameter("kwargs", inspect.Parameter.VAR_KEYWORD),
            ]
        )


def delegated_module(module: ModuleType) -> SimpleNamespace:
    """The public names of ``module`` with its functions delegated, for modules of functions alone.

    >>> import numpy as np
    >>> delegated_module(np.emath).sqrt([-1.0]).dtype
    dtype('complex128')
    """
    names: list[str] = list(getattr(module, "__all__", ())) or [
        name for name in dir(module) if not name.startswith("_")
    ]
    parts: dict[str, Any] = {}
    for name in names:
        part = getattr(module, name)
        if isinstance(part, ModuleType):
            parts[name] = delegated_module(part)
        else:
            is_function = callable(part) and not isinstance(part, type)
            parts[name] = delegated(part, name, False) if is_function else part
    return SimpleNamespace(__doc__=module.__doc__, __all__=names, **parts)
