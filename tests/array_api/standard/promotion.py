"""The dtypes of the standard, their kinds, and what two of them promote to.

Tables as in the chapters "Data types" and "Type promotion rules". Pairs that are not in a table,
such as an integer and a float, the standard leaves open.
"""

from __future__ import annotations

SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
REAL_FLOATING = ("float32", "float64")
COMPLEX = ("complex64", "complex128")

KINDS = {
    "bool": ("bool",),
    "signed integer": SIGNED,
    "unsigned integer": UNSIGNED,
    "integral": SIGNED + UNSIGNED,
    "real floating": REAL_FLOATING,
    "complex floating": COMPLEX,
    "numeric": SIGNED + UNSIGNED + REAL_FLOATING + COMPLEX,
}
"""The kinds that `isdtype` and the inspection functions know."""

DTYPES = ("bool", *KINDS["numeric"])

TAKES = KINDS | {
    "all": DTYPES,
    "real": SIGNED + UNSIGNED + REAL_FLOATING,
    "floating": REAL_FLOATING + COMPLEX,
    "integral or bool": ("bool", *SIGNED, *UNSIGNED),
}
"""The kinds by which the standard says what a function takes."""

GRIDS = """
            bool
bool        bool

            int8        int16       int32       int64
int8        int8        int16       int32       int64
int16       int16       int16       int32       int64
int32       int32       int32       int32       int64
int64       int64       int64       int64       int64

            uint8       uint16      uint32      uint64
uint8       uint8       uint16      uint32      uint64
uint16      uint16      uint16      uint32      uint64
uint32      uint32      uint32      uint32      uint64
uint64      uint64      uint64      uint64      uint64

            uint8       uint16      uint32
int8        int16       int32       int64
int16       int16       int32       int64
int32       int32       int32       int64
int64       int64       int64       int64

            float32     float64     complex64   complex128
float32     float32     float64     complex64   complex128
float64     float64     float64     complex128  complex128
complex64   complex64   complex128  complex64   complex128
complex128  complex128  complex128  complex128  complex128
"""


def promotions() -> dict[tuple[str, str], str]:
    """What each pair of dtypes promotes to, in either order; no entry where that is open."""
    found = {}
    for grid in GRIDS.strip().split("\n\n"):
        columns, *rows = [line.split() for line in grid.split("\n")]
        for row, *results in rows:
            for column, result in zip(columns, results, strict=True):
                found[row, column] = found[column, row] = result
    return found


PROMOTIONS = promotions()

PART = {"complex64": "float32", "complex128": "float64"}
"""The type of the real and the imaginary part."""

WHOLE = {"float32": "complex64", "float64": "complex128"}
"""The complex type of the same precision."""

SCALARS = {
    bool: TAKES["bool"],
    int: TAKES["numeric"],
    float: TAKES["floating"],
    complex: TAKES["floating"],
}
"""Which arrays a Python scalar of each type can meet; it then takes the array's kind."""


def with_scalar(dtype: str, scalar: type) -> str:
    """What an array of ``dtype`` and a Python scalar that it can meet promote to."""
    return WHOLE.get(dtype, dtype) if scalar is complex else dtype
