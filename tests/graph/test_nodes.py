"""Nodes: equal work is one node, its place in the program is known, and depth is no limit."""

from __future__ import annotations

import gc
import threading
import traceback
import weakref

import numpy as np
import pytest

import onebuf
from onebuf import Buffer, config, ops
from onebuf.graph import BINARY, CONSTANT, COPY, STORED, VIEW, engine_lock, node, settle, waiting

FLOAT32 = np.dtype("float32")


@pytest.fixture(autouse=True)
def lazy():
    with config(eager_numel=0):
        yield


def leaf(*data):
    return Buffer(list(data) or [1.0, 2.0, 3.0])._node


def add(x, y):
    return ops.binary(BINARY["add"], x, y)


# Equal work is one node


def test_equal_pending_nodes_are_one():
    x, y = leaf(), leaf()
    assert add(x, y) is add(x, y)


def test_equal_chains_are_one():
    x = leaf()
    assert add(add(x, 1.0), 2.0) is add(add(x, 1.0), 2.0)


@pytest.mark.parametrize(
    "other",
    [
        lambda x, y: add(y, x),
        lambda x, y: add(x, x),
        lambda x, y: ops.binary(BINARY["subtract"], x, y),
    ],
)
def test_other_operands_or_operations_are_other_nodes(other):
    x, y = leaf(), leaf()
    assert add(x, y) is not other(x, y)


def test_reductions_differ_by_axis_and_keepdims():
    x = Buffer([[1.0, 2.0], [3.0, 4.0]])._node
    total = ops.reduce(onebuf.graph.REDUCE["sum"], x, 0)
    assert total is ops.reduce(onebuf.graph.REDUCE["sum"], x, 0)
    assert total is not ops.reduce(onebuf.graph.REDUCE["sum"], x, 1)
    assert total is not ops.reduce(onebuf.graph.REDUCE["sum"], x, 0, keepdims=True)


def test_a_node_is_not_shared_after_it_was_computed():
    x = leaf()
    first = add(x, 1.0)
    onebuf.engine.realize([first])
    assert first.op is STORED
    assert add(x, 1.0) is not first


def test_a_node_is_not_shared_after_its_operand_was_written():
    x = Buffer([1.0, 2.0])
    first = x + 1
    x[0] = 5.0
    second = x + 1
    assert second._node is not first._node
    assert (first.to_python(), second.to_python()) == ([2.0, 3.0], [6.0, 3.0])


def test_two_buffers_of_equal_work_do_not_share_a_node():
    x = Buffer([1.0, 2.0])
    first, second = x + 1, x + 1
    assert first._node is not second._node


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
def test_zeros_of_both_signs_are_different_constants(dtype):
    dtype = onebuf.dtypes.as_dtype(dtype)
    plus, minus = ops.constant((), 0.0, dtype), ops.constant((), -0.0, dtype)
    assert plus is not minus
    assert plus is ops.constant((), 0.0, dtype)
    x = Buffer([-0.0], dtype=dtype)
    assert np.signbit((x + 0.0).astype("float32").unwrap()).tolist() == [False]
    assert np.signbit((x + -0.0).astype("float32").unwrap()).tolist() == [True]


@pytest.mark.parametrize("value", [0.0, -0.0])
def test_zeros_of_both_signs_are_different_operands(value):
    plus = ops.as_operand(0.0, FLOAT32)
    other = ops.as_operand(value, FLOAT32)
    assert np.signbit(other.arg) == np.signbit(np.float32(value))
    assert (plus is other) == (not np.signbit(value))


def test_constants_of_different_dtypes_or_shapes_are_different():
    one = ops.constant((), 1, FLOAT32)
    assert one is not ops.constant((), 1, np.dtype("float64"))
    assert one is not ops.constant((1,), 1, FLOAT32)
    assert one.op is CONSTANT


def test_paddings_differ_by_the_sign_of_zero():
    x = Buffer([1.0])
    plus, minus = x.pad([(1, 0)], 0.0), x.pad([(1, 0)], -0.0)
    assert np.signbit(plus.unwrap()).tolist() == [False, False]
    assert np.signbit(minus.unwrap()).tolist() == [True, False]


def test_a_view_of_a_view_is_a_view_of_the_base():
    base = add(leaf(), 1.0)
    view = ops.flip(ops.index(base, slice(1, None)), (0,))
    assert view.op is VIEW
    assert view.srcs == (base,)
    assert view.base is base


def test_moves_that_lead_back_are_the_base():
    base = add(leaf(), 1.0)
    assert ops.flip(ops.flip(base, (0,)), (0,)) is base


# Where it came from


def test_the_origin_is_the_users_line():
    x = Buffer([1.0])
    y = x + 1  # this very line
    origin = y._node.origin
    assert origin.code.co_filename == __file__
    assert str(origin).endswith("y = x + 1  # this very line")
    assert f":{origin.line}:" in str(origin)


def test_the_origin_is_the_users_line_in_a_function_of_theirs():
    def double(z):
        return onebuf.multiply(z, 2)

    y = double(Buffer([1.0]))
    assert y._node.origin.code is double.__code__


def failing():
    return onebuf.take(Buffer([1.0, 2.0]), Buffer([7]))


def test_an_error_from_deferred_work_names_the_users_line():
    later = failing()
    with pytest.raises(IndexError) as caught:
        later.to_python()
    (note,) = caught.value.__notes__
    assert "take" in note
    assert f"{__file__}:{failing.__code__.co_firstlineno + 1}" in note
    assert "return onebuf.take(Buffer([1.0, 2.0]), Buffer([7]))" in note
    assert note in "".join(traceback.format_exception(caught.value))


def test_an_error_deep_in_deferred_work_names_the_line_that_failed():
    later = (failing() + 1).sum()
    with pytest.raises(IndexError) as caught:
        later.realize()
    assert "onebuf.take" in caught.value.__notes__[0]


def test_an_error_has_one_note_however_often_it_is_read():
    later = failing()
    for _ in range(2):
        with pytest.raises(IndexError) as caught:
            later.to_python()
        assert len(caught.value.__notes__) == 1


def test_failed_work_does_not_stop_its_operand_from_being_written():
    x = Buffer([1, 2])
    failed = x**-1
    with pytest.raises(ValueError):
        failed.realize()
    x[0] = 5
    assert x.to_python() == [5, 2]
    with pytest.raises(ValueError):
        failed.realize()


# Depth


def test_three_thousand_operations_realise():
    x = Buffer([1.0, 2.0])
    y = x
    for _ in range(3000):
        y = y + 1
    assert y.to_python() == [3001.0, 3002.0]


def test_three_thousand_views_and_copies_realise():
    x = Buffer([[1.0, 2.0], [3.0, 4.0]])
    y = x + 0
    for _ in range(3000):
        y = y.T.reshape(4).reshape(2, 2)
    assert y.to_python() == [[1.0, 2.0], [3.0, 4.0]]


def test_three_thousand_pads_and_shrinks_realise():
    y = Buffer([1.0, 2.0]) + 0
    for _ in range(3000):
        y = y.pad([(1, 1)]).shrink([(1, 3)])
    assert y.to_python() == [1.0, 2.0]


@pytest.mark.parametrize("count, realised", [(30_000, False), (10_000, True)])
def test_a_chain_of_many_nodes_is_let_go(count, realised):
    y = Buffer([1.0])
    for _ in range(count):
        y = y + 1
    alive = weakref.ref(y._node)
    first = y._node
    while first.srcs and first.srcs[0].op is not STORED:
        first = first.srcs[0]
    deepest = weakref.ref(first)
    if realised:
        assert y.item() == 1.0 + count
    del y, first
    gc.collect()
    assert alive() is None
    assert deepest() is None


def test_a_realised_node_lets_go_of_its_operands():
    y = Buffer([1.0]) + 1
    operand = weakref.ref(y._node)
    z = y * 2
    del y
    assert operand() is not None
    z.realize()
    gc.collect()
    assert operand() is None


def test_a_shared_operand_of_many_layers_is_computed_once():
    y = Buffer([1.0])
    for _ in range(60):
        y = y + y
    with onebuf.counters() as counted:
        assert y.item() == 2.0**60
    assert counted.kernels == 60


# Bookkeeping


def test_the_list_of_readers_does_not_grow_without_bound():
    x = Buffer([1.0, 2.0])
    for number in range(5000):
        x + float(number)
    assert len(x._node.readers) <= 256


def test_the_list_of_readers_keeps_the_living():
    x = Buffer([1.0, 2.0])
    kept = [x + float(number) for number in range(600)]
    readers = waiting(x._node.readers)
    assert {id(y._node) for y in kept} == {id(reader) for reader in readers}


@pytest.mark.parametrize("entries", [0, 1])
def test_the_constants_are_not_kept_without_bound(monkeypatch, entries):
    monkeypatch.setattr(node, "_constants", {number: None for number in range(entries)})
    x = Buffer([1.0, 2.0])
    for number in range(5000):
        x + float(number)
    assert len(node._constants) <= 520  # a hundred of them are kept for the next who asks


def test_a_copy_reads_what_it_copies():
    x = leaf()
    copied = ops.copied(x)
    assert copied.op is COPY
    assert waiting(x.readers) == [copied]


def test_nodes_describe_themselves():
    x = leaf(1.0, 2.0)
    assert repr(add(x, x)) == "<add(stored, stored) float32[2]>"
    assert (add(x, x).numel, add(x, x).nbytes) == (2, 8)


# Threads


def test_four_threads_build_and_realise_nodes():
    x = Buffer(np.arange(100.0))
    wrong: list[object] = []
    gate = threading.Barrier(4)

    def work(number: int) -> None:
        try:
            with config(eager_numel=0):
                gate.wait()
                for step in range(300):
                    y = (x * float(step % 7) + 1) - float(number)
                    same = x + float(step % 5)  # the same node in every thread
                    if step % 3 == 0:
                        got = y.to_python()[3]
                        if got != 3.0 * (step % 7) + 1 - number:
                            wrong.append((number, step, got))
                        if same.to_python()[1] != 1.0 + step % 5:
                            wrong.append((number, step))
        except Exception as error:
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_threads_that_share_a_fresh_result_share_one_block():
    for _ in range(300):
        result = Buffer([1.0, 2.0]) + 1
        gate = threading.Barrier(4)
        blocks: list[object] = []

        def share(result=result, gate=gate, blocks=blocks) -> None:
            gate.wait()
            blocks.append(result._node.block)

        threads = [threading.Thread(target=share) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len({id(block) for block in blocks}) == 1


def test_looking_at_a_view_waits_for_nobody_and_holds_nothing(monkeypatch):
    """An interrupt right after a lock was taken would leave it taken for ever."""
    x = onebuf.asarray(np.arange(6.0), copy=True)
    with config(eager_numel=0):
        y = (x * 2).reshape(2, 3)[1]
    y.base.realize()
    monkeypatch.setattr(engine_lock, "lock", None)
    assert settle(y._node).tolist() == [6, 8, 10]
