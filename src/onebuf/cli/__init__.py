"""The command ``onebuf``: ``onebuf tour`` shows what it does, ``onebuf devices`` where it runs, and
``onebuf run`` runs a program on several processes."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

import onebuf
from onebuf.cli.devices import show_devices
from onebuf.cli.run import run_program
from onebuf.cli.tour import CHAPTERS, show_tour
from onebuf.errors import ArgumentError, MissingPackage


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command with these arguments, those of the process if None; returns its exit code.

    >>> main(["devices"])  # doctest: +ELLIPSIS
    CPU ...
    0
    """
    parser = _parser()
    arguments = parser.parse_args(argv)
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")  # a terminal without box-drawing characters
    try:
        if arguments.command == "tour":
            show_tour(arguments.chapter)
        elif arguments.command == "run":
            return run_program(arguments.processes, arguments.program, arguments.arguments)
        else:
            show_devices(arguments.json)
        sys.stdout.flush()
    except (ArgumentError, MissingPackage) as error:
        parser.error(str(error))
    except BrokenPipeError:  # `onebuf tour | head`: the reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="onebuf", description="One buffer for all memory.")
    parser.add_argument("--version", action="version", version=f"onebuf {onebuf.__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")
    tour = commands.add_parser("tour", help="show what onebuf does, in a few seconds")
    tour.add_argument(
        "chapter",
        nargs="*",
        metavar="chapter",
        help=f"one of {', '.join(CHAPTERS)}; all of them by default",
    )
    devices = commands.add_parser("devices", help="list the devices that can be used here")
    devices.add_argument("--json", action="store_true", help="for programs")
    run = commands.add_parser("run", help="run a program on several processes of MPI")
    run.add_argument(
        "-n",
        dest="processes",
        type=int,
        default=len(os.sched_getaffinity(0))
        if hasattr(os, "sched_getaffinity")
        else os.cpu_count(),
        metavar="count",
        help="how many processes; by default one for each core",
    )
    run.add_argument("program", help="the file of a Python program")
    run.add_argument(
        "arguments", nargs=argparse.REMAINDER, metavar="...", help="its arguments and options"
    )
    return parser
