"""What an element becomes depends on nothing but the element."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import numpy as np
import pytest
from compiled import DTYPES, Compiled, assembly, module
from hypothesis import given
from hypothesis import strategies as st

from onebuf.graph import BINARY, UNARY
from onebuf.render.math import MATH

Array = np.ndarray[Any, Any]
ELEMENTS = ["float", "double"]
MACHINE_DIVIDES = {"floor_divide", "remainder"}
ROUNDS = {"ceil", "floor", "floor_divide", "round", "trunc"}


def operands(name: str) -> int:
    return 2 if name in BINARY else 1


def drawn(element: str, count: int, seed: int) -> Array:
    """Ordinary numbers among huge, tiny and special ones."""
    rng = np.random.default_rng(seed)
    dtype = DTYPES[element]
    words = rng.integers(0, 2 ** (8 * dtype.itemsize), count, dtype=f"u{dtype.itemsize}")
    odd = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-30, 1e30, 1e6, -1e7], dtype)
    parts = [words.view(dtype)[: count // 4], rng.uniform(-2, 2, count).astype(dtype), odd]
    return np.resize(rng.permutation(np.concatenate(parts)), count)


def bits(x: Array) -> Array:
    """The bits of numbers, with one pattern for all NaNs."""
    if x.dtype == bool:
        return x
    return np.where(np.isnan(x), x.dtype.type(np.nan), x).view(f"u{x.dtype.itemsize}")


@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize("name", MATH)
def test_the_number_of_lanes_and_the_neighbours_do_not_show(name: str, element: str) -> None:
    arrays = [drawn(element, 700, seed) for seed in range(operands(name))]
    alone = bits(Compiled(MATH[name], element, 1, len(arrays))(*arrays))
    order = np.random.default_rng(9).permutation(alone.size)
    for lanes in (3, 8):
        function = Compiled(MATH[name], element, lanes, len(arrays))
        np.testing.assert_array_equal(bits(function(*arrays)), alone)
        np.testing.assert_array_equal(bits(function(*(a[order] for a in arrays))), alone[order])


@cache
def compiled(name: str, element: str, lanes: int) -> Compiled:
    return Compiled(MATH[name], element, lanes, operands(name))


@given(st.sampled_from(sorted(MATH)), st.sampled_from(ELEMENTS), st.data())
def test_an_element_does_not_see_its_neighbours(name: str, element: str, data: Any) -> None:
    floats = st.floats(width=32 if element == "float" else 64)
    rows = data.draw(st.lists(st.tuples(*[floats] * operands(name)), min_size=1, max_size=9))
    arrays = [np.array(column, DTYPES[element]) for column in zip(*rows, strict=True)]
    alone = [compiled(name, element, 1)(*(a[k : k + 1] for a in arrays)) for k in range(len(rows))]
    together = compiled(name, element, 4)(*arrays)
    np.testing.assert_array_equal(bits(together), bits(np.concatenate(alone)))


@pytest.mark.parametrize("lanes", [2, 4, 5, 16, 32])
@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize("name", ["tan", "exp", "remainder", "pow", "signbit"])
def test_other_numbers_of_lanes(name: str, element: str, lanes: int) -> None:
    arrays = [drawn(element, 200, seed) for seed in range(operands(name))]
    alone = Compiled(MATH[name], element, 1, len(arrays))(*arrays)
    together = Compiled(MATH[name], element, lanes, len(arrays))(*arrays)
    np.testing.assert_array_equal(bits(together), bits(alone))


@pytest.mark.parametrize("uniform", [(0,), (1,), (0, 1)])
@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize("name", sorted(set(MATH) & set(BINARY)))
def test_an_operand_may_be_the_same_in_all_lanes(
    name: str, element: str, uniform: tuple[int, ...]
) -> None:
    x = np.array([1e30, 3.5, -2.0, 0.0, np.inf, 1e-5, 7.0, 2.5], DTYPES[element])
    y = np.array([1.5e-3, -2.0, 3.0, np.inf, 0.0, np.nan, 5.0, -1.0], DTYPES[element])
    same = [np.full_like(a, a[0]) if k in uniform else a for k, a in enumerate((x, y))]
    want = Compiled(MATH[name], element, 1, 2)(*same)
    got = Compiled(MATH[name], element, 4, 2, uniform)(*same)
    np.testing.assert_array_equal(bits(got), bits(want))


@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize("name", sorted(set(MATH) & set(UNARY)))
def test_a_number_may_be_the_same_in_all_lanes(name: str, element: str) -> None:
    for number in (0.7, 3e7, np.inf):
        x = np.full(8, number, DTYPES[element])
        want = Compiled(MATH[name], element, 1)(x)
        np.testing.assert_array_equal(
            bits(Compiled(MATH[name], element, 4, 1, (0,))(x)), bits(want)
        )


def called(text: str) -> set[str]:
    """The functions that an assembly calls, other than our own."""
    direct = re.findall(r"\s(?:callq?|bl|jmp|b)\s+(?!\.)\*?([A-Za-z_][\w.@]*)", text)
    loaded = re.findall(r"movabsq\s+\$([A-Za-z_][\w.]*)", text)
    names = {name.partition("@")[0] for name in direct + loaded}
    return {name for name in names if not name.startswith("onebuf.")}


@pytest.mark.parametrize("cpu", ["x86-64", "haswell", "skylake-avx512"])
@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize("name", MATH)
def test_nothing_is_called_but_what_rare_cases_need(name: str, element: str, cpu: str) -> None:
    text, _ = module(MATH[name], element, 8, operands(name))
    suffix = "f" if element == "float" else ""
    allowed = {f"fmod{suffix}"} if name in MACHINE_DIVIDES else set()
    if cpu == "x86-64":  # the first processors have no fused operation
        allowed |= {"fma", "fmaf"}
    if cpu == "x86-64" and name in ROUNDS:  # and round by hand
        allowed |= {f"{word}{suffix}" for word in ("ceil", "floor", "rint", "trunc")}
    assert called(assembly(text, cpu, "x86_64-unknown-linux-gnu")) <= allowed


@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize("name", MATH)
def test_it_compiles_for_arm(name: str, element: str) -> None:
    text, _ = module(MATH[name], element, 4, operands(name))
    allowed = {"fmodf" if element == "float" else "fmod"} if name in MACHINE_DIVIDES else set()
    assert called(assembly(text, triple="aarch64-linux-gnu")) <= allowed


def test_the_look_for_calls_finds_them() -> None:
    for triple in ("x86_64-unknown-linux-gnu", "aarch64-linux-gnu"):
        text = """
declare double @llvm.sin.f64(double)
define double @f(double %x) {
  %y = call double @llvm.sin.f64(double %x)
  %z = fadd double %y, 1.0
  ret double %z
}"""
        assert called(assembly(text, "", triple)) == {"sin"}
