"""One process of ``onebuf run``: ``python onebuf/cli/process.py program.py ...``.

It runs the program as Python would, and imports nothing of onebuf itself. Lines are shown when they end. If the program fails, all
processes are ended at once: they would wait for this one for ever.
"""

from __future__ import annotations

import os
import runpy
import sys
from types import TracebackType

OWN_FRAMES = ("runpy", __file__)
MARK = "\x1e"
"""Around what a process tells ``onebuf run``, which does not show it."""
RANKS = ("PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK")
"""Where ``mpiexec`` says which process this is."""


def hello(rank: object, pid: object) -> str:
    """What a process tells: its rank, and the number that the system gave to it."""
    return f"{MARK}{rank} {pid}{MARK}"


def main() -> None:
    """Run the program that the arguments name."""
    rank = next((os.environ[name] for name in RANKS if name in os.environ), None)
    if rank is not None:
        print(hello(rank, os.getpid()), end="", file=sys.stderr, flush=True)
    del sys.argv[0]
    sys.path[0] = os.path.dirname(os.path.abspath(sys.argv[0]))
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(line_buffering=True)
    try:
        runpy.run_path(sys.argv[0], run_name="__main__")
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
        if code and not isinstance(end.code, int):
            print(end.code, file=sys.stderr)
        _end(code)
    except BaseException as error:
        sys.excepthook(type(error), error, _of_program(error.__traceback__))
        _end(130 if isinstance(error, KeyboardInterrupt) else 1)


def _of_program(trace: TracebackType | None) -> TracebackType | None:
    """A traceback without the frames above the program."""
    rest = trace
    while rest is not None and any(name in rest.tb_frame.f_code.co_filename for name in OWN_FRAMES):
        rest = rest.tb_next
    return rest or trace


def _end(code: int) -> None:
    """End this process, and with it all others if it failed."""
    sys.stdout.flush()
    sys.stderr.flush()
    module = sys.modules.get("mpi4py.MPI")
    if code and module is not None and module.Is_initialized() and not module.Is_finalized():
        module.COMM_WORLD.Abort(code)
    sys.exit(code)


if __name__ == "__main__":
    main()
