"""Why a test fails: tables of regular expressions, each with an explanation.

`IN_SOURCE` is asked about the text of a test function, whatever its outcome: these tests need
something that buffers do not have on purpose, and are counted apart. `IN_MESSAGE` is asked about
the error of a failed test, first match first; `APART` says which of those are counted apart, too.
"""

from __future__ import annotations

import re

_PATTERNS = {
    "object": [
        r"\bobject\b|object_|['\"]O['\"]",
        r"\bDecimal\b|\bFraction\b|\brational\b",
    ],
    "text": [
        r"['\"][<>|=]?[SUa]\d+['\"]|['\"][SUT]['\"]|np\.str_|np\.bytes_|StringDType|np\.char\b",
        r"dtype=(str|bytes|['\"][SU])|astype\((str|['\"][SU])|chararray",
    ],
    "datetime": [r"datetime64|timedelta64|['\"][<>]?[mM]8|['\"][mM]['\"]"],
    "structured": [
        r"dtype\(\[\(|dtype=\[[\[(]|\[\(['\"]\w*['\"], ?|['\"]i\d?,i|names['\"]:",
        r"np\.void|np\.rec\b|recarray|['\"]V\d*['\"]",
    ],
    "longdouble": [r"longdouble|longcomplex|float128|complex256|LD_INFO|['\"][gG]['\"]"],
    "byte order": [r"['\"]>[a-zA-Z]\d*['\"]|['\"]>['\"]|newbyteorder|byteswap|isnative"],
    "subclass": [
        r"class \w+\((np\.)?(ndarray|matrix|memmap|ma)|np\.matrix|matrix\(|asmatrix|memmap",
        r"MaskedArray|np\.ma\b|subok|_SubclassArray|MySubClass|\bTestArray\b|RealArray",
        r"__array_finalize__|__array_wrap__|__array_prepare__",
    ],
    "C internals": [
        r"getrefcount|HAS_REFCOUNT|_multiarray_tests|_umath_tests|_rational_tests|_multiarray_umath",
        r"\bumt\.|\bmt\.|\bopflag|ctypeslib|\.ctypes\b|nditer|_get_ndarray_c_version|PyCapsule",
        r"__array_struct__|sys\.getsizeof|frompyfunc|_simd\b|__cpu_|assert_no_gc_cycles|weakref",
        r"__array_priority__|__array_function__|__array_ufunc__|get_array_wrap|_ufunc_doc",
    ],
}
IN_SOURCE = {name: "|".join(patterns) for name, patterns in _PATTERNS.items()}
"""By name: what the source of a test says that needs something which buffers are not."""

EXPLAINED = {
    "object": "elements are Python objects",
    "text": "elements are text or bytes",
    "datetime": "elements are dates or durations",
    "structured": "elements are records or raw bytes",
    "longdouble": "elements are wider than 64 bits",
    "byte order": "elements are in the other byte order",
    "subclass": "a subclass of ndarray: matrices, masked arrays, or one of the test's own",
    "C internals": "reference counts, iterators and protocols of the C implementation",
}

IN_MESSAGE: list[tuple[str, str, str]] = [
    (
        "quiet",
        r"FloatingPointError|RuntimeWarning|ComplexWarning|w\[0\]\.category|\blen\(w\)"
        r"|floating point \w+ error|fpe error",
        "a floating-point warning or error of NumPy's: buffers raise none (design note 4)",
    ),
    (
        "number",
        r"isinstance\(Buffer\(|isinstance\([^)]*, np\.(integer|floating|generic|int_|float)"
        r"|np\.isscalar|^AssertionError: .*\btype\(\w+\)|is np\.(False_|True_|bool_)"
        r"|isinstance\(a\[\(\)\]|not isinstance\(out, np\.ndarray\)|type\(linalg",
        "a number is a Buffer without axes, which is not one of NumPy's scalar types",
    ),
    (
        "repr",
        r"ACTUAL: 'Buffer\(|DESIRED: 'array\(|array_repr",
        "how a buffer is printed: it says its shape, dtype and device",
    ),
    (
        "no such case",
        r"^absent",
        "a case made for each object of type numpy.ufunc: functions here, so there is none",
    ),
    (
        "alignment",
        r"needs to start a multiple of",
        "elements at an address that is no multiple of their size, which a view here cannot have",
    ),
    (
        "signature",
        r"__text_signature__|__signature__|POSITIONAL_ONLY|sig\.parameters|<Signature",
        "how the arguments of a function are described: these are Python's, with the types",
    ),
    (
        "layout",
        r"flags\.[fc]_contiguous",
        "results of arithmetic lie in row-major order, whatever the order of the operands",
    ),
    (
        "standard",
        r"would lose the imaginary parts|eigvals\(x\)\.dtype|assert_equal\(w\.dtype, dtype\)",
        "the array API standard says otherwise, and stands",
    ),
    (
        "missing",
        r"onebuf has no attribute|has no attribute",
        "a function or method that is not there",
    ),
    (
        "foreign dtype",
        r"needed one of the dtypes|needs numbers or bools, got (str|bytes|dict|object|\w+):|"
        r"exports memory; got (str|bytes|NoneType|dict)|object arrays|"
        r"Cannot interpret .* as a data type",
        "a dtype that buffers do not have, found when the test ran",
    ),
    (
        "keyword",
        r"unexpected keyword argument|got some positional-only",
        "a keyword that is not there",
    ),
    (
        "arguments",
        r"takes \d+ positional|takes from|missing \d+ required",
        "an argument that is not there",
    ),
    (
        "no error",
        r"DID NOT RAISE|not raised",
        "an error of NumPy's that is none here, or of another kind",
    ),
    ("no warning", r"DID NOT WARN|No warning", "a warning of NumPy's that is none here"),
    ("message", r"Regex pattern did not match|Regex: |does not match", "an error with other words"),
    ("values", r"Mismatched elements|Arrays are not|not equal|Not equal|ACTUAL", "other values"),
    ("comparison", r"^AssertionError", "an assertion of the test's own"),
    ("crash", r"^crashed", "the process ended"),
    ("timeout", r"Timeout", "too slow for the limit of time"),
]
"""Name, pattern and explanation; the first that matches is the cause."""

APART = frozenset(["foreign dtype", "no such case"])
DECIDED = frozenset(["number", "quiet", "repr"])
"""Causes that are decisions of ours, and not faults: counted both ways."""


def of_message(message: str) -> str:
    """The cause that the message of a failed test shows."""
    for name, pattern, _ in IN_MESSAGE:
        if re.search(pattern, message):
            return name
    return re.match(r"\w*", message)[0] or "other"  # type: ignore[index]
