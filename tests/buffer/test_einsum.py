"""Einstein sums: NumPy's values, views where NumPy gives views, and errors that say what to do."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import onebuf
from onebuf import Buffer
from onebuf.errors import OnebufError

A = np.arange(6.0).reshape(2, 3) - 2
B = np.arange(12.0).reshape(3, 4) % 5
C = np.arange(20.0).reshape(4, 5) % 7
T = np.arange(24.0).reshape(2, 3, 4) % 11
Q = np.arange(27.0).reshape(3, 3, 3) % 10

CASES = [
    ("ij", A),
    ("ji", A),
    ("ij->ji", A),
    ("ij->", A),
    ("ij->j", A),
    ("iii", Q),
    ("iij->ji", Q),
    ("iji->j", Q),
    ("iii->i", Q),
    ("ij,jk", A, B),
    ("ij,jk->ki", A, B),
    (" i j , j k -> i k ", A, B),
    ("ij,jk->", A, B),
    ("ij,jk->j", A, B),
    ("ij,ij->ij", A, A),
    ("ij,ij->i", A, A),
    ("ij,kj->ikj", A, A),
    ("ij,kl->ijkl", A, B),
    ("i,i", A[0], A[1]),
    ("i,j->ij", A[0], B[0]),
    ("ijk,ikl->ijl", T, T.transpose(0, 2, 1)),
    ("ijk,ijk,ijk->k", T, T, T),
    ("ij,jk,kl", A, B, C),
    ("ij,jk,kl,ml->im", A, B, C, C),
    ("iij,jk->ik", Q, B),
    ("...", A),
    ("...ij->...ji", T),
    ("i...,i...->...", T, T),
    ("...j,jk->...k", T, C),
    ("...,...", T, T[0]),
    ("...i,...i->...", T, A[:, :1][:, None] + np.zeros(4)),
    ("i...->...", T),
    ("i...->i", A[0]),
    ("ij,jk->ik", A, B[:1]),
    ("i,ij->j", np.ones(1), A),
    (",ij", np.array(3.0), A),
    ("->", np.array(3.0)),
    ("ab,ZB->aZ", A, B),
    ("éa,éb->ab", A, T[:, 0]),
    ("ij,jk->ik", A.astype(np.float32), B.astype(np.int8)),
    ("ij,jk", A > 0, B > 1),
    ("ij->i", A > 1),
    ("i->", np.array([100, 100], np.int8)),
    ("ij,ij->j", A.astype(np.int32), A.astype(np.int32)),
    ("ij,jk->ik", A * 1j, B),
    ("ij,jk->ik", np.zeros((2, 0)), np.zeros((0, 3))),
    ("ij->j", np.zeros((0, 3))),
]
NOT_NUMPYS = {"éa,éb->ab"}  # NumPy has 52 letters


def reference(subscripts, *arrays):
    if subscripts in NOT_NUMPYS:
        subscripts = subscripts.replace("é", "x")
    return np.einsum(subscripts, *arrays)


@pytest.mark.parametrize("eager_numel", [4096, 0])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_a_sum_is_numpys(case, eager_numel):
    subscripts, *arrays = case
    wanted = np.asarray(reference(subscripts, *arrays))
    with onebuf.config(eager_numel=eager_numel):
        got = onebuf.einsum(subscripts, *[onebuf.asarray(array) for array in arrays])
        assert type(got) is Buffer
        assert (got.shape, got.dtype) == (wanted.shape, wanted.dtype)
        np.testing.assert_allclose(np.asarray(got), wanted, rtol=1e-6)


@st.composite
def sums(draw):
    """Subscripts, the arrays that they fit, and how to go about it."""
    letters = "abcde"
    extent = {letter: draw(st.integers(0, 3)) for letter in letters}
    hidden = draw(st.lists(st.integers(1, 3), max_size=2))
    terms, arrays = [], []
    for number in range(draw(st.integers(1, 4))):
        named = draw(st.lists(st.sampled_from(letters), max_size=3))
        shape = [extent[letter] for letter in named]
        if draw(st.booleans()):  # a 1 broadcasts, unless it is on a diagonal
            shape = [
                1 if named.count(letter) == 1 and draw(st.booleans()) else size
                for letter, size in zip(named, shape, strict=True)
            ]
        term = "".join(named)
        if draw(st.booleans()):
            count = draw(st.integers(0, len(hidden)))
            seen = [draw(st.sampled_from([1, size])) for size in hidden[len(hidden) - count :]]
            place = draw(st.integers(0, len(named)))
            term, shape = f"{term[:place]}...{term[place:]}", shape[:place] + seen + shape[place:]
        terms.append(term)
        kind = draw(st.sampled_from(["int64", "float64", "complex128", "int8", "bool"]))
        arrays.append(
            (np.arange(np.prod(shape, dtype=int)) % 5 + number).astype(kind).reshape(shape)
        )
    subscripts = ",".join(terms)
    if draw(st.booleans()):
        used = sorted({letter for term in terms for letter in term.replace(".", "")})
        chosen = draw(st.lists(st.sampled_from(used), unique=True)) if used else []
        subscripts += "->..." + "".join(chosen)
    optimize = draw(st.sampled_from([True, False, "greedy", "optimal"]))
    return subscripts, arrays, optimize, draw(st.sampled_from([4096, 0]))


@settings(max_examples=300, deadline=None)
@given(sums())
def test_any_sum_is_numpys(case):
    subscripts, arrays, optimize, eager_numel = case
    wanted = np.asarray(np.einsum(subscripts, *arrays))
    with onebuf.config(eager_numel=eager_numel):
        buffers = [onebuf.asarray(array) for array in arrays]
        got = onebuf.einsum(subscripts, *buffers, optimize=optimize)
        assert (got.shape, got.dtype) == (wanted.shape, wanted.dtype)
        np.testing.assert_allclose(np.asarray(got), wanted)


@pytest.mark.parametrize(
    "terms, output",
    [
        (([0, 1], [1, 2]), None),
        (([0, 1], [1, 2]), [2, 0]),
        (([9, 4], [4, 7]), None),
        (([0, 1], [1, ...]), [..., 0]),
        (((np.int64(0), 1), (1, 2)), (0,)),
    ],
)
def test_numbers_do_for_letters(terms, output):
    def call(einsum, one, two):
        end = () if output is None else (output,)
        return einsum(one, terms[0], two, terms[1], *end)

    wanted = call(np.einsum, A, B)
    got = call(onebuf.einsum, onebuf.asarray(A), onebuf.asarray(B))
    np.testing.assert_allclose(np.asarray(got), wanted)


def test_a_sum_waits_until_its_elements_are_wanted():
    x = onebuf.asarray(np.ones((300, 200))) * 2
    y = onebuf.einsum("ij,kj,k->ik", x, x, x[:, 0])
    assert not x.is_realized
    assert not y.is_realized
    assert (y == 1600).all()


def test_moving_and_diagonals_are_views():
    x = onebuf.asarray(Q, copy=True)
    moved, diagonal = onebuf.einsum("ijk->kij", x), onebuf.einsum("iij->ij", x)
    assert moved.base is x
    assert diagonal.base is x
    diagonal[1, 2] = 50.0
    assert x[1, 1, 2].item() == moved[2, 1, 1].item() == 50.0


def test_a_sum_never_shares_memory_with_its_operands():
    x, one = onebuf.asarray(A, copy=True), onebuf.asarray(1.0)
    y = onebuf.einsum("ij,->ij", x, one)
    y[0, 0] = 77.0
    assert x[0, 0].item() == -2.0


@pytest.mark.parametrize("optimize", [True, False, "greedy", "optimal", "auto", [(1, 2), (0, 1)]])
def test_the_order_does_not_change_the_sum(optimize):
    arrays = [A, B, C]
    buffers = [onebuf.asarray(array) for array in arrays]
    got = onebuf.einsum("ij,jk,kl->il", *buffers, optimize=optimize)
    np.testing.assert_allclose(np.asarray(got), A @ B @ C)


def test_a_path_of_numpys_does():
    path, _ = np.einsum_path("ij,jk,kl->il", A, B, C, optimize="greedy")
    buffers = [onebuf.asarray(array) for array in (A, B, C)]
    got = onebuf.einsum("ij,jk,kl->il", *buffers, optimize=path)
    np.testing.assert_allclose(np.asarray(got), A @ B @ C)


def test_a_good_order_is_found():
    # Left to right, the first product would have 10**8 elements.
    long, short = onebuf.ones((10**4, 1)), onebuf.ones((1, 10**4))
    with onebuf.config(eager_numel=0):
        y = onebuf.einsum("ij,jk,kl->il", long, short, long)
        assert max(item.node.numel for item in onebuf.schedule(y)) == 10**4
    assert (y == 10**4).all()


def test_arrays_may_be_among_the_operands():
    got = onebuf.einsum("ij,jk", A, onebuf.asarray(B))
    assert type(got) is Buffer
    np.testing.assert_allclose(np.asarray(got), A @ B)


def test_a_dtype_is_computed_in():
    got = onebuf.einsum("ij->i", onebuf.asarray(A), dtype="float32", casting="same_kind")
    assert got.dtype == onebuf.float32


X, Y = onebuf.asarray(A), onebuf.asarray(B)
MISTAKES = {
    "nothing": (lambda: onebuf.einsum(), "subscripts and operands"),
    "no operands": (lambda: onebuf.einsum("ij"), "at least one operand"),
    "too few": (lambda: onebuf.einsum("ij,jk", X), "2 subscripts in 'ij,jk' and 1 operand"),
    "too many": (lambda: onebuf.einsum("ij", X, Y), "1 subscripts"),
    "digit": (lambda: onebuf.einsum("i1", X), "'i1'.*for example"),
    "two arrows": (lambda: onebuf.einsum("ij->i->j", X), "letters"),
    "two ellipses": (lambda: onebuf.einsum("...i...", X), r"one '\.\.\.'"),
    "rank": (lambda: onebuf.einsum("ijk", X), "'ijk' for one of 2 dimensions"),
    "low rank": (lambda: onebuf.einsum("i", X), r"'\.\.\.' stands for"),
    "extents": (lambda: onebuf.einsum("ij,ik", X, Y), "'i', got 2 and then 3 in operand 1"),
    "hidden": (lambda: onebuf.einsum("...i,...i", Y, Y.T), "from the end of"),
    "diagonal": (lambda: onebuf.einsum("ii", X), "diagonal, got 2 and 3"),
    "unknown result": (lambda: onebuf.einsum("ij->k", X), "'k' in 'ij->k'"),
    "twice in result": (lambda: onebuf.einsum("ij->ii", X), "once"),
    "lost ellipsis": (lambda: onebuf.einsum("i...->i", X), r"'\.\.\.' in the result"),
    "list of text": (lambda: onebuf.einsum(X, ["a", "b"]), "integers"),
    "no list": (lambda: onebuf.einsum(X, 3), "integers"),
    "ellipses in a list": (lambda: onebuf.einsum(X, [..., ...]), "at most one ellipsis"),
    "strategy": (lambda: onebuf.einsum("ij,jk,kl", X, Y, Y.T, optimize="fast"), "'fast'"),
    "path": (lambda: onebuf.einsum("i,i,i", *[X[0]] * 3, optimize=[(0, 5)]), r"\(0, 5\)"),
    "short path": (lambda: onebuf.einsum("i,i,i", *[X[0]] * 3, optimize=[(0, 1)]), "leaves 2"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_an_error_that_says_what_to_do(name):
    call, message = MISTAKES[name]
    with pytest.raises(OnebufError, match=f"(?s)einsum.*{message}"):
        call()
    assert X.to_python() == A.tolist()


def test_operands_may_be_lists_numbers_and_arrays() -> None:
    one = onebuf.einsum("ij,j", [[1, 2], [3, 4]], np.asarray([1.0, 2.0]))
    assert isinstance(one, Buffer)
    assert one.to_python() == [5.0, 11.0]
    assert onebuf.einsum("..., ...", 3, 4).item() == 12


def test_out_is_written_and_given_back() -> None:
    out = onebuf.zeros((3,))
    given = onebuf.einsum("ij->j", onebuf.asarray([[1, 2, 3], [4, 5, 6]]), out=out)
    assert given is out
    assert out.to_python() == [5.0, 7.0, 9.0]
    with pytest.raises(ValueError, match=r"out of shape \(3,\), got \(2,\)"):
        onebuf.einsum("ij->j", onebuf.asarray(A), out=onebuf.zeros(2))


@pytest.mark.parametrize("casting", ["no", "safe", "same_kind", "unsafe"])
@pytest.mark.parametrize("dtype", ["int32", "float32", "float64", "complex64"])
def test_casting_allows_what_it_allows_in_numpy(casting: str, dtype: str) -> None:
    try:
        wanted = np.einsum("ij->i", A, dtype=dtype, casting=casting)
    except TypeError:
        with pytest.raises(TypeError, match="cannot cast"):
            onebuf.einsum("ij->i", onebuf.asarray(A), dtype=dtype, casting=casting)
        return
    result = onebuf.einsum("ij->i", onebuf.asarray(A), dtype=dtype, casting=casting)
    assert result.dtype == wanted.dtype
    np.testing.assert_array_equal(np.asarray(result), wanted)


def test_order_says_how_the_result_lies() -> None:
    x = onebuf.asarray(A)
    assert onebuf.einsum("ij->ji", x, order="C").stride == (2, 1)
    assert onebuf.einsum("ij,jk", x, onebuf.asarray(B), order="F").stride == (1, 2)
    assert onebuf.einsum("ij->ji", x, order="c").stride == (2, 1)
    with pytest.raises(ValueError, match="casting must be one of"):
        onebuf.einsum("ij", x, casting="maybe")
    with pytest.raises(ValueError, match="order 'A', 'C', 'F' or 'K', got 'W'"):
        onebuf.einsum("ij", x, order="W")


@pytest.mark.parametrize("tier", ["compile", "interpret"])
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "complex128"])
def test_windows_are_summed_without_a_copy(tier, dtype):
    rng = np.random.default_rng(4)
    image = (rng.random((300, 310)) * 9).astype(dtype)
    weights = (rng.random((3, 5)) * 9).astype(dtype)
    windows = np.lib.stride_tricks.sliding_window_view(image, (3, 5))
    with onebuf.config(tier=tier), onebuf.counters() as counted:
        buffer = onebuf.asarray(image)
        seen = onebuf.lib.stride_tricks.sliding_window_view(buffer, (3, 5))
        found = onebuf.einsum("ijkl,kl->ij", seen, onebuf.asarray(weights)).realize()
        turned = onebuf.einsum("kl,ijkl->ji", onebuf.asarray(weights), seen).realize()
    assert counted.bytes_copied < image.nbytes  # the turned result is stored in its order
    wanted = np.einsum("ijkl,kl->ij", windows, weights)
    np.testing.assert_allclose(np.asarray(found), wanted, rtol=1e-5)
    np.testing.assert_allclose(np.asarray(turned), wanted.T, rtol=1e-5)


def test_stacks_of_windows_have_weights_of_their_own():
    rng = np.random.default_rng(4)
    images, weights = rng.random((3, 200, 210)), rng.random((3, 4))
    windows = np.lib.stride_tricks.sliding_window_view(images, 4, axis=2)
    seen = onebuf.lib.stride_tricks.sliding_window_view(onebuf.asarray(images), 4, axis=2)
    found = onebuf.einsum("bijk,bk->bij", seen, onebuf.asarray(weights))
    np.testing.assert_allclose(np.asarray(found), np.einsum("bijk,bk->bij", windows, weights))
