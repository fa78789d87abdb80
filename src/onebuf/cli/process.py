"""One process of ``onebuf run``: ``python onebuf/cli/process.py program.py ...``.

It runs the program as Python would, and imports nothing of onebuf itself. Lines are shown when they
end. If the program fails, all processes are ended at once: they would wait for this one for ever.

It holds a pipe to ``onebuf run`` open as long as it lives, and writes its exit code to it. What it
prints last may be lost when a job is ended, so it leaves a note of its error beside the pipe. There
is no pipe on other machines.
"""

from __future__ import annotations

import os
import runpy
import sys
from traceback import format_exception

FOLDER = "ONEBUF_RUN_FOLDER"
"""The variable that says where the pipes are."""
RANKS = ("PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK")
"""The variables in which ``mpiexec`` says which process this is."""
OWN_FRAMES = ("runpy", __file__)


def pipe_of(folder: str, rank: object) -> str:
    """The path of the pipe that a process holds."""
    return os.path.join(folder, f"{rank}.pipe")


def note_of(folder: str, rank: object) -> str:
    """The path of the note that a process leaves."""
    return os.path.join(folder, f"{rank}.note")


def main() -> None:
    """Run the program that the arguments name."""
    folder = os.environ.get(FOLDER, "")
    rank = next((os.environ[name] for name in RANKS if name in os.environ), "0")
    pipe = None
    if os.path.exists(pipe_of(folder, rank)):
        pipe = os.open(pipe_of(folder, rank), os.O_WRONLY)
    code, told = run()
    if code and pipe is not None:
        with open(note_of(folder, rank), "w", encoding="utf-8") as note:
            note.write(told)
    sys.stdout.flush()
    sys.stderr.write(told)
    sys.stderr.flush()
    if pipe is not None:
        os.write(pipe, b"%d\n" % code)
    module = sys.modules.get("mpi4py.MPI")
    if code and module is not None and module.Is_initialized() and not module.Is_finalized():
        module.COMM_WORLD.Abort(code)
        os._exit(code)  # where the launcher does not end all processes, Abort returns
    sys.exit(code)


def run() -> tuple[int, str]:
    """Run the program that the arguments name: its exit code, and what there is to say about it."""
    del sys.argv[0]
    sys.path[0] = os.path.dirname(os.path.abspath(sys.argv[0]))
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(line_buffering=True)
    try:
        runpy.run_path(sys.argv[0], run_name="__main__")
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return (end.code or 0) & 255, ""
        return 1, f"{end.code}\n"
    except BaseException as error:
        trace = error.__traceback__
        while trace and any(name in trace.tb_frame.f_code.co_filename for name in OWN_FRAMES):
            trace = trace.tb_next  # to the first frame of the program
        told = "".join(format_exception(type(error), error, trace or error.__traceback__))
        return 130 if isinstance(error, KeyboardInterrupt) else 1, told
    return 0, ""


if __name__ == "__main__":
    main()
