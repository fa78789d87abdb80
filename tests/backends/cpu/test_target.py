"""Code is made for the processor that is named, and every processor gives the same results."""

from __future__ import annotations

import numpy as np
import pytest
from cpu_kernels import Arguments, adding

from onebuf.backends.cpu import Target, assembly, compile, host
from onebuf.backends.cpu.thread_pool import has_futex, pool_ir

X86 = "x86_64-unknown-linux-gnu"
ARM = Target("aarch64-unknown-linux-gnu", "generic")

VECTORS = """
define void @add(ptr %args, i64 %begin, i64 %end) nounwind "prefer-vector-width"="512" {
  %x = load ptr, ptr %args
  %v = load <16 x float>, ptr %x, align 4
  %w = fadd <16 x float> %v, %v
  store <16 x float> %w, ptr %x, align 4
  ret void
}
"""


@pytest.mark.parametrize(
    "target, nbytes",
    [
        (Target(X86, "x86-64"), 16),
        (Target(X86, "haswell", "+avx,+avx2,-avx512f"), 32),
        (Target(X86, "skylake-avx512", "+avx2,+avx512f"), 64),
        (ARM, 16),
        (Target("arm64-apple-darwin", "apple-m1"), 16),
    ],
)
def test_vectors_are_as_wide_as_the_processor_likes_them(target: Target, nbytes: int) -> None:
    assert target.vector_nbytes == nbytes


def test_the_host_has_at_least_what_its_baseline_has() -> None:
    assert host().architecture in ("x86_64", "aarch64")
    assert host().vector_nbytes >= host().baseline().vector_nbytes == 16


@pytest.mark.parametrize(
    "target, register",
    [
        (Target(X86, "x86-64"), "xmm"),
        (Target(X86, "haswell", "+avx2"), "ymm"),
        (Target(X86, "skylake-avx512", "+avx512f"), "zmm"),
        (ARM, ".4s"),
    ],
    ids=["baseline", "avx2", "avx512", "aarch64"],
)
def test_code_uses_the_vectors_of_its_target(target: Target, register: str) -> None:
    text = assembly(VECTORS, "add", target)
    used = [name for name in ("xmm", "ymm", "zmm", ".4s") if name in text]
    assert used == [register]


@pytest.mark.parametrize("futex", [True, False], ids=["futex", "condition"])
def test_the_pool_compiles_for_other_processors(futex: bool) -> None:
    text = assembly(pool_ir(ARM, futex), "run", ARM)
    assert "yield" in text or "hint" in text
    assert ("syscall" in text) == futex
    assert ("pthread_cond_wait" in text) != futex


def test_futexes_are_for_linux() -> None:
    assert has_futex(ARM)
    assert not has_futex(Target("arm64-apple-darwin", "apple-m1"))
    assert not has_futex(Target("riscv64-unknown-linux-gnu", "generic-rv64"))


def test_the_baseline_gives_the_same_results_in_code_of_its_own() -> None:
    x = np.arange(10)
    args = Arguments(x)
    programs = [compile(adding(5), "add", target) for target in (host(), host().baseline())]
    assert programs[0] is not programs[1]
    for program in programs:
        program.call(args.address, 0, 10)
    assert x.tolist() == list(range(10, 20))
