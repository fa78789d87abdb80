"""What every function takes and gives: kinds of dtypes, and the dtype and form of the result.

A line is ``function: kind that it takes -> what it gives``. What it gives is one of

========  ==========================================================================
same      the dtype of the operand
promoted  the dtype that both operands promote to
bool      bool
index     the default index type, int64
total     the operand's, but integers become 64 bits wide and keep their sign
part      the operand's, or of complex numbers the type of their parts
complex   the complex type of the operand's precision
========  ==========================================================================

and may say ``tuple of ...``, or name the fields of a named tuple.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from array_api.standard.promotion import PART, SIGNED, UNSIGNED, WHOLE

ONE_OPERAND = """
abs: numeric -> part
acos: floating -> same
acosh: floating -> same
asin: floating -> same
asinh: floating -> same
atan: floating -> same
atanh: floating -> same
bitwise_invert: integral or bool -> same
ceil: real -> same
conj: numeric -> same
cos: floating -> same
cosh: floating -> same
exp: floating -> same
expm1: floating -> same
floor: real -> same
imag: complex floating -> part
isfinite: numeric -> bool
isinf: numeric -> bool
isnan: numeric -> bool
log: floating -> same
log10: floating -> same
log1p: floating -> same
log2: floating -> same
logical_not: bool -> bool
negative: numeric -> same
positive: numeric -> same
real: numeric -> part
reciprocal: floating -> same
round: numeric -> same
sign: numeric -> same
signbit: real floating -> bool
sin: floating -> same
sinh: floating -> same
sqrt: floating -> same
square: numeric -> same
tan: floating -> same
tanh: floating -> same
trunc: real -> same
"""

TWO_OPERANDS = """
add: numeric -> promoted
atan2: real floating -> promoted
bitwise_and: integral or bool -> promoted
bitwise_left_shift: integral -> promoted
bitwise_or: integral or bool -> promoted
bitwise_right_shift: integral -> promoted
bitwise_xor: integral or bool -> promoted
copysign: real floating -> promoted
divide: floating -> promoted
equal: all -> bool
floor_divide: real -> promoted
greater: real -> bool
greater_equal: real -> bool
hypot: real floating -> promoted
less: real -> bool
less_equal: real -> bool
logaddexp: real floating -> promoted
logical_and: bool -> bool
logical_or: bool -> bool
logical_xor: bool -> bool
maximum: real -> promoted
minimum: real -> promoted
multiply: numeric -> promoted
nextafter: real floating -> promoted
not_equal: all -> bool
pow: numeric -> promoted
remainder: real -> promoted
subtract: numeric -> promoted
"""
"""The 28 functions that take a Python scalar on either side."""

OTHERS = """
empty_like: all -> same
full_like: all -> same
ones_like: all -> same
zeros_like: all -> same
meshgrid: numeric -> tuple of same
tril: all -> same
triu: all -> same
clip: real -> same
take: all -> same
take_along_axis: all -> same
matmul: numeric -> same
matrix_transpose: all -> same
tensordot: numeric -> same
vecdot: floating -> same
broadcast_arrays: all -> tuple of same
broadcast_to: all -> same
concat: all -> same
expand_dims: all -> same
flip: all -> same
moveaxis: all -> same
permute_dims: all -> same
repeat: all -> same
reshape: all -> same
roll: all -> same
squeeze: all -> same
stack: all -> same
tile: all -> same
unstack: all -> tuple of same
argmax: real -> index
argmin: real -> index
count_nonzero: all -> index
nonzero: all -> tuple of index
searchsorted: real -> index
where: all -> same
isin: integral -> bool
unique_all: all -> values same, indices index, inverse_indices index, counts index
unique_counts: all -> values same, counts index
unique_inverse: all -> values same, inverse_indices index
unique_values: all -> same
argsort: real -> index
sort: real -> same
cumulative_prod: numeric -> total
cumulative_sum: numeric -> total
max: real -> same
mean: floating -> same
min: real -> same
prod: numeric -> total
std: real floating -> same
sum: numeric -> total
var: real floating -> same
all: all -> bool
any: all -> bool
diff: numeric -> same

linalg.cholesky: floating -> same
linalg.cross: numeric -> same
linalg.det: floating -> same
linalg.diagonal: all -> same
linalg.eig: floating -> eigenvalues complex, eigenvectors complex
linalg.eigh: floating -> eigenvalues part, eigenvectors same
linalg.eigvals: floating -> complex
linalg.eigvalsh: floating -> part
linalg.inv: floating -> same
linalg.matmul: numeric -> same
linalg.matrix_norm: floating -> part
linalg.matrix_power: floating -> same
linalg.matrix_rank: floating -> index
linalg.matrix_transpose: all -> same
linalg.outer: numeric -> same
linalg.pinv: floating -> same
linalg.qr: floating -> Q same, R same
linalg.slogdet: floating -> sign same, logabsdet part
linalg.solve: floating -> same
linalg.svd: floating -> U same, S part, Vh same
linalg.svdvals: floating -> part
linalg.tensordot: numeric -> same
linalg.trace: numeric -> total
linalg.vecdot: floating -> same
linalg.vector_norm: floating -> part

fft.fft: complex floating -> same
fft.ifft: complex floating -> same
fft.fftn: complex floating -> same
fft.ifftn: complex floating -> same
fft.rfft: real floating -> complex
fft.irfft: complex floating -> part
fft.rfftn: real floating -> complex
fft.irfftn: complex floating -> part
fft.hfft: complex floating -> part
fft.ihfft: real floating -> complex
fft.fftshift: floating -> same
fft.ifftshift: floating -> same
"""

ARGUMENTS: dict[str, Any] = {
    "full_like": lambda xp, x: (x, 1),
    "meshgrid": lambda xp, x: (x[0], x[1]),
    "clip": lambda xp, x: (x, x[0], x[1]),
    "take": lambda xp, x: (x, xp.asarray([1, 0]), {"axis": 0}),
    "take_along_axis": lambda xp, x: (x, xp.asarray([[1, 0]])),
    "matmul": lambda xp, x: (x, x),
    "tensordot": lambda xp, x: (x, x),
    "vecdot": lambda xp, x: (x, x),
    "broadcast_arrays": lambda xp, x: (x, x[0]),
    "broadcast_to": lambda xp, x: (x, (3, 2, 2)),
    "concat": lambda xp, x: ([x, x],),
    "expand_dims": lambda xp, x: (x, 0),
    "moveaxis": lambda xp, x: (x, 0, 1),
    "permute_dims": lambda xp, x: (x, (1, 0)),
    "repeat": lambda xp, x: (x, 2),
    "reshape": lambda xp, x: (x, (4,)),
    "roll": lambda xp, x: (x, 1),
    "squeeze": lambda xp, x: (x[:1], 0),
    "stack": lambda xp, x: ([x, x],),
    "tile": lambda xp, x: (x, (2, 1)),
    "searchsorted": lambda xp, x: (x[1], x),
    "where": lambda xp, x: (xp.asarray([True, False]), x, x[0]),
    "isin": lambda xp, x: (x, x[0]),
    "cumulative_prod": lambda xp, x: (x, {"axis": 0}),
    "cumulative_sum": lambda xp, x: (x, {"axis": 0}),
    "linalg.cross": lambda xp, x: (xp.stack([x[0, 0]] * 3), xp.stack([x[1, 1]] * 3)),
    "linalg.matmul": lambda xp, x: (x, x),
    "linalg.matrix_power": lambda xp, x: (x, 2),
    "linalg.outer": lambda xp, x: (x[0], x[1]),
    "linalg.solve": lambda xp, x: (x, x),
    "linalg.tensordot": lambda xp, x: (x, x),
    "linalg.vecdot": lambda xp, x: (x, x),
}
"""How to call what takes more than ``x``, a matrix of 2 by 2; a last dict holds the keywords."""

FROM_NOTHING = """
arange(3) -> int64
arange(3.0) -> float64
arange(0, 3, 1.0) -> float64
arange(3, dtype=xp.uint8) -> uint8
asarray(True) -> bool
asarray([True, False]) -> bool
asarray([True, 2]) -> int64
asarray(3) -> int64
asarray([[1, 2.0], [3, 4]]) -> float64
asarray([1, 2.0, 3j]) -> complex128
asarray([1, 2], dtype=xp.float32) -> float32
empty(3) -> float64
empty((2, 3), dtype=xp.bool) -> bool
eye(2) -> float64
eye(2, 3, k=1, dtype=xp.complex64) -> complex64
from_dlpack(xp.asarray([1], dtype=xp.uint16)) -> uint16
full(2, True) -> bool
full(2, 1) -> int64
full(2, 1.0) -> float64
full((), 1j) -> complex128
full(2, 1, dtype=xp.float32) -> float32
linspace(0, 1, 3) -> float64
linspace(0.0, 1j, 3) -> complex128
linspace(0, 1, 3, dtype=xp.float32) -> float32
ones(3) -> float64
ones((2, 1), dtype=xp.int8) -> int8
zeros(3) -> float64
zeros((), dtype=xp.complex128) -> complex128
fft.fftfreq(4) -> float64
fft.fftfreq(4, dtype=xp.float32) -> float32
fft.rfftfreq(5, d=0.1) -> float64
fft.rfftfreq(4, dtype=xp.float32) -> float32
"""
"""Calls that take no array, as Python text after ``xp.``, and the dtype of what they give."""

NO_ARRAYS = (
    *("__array_namespace_info__", "astype", "broadcast_shapes", "can_cast", "finfo", "iinfo"),
    *("isdtype", "result_type"),
)
"""Functions about types and shapes, each with tests of its own."""


class Rule(NamedTuple):
    """What a function takes and gives."""

    takes: str
    gives: str


def parse(table: str) -> dict[str, Rule]:
    """The rules of a table, by name."""
    rules = {}
    for line in table.strip().split("\n"):
        if line:
            name, rest = line.split(": ")
            rules[name] = Rule(*rest.split(" -> "))
    return rules


def result_dtype(rule: str, dtype: str) -> str:
    """The name of the dtype that ``rule`` gives for operands of ``dtype``."""
    if rule in ("same", "promoted"):
        return dtype
    if rule == "total":
        return "int64" if dtype in SIGNED else "uint64" if dtype in UNSIGNED else dtype
    if rule == "part":
        return PART.get(dtype, dtype)
    if rule == "complex":
        return WHOLE.get(dtype, dtype)
    return {"bool": "bool", "index": "int64"}[rule]
