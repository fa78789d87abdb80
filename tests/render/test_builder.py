"""The builder writes IR that says what was asked, at any number of lanes."""

import re

import pytest

from onebuf.render import Builder, Value, literal

X = Value("%x", "float")
ONE = Value("%one", "float", True)


def test_a_scalar_needs_no_vectors() -> None:
    b = Builder(1)
    b.fadd(X, ONE)
    b.select(b.compare("fcmp olt", X, ONE), X, ONE)
    assert "<" not in b.text()


def test_uniform_values_stay_uniform_until_they_meet_others() -> None:
    b = Builder(8)
    total = b.fadd(ONE, b.constant("float", 2.0))
    assert total.uniform
    assert "<" not in b.text()
    assert not b.fmul(X, total).uniform
    assert "shufflevector <8 x float>" in b.text()


def test_every_result_has_a_name_of_its_own() -> None:
    b = Builder(4)
    for _ in range(5):
        b.fadd(X, ONE)
    names = re.findall(r"^  (%v\d+) =", b.text(), re.MULTILINE)
    assert len(names) == len(set(names)) == 15


def test_an_intrinsic_is_declared_once() -> None:
    b = Builder(4)
    for _ in range(2):
        b.call("llvm.fma", X, X, b.constant("float", 1.0))
    assert b.declarations == {
        "declare <4 x float> @llvm.fma.v4f32(<4 x float>, <4 x float>, <4 x float>)"
    }


def test_operands_of_two_types_are_our_mistake() -> None:
    with pytest.raises(AssertionError):
        Builder(4).fadd(X, Value("%d", "double"))


@pytest.mark.parametrize(
    "element, number, text",
    [
        ("double", 0.1, "0x3FB999999999999A"),
        ("float", 0.1, "0x3FB99999A0000000"),
        ("half", 1.0, "0xH3C00"),
        ("bfloat", 1.0, "0xR3F80"),
        ("i8", -1, "-1"),
        ("i1", 0, "false"),
    ],
)
def test_numbers_are_exact(element: str, number: float, text: str) -> None:
    assert literal(element, number) == text
