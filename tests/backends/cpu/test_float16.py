"""16-bit floats are converted as NumPy and ml_dtypes do, whatever the processor can do itself."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from onebuf.backends.cpu import Target, assembly, compile, host
from onebuf.backends.cpu.float16 import NAMES
from onebuf.backends.cpu.target import INEXACT

TYPES: dict[str, Any] = {
    "half": np.float16,
    "bfloat": ml_dtypes.bfloat16,
    "float": np.float32,
    "double": np.float64,
}
PAIRS = [
    ("half", "float"),
    ("half", "double"),
    ("float", "half"),
    ("double", "half"),
    ("bfloat", "float"),
    ("float", "bfloat"),
    ("double", "bfloat"),
]


def conversion(source: str, target: str) -> str:
    """IR that converts ``args[0]`` to ``args[1]``, element by element."""
    instruction = "fptrunc" if target in ("half", "bfloat") else "fpext"
    return f"""
define void @convert(ptr %args, i64 %begin, i64 %end) nounwind {{
entry:
  %from = load ptr, ptr %args
  %second = getelementptr ptr, ptr %args, i64 1
  %to = load ptr, ptr %second
  br label %look
look:
  %i = phi i64 [%begin, %entry], [%next, %step]
  %more = icmp slt i64 %i, %end
  br i1 %more, label %step, label %done
step:
  %x.at = getelementptr {source}, ptr %from, i64 %i
  %x = load {source}, ptr %x.at
  %y = {instruction} {source} %x to {target}
  %y.at = getelementptr {target}, ptr %to, i64 %i
  store {target} %y, ptr %y.at
  %next = add i64 %i, 1
  br label %look
done:
  ret void
}}
"""


def cases(dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """All 16-bit floats; for wider ones also their neighbours, ties, and random bits."""
    every = np.arange(1 << 16, dtype=np.uint16)
    if dtype.itemsize == 2:
        return every.view(dtype)
    halves = [every.view(kind).astype(dtype) for kind in (np.float16, ml_dtypes.bfloat16)]
    middles = [(x + np.roll(x, 1)) / 2 for x in halves]
    exact = np.concatenate(halves + middles)
    bits = np.random.default_rng(3).integers(0, 1 << 64, 100_000, dtype=np.uint64)
    words = bits.view(np.dtype(f"u{dtype.itemsize}"))
    return np.concatenate(
        [exact, np.nextafter(exact, np.inf), np.nextafter(exact, -np.inf), words.view(dtype)]
    ).astype(dtype)


def convert(x: np.ndarray[Any, Any], source: str, target: str, machine: Target) -> Any:
    """The elements of ``x`` as the kernel converts them."""
    program = compile(conversion(source, target), "convert", machine)
    result = np.empty(x.shape, TYPES[target])
    args = np.array([x.ctypes.data, result.ctypes.data])
    program.call(args.ctypes.data, 0, x.size)
    return result


@pytest.mark.parametrize("baseline", [False, True], ids=["host", "baseline"])
@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
@pytest.mark.filterwarnings("ignore:overflow encountered", "ignore:invalid value")
def test_conversions_round_once_to_nearest_even(pair: tuple[str, str], baseline: bool) -> None:
    source, target = pair
    x = cases(np.dtype(TYPES[source]))
    expected = x.astype(TYPES[target])
    if pair == ("double", "bfloat"):
        # ml_dtypes goes through float32 and rounds twice; rounding to odd first rounds once.
        near = x.astype(np.float32)
        wide = near.astype(np.float64)
        bits = near.view(np.uint32) - (np.abs(wide) > np.abs(x))
        odd = np.where(wide == x, near.view(np.uint32), bits | 1).astype(np.uint32)
        odd = np.where(np.isnan(x), near.view(np.uint32), odd)
        expected = odd.view(np.float32).astype(ml_dtypes.bfloat16)
    result = convert(x, source, target, host().baseline() if baseline else host())
    nan = np.isnan(x)
    assert np.isnan(result[nan]).all()
    unsigned = np.dtype(f"u{result.dtype.itemsize}")
    np.testing.assert_array_equal(result[~nan].view(unsigned), expected[~nan].view(unsigned))


@pytest.mark.parametrize("feature", INEXACT)
def test_subnormals_are_not_left_to_instructions_that_lose_them(feature: str) -> None:
    assert f"+{feature}" not in host().features.split(",")
    target = Target("x86_64-unknown-linux-gnu", "x86-64", f"+avx2,+avx512vl,+{feature}")
    code = assembly(conversion("float", "bfloat"), "convert", target)
    assert "vcvtneps2bf16" in code  # what is left out is all that has to be


def test_the_baseline_needs_every_conversion_that_there_is() -> None:
    target = Target("x86_64-unknown-linux-gnu", "x86-64")
    code = "".join(assembly(conversion(*pair), "convert", target) for pair in PAIRS)
    assert [name for name in NAMES if name not in code] == []
