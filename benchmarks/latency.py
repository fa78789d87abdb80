"""What small operations cost: onebuf next to NumPy and torch, interleaved in one run.

Each row times one operation on 16 float32 elements. A sample is a short burst of calls; samples of
all libraries alternate, and the least one counts, because noise on a shared machine only adds. The
last column is the time above NumPy's, next to its target. Run with ``make bench``, or::

    python benchmarks/latency.py [--json FILE]

torch is measured if it is installed.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from time import perf_counter_ns
from typing import Any

import numpy as np

import onebuf
from onebuf.graph import BINARY
from onebuf.ops import binary

BURST = 200
SAMPLES = 300
PLANNED = 200
"""Samples of what runs by a plan, which take longer."""
PLANNED_BURST = 20
PLAN_TARGETS = {"ten operations": 12.0, "ten, realising alone": None, "one of 1,000 adds": 1.0}
"""Microseconds, building the graph included where the name does not say otherwise."""

# operation: what to run with a, b and m of each library, and the target above NumPy in us
ROWS: dict[str, tuple[str, str, str, float | None]] = {
    "a + b": ("a + b", "a + b", "a + b", 2.0),
    "a + 1.0": ("a + 1.0", "a + 1.0", "a + 1.0", None),
    "a < b": ("a < b", "a < b", "a < b", None),
    "-a": ("-a", "-a", "-a", None),
    "exp(a)": ("np.exp(a)", "a.exp()", "a.exp()", None),
    "a.sum()": ("a.sum()", "a.sum()", "a.sum()", None),
    "reshape": ("a.reshape(4, 4)", "a.reshape(4, 4)", "a.reshape(4, 4)", 1.0),
    "permute": ("m.transpose(1, 0)", "m.permute(1, 0)", "m.permute(1, 0)", 1.0),
    "slice": ("a[2:5]", "a[2:5]", "a[2:5]", 1.0),
    "slice 2-d": ("m[1:3, :]", "m[1:3, :]", "m[1:3, :]", 1.0),
    "a[3] = 1.0": ("a[3] = 1.0", "a[3] = 1.0", "a[3] = 1.0", None),
    "a += 1.0 (in place)": ("a.__iadd__(1.0)",) * 3 + (None,),
    "a[3]": ("a[3]", "a[3]", "a[3]", None),
    "a[3] + 1.0": ("a[3] + 1.0", "a[3] + 1.0", "a[3] + 1.0", None),
    "a[2:5] = b[2:5]": ("a[2:5] = b[2:5]",) * 3 + (None,),
    "for v in a": ("for v in a: pass",) * 3 + (None,),
    "a @ b": ("a @ b", "a @ b", "a @ b", None),
    "m @ m": ("m @ m", "m @ m", "m @ m", None),
    "a.argmax()": ("a.argmax()", "a.argmax()", "a.argmax()", None),
    "dot": ("np.dot(a, b)", "onebuf.dot(a, b)", "a.dot(b)", None),
    "minimum": ("np.minimum(a, b)", "onebuf.minimum(a, b)", "a.minimum(b)", None),
    "zeros": ("np.zeros(3)", "onebuf.zeros(3)", "torch.zeros(3)", None),
    "arange": ("np.arange(16)", "onebuf.arange(16)", "torch.arange(16)", None),
    "concatenate": ("np.concatenate([a, b])", "onebuf.concat([a, b])", "torch.cat([a, b])", None),
    "from NumPy": ("np.asarray(array)", "onebuf.asarray(array)", "torch.from_numpy(array)", None),
    "to NumPy": ("np.asarray(a)", "np.asarray(a)", "np.asarray(a)", None),
}


def burst(code: str, scope: dict[str, Any]) -> Callable[[], float]:
    """A function that runs ``code`` BURST times and returns microseconds for one."""
    source = f"def run():\n    start = clock()\n    for _ in range({BURST}):\n        {code}\n"
    source += f"    return (clock() - start) / {BURST * 1000}\n"
    scope = {**scope, "clock": perf_counter_ns, "np": np, "onebuf": onebuf}
    scope |= {"array": np.arange(16, dtype=np.float32), "torch": sys.modules.get("torch")}
    exec(source, scope)
    return scope["run"]  # type: ignore[no-any-return]


def least(runs: dict[str, Callable[[], float]], samples: int = SAMPLES) -> dict[str, float]:
    """The least sample of each, taken in turns."""
    best = dict.fromkeys(runs, float("inf"))
    gc.disable()
    try:
        for _ in range(samples):
            for name, run in runs.items():
                best[name] = min(best[name], run())
    finally:
        gc.enable()
    return best


def scopes() -> dict[str, dict[str, Any]]:
    """a, b and m for each library."""
    one = np.arange(16, dtype=np.float32)
    two = one + 1
    found = {
        "numpy": {"a": one.copy(), "b": two.copy(), "m": one.copy().reshape(4, 4)},
        "onebuf": {
            "a": onebuf.Buffer(one, copy=True),
            "b": onebuf.Buffer(two, copy=True),
            "m": onebuf.Buffer(one.reshape(4, 4), copy=True),
        },
    }
    if find_spec("torch"):
        import torch

        torch.set_num_threads(1)
        found["torch"] = {
            "a": torch.tensor(one),
            "b": torch.tensor(two),
            "m": torch.tensor(one).reshape(4, 4),
        }
    return found


def small_operations() -> list[dict[str, Any]]:
    """Time every row."""
    libraries = scopes()
    columns = {"numpy": 0, "onebuf": 1, "torch": 2}
    table = []
    for name, row in ROWS.items():
        runs = {lib: burst(str(row[columns[lib]]), scope) for lib, scope in libraries.items()}
        table.append({"operation": name, "target": row[3], **least(runs)})
    return table


def lazy_nodes() -> dict[str, float]:
    """Microseconds to build one lazy node, and the buffer around it; chains are dropped untimed."""
    a = onebuf.Buffer(np.arange(16, dtype=np.float32))
    with onebuf.config(eager_numel=0):
        return least(
            {
                "a lazy node": chain("x = binary(add, x, a)", a._node),
                "a lazy x + a": chain("x = x + a", a),
            }
        )


def chain(code: str, a: Any) -> Callable[[], float]:
    """A function that builds a chain of BURST operations; microseconds for one."""
    source = f"def run():\n    x = a\n    start = clock()\n    for _ in range({BURST}):\n"
    source += f"        {code}\n    return (clock() - start) / {BURST * 1000}\n"
    scope = {"a": a, "clock": perf_counter_ns, "binary": binary, "add": BINARY["add"]}
    exec(source, scope)
    return scope["run"]  # type: ignore[no-any-return]


def plans() -> dict[str, float]:
    """Microseconds for ten lazy operations whose plan is known, and for each of 1,000 adds.

    Both build the graph and realise it. A burst is short, as in programs that look at their values
    now and then: so memory and tables are not larger than they would be there. For the same reason
    the two have operands of their own, whose tables of readers the other does not fill.
    """
    a, c = (onebuf.Buffer(np.arange(16, dtype=np.float32)) for _ in range(2))
    b, d = (onebuf.Buffer(np.ones(16, dtype=np.float32)) for _ in range(2))

    def build() -> Any:
        return (((((a + b) * a - b) * 0.5 + a).abs() + 1.0).sqrt() * b - a) * b

    def ten() -> float:
        start = perf_counter_ns()
        for _ in range(PLANNED_BURST):
            build().realize()
        return (perf_counter_ns() - start) / (PLANNED_BURST * 1000)

    def realising() -> float:
        total = 0
        for _ in range(PLANNED_BURST):
            x = build()
            start = perf_counter_ns()
            x.realize()
            total += perf_counter_ns() - start
        return total / (PLANNED_BURST * 1000)

    def thousand() -> float:
        start = perf_counter_ns()
        x = c
        for _ in range(1000):
            x = x + d
        x.realize()
        return (perf_counter_ns() - start) / 1e6

    with onebuf.config(eager_numel=0, tier="compile"):
        runs = {
            "ten operations": ten,
            "ten, realising alone": realising,
            "one of 1,000 adds": thousand,
        }
        return least(runs, PLANNED)


def import_times() -> tuple[float, float]:
    """Milliseconds to import NumPy and onebuf in fresh interpreters, taken in turns.

    The first round compiles what is not compiled yet, as installing a package does.
    """
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    best = {"numpy": float("inf"), "onebuf": float("inf")}
    for _ in range(15):
        for name in best:
            code = f"import time; s = time.perf_counter(); import {name}; "
            code += "print(time.perf_counter() - s)"
            command = [sys.executable, "-c", code]
            out = subprocess.run(command, capture_output=True, check=True, env=environment)
            best[name] = min(best[name], 1e3 * float(out.stdout))
    return best["numpy"], best["onebuf"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--json", help="also write the figures to this file")
    arguments = parser.parse_args()
    table = small_operations()
    print(f"{'16 elements, us':22}{'numpy':>8}{'torch':>8}{'onebuf':>8}{'above numpy':>13}  target")
    for row in table:
        above = row["onebuf"] - row["numpy"]
        target = row["target"]
        verdict = (
            "" if target is None else f"<= {target:.1f}  {'met' if above <= target else 'SHORT'}"
        )
        torch = f"{row['torch']:8.2f}" if "torch" in row else f"{'-':>8}"
        figures = f"{row['numpy']:8.2f}{torch}{row['onebuf']:8.2f}{above:13.2f}"
        print(f"{row['operation']:22}{figures}  {verdict}")
    lazy = lazy_nodes()
    for name, node in lazy.items():
        verdict = f"< 2.0  {'met' if node < 2 else 'SHORT'}" if name == "a lazy node" else ""
        print(f"{name:22}{node:24.2f}{'':13}  {verdict}")
    planned = plans()
    for name, time in planned.items():
        target = PLAN_TARGETS[name]
        is_met = target is None or time < target
        verdict = "" if target is None else f"< {target:.1f}  {'met' if is_met else 'SHORT'}"
        print(f"{name:22}{time:24.2f}{'':13}  {verdict}")
    numpy_ms, onebuf_ms = import_times()
    ratio = onebuf_ms / numpy_ms
    verdict = "met" if ratio <= 1.3 else "SHORT"
    print(
        f"{'import, ms':22}{numpy_ms:8.1f}{'':8}{onebuf_ms:8.1f}{ratio:12.2f}x  <= 1.3x  {verdict}"
    )
    if arguments.json:
        measured = {"small": table, "lazy": lazy, "plans": planned, "import": [numpy_ms, onebuf_ms]}
        with open(arguments.json, "w") as file:
            json.dump(measured, file, indent=1)


if __name__ == "__main__":
    main()
