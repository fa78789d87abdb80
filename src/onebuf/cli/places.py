"""The chapter of the tour on places: one program in four processes, and what moves between them."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from onebuf.cli.stage import Stage

PROGRAM = """\
import onebuf
with onebuf.runtime("mpi") as places:
    x = onebuf.distributed((4000, 1000), lambda i, j: i + j)
    y = onebuf.sqrt(x[1:] - x[:-1] + x[1:]).sum()
    said, total = y.explain(), y.item()
    if places.rank == 0:
        print(said, f"the sum: {total:.6f}", sep="\\n")
"""
_COMMAND = "import sys; from onebuf.cli import main; sys.exit(main())"
_TIMEOUT_SECONDS = 60


def show_places(stage: Stage) -> None:
    """Distributed buffers: in this process, then in four."""
    stage.say(
        """A runtime has places, and a distributed buffer is cut into tiles that they hold. Here
        places are parts of this process. What is aligned moves nothing, a difference of neighbours
        moves a row at each cut, and a sum some numbers. Nothing is gathered unless you say so:"""
    )
    stage.run(
        """
        four = onebuf.runtime("threads", places=4)
        table = onebuf.arange(4_000_000.0).reshape(4000, 1000)
        x = table.distribute(runtime=four)
        x.tiles.grid
        print((x * 2 + x).explain())
        print((x[1:] - x[:-1]).sum().explain())
        x.slice((10, 0), (12, 3)).local_buffer().tolist()
        """
    )
    if find_spec("mpi4py") is None:
        stage.say(
            """The same text runs in several processes, started with `onebuf run -n 4`. That needs
            MPI, which is not installed here: pip install 'onebuf[mpi]'."""
        )
        return
    stage.say("The same text in four processes, each of which makes and keeps its own tiles:")
    stage.show(PROGRAM.rstrip())
    stage.say("`onebuf run -n 4 program.py` starts them and prints:")
    stage.show(_printed(PROGRAM))


def _printed(program: str) -> str:
    """What a program prints in four processes, without the name of its file."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "program.py")
        path.write_text(program)
        finished = subprocess.run(
            [sys.executable, "-c", _COMMAND, "run", "-n", "4", str(path)],
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=_TIMEOUT_SECONDS,
        )
        text = finished.stdout.rstrip() or finished.stderr.rstrip()
        return text.replace(folder + "/", "")
