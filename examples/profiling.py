"""Where the time goes: kernels next to Python's functions, and a trace of both."""

import json
import pstats
import tempfile
from pathlib import Path

import onebuf


def normalized(x: onebuf.Buffer) -> onebuf.Buffer:
    return (x - x.mean(axis=1, keepdims=True)) / x.std(axis=1, keepdims=True)


x = onebuf.Buffer.normal((2000, 500)).realize()
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "out.prof"
    with onebuf.Profiling(path, lines=0) as profiling:
        for _ in range(5):
            normalized(x).realize()
        x.T.copy().realize()

    for name, kernel in profiling.kernels.items():
        print(f"{kernel.calls} x {name}: {kernel.bytes_moved / 1e6:.1f} MB moved")

    print("\nthe same for pstats:")
    pstats.Stats(str(path)).strip_dirs().sort_stats("cumulative").print_stats("kernel .*}", 5)

    events = json.loads(Path(f"{path}.json").read_text())["traceEvents"]
    slices = [event for event in events if event["ph"] == "X"]
    print(f"and for ui.perfetto.dev: {len(events)} events, {len(slices)} of them with a duration")
