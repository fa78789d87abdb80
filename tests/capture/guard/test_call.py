"""Arguments come in one order, however they were given."""

import functools
from collections.abc import Callable
from typing import Any

import pytest

from onebuf.capture.guard.call import Call, labels_of


def plain(x: Any, y: Any = 1) -> None: ...


def kinds(a: Any, /, b: Any, *rest: Any, c: Any, d: Any = "d", **named: Any) -> None: ...


class Method:
    def run(self, x: Any, y: Any = 2) -> None: ...

    def __call__(self, x: Any) -> None: ...


@pytest.mark.parametrize(
    "function, args, kwargs, values",
    [
        (plain, (5,), {}, (5, 1)),
        (plain, (), {"y": 6, "x": 5}, (5, 6)),
        (kinds, (1, 2, 3), {"c": 4, "e": 5}, (1, 2, (3,), 4, "d", {"e": 5})),
        (Method().run, (5,), {}, (5, 2)),
        (Method(), (5,), {}, (5,)),
        (functools.partial(plain, 7), (8,), {}, (8,)),
        (dict, (1,), {"a": 2}, ((1,), {"a": 2})),
        (lambda: None, (), {}, ()),
    ],
)
def test_each_parameter_gets_its_value(
    function: Callable[..., Any], args: Any, kwargs: Any, values: Any
) -> None:
    assert Call(function).normalise(*args, **kwargs) == values


def test_a_wrapper_is_called_by_its_own_signature() -> None:
    @functools.wraps(plain)
    def wrapper(*args: Any) -> None: ...

    assert Call(wrapper).names == ("args",)


def test_a_call_that_does_not_fit_is_the_error_of_python() -> None:
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'x'"):
        Call(plain).normalise()


def test_leaves_are_called_as_code_would_find_them() -> None:
    assert labels_of("x", ({"a": 1}, [2, None])) == ["x[0]['a']", "x[1][0]"]
