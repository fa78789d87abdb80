"""Foreign test suites on buffers: SciPy's, scikit-learn's and NumPy's own::

    python tools/outside/run.py                     all of them, then the report
    python tools/outside/run.py numpy scipy:stats   parts, by suite and a piece of a file's name
    python tools/outside/run.py --report            only the report of what was run before

Each file runs in a process of its own. Its outcomes are kept in ``.outside``, so a run that was
interrupted goes on where it was; ``--fresh`` runs again what was asked for.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

from report import report
from suites import Suite, suites

HERE = Path(__file__).parent
LIMITS = {"OMP_NUM_THREADS": "1", "NPY_AVAILABLE_MEM": "2 GB"}
STORE = HERE.parents[1] / ".outside"


def record_of(suite: str, run: str, file: str) -> Path:
    """Where the outcomes of a file are kept."""
    return STORE / suite / run / (file.replace("/", ".") + ".jsonl")


def run_file(suite: Suite, name: str, run: str, file: str, seconds: int) -> None:
    """Run one file; its record is complete when it has no ``.part`` at the end."""
    record = record_of(name, run, file)
    record.parent.mkdir(parents=True, exist_ok=True)
    part = record.with_suffix(f".{os.getpid()}.part")
    part.touch()
    command = [sys.executable, "-m", "pytest", "-c", str(HERE / "pytest.ini"), "-q", "--tb=native"]
    command += ["-p", "record", "--timeout", str(seconds), "--no-header"]
    if run == "onebuf":
        command += ["-p", suite.plugin]
    if suite.marker:
        command += ["-m", suite.marker]
    environment = dict(os.environ, OUTSIDE_RECORD=str(part), **LIMITS)
    paths = [str(HERE), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment["PYTHONPATH"] = os.pathsep.join(paths)
    command.append(str(suite.root / file))
    log = record.with_suffix(".log")
    with log.open("w", encoding="utf-8") as out:
        done = subprocess.run(
            command, env=environment, stdout=out, stderr=out, check=False, cwd=STORE
        )
    last = (log.read_text(encoding="utf-8", errors="replace").splitlines() or [""])[-1]
    print(f"{name} {run} {file}: {last} (status {done.returncode})", flush=True)
    part.replace(record)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("::")[0])
    parser.add_argument("parts", nargs="*", help="suites, or suite:text in the name of a file")
    parser.add_argument("--fresh", action="store_true", help="run again what was run before")
    parser.add_argument("--report", action="store_true", help="run nothing")
    parser.add_argument("--seconds", type=int, default=60, help="the most that one test may take")
    arguments = parser.parse_args()
    known = suites()
    STORE.mkdir(exist_ok=True)
    for part in arguments.parts or ([] if arguments.report else list(known)):
        name, _, text = part.partition(":")
        if name not in known:
            parser.error(f"needed a suite out of {', '.join(known)}, got {name!r}")
        for run in known[name].runs:
            for file in known[name].files:
                is_done = record_of(name, run, file).exists()
                if text in file and (not is_done or (arguments.fresh and run != "control")):
                    run_file(known[name], name, run, file, arguments.seconds)
    print(report(STORE))


if __name__ == "__main__":
    main()
