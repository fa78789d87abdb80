"""The command ``onebuf``: ``onebuf tour`` shows what it does, ``onebuf devices`` where it runs."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

import onebuf
from onebuf.cli.devices import show_devices
from onebuf.cli.tour import CHAPTERS, show_tour
from onebuf.errors import ArgumentError


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
        else:
            show_devices(arguments.json)
        sys.stdout.flush()
    except ArgumentError as error:
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
    return parser
