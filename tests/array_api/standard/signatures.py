"""Every name of the array API standard 2025.12 and how it is called.

Each line is a signature as the standard prints it, types left out. `parse` turns a table into
signatures that compare with those of real functions.
"""

from __future__ import annotations

import inspect
from inspect import Signature

CONSTANTS = ("e", "inf", "nan", "newaxis", "pi")

ATTRIBUTES = ("T", "device", "dtype", "mT", "ndim", "shape", "size")
"""What an array has besides methods."""

MAIN = """
arange(start, /, stop=None, step=1, *, dtype=None, device=None)
asarray(obj, /, *, dtype=None, device=None, copy=None)
empty(shape, *, dtype=None, device=None)
empty_like(x, /, *, dtype=None, device=None)
eye(n_rows, n_cols=None, /, *, k=0, dtype=None, device=None)
from_dlpack(x, /, *, device=None, copy=None)
full(shape, fill_value, *, dtype=None, device=None)
full_like(x, /, fill_value, *, dtype=None, device=None)
linspace(start, stop, /, num, *, dtype=None, device=None, endpoint=True)
meshgrid(*arrays, indexing="xy")
ones(shape, *, dtype=None, device=None)
ones_like(x, /, *, dtype=None, device=None)
tril(x, /, *, k=0)
triu(x, /, *, k=0)
zeros(shape, *, dtype=None, device=None)
zeros_like(x, /, *, dtype=None, device=None)

astype(x, dtype, /, *, copy=True, device=None)
can_cast(from_, to, /)
finfo(type, /)
iinfo(type, /)
isdtype(dtype, kind)
result_type(*arrays_and_dtypes)

abs(x, /)
acos(x, /)
acosh(x, /)
add(x1, x2, /)
asin(x, /)
asinh(x, /)
atan(x, /)
atan2(x1, x2, /)
atanh(x, /)
bitwise_and(x1, x2, /)
bitwise_invert(x, /)
bitwise_left_shift(x1, x2, /)
bitwise_or(x1, x2, /)
bitwise_right_shift(x1, x2, /)
bitwise_xor(x1, x2, /)
ceil(x, /)
clip(x, /, min=None, max=None)
conj(x, /)
copysign(x1, x2, /)
cos(x, /)
cosh(x, /)
divide(x1, x2, /)
equal(x1, x2, /)
exp(x, /)
expm1(x, /)
floor(x, /)
floor_divide(x1, x2, /)
greater(x1, x2, /)
greater_equal(x1, x2, /)
hypot(x1, x2, /)
imag(x, /)
isfinite(x, /)
isinf(x, /)
isnan(x, /)
less(x1, x2, /)
less_equal(x1, x2, /)
log(x, /)
log10(x, /)
log1p(x, /)
log2(x, /)
logaddexp(x1, x2, /)
logical_and(x1, x2, /)
logical_not(x, /)
logical_or(x1, x2, /)
logical_xor(x1, x2, /)
maximum(x1, x2, /)
minimum(x1, x2, /)
multiply(x1, x2, /)
negative(x, /)
nextafter(x1, x2, /)
not_equal(x1, x2, /)
positive(x, /)
pow(x1, x2, /)
real(x, /)
reciprocal(x, /)
remainder(x1, x2, /)
round(x, /)
sign(x, /)
signbit(x, /)
sin(x, /)
sinh(x, /)
sqrt(x, /)
square(x, /)
subtract(x1, x2, /)
tan(x, /)
tanh(x, /)
trunc(x, /)

take(x, indices, /, *, axis=None)
take_along_axis(x, indices, /, *, axis=-1)

matmul(x1, x2, /)
matrix_transpose(x, /)
tensordot(x1, x2, /, *, axes=2)
vecdot(x1, x2, /, *, axis=-1)

broadcast_arrays(*arrays)
broadcast_shapes(*shapes)
broadcast_to(x, /, shape)
concat(arrays, /, *, axis=0)
expand_dims(x, /, axis)
flip(x, /, *, axis=None)
moveaxis(x, source, destination, /)
permute_dims(x, /, axes)
repeat(x, repeats, /, *, axis=None)
reshape(x, /, shape, *, copy=None)
roll(x, /, shift, *, axis=None)
squeeze(x, /, axis)
stack(arrays, /, *, axis=0)
tile(x, repetitions, /)
unstack(x, /, *, axis=0)

argmax(x, /, *, axis=None, keepdims=False)
argmin(x, /, *, axis=None, keepdims=False)
count_nonzero(x, /, *, axis=None, keepdims=False)
nonzero(x, /)
searchsorted(x1, x2, /, *, side="left", sorter=None)
where(condition, x1, x2, /)

isin(x1, x2, /, *, invert=False)
unique_all(x, /)
unique_counts(x, /)
unique_inverse(x, /)
unique_values(x, /)

argsort(x, /, *, axis=-1, descending=False, stable=True)
sort(x, /, *, axis=-1, descending=False, stable=True)

cumulative_prod(x, /, *, axis=None, dtype=None, include_initial=False)
cumulative_sum(x, /, *, axis=None, dtype=None, include_initial=False)
max(x, /, *, axis=None, keepdims=False)
mean(x, /, *, axis=None, keepdims=False)
min(x, /, *, axis=None, keepdims=False)
prod(x, /, *, axis=None, dtype=None, keepdims=False)
std(x, /, *, axis=None, correction=0.0, keepdims=False)
sum(x, /, *, axis=None, dtype=None, keepdims=False)
var(x, /, *, axis=None, correction=0.0, keepdims=False)

all(x, /, *, axis=None, keepdims=False)
any(x, /, *, axis=None, keepdims=False)
diff(x, /, *, axis=-1, n=1, prepend=None, append=None)

__array_namespace_info__()
"""

LINALG = """
cholesky(x, /, *, upper=False)
cross(x1, x2, /, *, axis=-1)
det(x, /)
diagonal(x, /, *, offset=0)
eig(x, /)
eigh(x, /)
eigvals(x, /)
eigvalsh(x, /)
inv(x, /)
matmul(x1, x2, /)
matrix_norm(x, /, *, keepdims=False, ord="fro")
matrix_power(x, n, /)
matrix_rank(x, /, *, rtol=None)
matrix_transpose(x, /)
outer(x1, x2, /)
pinv(x, /, *, rtol=None)
qr(x, /, *, mode="reduced")
slogdet(x, /)
solve(x1, x2, /)
svd(x, /, *, full_matrices=True)
svdvals(x, /)
tensordot(x1, x2, /, *, axes=2)
trace(x, /, *, offset=0, dtype=None)
vecdot(x1, x2, /, *, axis=-1)
vector_norm(x, /, *, axis=None, keepdims=False, ord=2)
"""

FFT = """
fft(x, /, *, n=None, axis=-1, norm="backward")
fftfreq(n, /, *, d=1.0, dtype=None, device=None)
fftn(x, /, *, s=None, axes=None, norm="backward")
fftshift(x, /, *, axes=None)
hfft(x, /, *, n=None, axis=-1, norm="backward")
ifft(x, /, *, n=None, axis=-1, norm="backward")
ifftn(x, /, *, s=None, axes=None, norm="backward")
ifftshift(x, /, *, axes=None)
ihfft(x, /, *, n=None, axis=-1, norm="backward")
irfft(x, /, *, n=None, axis=-1, norm="backward")
irfftn(x, /, *, s=None, axes=None, norm="backward")
rfft(x, /, *, n=None, axis=-1, norm="backward")
rfftfreq(n, /, *, d=1.0, dtype=None, device=None)
rfftn(x, /, *, s=None, axes=None, norm="backward")
"""

INFO = """
capabilities()
default_device()
default_dtypes(*, device=None)
devices()
dtypes(*, device=None, kind=None)
"""
"""What `__array_namespace_info__` gives."""

METHODS = """
__abs__(self, /)
__add__(self, other, /)
__and__(self, other, /)
__array_namespace__(self, /, *, api_version=None)
__bool__(self, /)
__complex__(self, /)
__dlpack__(self, /, *, stream=None, max_version=None, dl_device=None, copy=None)
__dlpack_device__(self, /)
__eq__(self, other, /)
__float__(self, /)
__floordiv__(self, other, /)
__ge__(self, other, /)
__getitem__(self, key, /)
__gt__(self, other, /)
__index__(self, /)
__int__(self, /)
__invert__(self, /)
__le__(self, other, /)
__lshift__(self, other, /)
__lt__(self, other, /)
__matmul__(self, other, /)
__mod__(self, other, /)
__mul__(self, other, /)
__ne__(self, other, /)
__neg__(self, /)
__or__(self, other, /)
__pos__(self, /)
__pow__(self, other, /)
__rshift__(self, other, /)
__setitem__(self, key, value, /)
__sub__(self, other, /)
__truediv__(self, other, /)
__xor__(self, other, /)
to_device(self, device, /, *, stream=None)
"""

OPERATORS = {
    "add": "add",
    "sub": "subtract",
    "mul": "multiply",
    "truediv": "divide",
    "floordiv": "floor_divide",
    "mod": "remainder",
    "pow": "pow",
    "matmul": "matmul",
    "and": "bitwise_and",
    "or": "bitwise_or",
    "xor": "bitwise_xor",
    "lshift": "bitwise_left_shift",
    "rshift": "bitwise_right_shift",
}
"""Operators that are also reflected (``__radd__``) and in place (``__iadd__``): their functions."""

COMPARISONS = {
    "lt": "less",
    "le": "less_equal",
    "gt": "greater",
    "ge": "greater_equal",
    "eq": "equal",
    "ne": "not_equal",
}


def parse(table: str) -> dict[str, Signature]:
    """The signatures of a table, by name."""
    found: dict[str, Signature] = {}
    for line in table.split("\n"):
        if line:
            scope: dict[str, object] = {}
            exec(f"def {line}: ...", scope)
            name = line.partition("(")[0]
            found[name] = inspect.signature(scope[name])  # type: ignore[arg-type]
    return found
