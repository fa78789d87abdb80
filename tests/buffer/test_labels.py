"""Labelled expressions: every form, written and evaluated, and what is refused."""

import gc
import math

import numpy as np
import pytest

import onebuf
from onebuf import Buffer, dtypes
from onebuf.buffer.labels import Labelled
from onebuf.errors import (
    DTypeError,
    LabelError,
    OnebufError,
    ReadOnlyError,
    ScalarRangeError,
    ShapeError,
)

MATRIX = np.array([[1, 2], [3, 4]])
CUBE = np.arange(1, 9).reshape(2, 2, 2)

FORMS = {
    "permutation": (lambda m, t: m["i,j"], "j,i", [[1, 3], [2, 4]]),
    "row sums": (lambda m, t: m["i,j"], "i", [3, 7]),
    "column sums": (lambda m, t: m["i,j"], "j", [4, 6]),
    "sum of all": (lambda m, t: m["i,j"], "", 10),
    "trace": (lambda m, t: m["i,i"], "", 5),
    "diagonal": (lambda m, t: m["i,i"], "i", [1, 4]),
    "sum": (lambda m, t: m["i,j"] + m["j,i"], "i,j", [[2, 5], [5, 8]]),
    "difference": (lambda m, t: m["i,j"] - m["j,i"], "i,j", [[0, -1], [1, 0]]),
    "negative": (lambda m, t: -m["i,j"], "i,j", [[-1, -2], [-3, -4]]),
    "positive": (lambda m, t: +m["i,j"], "i,j", [[1, 2], [3, 4]]),
    "scaled": (lambda m, t: 3 * m["i,j"] * 2, "i,j", [[6, 12], [18, 24]]),
    "divided": (lambda m, t: m["i,j"] / 2, "i,j", [[0.5, 1], [1.5, 2]]),
    "Hadamard": (lambda m, t: m["i,j"] * m["i,j"], "i,j", [[1, 4], [9, 16]]),
    "contraction": (lambda m, t: m["i,k"] * m["k,j"], "i,j", [[7, 10], [15, 22]]),
    "contraction, turned": (lambda m, t: m["i,k"] * m["k,j"], "j,i", [[7, 15], [10, 22]]),
    "full contraction": (lambda m, t: m["i,j"] * m["j,i"], "", 29),
    "two labels": (lambda m, t: t["i,j,k"] * t["j,k,l"], "i,l", [[50, 60], [114, 140]]),
    "two labels, turned": (lambda m, t: t["i,j,k"] * t["j,l,k"], "l,i", [[44, 100], [64, 152]]),
    "batched": (lambda m, t: t["i,j,k"] * t["i,j,k"], "i,j", [[5, 25], [61, 113]]),
    "outer": (lambda m, t: m["i,i"] * m["j,j"], "i,j", [[1, 4], [4, 16]]),
    "words": (lambda m, t: m["row, mu"] * m[" mu,col "], "row,col", [[7, 10], [15, 22]]),
    "nested": (lambda m, t: (m["i,k"] * m["k,j"]) * m["j,l"], "i,l", [[37, 54], [81, 118]]),
    "nested right": (lambda m, t: m["i,k"] * (m["k,j"] * m["j,l"]), "i,l", [[37, 54], [81, 118]]),
    "one label in three": (lambda m, t: (m["i,k"] * m["k,j"]) * m["k,l"], "i", [107, 223]),
    "sum of products": (
        lambda m, t: m["i,k"] * m["k,j"] + 2 * m["j,i"],
        "i,j",
        [[9, 16], [19, 30]],
    ),
    "product of sums": (
        lambda m, t: (m["i,k"] + m["k,i"]) * (m["k,j"] - m["j,k"]),
        "i,j",
        [[5, -2], [8, -5]],
    ),
    "terms summed apart": (lambda m, t: m["i,j"] + m["i,i"], "i", [4, 11]),
    "all that is left": (lambda m, t: m["i,j"] * m["k,l"] - m["i,i"], "", 95),
    "a sum of mixed terms in a product": (
        lambda m, t: (m["i,j"] + m["i,i"]) * m["j,k"],
        "i,k",
        [[11, 16], [31, 46]],
    ),
    "a number among the terms": (lambda m, t: (m["i,j"] + 1) * m["i,j"], "i,j", [[2, 6], [12, 20]]),
    "a number among summed terms": (lambda m, t: (m["i,j"] - 1) * m["j,k"], "", 44),
    "a number added at the end": (lambda m, t: m["i,i"] * 2 + 1, "", 11),
}


@pytest.mark.parametrize("eager_numel", [4096, 0])
@pytest.mark.parametrize("name", FORMS)
def test_an_expression_gives_what_the_convention_says(name, eager_numel):
    form, labels, wanted = FORMS[name]
    with onebuf.config(eager_numel=eager_numel):
        expression = form(onebuf.asarray(MATRIX), onebuf.asarray(CUBE))
        got = expression.to(labels)
        assert type(got) is Buffer
        assert got.tolist() == wanted
        assert got.dtype == expression.dtype


@pytest.mark.parametrize("tier", ["interpret", "compile"])
@pytest.mark.parametrize("name", FORMS)
def test_an_expression_is_written_to_a_buffer(name, tier):
    form, labels, wanted = FORMS[name]
    with onebuf.config(eager_numel=0, tier=tier):
        target = Buffer.full(np.shape(wanted), -99, "float64")
        target[labels] = form(onebuf.asarray(MATRIX), onebuf.asarray(CUBE))
        assert target.tolist() == wanted


def test_an_expression_is_a_number_where_python_asks_for_one():
    m = onebuf.asarray(MATRIX)
    trace = m["i,i"]
    assert (trace.item(), float(trace), int(trace), complex(trace)) == (5, 5.0, 5, 5 + 0j)
    assert type(trace.item()) is int
    assert math.sqrt(m["i,j"] * m["i,j"] - 5) == 5


def test_python_adds_up_expressions():
    m = onebuf.asarray(MATRIX)
    assert sum([m["i,j"], m["j,i"], m["i,j"]]).to("i,j").tolist() == [[3, 7], [8, 12]]
    assert (0 - m["i,j"]).to("i,j").tolist() == (-MATRIX).tolist()
    assert (m["i,j"] - 0).to("i,j").tolist() == MATRIX.tolist()
    assert math.prod([m["i,k"], m["k,j"]]).to("i,j").tolist() == (MATRIX @ MATRIX).tolist()


NUMBERS = {
    "python": lambda: 2,
    "numpy": lambda: np.float64(2),
    "numpy 0-d": lambda: np.array(2.0),
    "computed": lambda: onebuf.asarray([1.0, 1.0]).sum(),
    "place": lambda: onebuf.asarray(2.0),
    "element": lambda: onebuf.asarray([2.0])[0],
    "pending": lambda: onebuf.asarray(np.ones(20_000))[:2].sum(),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_of_every_kind_scale(name):
    m = onebuf.asarray(MATRIX.astype("float64"))
    number = NUMBERS[name]()
    for expression in (number * m["i,j"], m["i,j"] * number):
        assert expression.to("j,i").tolist() == (2 * MATRIX.T).tolist()
    assert (m["i,k"] * m["k,j"] / number).to("i,j").tolist() == (MATRIX @ MATRIX / 2).tolist()
    assert (m["i,i"] + number).item() == (number - -m["i,i"]).item() == 7


def test_tensors_without_axes_have_no_labels():
    two, m = onebuf.asarray(2), onebuf.asarray(MATRIX)
    assert (two[""] * m["i,j"] * two[""]).to("i").tolist() == [12, 28]
    assert (two[""] + two[" "]).item() == 4
    place = onebuf.asarray(0)
    place[""] = m["i,j"]
    assert place.item() == 10


@pytest.mark.parametrize("dtype", dtypes.ALL, ids=str)
def test_every_dtype_is_computed_in_as_numpy_does(dtype):
    one, two = (np.array(x).astype(dtype) for x in ([[1, 0], [3, 2]], [[1, 2], [0, 1]]))
    a, b = onebuf.asarray(one), onebuf.asarray(two)
    got = (a["i,k"] * b["k,j"] + a["j,i"]).to("i,j")
    assert got.dtype == (a @ b + a.T).dtype
    assert got.tolist() == (one @ two + one.T).tolist()
    if dtype == np.bool_:
        assert a["i,j"].to("j").tolist() == [True, True]
        with pytest.raises(DTypeError, match="subtract"):
            a["i,j"] - b["i,j"]
    else:
        assert (2 * a["i,j"]).dtype == (2 * a).dtype
        assert (a["i,j"] / 2).dtype == (a / 2).dtype


def test_a_product_is_computed_in_the_dtype_that_all_of_its_factors_have_together():
    small = onebuf.asarray(np.full(100, 100, "int8"))
    assert small["i"].dtype == np.int8
    assert (0.5 * small["i"]).item() == 5000.0
    assert (small["i"] * onebuf.asarray(np.ones(100))["i"]).item() == 10_000.0
    with pytest.raises(ScalarRangeError, match="int8"):
        (200 * small["i"]).to("i")


def test_extents_of_zero_and_one_are_extents():
    none, one = onebuf.zeros((2, 0)), onebuf.ones((2, 1))
    assert (none["i,k"] * none["j,k"]).to("i,j").tolist() == [[0, 0], [0, 0]]
    assert (none["i,k"] * one["i,j"]).to("k,j").shape == (0, 1)
    assert (one["i,k"] * one["j,k"]).to("i,j").tolist() == [[1, 1], [1, 1]]
    with pytest.raises(ShapeError, match="'k' has 0 and 1"):
        none["i,k"] * one["i,k"]


# -- writing ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [3, 300])
@pytest.mark.parametrize("tier", ["auto", "compile"])
def test_a_buffer_may_be_on_both_sides(n, tier):
    array = np.arange(n * n, dtype="float64").reshape(n, n) % 11
    with onebuf.config(tier=tier):
        for line, wanted in {
            'a["i,j"] = a["j,i"]': array.T,
            'a["i,j"] = a["i,k"] * a["k,j"]': array @ array,
            'a["i,j"] = a["j,i"] * a["i,j"] - 2 * a["j,i"]': array.T * array - 2 * array.T,
            'a["i,j"] = a["j,j"] * a["i,i"]': np.outer(np.diag(array), np.diag(array)),
            'a[1:]["i,j"] = a[:-1]["i,j"]': np.concatenate([array[:1], array[:-1]]),
            'a["i,j"] += a["j,i"]': array + array.T,
            'a["i,j"] -= a["i,k"] * a["j,k"]': array - array @ array.T,
            'a["i,j"] *= a["j,i"]': array * array.T,
            'a["i,j"] *= a["j,i"] - 1': array * (array.T - 1),
            'a["i,j"] *= a["j,j"]': array * np.diag(array),
            'a["i,j"] /= 2': array / 2,
            'a["i,i"] = a["i,j"]': array + np.diag(array.sum(1) - np.diag(array)),
            'a["i,i"] += a["j,i"]': array + np.diag(array.sum(0)),
        }.items():
            a = onebuf.asarray(array, copy=True)
            exec(line, {"a": a})
            np.testing.assert_array_equal(np.asarray(a), wanted, err_msg=line)


def test_views_are_written_through():
    c = onebuf.zeros((4, 6))
    m = onebuf.asarray(MATRIX)
    c[::2, ::3]["i,j"] = m["j,i"]
    c.T[4:, 2:]["i,j"] += m["i,j"]
    wanted = np.zeros((4, 6))
    wanted[::2, ::3] = MATRIX.T
    wanted.T[4:, 2:] += MATRIX
    assert c.tolist() == wanted.tolist()


def test_elements_are_converted_as_an_assignment_converts_them():
    m = onebuf.asarray(MATRIX)
    c = Buffer.zeros((2, 2), "int16")
    c["i,j"] = m["i,j"] / 2 * 3
    assert c.tolist() == [[1, 3], [4, 6]]
    with pytest.raises(DTypeError, match="complex"):
        c["i,j"] = 1j * m["i,j"]
    assert c.tolist() == [[1, 3], [4, 6]]


@pytest.mark.parametrize("sign", ["+=", "-=", "*=", "/="])
def test_an_operator_in_place_converts_as_numpys_do(sign):
    c = Buffer.full((2, 2), 6, "int32")
    with pytest.raises(DTypeError, match="Cannot cast ufunc"):
        exec(f'c["i,j"] {sign} 1.5' + (' * c["j,i"]' if sign in "+=-=" else ""), {"c": c})
    assert c.tolist() == [[6, 6], [6, 6]]
    c["i,j"] = c["i,j"] * 1.5
    assert c.tolist() == [[9, 9], [9, 9]]


def test_an_operator_in_place_on_a_name_makes_another_expression():
    m, c = onebuf.asarray(MATRIX), Buffer.zeros((2, 2), "int32")
    total = m["i,j"]
    total += 0.5 * m["j,i"]
    c["i,j"] = total
    assert c.tolist() == [[1, 3], [4, 6]]
    assert m.tolist() == MATRIX.tolist()


def test_what_is_read_in_place_may_lack_labels_that_only_the_target_sums():
    m, c = onebuf.asarray(MATRIX), onebuf.asarray([[10, 20], [30, 40]])
    c["i,j"] *= m["j,k"]
    assert c.tolist() == [[30, 140], [90, 280]]


# -- when ------------------------------------------------------------------------------------------


def test_nothing_is_computed_before_the_result_has_labels():
    a = onebuf.asarray(np.ones((300, 300)))
    with onebuf.counters() as counted:
        expression = 2 * a["i,k"] * a["k,j"] + a["j,i"]
        result = expression.to("i,j")
    assert counted.kernels == 0
    assert not result.is_realized
    assert result[0, 0].item() == 601


def test_an_expression_reads_its_buffers_when_it_is_evaluated():
    a = onebuf.asarray(MATRIX, copy=True)
    expression = a["i,j"] * a["j,i"]
    a[0, 0] = 100
    before = expression.to("")
    a[0, 0] = 0
    assert (before.item(), expression.item()) == (10_028, 28)


def test_a_lazy_result_keeps_the_values_of_its_time():
    a = onebuf.asarray(np.ones((200, 200)), copy=True)
    result = (a["i,k"] * a["k,j"]).to("i,j")
    turned = a["i,j"].to("j,i")
    a[...] = 5
    assert result[0, 0].item() == 200
    assert turned[0, 0].item() == 1


def test_a_result_is_never_a_view():
    a = onebuf.asarray(MATRIX, copy=True)
    for labels in ("i,j", "j,i"):
        result = a["i,j"].to(labels)
        result[0, 1] = 99
    assert a.tolist() == MATRIX.tolist()


def test_operands_may_be_pending_and_may_have_lost_their_names():
    a = onebuf.asarray(np.arange(40_000.0).reshape(200, 200))
    expression = (a + 1)["i,j"] * (a * 0 + 2)["j,i"]
    gc.collect()
    assert expression.to("i")[3].item() == (np.arange(600, 800) + 1).sum() * 2


def test_a_written_label_reads_pending_readers_first():
    a = onebuf.asarray(np.ones((200, 200)), copy=True)
    pending = a + 1
    a["i,j"] = 3 * a["j,i"]
    assert (pending[0, 0].item(), a[0, 0].item()) == (2, 3)


# -- kernels ---------------------------------------------------------------------------------------

N = 300
FUSED = {
    "elementwise": ('c["i,j"] = 2 * a["i,j"] + b["j,i"] * d["i,j"]', 1),
    "permutation": ('c["i,j"] = a["j,i"]', 1),
    "broadcast": ('c["i,j"] = a["i,j"] * v["j"] / 3 - v["i"] * d["j,i"]', 1),
    "in place": ('c["i,j"] += a["j,i"] * v["j"]', 1),
    "sum of sums": ('(a["i,j"] * b["i,j"] - 3 * d["i,j"]).to("i").realize()', 1),
    "product of sums": ('((a["i,j"] + b["j,i"]) * d["i,j"]).to("i").realize()', 1),
    "row sums": ('a["i,j"].to("i").realize()', 1),
    "trace": ('a["i,i"].to("").realize()', 1),
    "matrix product": ('(a["k,i"] * b["j,k"]).to("i,j").realize()', 1),
}


@pytest.mark.parametrize("name", FUSED)
def test_an_expression_takes_as_few_kernels_as_it_can(name):
    line, kernels = FUSED[name]
    rng = np.random.default_rng(7)
    scope = {x: onebuf.asarray(rng.random((N, N))) for x in "abcd"}
    scope["v"] = onebuf.asarray(rng.random(N))
    with onebuf.config(tier="compile"):
        exec(line, scope)
        with onebuf.counters() as counted:
            exec(line, scope)
    assert counted.kernels == kernels
    assert counted.copies == 0


def test_written_elements_need_no_memory_of_their_own():
    a, b, c = (onebuf.asarray(np.ones((N, N)), copy=True) for _ in range(3))
    with onebuf.config(tier="compile"), onebuf.counters() as counted:
        c["i,j"] = 2 * a["i,j"] + b["j,i"] * a["i,j"]
    assert (counted.kernels, counted.bytes_allocated) == (1, 0)


def test_a_full_contraction_of_turned_terms_stores_none_of_them():
    a, b = (onebuf.asarray(np.ones((N, N)), copy=True) for _ in range(2))
    with onebuf.config(tier="compile"), onebuf.counters() as counted:
        assert (a["i,j"] * b["i,j"] - b["j,i"] / 2).item() == N * N / 2
    assert counted.bytes_allocated < N * N


def test_a_schedule_shows_one_kernel_before_anything_runs():
    a, b = (onebuf.asarray(np.ones((N, N))) for _ in range(2))
    with onebuf.config(tier="compile"):
        [item] = onebuf.schedule((2 * a["i,j"] + b["j,i"] * b["i,j"]).to("j,i"))
    assert item.name == "multiply + multiply + add"


def test_many_factors_are_contracted_in_a_cheap_order():
    n = 30
    tensor = np.random.default_rng(1).random((n, n, n, n))
    rows = np.random.default_rng(2).random((n, n))
    t, c = onebuf.asarray(tensor), onebuf.asarray(rows)
    expression = t["p,q,r,s"] * c["p,i"] * c["q,j"] * c["r,k"] * c["s,l"]
    wanted = np.einsum("pqrs,pi,qj,rk,sl->ijkl", tensor, *[rows] * 4, optimize=True)
    np.testing.assert_allclose(np.asarray(expression.to("i,j,k,l")), wanted)


# -- errors ----------------------------------------------------------------------------------------

MISTAKES = {
    "one label for two axes": ('c["ij"] = m["i,j"]', LabelError, ["2 axes", "1 in 'ij'", "'i,j'"]),
    "too many": ('c["i,j"] = m["i,j,k"]', LabelError, ["2 axes", "3 in 'i,j,k'"]),
    "no label": ('c["i,j"] = m[""]', LabelError, ["2 axes", "0 in ''"]),
    "axes without labels": ('c["i"] = m["i,j"]', LabelError, ["2 axes", "'i'"]),
    "labels without axes": ('s["i"] = m["i,j"]', LabelError, ["0 axes", "''"]),
    "empty": ('c["i,j"] = m["i,"]', LabelError, ["label 1", "'i,'", "empty"]),
    "empty target": ('c[",j"] = m["i,j"]', LabelError, ["label 0", "',j'", "empty"]),
    "unknown": ('c["i,x"] = m["i,j"]', LabelError, ["'x'", "'i', 'j'"]),
    "unknown in to": ('m["i,j"].to("i,x")', LabelError, ["'x'", "'i', 'j'"]),
    "twice in to": ('m["i,j"].to("i,i")', LabelError, ["'i' 2 times", "'i,i'"]),
    "missing in a term": ('c["i,j"] = m["i,j"] + v["i"]', LabelError, ['[2]["i"]', "'j'"]),
    "missing in a part": ('c["i,j"] = m["i,j"] * (m["i,j"] + v["j"]) + v["j"]', LabelError, "'i'"),
    "a number as a term": ('c["i,j"] = m["i,j"] + 1', LabelError, ["1 lacks 'i'"]),
    "in place a number": ('c["i,j"] += 1', LabelError, ["1 lacks 'i'"]),
    "extents of two": ('m["i,j"] * w["j,k"]', ShapeError, ["'j'", "2 and 3"]),
    "extents of a sum": ('m["i,j"] + w["i,j"]', ShapeError, ["'i'", "2 and 3"]),
    "extents of one": ('onebuf.ones((2, 3))["i,i"]', ShapeError, ["'i'", "2 and 3"]),
    "extent 1": ('onebuf.ones((1, 2))["i,j"] + m["i,j"]', ShapeError, ["'i'", "1 and 2"]),
    "extents of the result": ('c["i,j"] = w["i,j"]', ShapeError, ["'i'", "2 and 3", "(2, 2)"]),
    "extents of a diagonal": ('q["i,i"] = v["i"]', ShapeError, ["'i'", "2 and 3"]),
    "buffer": ('c["i,j"] = m["i,j"] * m', TypeError, ["'*'", "(2, 2)", "x['i,j']"]),
    "buffer first": ('c["i,j"] = m * m["i,j"]', TypeError, ["'*'", "(2, 2)", "x['i,j']"]),
    "array": ('c["i,j"] = m["i,j"] + np.ones(2)', TypeError, ["'+'", "(2,)", "x['i']"]),
    "array first": ('c["i,j"] = np.ones(2) - m["i,j"]', TypeError, ["'-'", "(2,)", "x['i']"]),
    "text": ('m["i,j"] + "i"', TypeError, ["unsupported"]),
    "list": ('m["i,j"] + [1, 2]', TypeError, ["unsupported"]),
    "none": ('m["i,j"] + None', TypeError, ["unsupported"]),
    "power": ('m["i,j"] ** 2', TypeError, ["unsupported"]),
    "quotient": ('m["i,j"] / m["i,j"]', TypeError, ["divided by numbers"]),
    "inverse": ('1 / m["i,j"]', TypeError, ["divided by numbers"]),
    "a number written": ('c["i,j"] = 3', TypeError, ["labelled expression", "c[...]"]),
    "a buffer written": ('c["i,j"] = m', TypeError, ["labelled expression", "c[...]"]),
    "an array written": ('c["i,j"] = np.ones((2, 2))', TypeError, ["labelled expression"]),
    "a list written": ('c["i,j"] = [[1, 2], [3, 4]]', TypeError, ["a list", "c[...]"]),
    "none written": ('c["i,j"] = None', TypeError, ["NoneType"]),
    "written without labels": ('c[...] = m["i,j"]', TypeError, ["to('i,j')"]),
    "made a buffer": ('Buffer(m["i,j"])', TypeError, ["to('i,j')"]),
    "made an array": ('np.asarray(m["i,j"])', TypeError, ["to('i,j')"]),
    "truth": ('bool(m["i,j"])', TypeError, ["neither true nor false"]),
    "labels in a tuple": ('m["i", "j"]', IndexError, ["'i'", "x['i,j']"]),
    "labels for to": ('m["i,j"].to(("i", "j"))', TypeError, ["'i,j'", "('i', 'j')"]),
    "bools negated": ('-(m > 1)["i,j"]', TypeError, ["negative", "bool"]),
    "read only": ('fixed["i,j"] = m["i,j"]', ReadOnlyError, ["read only"]),
    "shared places": ('c[:1].expand((2, 2))["i,j"] = m["i,j"]', ReadOnlyError, ["own place"]),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_told_and_nothing_is_written(name):
    line, kind, words = MISTAKES[name]
    c = onebuf.asarray([[5.0, 6.0], [7.0, 8.0]])
    fixed = np.zeros((2, 2))
    fixed.flags.writeable = False
    scope = {
        **{"np": np, "onebuf": onebuf, "Buffer": Buffer, "c": c},
        **{"m": onebuf.asarray(MATRIX), "v": onebuf.ones(2), "w": onebuf.ones((3, 3))},
        **{"s": onebuf.asarray(1.0), "q": onebuf.ones((2, 3)), "fixed": onebuf.asarray(fixed)},
    }
    with pytest.raises(kind) as caught:
        exec(line, scope)
    assert isinstance(caught.value, OnebufError) or "unsupported" in str(caught.value)
    for word in [words] if isinstance(words, str) else words:
        assert word in str(caught.value)
    assert c.tolist() == [[5, 6], [7, 8]]


def test_an_error_while_computing_leaves_the_target(monkeypatch):
    a, c = onebuf.ones((N, N)), onebuf.full((N, N), 7.0)
    with (
        onebuf.config(memory_cap=onebuf.memory_stats()["CPU"].in_use + 1000),
        pytest.raises(MemoryError),
    ):
        c["i,j"] = a["i,k"] * a["k,j"]
    assert float(c.min()) == float(c.max()) == 7.0


# -- what is shown ---------------------------------------------------------------------------------


def test_an_expression_shows_its_structure():
    m, v = onebuf.asarray(MATRIX), onebuf.ones(2)
    shown = repr(2 * (m["i,k"] - m["k,i"]) * v["k"] / 3 + -v["i"] - np.float64(1.5) * (v["i"] * 2))
    assert shown == (
        '<(2 * (int64[2, 2]["i,k"] - int64[2, 2]["k,i"]) * float64[2]["k"]) / 3 + '
        '(-float64[2]["i"]) - 1.5 * (float64[2]["i"] * 2)>'
    )
    assert repr(m["i,j"].to("i")).startswith("Buffer(")


def test_a_long_expression_is_shown_in_part():
    v = onebuf.ones(2)
    shown = repr(sum([v["i"]] * 5000))
    assert len(shown) < 250
    assert "..." in shown
    assert len(repr(math.prod([v["i"]] * 5000))) < 250


def test_an_expression_names_its_labels_and_dtype():
    expression = onebuf.ones((2, 3))["i,j"] * onebuf.ones((4, 2))["k,i"]
    assert type(expression) is Labelled
    assert (expression.labels, expression.dtype) == (("i", "j", "k"), np.float64)


def test_thousands_of_terms_are_one_expression():
    v = onebuf.asarray(np.arange(3.0))
    assert sum([v["i"]] * 3000).to("i").tolist() == [0, 3000, 6000]


# -- elsewhere -------------------------------------------------------------------------------------


@pytest.mark.parametrize("device", ["OPENCL", "PYTHON", "CPU@1"])
def test_expressions_are_computed_where_their_buffers_are(device):
    rng = np.random.default_rng(3)
    one, two = rng.integers(-4, 5, (2, 5, 5)).astype("float32")
    a, b = Buffer(one, device=device), Buffer(two, device=device)
    c = Buffer(np.zeros((5, 5), "float32"), device=device)
    c["i,j"] = a["i,k"] * b["k,j"] - 2 * a["j,i"] * b["i,i"]
    wanted = one @ two - 2 * one.T * np.diag(two)[:, None]
    assert c.device == a.device
    np.testing.assert_array_equal(np.asarray(c.to_device("CPU")), wanted)
    c["j,i"] += a["i,j"]
    c["i,i"] = b["i,j"]
    wanted += one.T
    np.fill_diagonal(wanted, two.sum(1))
    np.testing.assert_array_equal(np.asarray(c.to_device("CPU")), wanted)
    total = (c["i,j"] * a["j,i"]).to("")
    assert total.device == a.device
    assert total.item() == (wanted * one.T).sum()


def test_replicated_buffers_stay_replicated():
    with onebuf.context(["CPU"], queues=2) as context:
        m = Buffer(MATRIX).to_device(context)
        result = (m["i,k"] * m["k,j"]).to("j,i")
        assert type(result) is type(m)
        assert [each.tolist() for each in result.read()] == [[[7, 15], [10, 22]]] * 2


def test_buffers_of_two_devices_do_not_meet():
    here, there = Buffer(MATRIX), Buffer(MATRIX, device="PYTHON")
    with pytest.raises(ValueError, match="PYTHON"):
        here["i,j"] = there["j,i"]
    with pytest.raises(ValueError, match="PYTHON"):
        (here["i,j"] * there["i,j"]).to("i,j")
    assert here.tolist() == MATRIX.tolist()


def test_other_keys_are_what_they_were():
    m = onebuf.asarray(MATRIX)
    assert m[m[0, 0]].tolist() == [3, 4]
    assert m[np.str_("i,j")].to("j,i").tolist() == MATRIX.T.tolist()
    with pytest.raises(IndexError):
        m[b"i,j"]
