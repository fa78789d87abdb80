"""One call of a client on NumPy's arrays and on buffers: the same numbers, in our type.

A case is a function of a *maker*, which turns nested numbers or an array into what the client is
to work on. Wherever the call on arrays gives an array or a NumPy scalar, the call on buffers has to
give a `Buffer` of the same shape and dtype; everything else has to be equal as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

import onebuf
from onebuf import Buffer


@dataclass(frozen=True)
class Maker:
    """Arrays of one library, and that library."""

    xp: Any

    def __call__(self, data: Any, dtype: Any = None) -> Any:
        """The numbers of ``data`` in memory that nobody else has."""
        return self.xp.asarray(np.array(data, dtype), copy=True)


Case = Callable[[Maker], Any]
ARRAYS, BUFFERS = Maker(np), Maker(onebuf)


class Plain:
    """A part of a result that the client makes with NumPy, whatever it was given."""

    def __init__(self, value: Any) -> None:
        self.value = value


def check(case: Case, rtol: float | None = None) -> None:
    """Run ``case`` on arrays, on buffers, and on buffers that compute nothing before it is read."""
    expected = case(ARRAYS)
    compare(case(BUFFERS), expected, rtol)
    with onebuf.config(eager_numel=0):
        compare(case(BUFFERS), expected, rtol, "lazy result")


def compare(found: Any, expected: Any, rtol: float | None = None, where: str = "result") -> None:
    """Raise an AssertionError that names the first difference and its place."""
    if isinstance(expected, Plain):
        assert not isinstance(found.value, Buffer), f"{where} is a buffer and no longer Plain"
        _equal(np.asarray(found.value), np.asarray(expected.value), rtol, where)
    elif isinstance(expected, np.ndarray | np.generic):
        assert isinstance(found, Buffer), f"{where} needs a Buffer, got {type(found).__name__}"
        assert found.shape == expected.shape, f"{where} has shape {found.shape}"
        assert found.dtype == expected.dtype, f"{where} has {found.dtype}, not {expected.dtype}"
        _equal(np.asarray(found), np.asarray(expected), rtol, where)
    elif isinstance(expected, Mapping):
        assert set(found) == set(expected), f"{where} has other keys"
        for key in expected:
            compare(found[key], expected[key], rtol, f"{where}[{key!r}]")
    elif isinstance(expected, list | tuple):
        assert type(found).__name__ == type(expected).__name__, f"{where}: {type(found).__name__}"
        assert len(found) == len(expected), f"{where} has length {len(found)}"
        for place, (one, two) in enumerate(zip(found, expected, strict=True)):
            compare(one, two, rtol, f"{where}[{place}]")
    elif isinstance(expected, float | complex):
        assert type(found) is type(expected), f"{where} is a {type(found).__name__}"
        _equal(np.asarray(found), np.asarray(expected), rtol, where)
    else:
        assert type(found) is type(expected), f"{where} is a {type(found).__name__}"
        assert found == expected, f"{where} is {found}, not {expected}"


def _equal(found: Any, expected: Any, rtol: float | None, where: str) -> None:
    """Compare values: floating ones up to ``rtol`` of each and of the largest."""
    if expected.dtype.kind not in "fc":
        np.testing.assert_array_equal(found, expected, err_msg=where)
        return
    if rtol is None:
        rtol = 1e-12 if np.finfo(expected.dtype).bits == 64 else 1e-5
    finite = np.abs(expected[np.isfinite(expected)])
    scale = float(finite.max()) if finite.size else 0.0
    # An estimate of an error is a difference of nearly equal numbers: its last bits are ours.
    atol = 1e-12 if where.endswith("['error']") else rtol * scale
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=atol, err_msg=where)
