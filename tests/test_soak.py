"""A short soak; ``make soak`` is the long one."""

from __future__ import annotations

import numpy as np
import pytest
from soak.__main__ import LENGTH, soak
from soak.programs import drawn_program
from soak.running import Difference, run_program
from soak.shrinking import shrunk

import onebuf as ob
from onebuf.engine.run import realize

PROGRAMS = 30


@pytest.mark.parametrize("seed", [1_000_000, 2_000_000])
def test_random_programs_do_not_differ_from_numpy(seed: int) -> None:
    steps, wrong = soak(seed, seconds=240.0, programs=PROGRAMS)
    assert not wrong, wrong
    assert steps == PROGRAMS * LENGTH


def test_a_fault_is_found_and_its_program_made_small(monkeypatch: pytest.MonkeyPatch) -> None:
    fetch = realize.fetch

    def wrong(node: object) -> object:
        array = fetch(node)  # type: ignore[arg-type]
        if array.size == 4096 and array.max() > 1008:
            return np.zeros_like(array)
        return array

    monkeypatch.setattr(realize, "fetch", wrong)
    for seed in range(200):
        program = drawn_program(seed, 40)
        try:
            run_program(program)
        except (Difference, ob.errors.OnebufError):
            break
    else:
        pytest.fail("no program found it")
    found = shrunk(program, seconds=5.0)
    assert found is not None
    small, log, error = found
    assert len(small) < len(program)
    assert log
    assert isinstance(error, BaseException)
