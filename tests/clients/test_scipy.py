"""SciPy in array-API mode, on buffers.

SciPy keeps a registry of what takes arrays of any library of the array API standard. Every public
function and method in it has a case here; a test compares the two, so that none is forgotten.

What SciPy says works on NumPy's arrays alone is listed, by module, in `numpy_only.REFUSED`: parts
of ``signal`` (linear systems, spectra, peaks, wave forms), of ``stats`` (distributions, contingency
tables, older tests), of ``integrate`` (``quad``, differential equations), and ``cut_tree``. Modules
without any entry (``linalg`` but for three functions, ``optimize``, ``sparse``, ``distance``) are
NumPy's, too. Most of these read buffers through ``__array__`` and give the right numbers as arrays:
`numpy_only.CASES`. What does not: ``sparse.linalg.cg`` asks for instances of ``ndarray``,
``linalg.toeplitz`` for strides in bytes, ``linalg.cho_solve`` mixes both libraries' arrays, and the
compiled part of ``stats.shapiro`` takes no buffer before Python 3.12.

``RigidTransform.identity`` is in the registry but takes no array. `Plain` marks the two functions
whose results are NumPy's, whatever the library.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from scipy._lib import _array_api

import onebuf
from clients.comparing import ARRAYS, BUFFERS, Case, check
from clients.scipy_cases import (
    cluster,
    fft,
    ndimage,
    numeric,
    numpy_only,
    searches,
    signal,
    spatial,
    special,
    stats,
)

CASES: dict[str, Case] = {}
for module in (cluster, fft, ndimage, numeric, searches, signal, spatial, special, stats):
    CASES |= module.CASES

PUBLIC = (
    "cluster.hierarchy",
    "cluster.vq",
    "constants",
    "differentiate",
    "fft",
    "integrate",
    "interpolate",
    "linalg",
    "ndimage",
    "optimize",
    "optimize.elementwise",
    "signal",
    "signal.windows",
    "special",
    "stats",
    "stats.contingency",
)


def registered() -> Iterator[tuple[set[str], dict[str, Any]]]:
    """The public names of each entry of SciPy's registry, and what the registry says of it."""
    table = _array_api.xp_capabilities_table
    names: dict[int, set[str]] = {}
    for name in PUBLIC:
        module = importlib.import_module(f"scipy.{name}")
        for attribute in module.__all__:
            names.setdefault(id(getattr(module, attribute)), set()).add(f"{name}.{attribute}")
    for function, said in table.items():
        qualified = getattr(function, "__qualname__", "")
        if "spatial.transform" in getattr(function, "__module__", ""):
            names.setdefault(id(function), set()).add(f"spatial.transform.{qualified}")
        if found := {
            name for name in names.get(id(function), ()) if "._" not in name or "__" in name
        }:
            yield found, said


def test_scipy_is_in_array_api_mode():
    assert _array_api.SCIPY_ARRAY_API == "1"
    assert _array_api.array_namespace(onebuf.zeros(2)) is onebuf


def test_every_function_that_takes_any_library_has_a_case():
    without_arrays = {"spatial.transform.RigidTransform.identity"}
    capable = [names for names, said in registered() if not said["np_only"]]
    missing = [min(names) for names in capable if not names & (CASES.keys() | without_arrays)]
    assert len(capable) > 480
    assert not missing
    assert CASES.keys() <= set().union(*capable)


def test_the_list_of_functions_of_numpy_alone_is_complete():
    refused = {
        f"{module}.{name}" for module, names in numpy_only.REFUSED.items() for name in names.split()
    }
    said = [
        min(names) for names, said in registered() if said["np_only"] and not said["out_of_scope"]
    ]
    assert set(said) == refused


ROUGH = {"optimize.elementwise.find_minimum": 1e-8, "signal.wiener": 1e-6}
"""Where last bits grow: at a flat minimum, and in float32 sums, which NumPy rounds more often."""


@pytest.mark.parametrize("name", CASES)
def test_scipy_keeps_our_type_and_gives_its_own_numbers(name):
    check(CASES[name], ROUGH.get(name))


@pytest.mark.parametrize("name", numpy_only.CASES)
def test_scipy_reads_buffers_where_it_knows_only_numpy(name):
    case = numpy_only.CASES[name]
    found, expected = flat(case(BUFFERS)), flat(case(ARRAYS))
    assert len(found) == len(expected)
    for one, two in zip(found, expected, strict=True):
        np.testing.assert_allclose(np.asarray(one), np.asarray(two), rtol=1e-9, atol=1e-12)


def flat(result: Any) -> list[Any]:
    """The parts of a result, however deep."""
    if isinstance(result, list | tuple):
        return [part for one in result for part in flat(one)]
    return [result]
