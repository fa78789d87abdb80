"""What OPENCL costs: buffers next to pyopencl used by hand, interleaved in one run.

Both sides use the same device, the same sizes and the same expressions: by hand with a kernel that
somebody wrote for it, a buffer that is there already, and one call. Times are the least of many
samples, and ratios are what counts. Run with ``make bench-devices``, or::

    python benchmarks/devices.py [--device OPENCL:1] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pyopencl as cl
from turns import Plan, interleave, timed

import onebuf

COUNT = 1 << 22
"""Elements of an expression."""
BURST = 200
"""Launches in a sample."""
MIB = 1 << 20

EXPRESSIONS: dict[str, tuple[str, Callable[..., Any]]] = {
    "x*2 + 1": ("x[i] * 2.0f + 1.0f", lambda x, y: x * 2 + 1),
    "x*y + x - y": ("x[i] * y[i] + x[i] - y[i]", lambda x, y: x * y + x - y),
    "sqrt(x*x + y*y)": (
        "sqrt(x[i] * x[i] + y[i] * y[i])",
        lambda x, y: onebuf.sqrt(x * x + y * y),
    ),
    "exp(-x) * y": ("exp(-x[i]) * y[i]", lambda x, y: onebuf.exp(-x) * y),
}
SOURCE = """
#pragma OPENCL FP_CONTRACT OFF
__kernel void by_hand(__global const float *x, __global const float *y, __global float *out) {{
    size_t i = get_global_id(0);
    out[i] = {};
}}
"""


@dataclass
class Row:
    """One comparison: seconds of each side, and what is asked of us."""

    name: str
    ours: float
    by_hand: float
    target: str

    @property
    def ratio(self) -> float:
        """Our time over the other."""
        return self.ours / self.by_hand

    @property
    def above(self) -> float:
        """Our time above the other, in microseconds."""
        return 1e6 * (self.ours - self.by_hand)


class Bench:
    """A device, from both sides."""

    def __init__(self, name: str) -> None:
        self.device = onebuf.device(name)
        self.driver: Any = self.device.driver
        device = self.driver.cl_device
        self.context = device.context
        self.queue = cl.CommandQueue(self.context, device.native)

    def kernel(self, text: str) -> Any:
        """A kernel written by hand."""
        return cl.Kernel(cl.Program(self.context, SOURCE.format(text)).build(), "by_hand")

    def memory(self, array: np.ndarray[Any, Any]) -> Any:
        """A buffer of pyopencl with these elements."""
        flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
        return cl.Buffer(self.context, flags, hostbuf=array)

    def expressions(self) -> list[Row]:
        """Fused elementwise expressions on memory larger than caches."""
        rng = np.random.default_rng(0)
        x, y = (rng.random(COUNT, np.float32) for _ in range(2))
        mine = [onebuf.asarray(array, device=self.device) for array in (x, y)]
        theirs = [self.memory(array) for array in (x, y, np.empty_like(x))]
        rows = []
        for name, (text, expression) in EXPRESSIONS.items():
            kernel = self.kernel(text)
            result = expression(*mine).to_device("CPU")

            def by_hand(kernel: Any = kernel) -> None:
                kernel(self.queue, (COUNT,), None, *theirs)
                self.queue.finish()

            def ours(expression: Callable[..., Any] = expression) -> None:
                expression(*mine).realize()
                self.driver.synchronize()

            by_hand()
            check = np.empty_like(x)
            cl.enqueue_copy(self.queue, check, theirs[2])
            np.testing.assert_allclose(np.asarray(result), check, rtol=1e-5)
            rows.append(self.row(name, ours, by_hand, "1.5 times"))
        return rows

    def transfers(self) -> list[Row]:
        """Bytes up and down."""
        rows = []
        for mib in (1, 64):
            array = np.random.default_rng(0).random(mib * MIB // 8)
            placed = onebuf.asarray(array, device=self.device)
            memory = self.memory(array)
            host = onebuf.asarray(array)

            times = 64 // mib

            def up(array: Any = array, memory: Any = memory, times: int = times) -> None:
                for _ in range(times):
                    cl.enqueue_copy(self.queue, memory, array)

            def our_up(host: Any = host, times: int = times) -> None:
                for _ in range(times):
                    host.to_device(self.device)
                self.driver.synchronize()

            def down(array: Any = array, memory: Any = memory, times: int = times) -> None:
                for _ in range(times):
                    cl.enqueue_copy(self.queue, np.empty_like(array), memory)

            def our_down(placed: Any = placed, times: int = times) -> None:
                for _ in range(times):
                    placed.to_device("CPU")

            pairs = {"upload": (our_up, up), "download": (our_down, down)}
            for name, (ours, by_hand) in pairs.items():
                row = self.row(f"{name} {mib} MiB", ours, by_hand, "1.2 times")
                rows.append(Row(row.name, row.ours / times, row.by_hand / times, row.target))
        return rows

    def launches(self) -> list[Row]:
        """What one more launch costs: waited for, and one of many.

        By hand the many follow each other so quickly that the driver's threads stay awake.
        """
        array = np.arange(16, dtype=np.float32)
        a, b = (onebuf.asarray(array, device=self.device) for _ in range(2))
        kernel = self.kernel("x[i] + y[i]")
        memories = [self.memory(array) for _ in range(3)]

        def by_hand() -> None:
            for _ in range(BURST):
                kernel(self.queue, (16,), None, *memories)
            self.queue.finish()

        def ours() -> None:
            for _ in range(BURST):
                (a + b).realize()
            self.driver.synchronize()

        def waited_by_hand() -> None:
            for _ in range(BURST):
                kernel(self.queue, (16,), None, *memories)
                self.queue.finish()

        def our_waited() -> None:
            for _ in range(BURST):
                (a + b).realize()
                commands.finish()

        commands = self.driver.queue.commands
        rows = [
            self.row("a + b, waited for", our_waited, waited_by_hand, "20 us above"),
            self.row(f"a + b, one of {BURST}", ours, by_hand, "20 us above"),
        ]
        return [Row(row.name, row.ours / BURST, row.by_hand / BURST, row.target) for row in rows]

    def row(
        self, name: str, ours: Callable[[], None], by_hand: Callable[[], None], target: str
    ) -> Row:
        """Both sides in turns."""
        taken = interleave({"ours": timed(ours), "by hand": timed(by_hand)}, Plan(15, 1.0))
        for side, samples in taken.items():
            if samples.failure:
                raise RuntimeError(f"{name}, {side}: {samples.failure}")
        return Row(name, taken["ours"].least or 0.0, taken["by hand"].least or 0.0, target)


def show(rows: list[Row]) -> None:
    """The table."""
    print(f"{'':22} {'ours':>10} {'by hand':>10} {'ratio':>7} {'above':>9}   target")
    for row in rows:
        print(
            f"{row.name:22} {1e6 * row.ours:7.0f} us {1e6 * row.by_hand:7.0f} us "
            f"{row.ratio:7.2f} {row.above:6.1f} us   {row.target}"
        )


def main() -> None:
    """Measure, and show."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--device", default="OPENCL", help="an OpenCL device")
    parser.add_argument("--json", help="a file for the figures")
    options = parser.parse_args()
    bench = Bench(options.device)
    rows = [*bench.expressions(), *bench.transfers(), *bench.launches()]
    show(rows)
    if options.json:
        with open(options.json, "w") as file:
            json.dump([{**asdict(row), "ratio": row.ratio} for row in rows], file, indent=1)


if __name__ == "__main__":
    main()
