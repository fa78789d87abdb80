"""Every check of the contract, on all processes that were started."""

import sys

from contract import check_all

from onebuf.runtimes.mpi.runtime import Mpi

direct = "apart" not in sys.argv
runtime = Mpi(slab_nbytes=32 << 20, timeout=60, direct=direct)
check_all(runtime)
runtime.close()
if runtime.here == 0:
    print(f"checked {runtime.places} places")
