"""The programs of a benchmark: complete, and right in onebuf and NumPy at a small size."""

import ast
from dataclasses import replace

import numpy as np
import pytest
from libraries import (
    LIBRARIES,
    NAMES,
    Library,
    Onebuf,
    arguments_of,
    environment,
    function_source,
    names_in,
    sample_source,
)
from workloads import COMPILED, WORKLOADS, Workload, distance
from workloads.workload import SCRATCH, aligned

SMALL = {
    name: replace(
        workload, sizes={"small": tuple(min(extent, 24) for extent in workload.sizes["quick"])}
    )
    for name, workload in WORKLOADS.items()
}


@pytest.mark.parametrize("name", WORKLOADS)
@pytest.mark.parametrize("kind", [Library, Onebuf])
def test_a_program_answers_as_the_reference_does(kind: type[Library], name: str) -> None:
    workload = SMALL[name]
    inputs = workload.inputs("small")
    answer = workload.answer(inputs)
    library = kind(1)
    with library.settings(workload):
        sample, found = library.program(workload, library.bind(workload, inputs, answer.shape))
        assert distance(found(), answer, workload.rtol, workload.atol) <= 1
        assert sample() > 0


@pytest.mark.parametrize("name", WORKLOADS)
def test_a_program_uses_every_input_and_no_unknown_name(name: str) -> None:
    workload = SMALL[name]
    inputs = workload.inputs("small")
    for library, text in workload.programs.items():
        known = set(inputs) | set(SCRATCH)
        if "def f(" in text:
            used = set(arguments_of(text))
            assert used <= known, library
        else:
            used = set(names_in(text))
            names = [name for name in used if name in known]
            ast.parse(function_source("f", names, text))
        if library == "numexpr":
            used |= {word for word in inputs if word in text}
        assert set(inputs) <= used, library


def test_every_library_is_known_and_every_workload_has_onebuf_and_numpy() -> None:
    assert tuple(LIBRARIES) == NAMES
    for workload in WORKLOADS.values():
        assert {"onebuf", "numpy"} <= set(workload.programs) <= set(NAMES)
        assert set(workload.sizes) == {"full", "quick"}


def test_compiled_workloads_have_two_sizes_and_are_forced_to_compile() -> None:
    for workload in COMPILED:
        assert workload.sizes["full"] != workload.sizes["other"]
        assert workload.options["tier"] == "compile"


def test_the_least_traffic_is_each_input_once_and_the_answer_once() -> None:
    def moved(workload: Workload) -> tuple[int, int]:
        inputs = workload.inputs("small")
        return workload.traffic(inputs, workload.answer(inputs))

    assert moved(SMALL["a+b"]) == (2 * 24 * 4, 24 * 4)
    assert moved(SMALL["sum axis 0"]) == (24 * 24 * 4, 24 * 4)
    assert moved(SMALL["gather rows"]) == (24 * 24 * 4 + 24 * 4, 24 * 24 * 4)


def test_products_count_multiplications_and_additions() -> None:
    workload = WORKLOADS["matmul 32x256^3"]
    assert workload.flops is not None
    assert workload.flops(workload.inputs("quick")) == 2 * 8 * 128**3


def test_inputs_are_the_same_every_time_and_begin_at_a_multiple_of_64_bytes() -> None:
    one, two = (SMALL["a+b"].inputs("small") for _ in range(2))
    for name, array in one.items():
        np.testing.assert_array_equal(array, two[name])
        assert array.ctypes.data % 64 == 0
    assert not np.array_equal(one["a"], one["b"])


def test_aligned_copies_keep_shape_and_dtype() -> None:
    mask = np.array([[True, False, True]])
    copy = aligned(mask)
    assert copy.dtype == np.bool_
    np.testing.assert_array_equal(copy, mask)


@pytest.mark.parametrize(
    "found, expected",
    [
        *(([1.0, 2.0], 0.0), ([1.1, 2.0], 1.0), ([1.0, 2.6], 3.0)),
        *(([1.0], float("inf")), ([np.nan, 2.0], float("inf"))),
    ],
)
def test_distance_is_in_units_of_the_tolerance(found: list[float], expected: float) -> None:
    off = distance(np.array(found), np.array([1.0, 2.0]), rtol=0.1, atol=0.0)
    assert off == pytest.approx(expected)


def test_nothing_is_near_nothing() -> None:
    assert distance(np.empty(0), np.empty(0), 0.0, 0.0) == 0.0


def test_a_sample_runs_every_line_of_a_program_so_many_times() -> None:
    ticks = iter([0, 1000])
    seen: list[int] = []
    scope = {"clock": lambda: next(ticks), "seen": seen}
    exec(sample_source("seen.append(1)\nseen.append(2)", 5), scope)
    assert scope["sample"]() == 200  # type: ignore[operator]
    assert seen == [1, 2] * 5


def test_the_environment_sets_threads_and_caches(tmp_path: object) -> None:
    assert environment(3)["OMP_NUM_THREADS"] == "3"
    assert "BENCHMARK_CACHE" not in environment(3)
    assert environment(3, tmp_path)["BENCHMARK_CACHE"] == str(tmp_path)  # type: ignore[arg-type]


def test_a_library_that_is_not_installed_says_so() -> None:
    class Absent(Library):
        name = package = "no_such_package"

    class Uncompilable(Library):
        compiler = ("no-such-compiler", "NO_SUCH_VARIABLE")

    assert "not installed" in Absent.missing()
    assert "no-such-compiler" in Uncompilable.missing()
    assert Library.missing() == ""
