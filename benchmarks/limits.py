"""The limits of this machine: how fast it reads, writes and multiplies, if nothing else is done.

The kernels of `kernels` are compiled with llvmlite. Each thread has a part of its own; calls
through ctypes release the GIL, so Python threads run them side by side.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier
from time import perf_counter

import llvmlite.binding as llvm
import numpy as np
from kernels import ACCUMULATORS, multiply_ir, steps_of, stream_ir

Kernel = Callable[..., None]


def widest() -> int:
    """float32 elements of the widest vectors here."""
    features = llvm.get_host_cpu_features()
    return 16 if features.get("avx512f") else 8 if features.get("avx") else 4


class Machine:
    """Kernels on ``threads`` threads, each with a part of the work."""

    def __init__(self, threads: int) -> None:
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        self.threads = threads
        self.width = widest()
        self.pool = ThreadPoolExecutor(threads)
        self.engines: list[llvm.ExecutionEngine] = []
        barrier = Barrier(threads)
        list(self.pool.map(lambda _: barrier.wait(), range(threads)))

    def compile(self, name: str, ir: str, *types: type) -> Kernel:
        """The function ``name`` of a module."""
        attributes = f'attributes #0 = {{ nounwind "prefer-vector-width"="{32 * self.width}" }}'
        module = llvm.parse_assembly(f"{ir}\n{attributes}\n!0 = !{{i32 1}}\n")
        module.verify()
        target = llvm.Target.from_default_triple().create_target_machine(
            cpu=llvm.get_host_cpu_name(),
            features=llvm.get_host_cpu_features().flatten(),
            opt=2,
        )
        engine = llvm.create_mcjit_compiler(module, target)  # which owns the target from now on
        engine.finalize_object()
        self.engines.append(engine)
        return ctypes.CFUNCTYPE(None, *types)(engine.get_function_address(name))

    def everywhere(self, parts: list[Callable[[], None]]) -> None:
        """All parts at the same time."""
        waiting = [self.pool.submit(part) for part in parts[1:]]
        parts[0]()
        for one in waiting:
            one.result()

    def stream(
        self, read: int, written: int, nontemporal: bool, alone: bool = False
    ) -> Callable[[], None]:
        """A function that reads and writes so many bytes, rounded to whole steps.

        ``alone``: on the calling thread, which is faster where there is little to do.
        """
        size = 4 * self.width
        reads, writes, steps = steps_of(read, written, size)
        share = -(-steps // self.threads)
        ir = stream_ir("stream", reads, writes, nontemporal, self.width)
        void = ctypes.c_void_p
        kernel = self.compile("stream", ir, void, void, ctypes.c_int64, void)
        source = memory(share * self.threads * reads * size)
        target = memory(share * self.threads * max(writes, 1) * size if writes else size)
        sinks = [memory(64 * 16) for _ in range(self.threads)]
        parts: list[Callable[[], None]] = []
        for k in range(self.threads):
            begin = source.ctypes.data + k * share * reads * size
            end = target.ctypes.data + k * share * writes * size
            parts.append(partial(kernel, begin, end, share, sinks[k].ctypes.data))
        return partial(self._held, parts, (source, target, sinks), alone)

    def multiply(self, flops: int) -> Callable[[], None]:
        """A function that does at least so many multiplications and additions."""
        each = 2 * ACCUMULATORS * self.width
        share = -(-flops // (each * self.threads))
        ir = multiply_ir(self.width)
        kernel = self.compile("multiply", ir, ctypes.c_int64, ctypes.c_void_p)
        sinks = [memory(64 * ACCUMULATORS) for _ in range(self.threads)]
        parts: list[Callable[[], None]] = [
            partial(kernel, share, sink.ctypes.data) for sink in sinks
        ]
        return partial(self._held, parts, sinks)

    def _held(self, parts: list[Callable[[], None]], memory: object, alone: bool = False) -> None:
        """Run; ``memory`` is an argument so that it lives as long as what uses it."""
        if alone:
            for part in parts:
                part()
        else:
            self.everywhere(parts)


def memory(nbytes: int) -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
    """Bytes that begin at a multiple of 64, full of numbers.

    They are not zeros, because there are processors that write lines of zeros half as fast again as
    any others, which a program with numbers cannot do.
    """
    whole = np.empty(nbytes + 64, np.uint8)
    start = -whole.ctypes.data % 64
    part = whole[start : start + nbytes]
    numbers = np.random.default_rng(0).standard_normal(1 << 18, np.float32).view(np.uint8)
    for first in range(0, nbytes, len(numbers)):
        piece = part[first : first + len(numbers)]
        piece[...] = numbers[: len(piece)]
    return part


def least(run: Callable[[], None], seconds: float) -> float:
    """Seconds of the fastest of several runs, after one that does not count."""
    run()
    best, begun = math.inf, perf_counter()
    while perf_counter() - begun < seconds or best == math.inf:
        start = perf_counter()
        run()
        best = min(best, perf_counter() - start)
    return best


def survey(threads: int, megabytes: tuple[int, ...], seconds: float) -> dict[str, float]:
    """Gigabytes a second of reading, copying and adding, and GFLOP/s, by name.

    Each is the best of ``seconds``.
    """
    machine = Machine(threads)
    found = {}
    for each in megabytes:
        size = each * 10**6
        for name, read, written in (
            ("read", size, 0),
            ("copy", size, size),
            ("triad", 2 * size, size),
        ):
            for nontemporal in (False, True) if written else (False,):
                run = machine.stream(read, written, nontemporal)
                kind = " non-temporal" if nontemporal else " plain" if written else ""
                speed = (read + written) / least(run, seconds) / 1e9
                found[f"{name}{kind}, arrays of {each} MB, GB/s"] = speed
    flops = 2 * 10**8
    found["multiply-add, GFLOP/s"] = flops / least(machine.multiply(flops), seconds) / 1e9
    return found
