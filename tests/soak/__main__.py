"""``make soak``: random programs for some minutes; shows the smallest one that goes wrong."""

from __future__ import annotations

import argparse
import faulthandler
import random
import sys
import time
import traceback

from soak.programs import Action, drawn_program
from soak.running import run_program
from soak.shrinking import shrunk

LENGTH = 40


def soak(seed: int, seconds: float, programs: int | None = None) -> tuple[int, str]:
    """Run programs for so long: how many steps that was, and what went wrong, if anything."""
    end = time.monotonic() + seconds
    steps = number = 0
    while time.monotonic() < end and (programs is None or number < programs):
        program = drawn_program(seed + number, LENGTH)
        try:
            run_program(program)
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt) and "injected" not in str(error):
                raise
            return steps, report(program, seed + number)
        steps += len(program)
        number += 1
    return steps, ""


def report(program: list[Action], seed: int) -> str:
    """The smallest part of a program that goes wrong, as text."""
    found = shrunk(program)
    lines = [f"A program goes wrong; again with: make soak SEED={seed} PROGRAMS=1"]
    if found is None:
        lines += ["It does not go wrong each time, so it could not be made smaller."]
    else:
        small, log, error = found
        lines += [f"The smallest part of it, {len(small)} actions: {small}", *log]
        lines += traceback.format_exception(error)
    return "\n".join(lines)


def main() -> int:
    """Read the command line and run."""
    faulthandler.enable()
    parser = argparse.ArgumentParser(prog="make soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--programs", type=int, default=None)
    given = parser.parse_args()
    seed = random.SystemRandom().randrange(10**9) if given.seed is None else given.seed
    print(f"seed {seed}", flush=True)
    start = time.monotonic()
    steps, wrong = soak(seed, given.minutes * 60, given.programs)
    print(f"{steps} steps in {time.monotonic() - start:.0f} s")
    if wrong:
        print(wrong)
        return 1
    print("no difference from NumPy")
    return 0


if __name__ == "__main__":
    sys.exit(main())
