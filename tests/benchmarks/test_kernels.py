"""The kernels that measure limits: as much work as the workload has, and no less."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kernels import ACCUMULATORS, multiply_ir, steps_of, stream_ir

MB = 10**6


@pytest.mark.parametrize(
    "read, written, vectors",
    [
        *((40, 40, (8, 8)), (80, 40, (8, 4)), (160, 40, (8, 2)), (50, 20, (5, 2))),
        *((64, 32, (8, 4)), (67, 0, (8, 0)), (20, 40, (4, 8))),
    ],
)
def test_a_step_has_the_proportion_of_the_workload(
    read: int, written: int, vectors: tuple[int, int]
) -> None:
    assert steps_of(read * MB, written * MB, 32)[:2] == vectors


@given(st.integers(1, 1000), st.integers(0, 1000))
def test_steps_move_as_many_bytes_as_the_workload(read: int, written: int) -> None:
    reads, writes, steps = steps_of(read * MB, written * MB, 32)
    # Outputs too small to matter are left out: a sum's, for example.
    least = read + (written if writes else 0)
    assert reads + writes > 0
    assert (reads + writes) * steps * 32 / MB == pytest.approx(least, rel=0.05)


@pytest.mark.parametrize("reads, writes", [(8, 8), (8, 4), (8, 2), (5, 2), (8, 0), (4, 8)])
@pytest.mark.parametrize("nontemporal", [False, True])
def test_a_stream_loads_and_stores_every_vector(reads: int, writes: int, nontemporal: bool) -> None:
    loop = stream_ir("f", reads, writes, nontemporal, 8).partition("done:")[0]
    assert loop.count("= load <8 x float>") == reads
    assert loop.count("store <8 x float>") == writes
    assert loop.count("!nontemporal") == (writes if nontemporal else 0)


@pytest.mark.parametrize("reads, writes", [(8, 8), (8, 4), (8, 2), (5, 2), (7, 3), (8, 0)])
def test_a_stream_uses_every_vector_that_it_loads(reads: int, writes: int) -> None:
    text = stream_ir("f", reads, writes, False, 8)
    for vector in range(reads):
        uses = text.replace(",", " ").split().count(f"%v{vector}")
        assert uses >= 2, f"%v{vector} is loaded and not used"


def test_the_multiply_kernel_has_independent_accumulators() -> None:
    text = multiply_ir(16)
    assert text.count("call <16 x float> @llvm.fmuladd.v16f32") == ACCUMULATORS
    assert text.count("phi <16 x float>") == ACCUMULATORS
