"""`onebuf.jit`: a captured call does what the call does, and what changes is captured anew."""

from __future__ import annotations

import copy
import operator
import pickle
from typing import Any

import numpy as np
import pytest

import onebuf
from onebuf import Buffer, jit
from onebuf.errors import IndexRangeError, LeakError

SCALE = 2.0


def test_a_second_call_is_replayed() -> None:
    calls = []

    @jit
    def f(x: Any) -> Any:
        calls.append(1)
        return (x * 2 + 1).sum(axis=0)

    for seed in range(4):
        x = onebuf.asarray(np.random.default_rng(seed).normal(size=(5, 3)))
        np.testing.assert_array_equal(f(x), (x * 2 + 1).sum(axis=0))
    assert (len(calls), f.captures, f.replays) == (1, 1, 3)


def test_results_of_an_earlier_call_survive_the_next() -> None:
    f = jit(lambda x: x + 1)
    results = [f(onebuf.full((4,), float(n))) for n in range(5)]
    assert [r.tolist() for r in results] == [[n + 1.0] * 4 for n in range(5)]


def test_writes_inside_are_part_of_the_capture() -> None:
    @jit
    def f(a: Any) -> None:
        a += 1

    a = onebuf.zeros(3)
    for _ in range(5):
        f(a)
    assert a.tolist() == [5, 5, 5]
    assert f.captures == 1


def test_an_output_can_be_fed_back() -> None:
    f = jit(lambda x: x * 2 + 2)
    x = onebuf.asarray([42])
    found = []
    for _ in range(3):
        x = f(x)
        found.append(x.item())
    assert found == [86, 174, 350]


def test_another_shape_dtype_layout_or_constant_is_captured_anew() -> None:
    f = jit(lambda x, k=1, name="a": x.T * k)
    x = onebuf.asarray(np.arange(6.0).reshape(2, 3))
    calls: list[Any] = [
        (x,),
        (x.T,),
        (x.astype("float32"),),
        (x, 2),
        (x, 2.0),
        (x, True),
        (x, 1, "b"),
        (x[:, ::2],),
    ]
    for number, args in enumerate(calls, 1):
        k = args[1] if len(args) > 1 else 1
        np.testing.assert_array_equal(f(*args), args[0].T * k)
        assert f.captures == number
    for args in calls:
        f(*args)
    assert f.captures == len(calls)


def test_keyword_and_positional_are_the_same_call() -> None:
    f = jit(lambda x, y, k=3: x - y * k)
    x, y = onebuf.asarray([5.0]), onebuf.asarray([1.0])
    for found in (f(x, y), f(x, y=y), f(y=y, x=x), f(x, y, 3), f(x, y, k=3)):
        assert found.item() == 2
    assert f.captures == 1


def test_the_same_buffer_twice_is_another_capture() -> None:
    @jit
    def f(a: Any, b: Any) -> Any:
        a += 1
        return a * b

    x, y = onebuf.asarray([2.0]), onebuf.asarray([10.0])
    assert f(x, y).item() == 30
    assert f(y, y).item() == 121
    assert f(x, y).item() == 44


def test_arguments_that_overlap_are_not_replayed_as_if_they_did_not() -> None:
    @jit
    def f(a: Any, b: Any) -> Any:
        a += 1
        return b * 2

    f(onebuf.zeros(3), onebuf.zeros(3))
    whole = onebuf.zeros(5)
    assert f(whole[:3], whole[1:4]).tolist() == [2, 2, 0]
    assert whole.tolist() == [1, 1, 1, 0, 0]


def test_globals_and_closures_that_were_read_are_guarded(monkeypatch: pytest.MonkeyPatch) -> None:
    offset = 1.0

    @jit
    def f(x: Any) -> Any:
        return x * SCALE + offset

    x = onebuf.ones(2)
    assert f(x).tolist() == [3, 3]
    monkeypatch.setattr(f"{__name__}.SCALE", 10.0)
    assert f(x).tolist() == [11, 11]
    offset = 5.0
    assert f(x).tolist() == [15, 15]
    assert f.captures == 3


def test_buffers_that_a_function_reaches_are_read_and_written_anew() -> None:
    weight = onebuf.asarray([1.0, 2.0])
    total = onebuf.zeros(2)

    @jit
    def f(x: Any) -> Any:
        nonlocal total
        y = x * weight
        total += y
        return y

    x = onebuf.ones(2)
    assert f(x).tolist() == [1, 2]
    weight[0] = 100
    assert f(x).tolist() == [100, 2]
    assert total.tolist() == [101, 4]
    weight = onebuf.asarray([7.0, 7.0])
    assert f(x).tolist() == [7, 7]
    assert total.tolist() == [108, 11]


class Model:
    def __init__(self, gain: float) -> None:
        self.weight = onebuf.asarray([gain, 1.0])
        self.power = 2

    @jit
    def forward(self, x: Any) -> Any:
        return (x * self.weight) ** self.power


def test_two_instances_do_not_share_a_capture() -> None:
    one, two, x = Model(2.0), Model(3.0), onebuf.ones(2)
    assert one.forward(x).tolist() == [4, 1]
    assert two.forward(x).tolist() == [9, 1]
    assert one.forward(x).tolist() == [4, 1]
    one.power = 3
    assert one.forward(x).tolist() == [8, 1]
    assert two.forward(x).tolist() == [9, 1]


def test_a_branch_on_an_argument_is_noticed() -> None:
    @jit
    def f(x: Any, mode: str) -> Any:
        return x + 1 if mode == "up" else x - 1

    x = onebuf.ones(1)
    assert [f(x, m).item() for m in ("up", "down", "up", "down")] == [2, 0, 2, 0]
    assert f.captures == 2


def test_reading_a_value_ends_a_region_and_goes_on() -> None:
    @jit
    def f(x: Any) -> Any:
        y = x * 2
        if y.sum() > 0:
            return y + 1
        return y - float(x[0])

    for sign in (1, -1, 1, -1, 2, -2):
        x = onebuf.full((3,), float(sign))
        want = x * 2 + 1 if sign > 0 else x * 2 - x[0]
        assert f(x).tolist() == want.tolist()
    text = f.explain()
    assert "region 1: 1 kernel" in text
    assert "if y.sum() > 0:" in text


def test_nothing_is_written_by_a_replay_that_goes_another_way() -> None:
    log = onebuf.zeros(1)

    @jit
    def f(x: Any) -> Any:
        log[0] += 1
        if x.sum() > 0:
            log[0] += 10
        return x

    for sign in (1, -1, 1, 1, -1):
        f(onebuf.full((2,), float(sign)))
    assert log.item() == 5 + 3 * 10


def test_values_that_always_differ_end_the_capturing() -> None:
    @jit
    def f(x: Any) -> Any:
        return x * float(x.sum())

    for n in range(30):
        assert f(onebuf.full((2,), float(n))).tolist() == [2.0 * n * n] * 2
    assert "reads values that change" in f.explain()


def test_random_numbers_are_new_in_each_call_and_those_of_plain_calls() -> None:
    def noise(x: Any) -> Any:
        return x + onebuf.random.normal((3,)) + onebuf.random.uniform(size=(3,)).sum()

    x = onebuf.zeros(3)
    onebuf.random.seed(3)
    plain = [noise(x).tolist() for _ in range(4)]
    onebuf.random.seed(3)
    f = jit(noise)
    assert [f(x).tolist() for _ in range(4)] == plain


def test_random_numbers_stay_in_step_when_a_replay_goes_another_way() -> None:
    def noise(x: Any) -> Any:
        y = onebuf.random.normal((2,))
        return y + 1 if x.sum() > 0 else y - onebuf.random.uniform(size=(2,))

    signs = [1.0, -1.0, 1.0, -1.0, -1.0, 1.0]
    onebuf.random.seed(5)
    plain = [noise(onebuf.full((2,), s)).tolist() for s in signs]
    onebuf.random.seed(5)
    f = jit(noise)
    assert [f(onebuf.full((2,), s)).tolist() for s in signs] == plain


def test_pytrees_go_in_and_come_out() -> None:
    @jit
    def f(tree: Any) -> Any:
        return {"a": tree["x"] + 1, "b": [tree["x"], (tree["n"], "text", None)]}

    x = onebuf.ones(2)
    for _ in range(2):
        found = f({"x": x, "n": 3})
        assert found["a"].tolist() == [2, 2]
        assert found["b"][0] is x
        assert found["b"][1] == (3, "text", None)


def test_views_of_arguments_come_out_as_views() -> None:
    f = jit(lambda x: (x[1:], x.T))
    for _ in range(2):
        x = onebuf.asarray(np.arange(6.0).reshape(3, 2))
        part, turned = f(x)
        part[0] = -1
        assert x[1].tolist() == [-1, -1]
        assert turned[0, 1].item() == -1


@jit
def doubled(x: Any) -> Any:
    return x * 2


def test_a_captured_function_can_be_copied_and_pickled() -> None:
    x = onebuf.arange(3.0)
    doubled(x)
    assert pickle.loads(pickle.dumps(doubled)) is doubled
    assert copy.deepcopy(doubled) is doubled
    shift = 3
    inner = jit(lambda x: x + shift, dynamic=True)
    inner(x)
    for other in (copy.copy(inner), copy.deepcopy({"f": inner})["f"]):
        assert type(other) is type(inner)
        assert other(x).tolist() == [3, 4, 5]
        assert other(onebuf.arange(9.0)).shape == (9,)
        assert (other.captures, other is inner) == (1, False)
    method = pickle.loads(pickle.dumps(jit(operator.neg)))
    assert method(x).tolist() == [0, -1, -2]


def test_one_result_twice_is_one_buffer() -> None:
    def f(x: Any) -> Any:
        y = x + 1
        return y, y, y[1:]

    g = jit(f)
    for _ in range(2):
        one, two, part = g(onebuf.zeros(3))
        assert one is two
        part[0] = 9
        assert one.tolist() == [1, 9, 1]


def test_numpy_arrays_are_buffers_on_their_memory() -> None:
    @jit
    def f(x: Any, y: Any) -> Any:
        y += x
        return x * 2

    out = np.zeros(3)
    for n in range(1, 4):
        assert f(np.full(3, float(n)), out).tolist() == [2.0 * n] * 3
    assert out.tolist() == [6, 6, 6]
    assert f.captures == 1


def test_pending_arguments_are_computed_first() -> None:
    f = jit(lambda x: x.sum())
    for n in (3, 4):
        assert f(onebuf.ones((300, 1000)) * n).item() == 300000.0 * n
    assert f.captures == 1


def test_nested_functions_are_inlined() -> None:
    inner = jit(lambda x: x * 2)
    outer = jit(lambda x: inner(x) + 1)
    x = onebuf.ones((200, 200))
    with onebuf.config(tier="compile"):
        outer(x)
        with onebuf.counters() as counted:
            outer(x)
    assert counted.kernels == 1
    assert inner.captures == 0


def test_scalars_and_numbers_keep_their_kind() -> None:
    f = jit(lambda x: (x.sum(), x.sum(keepdims=True), onebuf.zeros(())))
    plain = (lambda x: (x.sum(), x.sum(keepdims=True), onebuf.zeros(())))(onebuf.ones(3))
    for _ in range(2):
        for one, two in zip(f(onebuf.ones(3)), plain, strict=True):
            assert one._is_number == two._is_number
            assert (one.shape, one.dtype, one.tolist()) == (two.shape, two.dtype, two.tolist())


def test_an_index_out_of_range_is_found_in_a_replay() -> None:
    f = jit(lambda x, i: x[i] * 2)
    x = onebuf.arange(4.0)
    assert f(x, onebuf.asarray([0, 3])).tolist() == [0, 6]
    with pytest.raises(IndexRangeError):
        f(x, onebuf.asarray([0, 4]))
    assert f(x, onebuf.asarray([1, 2])).tolist() == [2, 4]


def test_an_error_in_the_function_leaves_everything_as_it_was() -> None:
    x = onebuf.ones(2)

    @jit
    def f(fails: bool) -> Any:
        x[0] = 5
        if fails:
            raise KeyError("mine")
        return x * 2

    with pytest.raises(KeyError, match="mine"):
        f(True)
    assert x.tolist() == [1, 1]
    assert f(False).tolist() == [10, 2]


def test_a_buffer_that_is_left_behind_names_its_line() -> None:
    left: list[Any] = []

    @jit
    def f(x: Any) -> Any:
        left.append(x * 3)
        return x

    f(onebuf.ones(2))
    with pytest.raises(LeakError, match=r"left.append\(x \* 3\)"):
        left[0].tolist()


def test_library_calls_are_replayed() -> None:
    def f(a: Any) -> Any:
        q, r = onebuf.linalg.qr(a)
        return onebuf.linalg.inv(a) @ q + r, onebuf.sort(a, axis=0), onebuf.fft.fft(a)

    g = jit(f)
    for seed in range(3):
        a = onebuf.asarray(np.random.default_rng(seed).normal(size=(4, 4)))
        for one, two in zip(g(a), f(a), strict=True):
            np.testing.assert_allclose(one, two, rtol=1e-12, atol=1e-12)
    assert g.captures == 1


def test_jit_refuses_what_is_no_function() -> None:
    with pytest.raises(TypeError, match="jit needs a function, got int"):
        jit(3)


def test_a_jitted_function_looks_like_the_function() -> None:
    @jit
    def f(x: Any) -> Any:
        """Twice."""
        return x * 2

    assert (f.__name__, f.__doc__) == ("f", "Twice.")
    assert isinstance(f(Buffer([1.0])), Buffer)
