"""A program one of whose processes fails, as the argument says."""

import os
import signal
import sys

from contract import placed
from recipes import Failing

from onebuf.runtimes.mpi.runtime import Mpi

how = sys.argv[1]
runtime = Mpi(slab_nbytes=1 << 20)
assert sys.argv[2:] == ["-n", "--flag"]
runtime.barrier()
if how == "recipe":
    runtime.run(Failing(lambda box: box[0][1] == 24), placed(runtime, (24,)), [])
if runtime.here == 1:
    if how == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if how == "raise":
        raise ValueError("a mistake of mine")
    if how == "exit":
        sys.exit(7)
if how == "none":
    runtime.close()
    print("here", runtime.here)
    sys.exit(0)
runtime.barrier()
