"""opt_einsum on buffers: it finds the namespace by itself and calls its functions."""

from typing import Any

import numpy as np
import opt_einsum
import pytest
from opt_einsum.backends import dispatch
from opt_einsum.contract import infer_backend

import onebuf
from onebuf import Buffer

RNG = np.random.default_rng(0)
A, B, C, D = (RNG.normal(size=shape) for shape in ((4, 5), (5, 6), (6, 7), (7, 4)))
T = RNG.normal(size=(3, 4, 5))

CONTRACTIONS: list[tuple[Any, ...]] = [
    ("ij,jk->ik", A, B),
    ("ij,jk,kl,lm", A, B, C, D),
    ("ij,jk,kl,li", A, B, C, D),
    ("ij,jk,kl,lm->mi", A, B, C, D),
    ("ij,ij->i", A, A),
    ("bij,bkj,ki->bk", T, T, A.T[:4, :4] @ np.eye(4)),
    ("bij,jk,b->ik", T, B, A[0, :3]),
    ("...j,jk->...k", T, B),
    ("ii->", A[:4, :4]),
    ("ij->ji", A),
    ("i,j,k->ijk", A[0], B[0], C[0]),
    ("ij,j->", A, B[:, 0]),
]


def buffers(arrays: Any) -> list[Buffer]:
    return [onebuf.asarray(array) for array in arrays]


def equal(got: Any, wanted: Any) -> None:
    assert type(got) is Buffer
    assert got.shape == np.shape(wanted)
    np.testing.assert_allclose(np.asarray(got), wanted, rtol=1e-12)


@pytest.mark.parametrize("eager_numel", [4096, 0])
@pytest.mark.parametrize("optimize", ["auto", "greedy", "optimal", False])
@pytest.mark.parametrize("case", CONTRACTIONS, ids=lambda case: case[0])
def test_contract(case: Any, optimize: Any, eager_numel: int) -> None:
    equation, *arrays = case
    wanted = opt_einsum.contract(equation, *arrays, optimize=optimize)
    with onebuf.config(eager_numel=eager_numel):
        equal(opt_einsum.contract(equation, *buffers(arrays), optimize=optimize), wanted)


def test_the_backend_is_found_by_the_type() -> None:
    assert infer_backend(onebuf.zeros(1)) == "onebuf"
    assert dispatch.has_einsum("onebuf")
    assert dispatch.has_tensordot("onebuf")
    assert dispatch.get_func("transpose", "onebuf")(onebuf.zeros((2, 3)), (1, 0)).shape == (3, 2)


def test_the_backend_may_be_named() -> None:
    got = opt_einsum.contract("ij,jk->ik", *buffers((A, B)), backend="onebuf")
    equal(got, A @ B)


def test_interleaved_operands() -> None:
    one, two = buffers((A, B))
    equal(opt_einsum.contract(one, [0, 1], two, [1, 2], [2, 0]), (A @ B).T)


def test_an_expression_is_used_again() -> None:
    expression = opt_einsum.contract_expression("ij,jk,kl->il", A.shape, B.shape, C.shape)
    for scale in (1.0, 2.0, -3.0):
        equal(expression(*buffers((A * scale, B, C))), scale * (A @ B @ C))


def test_an_expression_with_constants_is_used_again() -> None:
    x, y = buffers((B, C))
    expression = opt_einsum.contract_expression("ij,jk,kl->il", A.shape, x, y, constants=[1, 2])
    for scale in (1.0, 2.0):
        equal(expression(onebuf.asarray(A * scale), backend="onebuf"), scale * (A @ B @ C))


def test_intermediates_are_shared() -> None:
    x, y, z = buffers((A, B, C))
    with opt_einsum.shared_intermediates():
        equal(opt_einsum.contract("ij,jk,kl->il", x, y, z), A @ B @ C)
        equal(opt_einsum.contract("ij,jk,kl->li", x, y, z), (A @ B @ C).T)


def test_more_labels_than_letters() -> None:
    # Symbols beyond the alphabet: a ring of 60 matrices.
    arrays = [RNG.normal(size=(2, 2)) for _ in range(60)]
    names = [opt_einsum.get_symbol(number) for number in range(60)]
    terms = [names[number] + names[(number + 1) % 60] for number in range(60)]
    equation = ",".join(terms) + "->"
    equal(
        opt_einsum.contract(equation, *buffers(arrays)),
        np.trace(np.linalg.multi_dot(arrays)),
    )


def test_a_contraction_of_pending_buffers_is_pending() -> None:
    x = onebuf.asarray(np.ones((400, 300))) * 2
    y = opt_einsum.contract("ij,kj,kl->il", x, x, x)
    assert not x.is_realized
    assert not y.is_realized
    assert (y == 2 * 2 * 2 * 300 * 400).all()
