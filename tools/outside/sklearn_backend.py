"""A pytest plugin: scikit-learn's tests of array namespaces run with NumPy and onebuf."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

os.environ["SCIPY_ARRAY_API"] = "1"

from sklearn.utils import _array_api


def yield_namespaces(include_numpy_namespaces: bool = True) -> Iterator[str]:
    """In place of scikit-learn's own list."""
    if include_numpy_namespaces:
        yield "numpy"
    yield "onebuf"


def yield_namespace_device_dtype_combinations(
    include_numpy_namespaces: bool = True,
) -> Iterator[tuple[str, None, str]]:
    """Each namespace with both of the types that scikit-learn computes in."""
    for namespace in yield_namespaces(include_numpy_namespaces):
        yield namespace, None, "float64"
        yield namespace, None, "float32"


_array_api.yield_namespaces = yield_namespaces
_array_api.yield_namespace_device_dtype_combinations = yield_namespace_device_dtype_combinations


def pytest_collection_modifyitems(config: Any, items: list[Any]) -> None:
    """Keep the tests that a namespace is a parameter of."""
    kept = [item for item in items if namespace_of(item) in ("numpy", "onebuf")]
    config.hook.pytest_deselected(items=[item for item in items if item not in set(kept)])
    items[:] = kept


def namespace_of(item: Any) -> Any:
    """The namespace that a test is to run with, by its name."""
    parameters = getattr(item, "callspec", None)
    if parameters is None:
        return None
    for name in ("array_namespace", "namespace", "array_namespace_name", "xp"):
        value = parameters.params.get(name)
        if value is not None:
            return value if isinstance(value, str) else getattr(value, "__name__", None)
    return None
