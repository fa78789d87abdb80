"""Matrix products with the kernels that take their rows: NumPy's values, block by block.

Factors hold small whole numbers, so that every order of a sum gives the same one.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import onebuf
from onebuf import Buffer, config
from onebuf.backends import null
from onebuf.engine.cpu import gemm
from onebuf.engine.cpu.blas import gemm_address
from onebuf.engine.plan import decide
from onebuf.engine.plan.decide import items_for
from onebuf.engine.step import matmul_step, matvec
from onebuf.errors import OutOfMemory
from onebuf.events import KernelRan, listening
from onebuf.scheduler.fuse.matmul import MatmulKernel

Array = np.ndarray[Any, Any]
RNG = np.random.default_rng(11)


@pytest.fixture(autouse=True)
def compiled(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(decide, "_known", {})  # each test may want other blocks
    monkeypatch.setattr(decide, "_guards", {})
    with config(eager_numel=0, tier="compile"):
        yield


def whole(*shape: int, dtype: Any = np.float32) -> Array:
    return RNG.integers(-8, 9, shape).astype(dtype)


def softmax(xp: Any, x: Any) -> Any:
    e = xp.exp(x - xp.max(x, axis=-1, keepdims=True))
    return e / xp.sum(e, axis=-1, keepdims=True)


def relu(xp: Any, x: Any) -> Any:
    return xp.maximum(x, xp.zeros((), dtype=x.dtype))


EPILOGUES: dict[str, Callable[..., Any]] = {
    "scaled": lambda xp, p, b: p * 3,
    "a bias for each column": lambda xp, p, b: relu(xp, p + b[..., 0, :]),
    "a bias for each row": lambda xp, p, b: relu(xp, p + b[..., :, :1]),
    "a bias for each element": lambda xp, p, b: p * b + 1,
    "wider": lambda xp, p, b: xp.astype(p, xp.float64) / 7,
    "narrower": lambda xp, p, b: xp.astype(p, xp.int16),
    "twice": lambda xp, p, b: p * p - p,
    "part of each row": lambda xp, p, b: p[..., ::2] - 1,
    "backwards": lambda xp, p, b: xp.flip(p, axis=-1) + p,
    "turned": lambda xp, p, b: xp.matrix_transpose(p) * 2,
    "every other row": lambda xp, p, b: p[..., ::2, :] + 1,
    "positions": lambda xp, p, b: p + xp.arange(p.shape[-1], dtype=xp.float32),
    "sums of rows": lambda xp, p, b: xp.sum(p, axis=-1),
    "sums of columns": lambda xp, p, b: xp.sum(p, axis=-2),
    "sum of all": lambda xp, p, b: xp.sum(p * 2),
    "softmax": lambda xp, p, b: softmax(xp, p / 4 + b),
    "with the product": lambda xp, p, b: (p, p + b),
    "twice with the product": lambda xp, p, b: (p * 2 + b, p, xp.sum(p, axis=-2)),
    "kept for another product": lambda xp, p, b: (relu(xp, p), p @ xp.matrix_transpose(b)),
    "all at once": lambda xp, p, b: (p + b, xp.sum(p, axis=-1), xp.max(p, axis=-1)),
}


def check(expression: Callable[..., Any], *arrays: Array) -> list[Buffer]:
    found = expression(onebuf, *[onebuf.asarray(array) for array in arrays])
    wanted = expression(np, *arrays)
    found = list(found) if isinstance(found, tuple) else [found]
    wanted = wanted if isinstance(wanted, tuple) else (wanted,)
    onebuf.realize(*found)
    for one, two in zip(found, wanted, strict=True):
        assert one.shape == two.shape
        assert one.dtype == two.dtype
        np.testing.assert_allclose(np.asarray(one), two, rtol=1e-5, atol=1e-6)
    return found


def laid_out(array: Array, how: str) -> Array:
    """The same elements in another order in memory."""
    if how == "transposed":
        return np.ascontiguousarray(array.swapaxes(-1, -2)).swapaxes(-1, -2)
    if how == "sliced":
        wide = np.zeros((*array.shape[:-1], 2 * array.shape[-1]), array.dtype)
        wide[..., ::2] = array
        return wide[..., ::2]
    if how == "backwards":
        return np.ascontiguousarray(array[..., ::-1, :])[..., ::-1, :]
    if how == "batch last":
        return np.moveaxis(np.ascontiguousarray(np.moveaxis(array, 0, -1)), -1, 0)
    return array


EXTENTS = st.sampled_from([0, 1, 2, 3, 5, 8, 17])
BATCHES = st.sampled_from(
    [((), ()), ((2,), ()), ((), (3,)), ((2,), (2,)), ((2, 1), (3,)), ((2, 3), (2, 3)), ((1,), (4,))]
)
LAYOUTS = st.sampled_from(["as made", "transposed", "sliced", "backwards", "batch last"])


@pytest.mark.parametrize("name", EPILOGUES)
@settings(max_examples=25)
@given(st.data(), EXTENTS, EXTENTS, EXTENTS, BATCHES, st.sampled_from([(64, 1), (1, 1), (200, 3)]))
def test_blocks_of_any_product_give_numpys_answer(name, data, rows, inner, columns, batches, block):
    left, right = batches
    x = laid_out(whole(*left, rows, inner), data.draw(LAYOUTS))
    y = laid_out(whole(*right, inner, columns), data.draw(LAYOUTS))
    shape = (*np.broadcast_shapes(left, right), rows, columns)
    if 0 in shape or (name in ("a bias for each column", "a bias for each row") and len(shape) > 2):
        name = "a bias for each element"
    with pytest.MonkeyPatch.context() as patch, config(check_bounds=data.draw(st.booleans())):
        patch.setattr(matmul_step, "TILE_NBYTES", block[0])
        patch.setattr(matmul_step, "LEAST_ROWS", block[1])
        check(lambda xp, x, y, b: EPILOGUES[name](xp, x @ y, b), x, y, whole(*shape))


X, W, B = whole(40, 12), whole(12, 30), whole(30)


def names(*buffers: Buffer) -> list[str]:
    return [item.name for item in onebuf.schedule(*buffers)]


@pytest.mark.parametrize(
    "wanted, expression",
    [
        (["matmul + add + maximum"], lambda xp, x, w, b: relu(xp, x @ w + b)),
        (["matmul + multiply"], lambda xp, x, w, b: (x @ w) * 2),
        (["matmul + cast"], lambda xp, x, w, b: xp.astype(x @ w, xp.float64)),
        (["matmul + sum"], lambda xp, x, w, b: xp.sum(x @ w, axis=-1)),
        (["matmul + add"], lambda xp, x, w, b: (x @ w, x @ w + b)),
        (["matmul + matmul + multiply"], lambda xp, x, w, b: (x @ w) * (x @ (w + 1))),
        (["matmul + add"], lambda xp, x, w, b: x @ w[:, 0] + b[0]),
        (["matmul + subtract"], lambda xp, x, w, b: x[0] @ w - b),
        (["matmul", "sum"], lambda xp, x, w, b: xp.sum(x @ w, axis=0)),
        (["matmul", "matmul"], lambda xp, x, w, b: (x @ w) @ w.T),
        (["matmul + add", "matmul + subtract"], lambda xp, x, w, b: (x @ w + b) @ w.T - 1),
    ],
)
def test_a_product_is_one_item_with_the_kernel_that_takes_its_rows(wanted, expression):
    found = expression(onebuf, *map(onebuf.asarray, (X, W, B)))
    found = found if isinstance(found, tuple) else (found,)
    operands = [name for name in names(*found) if name != "add"]  # w + 1 is made beforehand
    assert operands[-len(wanted) :] == wanted
    check(expression, X, W, B)


def test_a_product_that_others_read_is_kept():
    x, w = onebuf.asarray(X), onebuf.asarray(W)
    product = x @ w
    after = product + 1
    (item,) = onebuf.schedule(after, product)
    assert isinstance(item, MatmulKernel)
    assert item.outputs == (after._node, product._node)
    assert item.bytes_written == 2 * product.nbytes
    onebuf.realize(after, product)
    assert product.is_realized
    np.testing.assert_array_equal(np.asarray(product), X @ W)


def test_a_product_that_another_kernel_reads_and_no_buffer_holds_is_kept_for_it():
    x = whole(40, 70)
    for _ in range(3):
        buffer = onebuf.asarray(x)
        product = onebuf.matmul(buffer, buffer.T)
        first = product - 1
        second = onebuf.concat([product, first, product], axis=0)
        del product
        onebuf.realize(first, second)
        wanted = x @ x.T
        np.testing.assert_array_equal(np.asarray(second), np.concat([wanted, wanted - 1, wanted]))


def test_a_product_that_nobody_else_reads_needs_memory_for_a_block_alone(monkeypatch):
    monkeypatch.setattr(matmul_step, "TILE_NBYTES", 1 << 16)
    monkeypatch.setattr(matmul_step, "LEAST_ROWS", 64)
    x, w = onebuf.asarray(whole(4096, 8)), onebuf.asarray(whole(8, 256))
    result = x @ w + 1
    with onebuf.counters() as counted:
        result.realize()
    assert counted.kernels == 1
    assert counted.bytes_allocated < 1.25 * result.nbytes
    np.testing.assert_array_equal(np.asarray(result), np.asarray(x) @ np.asarray(w) + 1)


@pytest.mark.parametrize("count", [1, 4])
@pytest.mark.parametrize("holder", ["buffer", "view", "expression"])
def test_a_product_that_somebody_holds_is_not_made_again(holder, count, monkeypatch):
    monkeypatch.setattr(matmul_step, "TILE_NBYTES", 1)
    monkeypatch.setattr(matmul_step, "LEAST_ROWS", len(X) // count)
    held = onebuf.asarray(X) @ onebuf.asarray(W)
    result = relu(onebuf, held + onebuf.asarray(B)) + held
    if holder == "view":
        held = held.T
    elif holder == "expression":
        held = held.T - 1
    result.realize()
    with onebuf.counters() as counted:
        held.realize()
    assert counted.kernels == (holder == "expression")
    wanted = {"buffer": X @ W, "view": (X @ W).T, "expression": (X @ W).T - 1}[holder]
    np.testing.assert_array_equal(np.asarray(held), wanted)
    np.testing.assert_array_equal(np.asarray(result), np.maximum(X @ W + B, 0) + X @ W)


def test_an_item_tells_what_it_did_and_why():
    heard: list[Any] = []
    result = onebuf.asarray(X) @ onebuf.asarray(W) + onebuf.asarray(B)
    text = result.explain()
    assert "1 kernel" in text
    assert (
        "matmul + add(stored float32[40, 12], stored float32[12, 30], stored float32[30])" in text
    )
    assert "kernel, 4.8 kB: asked for" in text
    with listening(heard.append):
        result.realize()
    (ran,) = [event for event in heard if isinstance(event, KernelRan)]
    assert (ran.name, ran.nbytes, ran.tier) == ("matmul + add", 4800, 2)


def test_the_null_backend_counts_a_product_as_one_kernel():
    result = onebuf.asarray(X) @ onebuf.asarray(W) + onebuf.asarray(B)
    counts = null.counts_of(items_for([result._node]))
    assert (counts.kernels, counts.instances) == (1, 1200)
    assert counts.bytes_read == X.nbytes + W.nbytes + B.nbytes
    assert counts.bytes_written == result.nbytes
    assert not result.is_realized


@pytest.mark.parametrize("written", [0, 1, 2])
def test_a_write_to_an_operand_comes_after_the_product(written):
    buffers = [Buffer(array.copy()) for array in (X, W, B)]
    x, w, b = buffers
    result = relu(onebuf, x @ w + b)
    buffers[written][...] = 0
    np.testing.assert_array_equal(np.asarray(result), np.maximum(X @ W + B, 0))


def test_running_out_of_memory_leaves_everything_as_it_was():
    x, w = onebuf.asarray(whole(512, 8)), onebuf.asarray(whole(8, 512))
    product = x @ w
    after = product + 1
    used = onebuf.memory_stats()["CPU"].in_use
    cap = used + product.nbytes + 1000  # enough for one result
    with config(memory_cap=cap), pytest.raises(OutOfMemory) as caught:
        onebuf.realize(after, product)
    assert any("while computing matmul + add" in note for note in caught.value.__notes__)
    assert not after.is_realized
    assert not product.is_realized
    del caught
    assert onebuf.memory_stats()["CPU"].in_use == used
    np.testing.assert_array_equal(np.asarray(after), np.asarray(x) @ np.asarray(w) + 1)


def test_a_failure_between_blocks_leaves_everything_as_it_was(monkeypatch):
    monkeypatch.setattr(matmul_step, "TILE_NBYTES", 1)
    monkeypatch.setattr(matmul_step, "LEAST_ROWS", 8)
    calls: list[int] = []
    run = matmul_step.KernelCall.run

    def fail(*arguments: Any) -> None:
        calls.append(1)
        if len(calls) == 3:
            raise RuntimeError("in the middle")
        run(*arguments)

    x, w = onebuf.asarray(X), onebuf.asarray(W)
    product = x @ w
    after = product + 1
    with monkeypatch.context() as patch:
        patch.setattr(matmul_step.KernelCall, "run", fail)
        with pytest.raises(RuntimeError, match="in the middle"):
            onebuf.realize(after, product)
    assert not after.is_realized
    assert not product.is_realized
    np.testing.assert_array_equal(np.asarray(after), X @ W + 1)


@pytest.mark.parametrize("tier", ["compile", "interpret", "auto"])
def test_every_tier_gives_the_same_answer(tier):
    with config(tier=tier):
        check(lambda xp, x, w, b: relu(xp, x @ w + b), X, W, B)


# -- with vectors ----------------------------------------------------------------------------------


FORMS = {
    "matrix, vector": ((300, 200), (200,)),
    "vector, matrix": ((200,), (200, 300)),
    "vectors": ((70000,), (70000,)),
    "row, matrix": ((1, 200), (200, 300)),
    "matrix, column": ((300, 200), (200, 1)),
    "stack, vector": ((4, 100, 200), (200,)),
    "stack, columns": ((4, 100, 200), (4, 200, 1)),
    "rows, stack": ((4, 1, 200), (4, 200, 100)),
    "stack of stacks": ((2, 3, 100, 200), (2, 3, 200, 1)),
    "few columns": ((20000,), (20000, 3)),
    "rows, one matrix": ((4, 1, 200), (200, 300)),
}


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint8, np.float32, np.float64])
@pytest.mark.parametrize("name", FORMS)
def test_a_product_with_a_vector_in_any_layout_is_numpys(name, dtype):
    x, y = (whole(*shape, dtype=np.int64).astype(dtype) for shape in FORMS[name])
    wanted = x @ y
    for how in ("as made", "transposed", "sliced", "backwards"):
        for which in (0, 1):
            pair = [x, y]
            if pair[which].ndim > 1 or how == "sliced":
                pair[which] = laid_out(pair[which], how)
            for options in ({}, {"threads": 1}, {"check_bounds": True}):
                with config(**options):
                    found = onebuf.asarray(pair[0]) @ onebuf.asarray(pair[1])
                    assert found.dtype == wanted.dtype
                    np.testing.assert_array_equal(np.asarray(found), wanted)


def test_a_kernel_takes_what_blas_cannot():
    x, v = whole(400, 400), whole(400)
    out = np.zeros(400, np.float32)
    assert not matvec.multiply_vector(x, v, out)
    assert not matvec.multiply_vector(x.T, v, out)
    assert not matvec.multiply_vector(x, x, np.empty((400, 400), np.float32))
    assert not matvec.multiply_vector(x.astype(complex), v.astype(complex), out.astype(complex))
    assert not matvec.multiply_vector(x[::4, ::4], v[::4], out[:100])  # too small
    for odd, with_it in ((x[::-1], v), (x[:, ::-1], v), (x, v[::-1])):
        assert matvec.multiply_vector(odd, with_it, out)
        np.testing.assert_array_equal(out, odd @ with_it)
    total = np.empty(400, np.int32)
    assert matvec.multiply_vector(x.astype(np.int32), v.astype(np.int32), total)
    np.testing.assert_array_equal(total, x @ v)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_kernel_sums_in_the_order_of_our_sums(dtype):
    x, v = RNG.normal(size=(200, 300)).astype(dtype), RNG.normal(size=300).astype(dtype)
    by_rows, by_columns = x[:, ::-1], np.asfortranarray(x)[::-1]
    lazy = onebuf.asarray(v)
    rows = onebuf.asarray(by_rows)
    np.testing.assert_array_equal(np.asarray(rows @ lazy), np.asarray((rows * lazy).sum(-1)))
    columns = onebuf.asarray(by_columns)
    products = (columns * lazy).T
    np.testing.assert_array_equal(np.asarray(columns @ lazy), np.asarray(products.sum(0)))


def test_whole_numbers_wrap_as_numpys_do():
    x = np.full((300, 300), 120, np.int8)
    v = np.full(300, 110, np.int8)
    np.testing.assert_array_equal(np.asarray(onebuf.asarray(x) @ onebuf.asarray(v)), x @ v)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_comes_through(value):
    x, v = whole(300, 300)[::-1], whole(300)
    x[7, 5] = value
    v[5] = 1
    wanted = x @ v
    found = np.asarray(onebuf.asarray(x) @ onebuf.asarray(v))
    np.testing.assert_array_equal(found, wanted)
    assert not np.isfinite(found[7])
    assert np.isfinite(np.delete(found, 7)).all()


@pytest.mark.parametrize("shapes", [((40000, 0), (0,)), ((0, 9), (9,)), ((0,), (0, 40000))])
def test_a_product_over_nothing_is_zero(shapes):
    x, y = (np.ones(shape, np.int32) for shape in shapes)
    np.testing.assert_array_equal(np.asarray(onebuf.asarray(x) @ onebuf.asarray(y)), x @ y)


@pytest.mark.parametrize("eager_numel", [0, 32768])
@pytest.mark.parametrize(
    "shapes", [((6, 4, 8), (8, 5)), ((2, 3, 4, 8), (8, 1)), ((3, 0, 8), (8, 5))]
)
def test_a_stack_times_one_matrix_is_numpys(shapes, eager_numel):
    with config(eager_numel=eager_numel):
        check(lambda xp, x, y: x @ y, *[whole(*shape) for shape in shapes])


@pytest.mark.parametrize("name", FORMS)
def test_what_follows_a_product_with_a_vector_takes_it_by_blocks(name, monkeypatch):
    monkeypatch.setattr(matmul_step, "TILE_NBYTES", 1)
    monkeypatch.setattr(matmul_step, "LEAST_ROWS", 90)
    x, y = (whole(*shape) for shape in FORMS[name])
    check(lambda xp, x, y: relu(xp, x @ y) + 1, x, y)
    check(lambda xp, x, y: (x @ y, (x @ y) * 2), x.astype(np.int32), y.astype(np.int32))


@pytest.fixture
def own_blas(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether each product that was to go straight to its place did."""
    monkeypatch.setattr(gemm, "_done", [gemm.LOAD_MULTIPLICATIONS + 1])
    went: list[bool] = []
    multiply_to = gemm.multiply_to

    def recorded(x: Array, y: Array, address: int, layout: gemm.Layout) -> bool:
        went.append(multiply_to(x, y, address, layout))
        return went[-1]

    monkeypatch.setattr(matmul_step, "gemm", SimpleNamespace(multiply_to=recorded))
    return went


def heads(x: Any) -> Any:
    """(batch, head, time, feature) as (batch, time, heads' features)."""
    batch, head, time, feature = x.shape
    return x.transpose(0, 2, 1, 3).reshape(batch, time, head * feature)


@pytest.mark.skipif(gemm_address() is None, reason="needs the OpenBLAS of NumPy's wheels")
@pytest.mark.parametrize("shape", [(2, 3, 80, 64, 48), (3, 5, 80, 64, 48), (7, 2, 33, 96, 20)])
def test_a_product_that_is_only_copied_goes_straight_to_its_place(own_blas, shape):
    batch, head, rows, inner, columns = shape
    x, y = whole(batch, head, rows, inner), whole(batch, head, inner, columns)
    found = heads(Buffer(x) @ Buffer(y))
    onebuf.realize(found)
    np.testing.assert_array_equal(np.asarray(found), heads(x @ y))
    assert own_blas == [True]


def test_a_product_goes_through_the_copy_if_its_columns_are_apart(own_blas):
    x, y = whole(2, 3, 80, 64), whole(2, 3, 64, 48)
    found = (Buffer(x) @ Buffer(y)).transpose(0, 1, 3, 2).reshape(2, 3 * 48, 80)
    turned = (x @ y).transpose(0, 1, 3, 2).reshape(2, 3 * 48, 80)
    np.testing.assert_array_equal(np.asarray(found), turned)
    assert own_blas == [False]


def test_a_product_that_is_also_asked_for_is_copied(own_blas):
    x, y = whole(2, 3, 80, 64), whole(2, 3, 64, 48)
    product = Buffer(x) @ Buffer(y)
    found = heads(product)
    onebuf.realize(product, found)
    np.testing.assert_array_equal(np.asarray(product), x @ y)
    np.testing.assert_array_equal(np.asarray(found), heads(x @ y))
    assert own_blas == []
