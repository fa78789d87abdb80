"""``python -m onebuf.testing.runtimes mpi``: check a runtime from the command line.

Under SPMD all places run it. The first one says how it went.
"""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from importlib import import_module

from onebuf.runtimes.protocols import Runtime
from onebuf.testing.runtimes import check_runtime

CLASSES = {
    "threads": ("onebuf.runtimes.threads", "Threads"),
    "mpi": ("onebuf.runtimes.mpi.runtime", "Mpi"),
    "dask": ("onebuf.runtimes.dask.runtime", "Dask"),
}


def main() -> int:
    """Check the runtime that is asked for; 0 if it does all that it has to."""
    parser = argparse.ArgumentParser(prog="python -m onebuf.testing.runtimes")
    parser.add_argument("runtime", choices=CLASSES)
    parser.add_argument("--places", type=int, help="by default, as many as the runtime takes")
    asked = parser.parse_args()
    module, name = CLASSES[asked.runtime]
    opened = getattr(import_module(module), name)
    places = 3 if asked.places is None and asked.runtime == "threads" else asked.places
    runtime: Runtime = opened() if places is None else opened(places=places)
    try:
        count = check_runtime(runtime)
    except BaseException:
        where = "" if runtime.here is None else f"at place {runtime.here}: "
        print(f"{where}{traceback.format_exc()}", file=sys.stderr, flush=True)
        if runtime.mode == "spmd":
            # Ending in order would wait for the other places, which wait for this one.
            os._exit(1)
        runtime.close()
        return 1
    if not runtime.here:
        print(f"{count} checks passed", flush=True)
    runtime.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
