"""The library of MPI, by way of the package mpi4py. Importing this begins MPI."""

from __future__ import annotations

from onebuf.errors import MissingPackage

try:
    from mpi4py import MPI
except ModuleNotFoundError as error:
    raise MissingPackage.extra("mpi4py", "mpi", "the runtime mpi") from error
except (ImportError, RuntimeError) as error:  # mpi4py is there, and finds no library
    raise MissingPackage(
        f"the runtime mpi needs a library of MPI, and mpi4py found none ({error}); install MPICH "
        f"with: pip install 'onebuf[mpi]', or name another one with MPI4PY_LIBMPI"
    ) from error

__all__ = ["MPI"]
