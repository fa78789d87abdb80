"""Single values as JSON, to the bit.

Integers and bools are JSON's. A float is text: the hexadecimal form of C and Python, ``inf`` or
``nan``; a NaN with a sign or a payload of its own says its bits, as in ``nan:0xffc00000``. A
complex number is the list of its two parts.
"""

from __future__ import annotations

import re
from math import isnan
from typing import Any

import numpy as np

from onebuf.dtypes import DT, kind
from onebuf.errors import OpGraphError

_FLOAT = re.compile(
    r"[-+]?0x[01](\.[0-9a-f]{1,64})?p[-+]?[0-9]{1,5}|[-+]?inf|nan(:0x[0-9a-f]{1,16})?"
)
_WORDS = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


def encode_scalar(value: np.generic) -> Any:
    """``value`` as JSON.

    >>> encode_scalar(np.float32(0.1)), encode_scalar(np.int8(-3)), encode_scalar(np.complex64(1j))
    ('0x1.99999a0000000p-4', -3, ['0x0.0p+0', '0x1.0000000000000p+0'])
    """
    letter = kind(value.dtype)
    if letter == "b":
        return bool(value)
    if letter in "iu":
        return int(value)
    if letter == "c":
        return [_encode_float(value.real), _encode_float(value.imag)]
    return _encode_float(value)


def _encode_float(value: Any) -> str:
    with np.errstate(all="ignore"):
        number = float(value)
    if not isnan(number):
        return number.hex()
    bits = _bits(value)
    return "nan" if bits == _bits(value.dtype.type(np.nan)) else f"nan:{bits:#x}"


def _bits(value: Any) -> int:
    return int(np.asarray(value).view(_WORDS[value.dtype.itemsize])[()])


def decode_scalar(value: Any, dtype: DT) -> np.generic:
    """The value of ``dtype`` that JSON says; an error unless it is one, exactly.

    >>> decode_scalar("0x1.8p+0", np.dtype("float32")), decode_scalar(7, np.dtype("uint8"))
    (np.float32(1.5), np.uint8(7))
    """
    letter = kind(dtype)
    found: Any = None
    if letter == "b" and isinstance(value, bool):
        found = dtype.type(value)
    elif letter in "iu" and isinstance(value, int) and not isinstance(value, bool):
        limits = np.iinfo(dtype)
        if limits.min <= value <= limits.max:
            found = dtype.type(value)
    elif letter == "f":
        found = _decode_float(value, dtype)
    elif letter == "c" and isinstance(value, list) and len(value) == 2:
        part = np.dtype(np.float32 if dtype.itemsize == 8 else np.float64)
        parts = [_decode_float(one, part) for one in value]
        if not any(one is None for one in parts):
            found = np.array(parts, part).view(dtype)[0]
    if found is None:
        raise OpGraphError(f"a value of {dtype.name} needs {_NEEDS[letter]}, got {_short(value)}")
    return found  # type: ignore[no-any-return]


_NEEDS = {
    "b": "true or false",
    "i": "an integer in its range",
    "u": "an integer in its range",
    "f": "a text such as '0x1.8p+0', 'inf' or 'nan', which it can hold exactly",
    "c": "a list of two texts such as '0x1.8p+0', which it can hold exactly",
}


def _short(value: Any) -> str:
    """The type and the beginning of a value of unknown size."""
    text = repr(value) if isinstance(value, str | int | float | bool | None) else "..."
    return f"{type(value).__name__} {text if len(text) <= 60 else text[:57] + '...'}"


def _decode_float(value: Any, dtype: DT) -> Any:
    if not isinstance(value, str) or _FLOAT.fullmatch(value) is None:
        return None
    if value.startswith("nan:"):
        bits = int(value[4:], 16)
        if bits >> (8 * dtype.itemsize):
            return None
        found = np.asarray(bits, _WORDS[dtype.itemsize]).view(dtype)[()]
        with np.errstate(all="ignore"):
            return found if isnan(float(found)) else None
    try:
        number = float.fromhex(value)
    except OverflowError:
        return None
    with np.errstate(all="ignore"):
        found = dtype.type(number)
    return found if isnan(number) or float(found) == number else None
