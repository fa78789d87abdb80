"""The table of operations is complete: each row has what computes it, names it and tests it."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from accuracy import FUNCTIONS

import onebuf
from onebuf import dtypes
from onebuf.array_api import elementwise
from onebuf.backends.libraries.namespace import ArrayApi
from onebuf.backends.numpy.loops import LOOPS
from onebuf.dtypes import kind
from onebuf.engine.cpu.small_kernels import OUR_LOOPS
from onebuf.errors import DTypeError
from onebuf.graph import BINARY, INEXACT, UNARY, Kind, Op, Rule, elementwise_dtype
from onebuf.ops import PAIRS, SINGLES
from onebuf.render.clike import operations as clike
from onebuf.render.clike.glsl_math import FORMULAS
from onebuf.render.clike.glsl_short import SHORT
from onebuf.render.llvm.element import complex_numbers
from onebuf.render.llvm.element import elementwise as llvm
from onebuf.render.math import MATH

DOCS = Path(__file__).parents[2] / "docs"
OPS = (UNARY | BINARY).values()
each_op = pytest.mark.parametrize("op", OPS, ids=str)
each_inexact_op = pytest.mark.parametrize("op", [op for op in OPS if not op.is_exact], ids=str)

GIVES = {
    Rule.SAME: {*"iufc"},
    Rule.NUMBER: {*"biufc"},
    Rule.INTEGER: {*"biu"},
    Rule.FLOAT: {*"fc"},
    Rule.BOOL: {*"b"},
    Rule.PART: {*"biuf"},
}
"""The kinds of numbers that a rule gives; bools and complex numbers not for every function."""
NOT_MEASURED = {"logaddexp"}
"""Next to zero its error is bounded in another way, by a test of its own."""


def words(page: str, line: str) -> set[str]:
    """The words of the first line of a page that begins so."""
    found = re.search(f"^{re.escape(line)}.*", (DOCS / page).read_text(encoding="utf-8"), re.M)
    assert found is not None
    return set(re.findall(r"\w+", found[0]))


@each_op
def test_a_row_is_whole(op: Op) -> None:
    assert op.kind is Kind.ELEMENTWISE
    assert op.arity == (1 if UNARY.get(op.name) is op else 2)
    assert op.rule in GIVES
    if op.numpy is not None:
        theirs = getattr(np, op.numpy)
        assert isinstance(theirs, np.ufunc)
        assert theirs.nin == op.arity
    else:
        assert not isinstance(getattr(np, op.name, None), np.ufunc)


@each_op
def test_a_rule_says_which_dtype_a_result_has(op: Op) -> None:
    def given(*operands: Any) -> Any:
        try:
            return elementwise_dtype(op, *operands)
        except DTypeError:
            return None

    assert op.arity is not None
    found = {operands: given(*operands) for operands in product(dtypes.ALL, repeat=op.arity)}
    results = {operands: result for operands, result in found.items() if result is not None}
    kinds = {kind(result) for result in results.values()}
    assert GIVES[op.rule] - {*"bc"} <= kinds
    assert kinds <= GIVES[op.rule]
    if op.rule is Rule.FLOAT:
        for operands, result in results.items():
            if all(kind(dtype) in "fc" for dtype in operands):
                assert result == dtypes.promote(*operands)


@each_op
def test_every_tier_and_language_has_it(op: Op) -> None:
    assert op in LOOPS
    assert op in OUR_LOOPS
    assert op in (SINGLES if op.arity == 1 else PAIRS)
    assert op in llvm.ELEMENTS or op in llvm.FLOATS_ONLY or op in complex_numbers.OPS
    assert op in clike.OPERATIONS or op in clike.FLOATS_ONLY
    assert callable(ArrayApi(np).function(op.name))


@each_inexact_op
def test_an_inexact_function_is_ours_everywhere(op: Op) -> None:
    assert OUR_LOOPS[op] is not LOOPS[op]
    assert op.name in MATH
    assert op in llvm.FLOATS_ONLY
    assert op.name in FORMULAS or op is BINARY["logaddexp"]


@each_inexact_op
def test_an_inexact_function_is_measured(op: Op) -> None:
    if op.name in NOT_MEASURED:
        return
    assert FUNCTIONS[op.name].operands == op.arity
    assert words("accuracy.md", f"| `{op.name}` |")


def test_nothing_else_has_a_formula_or_a_measure() -> None:
    assert sorted(set(MATH) - {op.name for op in OPS}) == []
    assert sorted(set(FUNCTIONS) | NOT_MEASURED) == sorted(op.name for op in INEXACT)
    assert sorted(SHORT) == sorted(FORMULAS)


@each_op
def test_it_has_a_public_name_and_a_place_in_the_docs(op: Op) -> None:
    function = getattr(onebuf, op.name)
    assert op.name in onebuf.__all__
    assert function is getattr(elementwise, op.name)
    pages = [
        words("array-api.md", f"| {row}") for row in ("element by element", "the same, beyond")
    ]
    assert any(op.name in page for page in pages)
