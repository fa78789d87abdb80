"""C-like text: what stands in it, what is a parameter, and that sizes are not part of it."""

from __future__ import annotations

import re

import numpy as np
import pytest

from onebuf.graph import BINARY, REDUCE, TAKE
from onebuf.kernel import LOAD, SCALAR, STORE, Fold, Nest, Slot, Step
from onebuf.kernel.linear import GROUP, Opt, lower, verify
from onebuf.layout import View
from onebuf.render.clike import Flags, Memory, OpenClC, Scalar, Size, render

F, N, B = np.dtype("float32"), np.dtype("int64"), np.dtype("bool")


def scaled(shape, factor=2.0, dtype=F):
    steps = (
        Step(LOAD, (), dtype, 0),
        Step(SCALAR, (), dtype, 0),
        Step(BINARY["multiply"], (0, 1), dtype),
        Step(STORE, (2,), dtype, 1),
    )
    turned = View(shape[::-1], (1, shape[1]))
    nest = Nest(2, (Slot(dtype, (1, 2)), Slot(dtype, (2, 1))), steps, (dtype,))
    views = (turned, View.contiguous(turned.shape))
    return nest, turned.shape, views, (dtype.type(factor),)


def summed(shape, *opts, dtype=F):
    steps = (
        Step(LOAD, (), dtype, 0),
        Step(REDUCE["sum"], (0,), dtype, Fold(1)),
        Step(STORE, (1,), dtype, 1),
    )
    nest = Nest(2, (Slot(dtype, (2, 1)), Slot(dtype, (1, 0))), steps)
    return nest, shape, (View.contiguous(shape), View(shape, (1, 0))), (), opts


def rendered(nest, shape, views, scalars, opts=(), dialect=None):
    program = verify(lower(nest, shape, views, scalars, opts))
    return render(program, dialect or OpenClC())


def test_a_text():
    assert rendered(*scaled((30, 20))).text == (
        "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
        "#pragma OPENCL FP_CONTRACT OFF\n"
        "__kernel void onebuf_kernel(__global const float *m0, __global float *m1, "
        "const float s0, const long n1, const long n0, const long w0, const long w1) {\n"
        "  long gidx0 = (long)get_global_id(1);\n"
        "  long gidx1 = (long)get_global_id(0);\n"
        "  if (gidx0 >= n1) return;\n"
        "  if (gidx1 >= n0) return;\n"
        "  long v7 = gidx1 * w0;\n"
        "  long v8 = gidx0 + v7;\n"
        "  float v9 = m0[v8];\n"
        "  float v10 = v9 * s0;\n"
        "  long v11 = gidx0 * w1;\n"
        "  long v12 = v11 + gidx1;\n"
        "  m1[v12] = v10;\n"
        "}\n"
    )


def test_sizes_and_scalars_are_parameters():
    one, two = rendered(*scaled((30, 20))), rendered(*scaled((44, 55), 3.0))
    assert one.text == two.text
    assert two.parameters == (
        Memory(0, F, False),
        Memory(1, F, True),
        Scalar(0, F),
        Size("n1", 55),
        Size("n0", 44),
        Size("w0", 55),
        Size("w1", 44),
    )
    assert (two.extents, two.local) == ((44, 55), None)


def test_small_numbers_stand_in_the_text():
    source = rendered(*scaled((16, 3)))
    assert "gidx1 * 3L" in source.text
    assert "gidx0 * 16L" in source.text


def test_whole_groups_have_code_of_their_own_where_that_is_asked_for():
    text = rendered(*scaled((30, 20)), dialect=OpenClC(splits_bounds=True)).text
    assert text.count("m1[v12] = v10;") == 2
    assert "if ((long)((get_group_id(1) + 1) * get_local_size(1)) <= n1 && " in text
    looped = rendered(*summed((30, 20)), dialect=OpenClC(splits_bounds=True)).text
    assert looped.count("m1[") == 1


def test_a_shared_fold_has_local_memory_and_a_fixed_size():
    source = rendered(*summed((30, 40), Opt(GROUP, 1, 8)))
    assert "__local double part0[8];" in source.text
    assert "reqd_work_group_size(8, 1, 1)" in source.text
    assert source.text.count("barrier(CLK_LOCAL_MEM_FENCE);") == 1
    assert (source.extents, source.local) == ((30,), (8,))


def test_without_doubles_accumulators_are_floats():
    source = rendered(*summed((30, 40), Opt(GROUP, 1, 8)), dialect=OpenClC(has_float64=False))
    assert "double" not in source.text
    assert "fp64" not in source.text
    assert "__local float part0[8];" in source.text


def test_an_index_is_checked_before_it_is_used():
    steps = (
        Step(LOAD, (), N, 0),
        Step(SCALAR, (), N, 0),
        Step(TAKE, (0, 1), N, 0),
        Step(LOAD, (2,), F, 1),
        Step(STORE, (3,), F, 2),
    )
    slots = (Slot(N, (1,)), Slot(F, (0,)), Slot(F, (1,)))
    views = (View.contiguous((50,)), View((50,), (0,)), View.contiguous((50,)))
    source = rendered(Nest(1, slots, steps, (N,)), (50,), views, (N.type(99),))
    assert source.parameters[-1] == Flags(1)
    assert source.checks[0].extent == Scalar(0, N)
    test = r"if \((i\d+) < 0L \|\| \1 >= s0\) { flags\[0\] = 1L; flags\[1\] = v\d+; }"
    found = re.search(test, source.text)
    assert found is not None
    assert found.end() < source.text.index("m1[")


@pytest.mark.parametrize(
    "dtype, memory, value, rounds",
    [
        ("bool", "uchar", "bool", False),
        ("int8", "char", "char", False),
        ("float16", "ushort", "float", True),
        ("bfloat16", "ushort", "float", True),
        ("uint64", "ulong", "ulong", False),
    ],
)
def test_elements_in_memory_and_in_hand(dtype, memory, value, rounds):
    dtype = np.dtype(dtype)
    text = rendered(*scaled((30, 20), 1, dtype)).text
    assert f"__global const {memory} *m0" in text
    assert f"  {value} v9 = " in text
    assert (f"narrow_{dtype.name}" in text) == rounds


@pytest.mark.parametrize(
    "dtype, value, text",
    [
        ("float32", -0.0, "(-0.0f)"),
        ("float32", np.inf, "as_float(0x7f800000U)"),
        ("float64", -np.inf, "(-as_double(0x7ff0000000000000UL))"),
        ("float64", np.nan, "as_double(0x7ff8000000000000UL)"),
        ("float64", 1e300, "1e+300"),
        ("int64", -(1 << 63), "(-9223372036854775807L - 1L)"),
        ("int32", -(1 << 31), "(-2147483647 - 1)"),
        ("uint64", (1 << 64) - 1, "18446744073709551615UL"),
        ("bool", True, "true"),
        ("complex64", 1 - 2j, "(float2)(1.0f, (-2.0f))"),
        ("complex64", 0, "(float2)(0.0f, 0.0f)"),
    ],
)
def test_literals(dtype, value, text):
    assert OpenClC().literal(np.dtype(dtype), value) == text
