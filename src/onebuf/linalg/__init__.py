"""Linear algebra: the extension of the array API standard, and what NumPy has beyond it."""

from onebuf.array_api.linear_algebra import matmul, matrix_transpose, tensordot, vecdot
from onebuf.linalg.beyond import (
    LinAlgError,
    cond,
    lstsq,
    multi_dot,
    norm,
    tensorinv,
    tensorsolve,
)
from onebuf.linalg.standard import (
    cholesky,
    cross,
    det,
    diagonal,
    eig,
    eigh,
    eigvals,
    eigvalsh,
    inv,
    matrix_norm,
    matrix_power,
    matrix_rank,
    outer,
    pinv,
    qr,
    slogdet,
    solve,
    svd,
    svdvals,
    trace,
    vector_norm,
)

# fmt: off
__all__ = [
    "LinAlgError", "cholesky", "cond", "cross", "det", "diagonal", "eig", "eigh", "eigvals",
    "eigvalsh", "inv", "lstsq", "matmul", "matrix_norm", "matrix_power", "matrix_rank",
    "matrix_transpose", "multi_dot", "norm", "outer", "pinv", "qr", "slogdet", "solve", "svd",
    "svdvals", "tensordot", "tensorinv", "tensorsolve", "trace", "vecdot", "vector_norm",
]
