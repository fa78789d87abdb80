"""Labelled operations: NumPy's einsum is the oracle."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from onebuf import OpGraph
from onebuf.errors import OpGraphError
from onebuf.op_graph.labels import parse_labels

Array = np.ndarray[Any, Any]
M = np.array([[1, 2], [3, 4]])
T = np.arange(1, 9).reshape(2, 2, 2)


def run(name: str, *operands: tuple[Array, str], result: str) -> Any:
    """The result of one labelled operation."""
    graph = OpGraph()
    pairs = [(graph.tensor(value=array), labels) for array, labels in operands]
    graph.operation(name, *pairs, result=result)
    return graph().to_python()


def test_labels_are_separated_by_commas() -> None:
    assert parse_labels("i, jk, l") == ("i", "jk", "l")
    assert parse_labels(["i", "jk"]) == ("i", "jk")
    assert parse_labels(" ") == ()


@pytest.mark.parametrize("text", ["i,", ",", "i,,j", ["i", ""], ["i,j"], "i\n,\x00"])
def test_a_label_needs_a_character(text: Any) -> None:
    with pytest.raises(OpGraphError, match="at least one character"):
        parse_labels(text)


EINSTEIN = [
    ([(M, "i,j"), (M, "j,i")], "", 29),
    ([(M, "i,k"), (M, "k,j")], "i,j", [[7, 10], [15, 22]]),
    ([(T, "i,j,k"), (T, "j,k,l")], "i,l", [[50, 60], [114, 140]]),
    ([(T, "i,j,k"), (T, "j,l,k")], "l,i", [[44, 100], [64, 152]]),
    ([(T, "i,j,k"), (T, "i,j,k")], "i,j", [[5, 25], [61, 113]]),
    ([(M, "i,i")], "", 5),
    ([(M, "row,column")], "row", [3, 7]),
    ([(M, "i,j")], "j,i", [[1, 3], [2, 4]]),
    ([(M[0], "i"), (M[1], "j")], "i,j", [[3, 4], [6, 8]]),
]


@pytest.mark.parametrize("operands, result, wanted", EINSTEIN)
def test_contractions_sum_over_what_the_result_lacks(
    operands: Any, result: str, wanted: Any
) -> None:
    assert run("contract", *operands, result=result) == wanted


def test_a_labelled_product_is_a_contraction() -> None:
    assert run("multiply", (M, "i,k"), (M, "k,j"), result="i,j") == [[7, 10], [15, 22]]


def test_permutation_is_carried_by_the_labels_of_edges() -> None:
    assert run("add", (M, "i,j"), (M, "j,i"), result="i,j") == [[2, 5], [5, 8]]
    assert run("copy", (M, "i,j"), result="j,i") == [[1, 3], [2, 4]]
    assert run("subtract", (M, "i,j"), (M, "i,j"), result="j,i") == [[0, 0], [0, 0]]


def test_an_operand_without_a_label_is_repeated_along_it() -> None:
    assert run("add", (M, "i,j"), (M[0], "i"), result="i,j") == (M + M[0][:, None]).tolist()
    assert run("where", (M > 2, "i,j"), (M[0], "j"), (M[1], "i"), result="j,i") == (
        np.where((M > 2).T, M[0][:, None], M[1]).tolist()
    )


@given(st.data())
def test_any_contraction_is_numpys(data: Any) -> None:
    sizes = {"i": 2, "j": 3, "k": 1, "l": 4, "m": 0}
    letters = st.lists(st.sampled_from("ijkl" if data.draw(st.booleans()) else "ijklm"), max_size=3)
    terms = data.draw(st.lists(letters, min_size=1, max_size=3))
    known = sorted({letter for term in terms for letter in term})
    order = data.draw(st.permutations(known))
    result = order[: data.draw(st.integers(0, len(order)))]
    rng = np.random.default_rng(data.draw(st.integers(0, 9)))
    arrays = [rng.integers(-3, 4, [sizes[letter] for letter in term]) for term in terms]
    wanted = np.einsum(",".join(map("".join, terms)) + "->" + "".join(result), *arrays)
    graph = OpGraph()
    operands = [(graph.tensor(value=x), term) for x, term in zip(arrays, terms, strict=True)]
    graph.operation("einsum", *operands, result=result)
    read = OpGraph.from_json(graph.to_json())
    assert read == graph
    np.testing.assert_array_equal(graph(), wanted)


REFUSED = [
    ("add", [(M, "i,j"), (M, "i")], "i,j", "a label for each axis of operand 1"),
    ("add", [(M, "i,j"), (np.ones((3, 2)), "i,j")], "i,j", "one extent for the label 'i', got 2"),
    ("add", [(M, "i,j"), (M, "i,j")], "i", "needs 'j' of operand 0"),
    ("add", [(M, "i,i"), (M, "i,i")], "i", "'i' twice; take the diagonal"),
    ("einsum", [(M, "i,j")], "i,k", "that an operand has, got 'k'"),
    ("einsum", [(M, "i,j")], "i,i", "'i' twice"),
    ("einsum", [(M, "i,j"), (np.ones(1), "i")], "j", "one extent for the label 'i'"),
    ("matmul", [(M, "i,j"), (M, "j,k")], "i,k", "takes no labels"),
]


@pytest.mark.parametrize("name, operands, result, message", REFUSED)
def test_labels_that_do_not_fit_are_refused(
    name: str, operands: Any, result: str, message: str
) -> None:
    with pytest.raises(OpGraphError, match=message):
        run(name, *operands, result=result)


def test_labels_are_on_all_operands_or_on_none() -> None:
    graph = OpGraph()
    m = graph.tensor("M", (2, 2), "int64")
    with pytest.raises(OpGraphError, match="operand 1 has none"):
        graph.operation("add", (m, "i,j"), m, result="i,j")
    with pytest.raises(OpGraphError, match="its result has none"):
        graph.operation("add", (m, "i,j"), (m, "i,j"))
    with pytest.raises(OpGraphError, match="needs labels"):
        graph.operation("einsum", m)
