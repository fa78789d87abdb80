"""The gradients of matrix products are as few products as can be, of views."""

from __future__ import annotations

import numpy as np
import pytest
from finite_differences import inputs_of, stored

import onebuf
from onebuf import ops
from onebuf.gradients.reverse import pullback
from onebuf.graph import COPY, MATMUL, Kind, Node, Op


def operations(shapes: tuple[tuple[int, ...], ...]) -> list[list[Op]]:
    """The operations of the gradient of each factor, without those of the inputs and the seed."""
    inputs = inputs_of([np.ones(shape) for shape in shapes])
    product = ops.matmul(*inputs)
    seed = stored(np.ones(product.shape))
    found = pullback([product], [seed], inputs)
    ends = {id(node) for node in (*inputs, seed)}
    return [_between(g, ends) for g in found if g is not None]


def _between(node: Node, ends: set[int]) -> list[Op]:
    found, stack = [], [node]
    while stack:
        one = stack.pop()
        if id(one) not in ends:
            found.append(one.op)
            stack.extend(one.srcs)
    return found


SHAPES = [
    ((4, 3), (3, 5)),
    ((2, 4, 3), (3, 5)),
    ((2, 2, 4, 3), (3, 5)),
    ((2, 4, 3), (2, 3, 5)),
    ((3,), (3, 5)),
    ((2, 4, 3), (3,)),
]


@pytest.mark.parametrize("shapes", SHAPES, ids=str)
def test_each_factor_takes_one_product_and_no_sum_or_copy(
    shapes: tuple[tuple[int, ...], ...],
) -> None:
    with onebuf.config(eager_numel=0):
        for found in operations(shapes):
            assert found.count(MATMUL) == 1
            assert COPY not in found
            assert not [op for op in found if op.kind is Kind.REDUCE]


def test_a_batch_that_is_repeated_is_summed() -> None:
    with onebuf.config(eager_numel=0):
        _, of_right = operations(((2, 4, 3), (1, 3, 5)))
        assert len([op for op in of_right if op.kind is Kind.REDUCE]) == 1
