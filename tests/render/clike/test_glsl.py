"""GLSL: how arguments lie in memory, how loops are written, and what stands in for doubles."""

from __future__ import annotations

import numpy as np
import pytest

import onebuf
from onebuf import Buffer
from onebuf.backends.vulkan.launch import VulkanLaunch
from onebuf.graph import BINARY
from onebuf.render.clike import KernelText, Memory, Scalar, Size
from onebuf.render.clike.glsl import PUSHED, Glsl, arguments
from onebuf.render.clike.glsl_math import FORMULAS, constant, library
from onebuf.render.clike.glsl_short import SHORT
from onebuf.scheduler.fuse.fusion import group

F = np.dtype("float32")


def text_of(*body: str, dialect: Glsl | None = None, parameters=()) -> str:
    return (dialect or Glsl()).assemble(KernelText("k", parameters, [], [], body, ()))


def test_wide_arguments_come_first_and_small_ones_are_words():
    parameters = [Scalar(0, np.dtype("int8")), Scalar(1, np.dtype("float64")), Size("n0", 3)]
    order = arguments(parameters)
    assert [type_ for _, type_ in order.fields] == ["float64", "int64", "int32"]
    assert order.nbytes == 20
    assert "uniform Arguments { double s1; int64_t n0; int s0; };" in text_of(parameters=parameters)


def test_arguments_that_are_too_many_are_in_memory_behind_the_others():
    parameters = [Memory(4, F, True), *(Size(f"w{n}", n) for n in range(PUSHED // 8 + 1))]
    assert not arguments(parameters).is_pushed
    text = text_of(parameters=parameters)
    assert "binding = 0, scalar) buffer Block_m4 { float m4[]; }" in text
    assert "binding = 1, scalar) buffer Block_Arguments { int64_t w0;" in text


def test_innermost_loops_are_unrolled_and_others_are_not():
    lines = [
        "for (int64_t v1 = 0L; v1 < w0; v1++) {",
        "  for (int64_t v2 = 0L; v2 < 9L; v2++) {",
        "    if (v2 < 3L) {",
        "      a = a + v2;",
        "    }",
        "  }",
        "}",
    ]
    text = text_of(*lines, dialect=Glsl(copies=4))
    assert text.count("a = a + v2;") == 5
    assert text.count("for (int64_t v1") == 1
    assert "while (v2 + 3L < 9L)" in text
    assert text.count("{") == text.count("}")
    assert text_of(*lines).count("a = a + v2;") == 1


def test_floats_are_exact_to_the_bit():
    assert constant("double", 0.1) == "uint64BitsToDouble(0x3fb999999999999aUL)"
    assert constant("float", 0.0) == "uintBitsToFloat(0x00000000u)"
    assert Glsl().literal(F, -0.0) == "(-uintBitsToFloat(0x00000000u))"
    assert Glsl().literal(np.dtype("int32"), -(2**31)) == "int(0x80000000u)"
    assert Glsl().literal(np.dtype("int64"), -(2**63)) == "int64_t(0x8000000000000000UL)"
    assert Glsl().literal(np.dtype("uint64"), 2**64 - 1) == "18446744073709551615UL"


def test_a_text_has_the_functions_that_it_calls_and_no_others():
    text = text_of("float v1 = ob_tanh(ob_log(v0));")
    assert "float ob_tanh(float x0)" in text
    assert "float ob_log(float x0)" in text
    assert "double ob_log" not in text
    assert "ob_sin" not in text
    assert "precise float v1 = " in text


@pytest.mark.parametrize("element", ["float", "double"])
def test_every_function_is_there_after_what_it_needs(element):
    for name in FORMULAS:
        texts = list(library(name, element).values())
        assert texts[-1].startswith(f"{element} ob_{name}({element} x0")
        defined = "".join(texts[:-1])
        for helper in ("ob_with_sign", "ob_nan", "ob_left", "ob_shifted", "ob_zeros"):
            assert f"{helper}(" not in texts[-1] or f" {helper}(" in defined


# Devices without doubles


@pytest.fixture
def short(vulkan, monkeypatch):
    monkeypatch.setattr(vulkan, "has_float64", False)
    return vulkan


def computed(driver, result, operands):
    """The elements of ``result``, whose kernel is prepared anew."""
    (found,) = group([result._node], driver.supports)
    launch = VulkanLaunch(driver, found)
    assert "double" not in launch.source.text
    out = np.empty(result.shape, result.dtype)
    block = driver.allocator.allocate(out.nbytes)
    nodes = {id(one._node): one._node.base.block for one in operands} | {id(result._node): block}
    launch.run([nodes[id(reach.node)] for reach in found.reaches], found.scalars)
    driver.download(block, out).wait()
    return out


def test_every_function_has_one_that_stands_in():
    assert sorted(SHORT) == sorted(FORMULAS)


@pytest.mark.parametrize("name", sorted(FORMULAS))
def test_functions_without_doubles_are_near(short, name):
    x = np.array([0.1, 0.5, 0.75, 0.9, 0.99], np.float32)
    x = x + 1 if name == "acosh" else x
    y = np.array([0.3, 2, 0.25, 0.1, 3], np.float32)
    two = name in BINARY or name == "fmod"
    operands = [Buffer(one).to_device("VULKAN") for one in ((x, y) if two else (x,))]
    # `onebuf.fmod` is NumPy's; the formula is what remainders are made of, positive ones alone.
    function = getattr(onebuf, "remainder" if name == "fmod" else name)
    expected = np.asarray(function(*[Buffer(one) for one in ((x, y) if two else (x,))]))
    found = computed(short, function(*operands), operands)
    np.testing.assert_allclose(found, expected, rtol=2e-4 if name != "nextafter" else 0)


def test_remainders_and_powers_without_doubles(short):
    x = np.array([7.5, -7.5, 1e30, np.inf, 3.0], np.float32)
    y = np.array([2, 2, 3.5, 2, np.inf], np.float32)
    a, b = (Buffer(one).to_device("VULKAN") for one in (x, y))
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(computed(short, a % b, (a, b)), x % y)
    p, q = np.array([-2, -2, -2, 0, -8], F), np.array([3, 2, 0.5, 0, 0], F)
    a, b = (Buffer(one).to_device("VULKAN") for one in (p, q))
    np.testing.assert_allclose(computed(short, a**b, (a, b)), [-8, 4, np.nan, 1, 1], rtol=1e-5)


def test_sums_without_doubles_are_accumulated_in_floats(short):
    x = np.arange(300, dtype=np.float32).reshape(3, 100)
    a = Buffer(x).to_device("VULKAN")
    np.testing.assert_array_equal(computed(short, a.sum(axis=1), (a,)), x.sum(axis=1))
    assert not short.supports(onebuf.graph.UNARY["exp"], (np.dtype("f8"),), np.dtype("f8"))
