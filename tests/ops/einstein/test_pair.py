"""Products of two terms: every form gives NumPy's numbers, and copies only what it has to."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import onebuf
from onebuf.ops.einstein import pair

FORMS = {
    "matrix": "ij,jk->ik",
    "matrix, turned": "ij,jk->ki",
    "turned factors": "ji,kj->ik",
    "rows in front": "pij,jk->pik",
    "columns behind": "pij,ik->pkj",
    "columns before rows": "pij,ik->pjk",
    "behind, swapped": "ik,pij->pkj",
    "two in front": "pqij,ik->pqkj",
    "batch and rows in front": "bpij,bik->bpkj",
    "batch, swapped": "bik,bpij->bpjk",
    "both need a copy": "pij,qik->pqjk",
    "summed around": "ipj,ij->p",
    "summed apart": "ijkl,jl->ik",
    "vector": "pij,i->pj",
    "elements": "ij,j->ij",
    "elements, turned": "ij,j->ji",
    "outer": "ij,kl->ikjl",
    "all of both": "ij,ij->",
    "all of both, turned": "ijk,kij->",
    "rows of both": "bij,bji->b",
}
ARRAYS = {letter: 4 + place for place, letter in enumerate("bijklpq")}


def factors(form, dtype="float64"):
    inputs = form.partition("->")[0].split(",")
    rng = np.random.default_rng(len(form))
    shapes = [[ARRAYS[letter] for letter in labels] for labels in inputs]
    return [rng.integers(-3, 4, shape).astype(dtype) for shape in shapes]


@pytest.mark.parametrize("least", [0, 1 << 60], ids=["many matrices", "one matrix"])
@pytest.mark.parametrize("eager_numel", [4096, 0])
@pytest.mark.parametrize("name", FORMS)
def test_every_form_gives_numpys_numbers(name, eager_numel, least, monkeypatch):
    monkeypatch.setattr(pair, "LEAST_WORK", least)
    arrays = factors(FORMS[name])
    with onebuf.config(eager_numel=eager_numel):
        got = onebuf.einsum(FORMS[name], *[onebuf.asarray(array) for array in arrays])
        np.testing.assert_array_equal(np.asarray(got), np.einsum(FORMS[name], *arrays))


@settings(max_examples=200)
@given(
    labels=st.tuples(*[st.permutations("abcd").map(lambda s: s[:3])] * 2),
    data=st.data(),
    least=st.sampled_from([0, 1 << 60]),
    dtype=st.sampled_from(["float64", "int64", "bool", "complex64"]),
)
def test_any_two_operands_give_numpys_numbers(labels, data, least, dtype):
    one, two = ("".join(part) for part in labels)
    output = "".join(data.draw(st.lists(st.sampled_from(sorted({*one, *two})), unique=True)))
    extents = {letter: data.draw(st.integers(1, 4)) for letter in "abcd"}
    arrays = [
        (np.arange(np.prod([extents[c] for c in part])) % 5 - 2)
        .reshape([extents[c] for c in part])
        .astype(dtype)
        for part in (one, two)
    ]
    form = f"{one},{two}->{output}"
    with pytest.MonkeyPatch.context() as patch, onebuf.config(eager_numel=0):
        patch.setattr(pair, "LEAST_WORK", least)
        got = onebuf.einsum(form, *[onebuf.asarray(array) for array in arrays])
        np.testing.assert_array_equal(np.asarray(got), np.einsum(form, *arrays))


COPIED = {"pij,ik->pkj": 0, "pij,ik->pjk": 0, "pij,jk->pik": 0, "ij,j->ij": 0}


@pytest.mark.parametrize("form", COPIED)
def test_a_product_that_needs_no_copy_makes_none(form):
    n = 40 if "p" in form else 200
    arrays = [np.ones((n,) * len(labels)) for labels in form.partition("->")[0].split(",")]
    buffers = [onebuf.asarray(array) for array in arrays]
    with onebuf.config(tier="compile"), onebuf.counters() as counted:
        onebuf.einsum(form, *buffers).contiguous().realize()
    assert (counted.kernels, counted.copies) == (1, COPIED[form])


def test_a_sum_of_turned_products_stores_no_products():
    x = onebuf.asarray(np.ones((200, 200)))
    with onebuf.config(tier="compile"), onebuf.counters() as counted:
        assert onebuf.einsum("ij,ji->", x, x).item() == 40_000
    assert counted.bytes_allocated < 200 * 200


@pytest.mark.parametrize("output", ["ik", "jl", "il", "ki", "j", ""])
def test_sums_over_axes_that_are_no_neighbours_copy_nothing(output):
    array = np.random.default_rng(0).random((20, 20, 20, 20))
    x = onebuf.asarray(array)
    with onebuf.config(tier="compile"), onebuf.counters() as counted:
        got = onebuf.einsum(f"ijkl->{output}", x).realize()
    assert counted.copies == 0
    np.testing.assert_allclose(np.asarray(got), np.einsum(f"ijkl->{output}", array))
