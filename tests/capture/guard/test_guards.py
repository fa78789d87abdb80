"""A guard holds until something changes that the code reads, and says what did."""

import contextlib
import functools
import os
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import FunctionType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import onebuf
from onebuf.capture.guard.ambient import AMBIENT, register_ambient
from onebuf.capture.guard.call import Call
from onebuf.capture.guard.guards import Guard, reach, write_guard, write_state_guard
from onebuf.capture.guard.state import reachable

scale: Any = 2.0


def guard_of(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Guard:
    call = Call(function)
    state = reach(call, args, kwargs)
    assert state.refusal is None
    guard = write_guard(call, args, kwargs, state)
    assert guard.check(args, kwargs), guard.why_not(args, kwargs)
    assert guard.why_not(args, kwargs) == ""
    return guard


def state_guard(function: Callable[..., Any]) -> Guard:
    state = reachable(function)
    assert state.refusal is None
    guard = write_state_guard(state)
    assert guard.check(), guard.why_not()
    return guard


def two(x: Any, y: Any = 1) -> Any:
    return x, y


# ------------------------------------------------------------------------------------- arguments


def test_positions_keywords_and_defaults_are_one_call() -> None:
    x = onebuf.ones(3)
    guard = guard_of(two, x, 1)
    for args, kwargs in [((x,), {}), ((x,), {"y": 1}), ((), {"y": 1, "x": x})]:
        assert guard.bind(args, kwargs) == [x]


def test_a_call_that_does_not_fit_the_signature_does_not_pass() -> None:
    assert not guard_of(two, 1, 1).check((1, 2, 3))


@pytest.mark.parametrize(
    "value, others",
    [
        (1, [True, 1.0, 2, "1", None]),
        (2.5, [2, 2.25, np.float64(2.5)]),
        (0.0, [-0.0, 0, False]),
        (float("nan"), [1.0]),
        (True, [1, False]),
        (None, [0, ()]),
        ("a", ["b", b"a"]),
        (10**30, [10**30 + 1]),
        (1 + 0j, [1.0, complex(1, -0.0)]),
        (np.dtype("f4"), ["float32", np.dtype("f8")]),
        (np.float32(1), [np.float64(1), np.float32(2)]),
        (slice(1, 2), [slice(1, 3), slice(True, 2)]),
        (frozenset({1}), [frozenset({True})]),
        ((1, [2]), [(1, [3]), (1, (2,)), (1, [2, 2]), [1, [2]]]),
        ({"a": 1, "b": 2}, [{"b": 2, "a": 1}, {"a": 1}, {"a": 1, "b": 3}]),
        ({1: 2}, [{True: 2}]),
    ],
)
def test_values_are_compared_exactly(value: Any, others: list[Any]) -> None:
    guard = guard_of(two, value)
    for other in others:
        assert not guard.check((other,)), other
        assert guard.why_not((other,)).startswith("argument x")


def test_equal_values_pass() -> None:
    guard = guard_of(two, (float("nan"), 10**30, "ab" * 3, {"a": [None]}))
    assert guard.check(((float("nan"), 10**30, "".join(["ab"] * 3), {"a": [None]}),))


@pytest.mark.parametrize(
    "other, why",
    [
        (onebuf.ones((3, 2)), "argument x: shape (2, 3) became (3, 2)"),
        (onebuf.ones((2, 3), dtype="float32"), "dtype"),
        (onebuf.ones((3, 2)).T, "argument x: strides (24, 8) became (8, 16)"),
        (np.ones((2, 3)), "argument x: class Buffer became ndarray"),
        (1.0, "argument x: class Buffer became float"),
    ],
)
def test_a_buffer_of_another_layout_does_not_pass(other: Any, why: str) -> None:
    guard = guard_of(two, onebuf.ones((2, 3)))
    assert not guard.check((other,))
    assert why in guard.why_not((other,))


def test_another_buffer_of_the_same_layout_passes() -> None:
    other = onebuf.zeros((2, 3))
    assert guard_of(two, onebuf.ones((2, 3))).bind((other,), {}) == [other]


def test_a_pending_buffer_does_not_pass() -> None:
    guard = guard_of(two, onebuf.ones(3))
    with onebuf.config(eager_numel=0):
        pending = onebuf.ones(3) + 1
    assert not guard.check((pending,))


def test_a_number_is_no_place() -> None:
    assert not guard_of(two, onebuf.zeros(())).check((onebuf.ones(3).sum(),))


def test_which_arguments_are_the_same_buffer_counts() -> None:
    x, y = onebuf.ones(3), onebuf.ones(3)
    same, different = guard_of(two, x, x), guard_of(two, x, y)
    assert same.check((y, y))
    assert not same.check((x, y))
    assert not different.check((y, y))


def test_many_buffers_are_told_apart() -> None:
    many = [onebuf.ones(1) for _ in range(12)]
    guard = guard_of(two, many)
    assert guard.check((many[::-1],))
    assert not guard.check(([*many[:11], many[0]],))


def test_an_array_of_numpy_is_bound_as_it_is() -> None:
    array = np.ones(3)
    guard = guard_of(two, array)
    other = np.zeros(3)
    assert guard.bind((other,), {})[0] is other  # type: ignore[index]
    assert not guard.check((np.zeros(6)[::2],))


@dataclass
class Config:
    width: Any


def test_dataclasses_are_compared_by_their_parts() -> None:
    guard = guard_of(two, Config(3))
    assert guard.check((Config(3),))
    assert guard.why_not((Config(4),)) == "argument x.width: 3 became 4"


class Model:
    def __init__(self) -> None:
        self.p = 0.1
        self.weight = onebuf.ones(2)

    def run(self, x: Any) -> Any:
        return x * self.weight * self.p


def run(model: Any, x: Any) -> Any:
    return model.run(x)


def test_an_object_is_compared_by_identity() -> None:
    model, x = Model(), onebuf.ones(2)
    guard = guard_of(run, model, x)
    assert guard.bind((model, x), {}) == [x, model.weight]
    assert not guard.check((Model(), x))


def test_attributes_of_an_object_among_the_arguments_are_guarded() -> None:
    model, x = Model(), onebuf.ones(2)
    guard = guard_of(run, model, x)
    model.p = 0.2
    assert guard.why_not((model, x)) == "argument model.p: 0.1 became 0.2"


def test_functions_are_compared_by_code_and_closure() -> None:
    def adder(by: Any) -> Any:
        return lambda x: x + by

    guard = guard_of(two, adder(1))
    assert guard.check((adder(1),))
    assert guard.why_not((adder(2),)) == "closure by: 1 became 2"
    assert not guard.check((lambda x: x + 1,))


def test_variable_arguments_are_parts_of_the_call() -> None:
    def f(*rest: Any, **named: Any) -> Any:
        return rest, named

    guard = guard_of(f, 1, 2, a=3)
    assert guard.check((1, 2), {"a": 3})
    assert guard.why_not((1, 2), {"a": 4}) == "argument named['a']: 3 became 4"
    assert not guard.check((1, 2, 3), {"a": 3})


# ----------------------------------------------------------------------------------------- state


def test_a_global_that_is_bound_anew_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    guard = state_guard(lambda x: x * scale)
    monkeypatch.setitem(globals(), "scale", 3.0)
    assert not guard.check()
    assert guard.why_not() == "global scale: 2.0 became 3.0"


def test_a_global_that_hides_a_builtin_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    guard = state_guard(lambda x: len(x))
    monkeypatch.setitem(globals(), "len", sum)
    assert guard.why_not() == "global len was not there, and is now"


def test_a_global_that_is_gone_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    guard = state_guard(lambda x: x * scale)
    monkeypatch.delitem(globals(), "scale")
    assert not guard.check()
    assert guard.why_not() == "global scale can no longer be read"


def test_a_cell_that_gets_a_value_is_noticed() -> None:
    def f() -> Any:
        return later

    guard = state_guard(f)
    later = 3
    assert guard.why_not() == "closure later was not there, and is now"


@pytest.mark.parametrize(
    "change, why",
    [
        (lambda model: setattr(model, "p", 0.2), "closure model.p: 0.1 became 0.2"),
        (lambda model: setattr(model, "extra", 1), "names"),
        (lambda model: delattr(model, "p"), "names"),
        (lambda model: setattr(model, "weight", onebuf.ones(3)), "shape (2,) became (3,)"),
        (lambda model: setattr(model, "weight", None), "class Buffer became NoneType"),
        (lambda model: setattr(model, "__class__", Config), "class Model became Config"),
    ],
)
def test_changes_of_an_instance_are_noticed(change: Callable[[Any], None], why: str) -> None:
    model = Model()
    guard = state_guard(lambda x: model.run(x))
    change(model)
    assert not guard.check()
    assert why in guard.why_not()


def test_a_buffer_of_the_same_layout_may_be_bound_anew() -> None:
    model = Model()
    guard = state_guard(lambda x: model.run(x))
    model.weight = onebuf.zeros(2)
    assert guard.bind((), {}) == [model.weight]


def test_buffers_that_become_one_are_noticed() -> None:
    pair = [onebuf.ones(2), onebuf.ones(2)]
    guard = state_guard(lambda: pair)
    pair[1] = pair[0]
    assert guard.why_not() == "two different buffers became one"


class Delegating:
    def __init__(self) -> None:
        self._parts = {"size": 1}

    def __getattr__(self, name: str) -> Any:
        return self._parts[name]


class Derived(Model):
    rate: Any


class Scaling:
    """Each method comes to the global ``scale`` in another way."""

    def direct(self, by: Any) -> Any:
        return by * scale

    half = functools.partialmethod(direct, 0.5)

    @functools.cached_property
    def kept(self) -> Any:
        return scale

    @staticmethod
    def plain() -> Any:
        return scale

    def __mul__(self, other: Any) -> Any:
        return scale


@functools.singledispatch
def dispatched(x: Any) -> Any:
    return x


@dispatched.register
def _(x: int) -> Any:
    return x * scale


@contextlib.contextmanager
def managed() -> Iterator[Any]:
    yield scale


scaling = Scaling()


@pytest.mark.parametrize(
    "function",
    [
        lambda: scaling.half(),
        lambda: scaling.kept,
        lambda: scaling.plain(),
        lambda: scaling * 2,
        lambda: dispatched(3),
        lambda: managed(),
        lambda: functools.reduce(lambda a, b: a * scale, [1]),
        lambda: [[one * scale for one in range(2)] for _ in range(2)],
    ],
)
def test_a_global_is_guarded_however_code_comes_to_it(
    monkeypatch: pytest.MonkeyPatch, function: Callable[..., Any]
) -> None:
    guard = state_guard(function)
    monkeypatch.setitem(globals(), "scale", 3.0)
    assert guard.why_not() == "global scale: 2.0 became 3.0"


def test_what_an_object_delegates_to_is_guarded() -> None:
    one = Delegating()
    guard = state_guard(lambda: one.size)
    one._parts["size"] = 2
    assert guard.why_not() == "closure one._parts['size']: 1 became 2"


def test_an_attribute_of_a_class_that_hides_another_is_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one = Derived()
    monkeypatch.setattr(Model, "rate", 1, raising=False)
    guard = state_guard(lambda: one.rate)
    monkeypatch.setattr(Derived, "rate", 2, raising=False)
    assert guard.why_not() == "class Derived.rate: 1 became 2"


def test_the_environment_is_guarded(monkeypatch: pytest.MonkeyPatch) -> None:
    guard = state_guard(lambda: os.environ.get("ONEBUF_TEST"))
    monkeypatch.setenv("ONEBUF_TEST", "1")
    assert guard.why_not() == "global os.environ has another content"


def test_one_object_that_becomes_two_is_noticed() -> None:
    shared = [1]
    pair = [shared, shared]
    guard = state_guard(lambda: pair)
    pair[1] = [1]
    assert guard.why_not() == "closure pair[1] is another object"


@pytest.mark.parametrize("part, value", [("__defaults__", (5,)), ("__kwdefaults__", {"x": 5})])
def test_defaults_that_are_given_later_are_noticed(part: str, value: Any) -> None:
    def inner(*, x: Any) -> Any:
        return x

    guard = state_guard(lambda: inner(x=1))
    setattr(inner, part, value)
    assert not guard.check()


def test_a_method_that_is_replaced_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Model()
    guard = state_guard(lambda x: model.run(x))
    monkeypatch.setattr(Model, "run", lambda self, x: x)
    assert not guard.check()


def test_code_that_is_replaced_is_noticed() -> None:
    def inner() -> int:
        return 1

    guard = state_guard(lambda: inner())
    inner.__code__ = (lambda: 2).__code__
    assert not guard.check()


def test_a_function_with_other_globals_is_noticed() -> None:
    space = SimpleNamespace(f=two)
    guard = state_guard(lambda: space.f(1))
    space.f = FunctionType(two.__code__, {}, "two", two.__defaults__)
    assert "globals of another module" in guard.why_not()


def test_the_content_of_an_array_is_compared() -> None:
    array = np.arange(3.0)
    guard = state_guard(lambda: array)
    array[1] = 5
    assert guard.why_not() == "closure array has another content"


def test_random_numbers_that_were_drawn_are_noticed() -> None:
    one, other = random.Random(1), np.random.default_rng(1)
    first, second = state_guard(lambda: one.random()), state_guard(lambda: other.normal())
    one.random()
    other.normal()
    assert not first.check()
    assert not second.check()


def test_elements_of_a_set_are_compared() -> None:
    chosen = {1, 2}
    guard = state_guard(lambda: chosen)
    chosen.add(3)
    assert not guard.check()


def test_counting_does_not_change_anything() -> None:
    model, hits = Model(), []

    def f(x: Any) -> Any:
        hits.append(1)
        return model.run(x)

    guard = state_guard(f)
    hits.append(1)
    assert guard.check()


# --------------------------------------------------------------------------------------- ambient


def test_options_are_guarded() -> None:
    guard = guard_of(two, 1)
    with onebuf.config(tier="interpret"):
        assert not guard.check((1,))
        assert guard.why_not((1,)).startswith("options: ")
    assert guard.check((1,))


@pytest.fixture
def mode() -> Iterator[list[str]]:
    now = ["train"]
    register_ambient("mode", lambda: now[0])
    yield now
    del AMBIENT["mode"]


def test_registered_ambient_state_is_guarded(mode: list[str]) -> None:
    guard = guard_of(two, 1)
    mode[0] = "eval"
    assert guard.why_not((1,)) == "mode: 'train' became 'eval'"


def test_ambient_state_that_is_registered_later_is_noticed() -> None:
    guard = guard_of(two, 1)
    register_ambient("later", lambda: 1)
    try:
        assert not guard.check((1,))
    finally:
        del AMBIENT["later"]


# ------------------------------------------------------------------------------- random states


class Box:
    """Code mentions ``a`` and ``b``, and never ``hidden``."""

    def __init__(self, a: Any, b: Any, hidden: Any) -> None:
        self.a, self.b, self.hidden = a, b, hidden


def total(value: Any) -> Any:
    if isinstance(value, Box):
        return total(value.a), total(value.b)
    if isinstance(value, dict):
        return [total(one) for one in value.values()]
    return [total(one) for one in value] if isinstance(value, list) else value


values = st.recursive(
    st.integers(0, 9) | st.floats() | st.text(max_size=2) | st.booleans() | st.none(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=2), inner, max_size=3)
        | st.builds(Box, inner, inner, inner)
    ),
    max_leaves=10,
)


def places(value: Any, is_read: bool = True) -> Iterator[tuple[Callable[[Any], None], Any, bool]]:
    """How to set each part of ``value``, what it is, and whether code reads it."""
    if isinstance(value, Box):
        for name, inner in vars(value).items():
            reads = is_read and name != "hidden"
            yield lambda new, n=name: setattr(value, n, new), inner, reads
            yield from places(inner, reads)
    elif isinstance(value, dict | list):
        for key in list(value) if isinstance(value, dict) else range(len(value)):
            yield lambda new, k=key: value.__setitem__(k, new), value[key], is_read
            yield from places(value[key], is_read)
        if isinstance(value, dict):
            yield lambda new: value.__setitem__("a new key", new), value, is_read
        else:
            yield value.append, value, is_read


@given(st.data())
def test_a_guard_fails_exactly_if_something_that_is_read_changed(data: st.DataObject) -> None:
    root = Box(*(data.draw(values) for _ in range(3)))
    guard = state_guard(lambda: total(root))
    change, _, is_read = data.draw(st.sampled_from(list(places(root))))
    change(object)
    assert guard.check() is not is_read, guard.why_not()
    assert bool(guard.why_not()) is is_read


@given(st.data())
def test_a_guard_holds_if_values_are_replaced_by_equal_ones(data: st.DataObject) -> None:
    root = Box(*(data.draw(values) for _ in range(3)))
    guard = state_guard(lambda: total(root))
    change, before, _ = data.draw(st.sampled_from(list(places(root))))
    if isinstance(before, float):
        change(float(repr(before)))
    elif not isinstance(before, dict | list | Box):
        change(before)
    assert guard.check(), guard.why_not()
