"""Which foreign test files there are, and how pytest is to run them on buffers.

A suite is a list of installed test files and a pytest plugin of this folder that puts buffers in
place of arrays. ``numpy`` is run twice, once without the plugin: that run is the control. The
files of SciPy and scikit-learn are parametrised by namespace, so one run holds both.
"""

from __future__ import annotations

import importlib.util
import re
from dataclasses import dataclass
from pathlib import Path

NUMPY = {
    "_core": (
        "test_array_coercion test_arrayobject test_arrayprint test_dlpack test_einsum "
        "test_function_base test_getlimits test_half test_indexerrors test_indexing "
        "test_item_selection test_multiarray test_nep50_promotions test_numeric test_protocols "
        "test_shape_base test_umath test_umath_complex"
    ),
    "lib": (
        "test_array_utils test_arraypad test_arraysetops test_function_base test_histograms "
        "test_index_tricks test_nanfunctions test_packbits test_polynomial test_shape_base "
        "test_stride_tricks test_twodim_base test_type_check test_ufunclike"
    ),
    "linalg": "test_linalg test_regression",
    "fft": "test_helper test_pocketfft",
    "random": "test_generator_mt19937 test_generator_mt19937_regressions test_smoke",
}
"""NumPy's test files on what arrays do.

The others are on C internals, text, dates and records, on objects of type `numpy.ufunc`, and on
floating-point errors: buffers raise none (docs/design/0004-quiet-numpy.md).
"""


@dataclass(frozen=True, slots=True)
class Suite:
    """Foreign test files and the plugin that runs them on buffers."""

    package: str
    plugin: str
    files: tuple[str, ...]
    marker: str = ""
    runs: tuple[str, ...] = ("onebuf",)

    @property
    def root(self) -> Path:
        return folder(self.package)


def folder(package: str) -> Path:
    """Where ``package`` is installed."""
    found = importlib.util.find_spec(package)
    if found is None or found.origin is None:
        raise SystemExit(f"{package} is not installed; pip install 'onebuf[outside]'")
    return Path(found.origin).parent


def having(package: str, pattern: str) -> tuple[str, ...]:
    """The test files of ``package`` that contain ``pattern``."""
    root = folder(package)
    return tuple(
        str(path.relative_to(root))
        for path in sorted(root.rglob("tests/test_*.py"))
        if re.search(pattern, path.read_text(encoding="utf-8"))
    )


def suites() -> dict[str, Suite]:
    """All suites, by name."""
    numpy_files = tuple(
        f"{part}/tests/{name}.py" for part, names in NUMPY.items() for name in names.split()
    )
    return {
        "scipy": Suite(
            "scipy",
            "scipy_backend",
            having("scipy", r"\bxp\b"),
            marker="array_api_backends",
        ),
        "sklearn": Suite(
            "sklearn",
            "sklearn_backend",
            having("sklearn", "yield_namespace|_array_api_for_tests"),
        ),
        "numpy": Suite("numpy", "numpy_standin", numpy_files, runs=("control", "onebuf")),
    }
