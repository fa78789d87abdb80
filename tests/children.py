"""Programs in processes of their own, with a time limit: for what could hang, abort or be kept."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap


def run(program: str, *arguments: str, path: str = "", timeout: float = 60) -> str:
    """What a program printed; it has to end well, and in time.

    Directories in ``path`` come before others when it imports.
    """
    environment = dict(os.environ)
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, [path, os.environ.get("PYTHONPATH")]))
    finished = subprocess.run(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(program), *arguments],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=timeout,
        env=environment,
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
    assert finished.stderr == ""
    return finished.stdout
