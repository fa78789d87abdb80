"""Fusion: what is asked for gets memory, whatever else is fused around it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import onebuf
from onebuf import Buffer, config
from onebuf.engine.cpu.supports import supports
from onebuf.engine.plan import decide
from onebuf.engine.plan.decide import items_for
from onebuf.kernel import FOLDS
from onebuf.render.llvm.module import render
from onebuf.render.llvm.rendering import Rendering
from onebuf.scheduler import Item
from onebuf.scheduler.fuse import fusion
from onebuf.scheduler.fuse.fusion import group
from onebuf.scheduler.fuse.group import Group


@pytest.fixture(autouse=True)
def compiled():
    with config(eager_numel=0, tier="compile"):
        yield


def test_a_fold_of_more_than_threads_take_at_once_comes_before_the_pass_that_needs_it():
    x = np.arange(100_000.0)
    y = Buffer(x)
    np.testing.assert_array_equal(np.asarray(y - y.mean()), x - x.mean())


def test_an_equal_result_that_is_read_as_well_as_asked_for_has_memory():
    x = Buffer(np.arange(100.0))
    first = x + 1
    second = x + 1
    third = second * 2
    onebuf.realize(second, third)
    assert second.is_realized
    assert first.is_realized
    np.testing.assert_array_equal(np.asarray(third), (np.arange(100.0) + 1) * 2)


def test_a_fold_of_nothing_leaves_the_other_operand_as_it_is():
    more = Buffer(np.ones((3, 4))) + 1
    rows = np.arange(3.0)
    nothing = onebuf.sum(more[:, :0], axis=1)
    np.testing.assert_array_equal(np.asarray(Buffer(rows) + nothing), rows)
    true = onebuf.all((more > 1)[:0])
    assert not bool(onebuf.logical_and(Buffer(np.array(False)), true))


def test_a_copy_that_is_asked_for_and_read_comes_before_what_reads_it():
    x = np.arange(12.0).reshape(3, 4)
    copy = Buffer(x).T.copy()
    flat = copy.reshape(12)
    more = flat + 1
    onebuf.realize(more, copy)
    assert copy.is_realized
    np.testing.assert_array_equal(np.asarray(more), x.T.reshape(12) + 1)
    np.testing.assert_array_equal(np.asarray(copy), x.T)


def test_kernels_are_not_merged_around_what_has_to_run_between_them():
    x = np.arange(12.0).reshape(3, 4)
    first = Buffer(x) + 1
    between = onebuf.sort(first, axis=1)
    last = first * between
    names = [
        item.name if hasattr(item, "name") else item.kind for item in onebuf.schedule(first, last)
    ]
    assert names == ["add", "library", "multiply"]
    onebuf.realize(first, last)
    np.testing.assert_array_equal(np.asarray(last), (x + 1) * np.sort(x + 1, axis=1))


def test_a_result_that_is_read_in_another_order_is_a_kernel_of_its_own():
    x = np.arange(16.0).reshape(4, 4)
    first = Buffer(x) + 1
    both = first + first.T
    assert len(onebuf.schedule(first, both)) == 2
    onebuf.realize(first, both)
    np.testing.assert_array_equal(np.asarray(both), x + 1 + (x + 1).T)


def test_a_long_kernel_is_cut_into_kernels():
    x = Buffer(np.ones(5))
    for _ in range(300):
        x = x * 1.5 - 0.5
    kinds = [item.kind for item in onebuf.schedule(x)]
    assert 4 <= len(kinds) <= 12
    assert set(kinds) == {"kernel"}
    np.testing.assert_array_equal(np.asarray(x), np.ones(5))


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
@pytest.mark.parametrize("shape", [(37, 211), (130, 16), (5, 3), (2, 3, 4)])
def test_folds_of_folds_have_the_bits_of_two_kernels(shape, dtype):
    x = (np.random.default_rng(0).standard_normal(shape) * 3).astype(dtype)

    def folded():
        rows = onebuf.sum(onebuf.asarray(x), axis=-1)
        return onebuf.sum(onebuf.abs(rows), axis=-1)

    nested = folded()
    assert len(onebuf.schedule(nested)) == 1
    with config(tier="interpret"):
        one_by_one = np.asarray(folded())
    assert np.asarray(nested).tobytes() == one_by_one.tobytes()


def softmaxes(count: int, held: list[Any]) -> Any:
    y = onebuf.asarray(np.random.default_rng(0).random((5, 40)))
    for _ in range(count):
        e = onebuf.exp(y - onebuf.max(y, axis=1, keepdims=True))
        y = e / onebuf.sum(e, axis=1, keepdims=True)
        held.append(y)
    return y


@pytest.mark.parametrize("is_held", [False, True])
def test_the_text_of_kernels_grows_with_the_folds_in_a_row_and_not_with_their_square(is_held):
    sizes = []
    for count in (4, 8, 16):
        with onebuf.config(eager_numel=0, tier="compile"):
            held: list[Any] = []
            last = softmaxes(count, held)
            wanted = [x._node for x in held] if is_held else [last._node]
            items: list[Any] = list(group(wanted, supports))
            nests = [part.nest for item in items for part in item.parts]
            assert all(sum(step.op in FOLDS for step in nest.steps) <= 4 for nest in nests)
            sizes.append(sum(len(render(nest, "kernel", Rendering())) for nest in nests))
    assert sizes[1] < 2.2 * sizes[0]
    assert sizes[2] < 2.2 * sizes[1]


def test_an_operation_without_a_kernel_is_an_item_between_kernels():
    y = onebuf.exp(Buffer(np.arange(4.0)) * 2) + 1
    found = group([y._node], lambda op, operands, result: op.name != "exp")
    assert [type(item) for item in found] == [Group, Item, Group]
    assert [(item.name, item.reason) for item in found] == [
        ("multiply", "an operand of what was asked for"),
        ("exp", "an operand of what was asked for"),
        ("add", "asked for"),
    ]


def layered(count: int) -> Any:
    """A chain of layers, each with a value that cannot be inlined where it is read."""
    value = onebuf.Buffer(np.ones((12, 6), np.float32)) * 1
    for _ in range(count):
        turned = onebuf.reshape(onebuf.permute_dims(onebuf.exp(value), (1, 0)), (12, 6))
        mean = onebuf.mean(turned, axis=1, keepdims=True)
        value = onebuf.tanh(turned - mean) * 0.5 + onebuf.sum(onebuf.square(turned), axis=0)
    return value


def test_attempts_at_fusion_do_not_grow_with_the_number_of_layers(monkeypatch):
    attempts = []
    attempt = fusion._Grouping.attempt

    def counted(self: Any) -> Any:
        attempts.append(len(self.items))
        return attempt(self)

    monkeypatch.setattr(fusion._Grouping, "attempt", counted)
    found = []
    for count in (40, 80):
        attempts.clear()
        items = items_for([layered(count)._node])
        found.append((len(attempts), len(items)))
    (few, kernels), (many, more) = found
    assert many == few
    assert kernels < more <= 2 * kernels + 1


def test_several_cuts_at_once_give_the_values_of_one_at_a_time(monkeypatch):
    values = []
    for most in (10_000, 1):
        monkeypatch.setattr(fusion, "MANY_ITEMS", most)
        decide.forget_plans()
        values.append(np.asarray(layered(10)))
    np.testing.assert_array_equal(*values)
