"""The state of a function is what its code can reach and mentions, and no more."""

import contextvars
import functools
import itertools
import random
import sys
import types
from collections import UserDict, deque
from collections.abc import Callable
from enum import Enum
from typing import Any

import numpy as np
import pytest

import onebuf
from onebuf import nn
from onebuf.capture.api import jit
from onebuf.capture.guard import state as module_of_state
from onebuf.capture.guard.state import State, reachable

scale: Any = 2.0
calls: Any = 0
log: list[Any] = []
total: Any = None
table: Any = {"a": [1.0, 2.0], "b": None}


def leaves(function: Callable[..., Any]) -> dict[str, Any]:
    """The values that a function reaches, by their paths."""
    state = reachable(function)
    assert state.refusal is None
    return {str(path): value for path, value in state.leaves}


def refusal(function: Callable[..., Any]) -> str:
    found = reachable(function).refusal
    assert found is not None
    return found


def buffers(state: State) -> dict[str, Any]:
    return {str(path): value for path, value in state.buffers}


def helper(x: Any) -> Any:
    return x * scale


def test_a_global_is_reached() -> None:
    assert leaves(lambda x: x * scale)["global scale"] == 2.0


def test_a_builtin_is_no_leaf() -> None:
    assert "global len" not in leaves(lambda x: len(x))


def test_a_free_variable_is_reached() -> None:
    rate = 3
    assert leaves(lambda x: x * rate)["closure rate"] == 3


def test_elements_of_containers_are_reached() -> None:
    found = leaves(lambda x: table)
    assert found["global table['a'][1]"] == 2.0
    assert found["global table['b']"] is None


def test_functions_that_are_called_are_followed() -> None:
    assert leaves(lambda x: helper(x))["global scale"] == 2.0


def test_defaults_are_reached() -> None:
    def f(x: Any, y: Any = 5, *, z: Any = "text") -> Any:
        return x, y, z

    assert leaves(f)["defaults of f[0]"] == 5
    assert leaves(f)["defaults of f['z']"] == "text"


class Layer:
    rate = 7

    def __init__(self) -> None:
        self.weight = onebuf.ones(2)
        self.p = 0.1
        self.unread = 5
        self.spare = {"kept": [onebuf.zeros(3)]}
        self.calls = 0

    def __call__(self, x: Any) -> Any:
        self.calls += 1
        return x * self.weight * self.p * self.rate

    @property
    def doubled(self) -> Any:
        return scale

    @classmethod
    def made(cls) -> Any:
        return table

    def other(self) -> Any:
        return self.unread


def test_attributes_that_code_mentions_are_reached() -> None:
    layer = Layer()
    found = leaves(lambda x: layer(x))
    assert found["closure layer.p"] == 0.1
    assert found["class Layer.rate"] == 7


def test_attributes_that_no_code_mentions_are_not_reached() -> None:
    layer = Layer()
    assert "closure layer.unread" not in leaves(lambda x: layer(x))


def test_buffers_are_found_in_all_attributes() -> None:
    layer = Layer()
    found = buffers(reachable(lambda x: layer(x)))
    assert found["closure layer.weight"] is layer.weight
    assert found["closure layer.spare['kept'][0]"] is layer.spare["kept"][0]


def test_methods_are_followed_only_if_their_name_is_mentioned() -> None:
    layer = Layer()
    assert "closure layer.unread" in leaves(lambda x: layer.other())
    assert "global scale" in leaves(lambda x: layer.doubled)
    assert "global table['b']" in leaves(lambda x: layer.made())
    assert "global scale" not in leaves(lambda x: layer(x))


def test_methods_that_super_finds_are_followed() -> None:
    class Base:
        def run(self) -> Any:
            return scale

    class Derived(Base):
        def run(self) -> Any:
            return super().run()

    one = Derived()
    assert "global scale" in leaves(lambda: one.run())


def test_init_is_followed_if_the_class_is_called() -> None:
    class Made:
        def __init__(self) -> None:
            self.size = scale

    made = Made()
    assert "global scale" in leaves(lambda: Made())
    assert "global scale" not in leaves(lambda: made.size)


def test_slots_are_attributes() -> None:
    class Slotted:
        __slots__ = ("size", "w", "unset")

    one = Slotted()
    one.size, one.w = 4, onebuf.ones(1)
    state = reachable(lambda: (one.size, one.unset))
    assert ("closure one.size", 4) in [(str(path), value) for path, value in state.leaves]
    assert buffers(state)["closure one.w"] is one.w


def test_dynamic_access_reads_all_attributes() -> None:
    layer = Layer()
    assert leaves(lambda: vars(layer))["closure layer.unread"] == 5


def test_a_bound_method_a_partial_and_a_callable_instance_are_followed() -> None:
    layer = Layer()
    assert "the function.__self__.unread" in leaves(layer.other)
    assert "global scale" in leaves(functools.partial(helper, 1))
    assert "the function.p" in leaves(layer)


def test_a_wrapped_function_is_followed_through_its_wrapper() -> None:
    def twice(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def wrapper(x: Any) -> Any:
            return function(function(x))

        return wrapper

    assert "global scale" in leaves(twice(helper))
    assert "global scale" in leaves(functools.lru_cache(helper))


def test_the_same_object_is_walked_once() -> None:
    shared = [1, 2]
    both = (shared, shared)
    state = reachable(lambda: both)
    assert sum(value == 2 for _, value in state.leaves if isinstance(value, int)) == 1


def test_a_counter_is_no_leaf() -> None:
    hits = 0
    layer = Layer()

    def f(x: Any) -> Any:
        global calls
        nonlocal hits
        calls += 1
        hits += 1
        log.append(x)
        return layer(x)

    found = leaves(f)
    assert {"global calls", "closure hits", "global log", "closure layer.calls"}.isdisjoint(found)


def test_a_counter_that_is_a_buffer_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "total", onebuf.zeros(2))

    def f() -> None:
        global total
        total += 1

    assert "global total" in buffers(reachable(f))


def test_a_counter_that_other_code_reads_is_a_leaf() -> None:
    def count() -> None:
        global calls
        calls += 1

    def f() -> Any:
        count()
        return lambda: calls

    assert "global calls" in leaves(f)


def test_a_module_of_the_user_is_followed_and_others_are_not() -> None:
    settings = types.ModuleType("settings")
    settings.rate, settings.unread = 3, 4  # type: ignore[attr-defined]
    found = leaves(lambda: (settings.rate, np.pi))
    assert found["global rate"] == 3
    assert "global unread" not in found
    assert not any("pi" in name for name in found)


def test_modules_that_a_function_imports_are_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = types.ModuleType("some_settings")
    settings.rate = 3  # type: ignore[attr-defined]

    def f() -> Any:
        from some_settings import rate

        return rate

    state = reachable(f)
    assert any(str(fact.path) == "global some_settings" for fact in state.facts)
    monkeypatch.setitem(sys.modules, "some_settings", settings)
    assert leaves(f)["global rate"] == 3


def test_context_variables_are_read() -> None:
    level = contextvars.ContextVar("level", default=1)
    level.set(4)
    assert leaves(lambda: level.get())["closure level.get()"] == 4


def test_elements_of_deques_and_user_dicts_are_reached() -> None:
    queue, mapping = deque([3]), UserDict({"a": 5})
    assert leaves(lambda: queue)["closure queue[0]"] == 3
    assert leaves(lambda: mapping)["closure mapping.data['a']"] == 5


def test_an_enum_is_a_leaf() -> None:
    class Mode(Enum):
        ON = 1

    mode = Mode.ON
    assert leaves(lambda: mode)["closure mode"] is Mode.ON


def test_nested_jit_objects_are_followed() -> None:
    inner = jit(helper)
    assert "global scale" in leaves(lambda x: inner(x))


def test_what_modules_of_onebuf_read_is_reached_and_their_code_is_not_guarded() -> None:
    linear = nn.Linear(2, 3)
    state = reachable(lambda x: linear(x))
    found = {str(path): value for path, value in state.leaves}
    assert found["closure linear.training"] is True
    assert "closure linear.weight._data" in buffers(state)
    assert [path for path in found if path.startswith("class ")] == []


def test_an_iterator_is_refused() -> None:
    numbers = itertools.count()
    assert "closure numbers is an iterator" in refusal(lambda: next(numbers))


def test_eval_is_refused() -> None:
    assert "calls eval" in refusal(lambda: eval("scale"))


def test_a_large_array_is_refused() -> None:
    large = np.zeros(module_of_state.MOST_NBYTES)
    assert "make a buffer of it" in refusal(lambda: large)


def test_a_set_of_objects_is_refused() -> None:
    layers = {Layer()}
    assert "make it a list" in refusal(lambda: layers)


def test_too_many_objects_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module_of_state, "MOST_OBJECTS", 50)
    many = [[number] for number in range(60)]
    assert "more than 50 objects" in refusal(lambda: many)


def test_cycles_end() -> None:
    ring: list[Any] = [1]
    ring.append(ring)
    assert leaves(lambda: ring)["closure ring[0]"] == 1


def test_the_walk_runs_no_code_of_the_user() -> None:
    class Loud:
        @property
        def size(self) -> int:
            raise AssertionError("the property ran")

        def __getattr__(self, name: str) -> Any:
            raise AssertionError(f"__getattr__ ran for {name}")

        def __len__(self) -> int:
            raise AssertionError("__len__ ran")

    loud = Loud()
    assert "closure loud" in leaves(lambda: loud.size)


def test_generators_of_random_numbers_are_known_by_what_is_to_come() -> None:
    generator = random.Random(3)
    assert "closure generator" in leaves(lambda: generator.random())


def test_names_that_code_writes_are_known() -> None:
    layer = Layer()

    def f(x: Any) -> None:
        layer.last = x

    assert reachable(f).stored == {"last"}
