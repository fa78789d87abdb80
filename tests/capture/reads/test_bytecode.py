"""Code that counts is told apart from code that reads, in every version of Python."""

from collections.abc import Callable
from typing import Any

import pytest

from onebuf.capture.reads.bytecode import Use, uses_of

calls: Any = 0
log: Any = []
counts: Any = {}
scale: Any = 1


def counted_up() -> None:
    global calls
    calls += 1


def counted_up_in_full() -> None:
    global calls
    calls = calls + 1


def used_after_counting() -> Any:
    global calls
    calls += 1
    return calls


def counted_by_a_variable(by: int) -> None:
    global calls
    calls += by


def copied_while_counting() -> Any:
    global calls
    calls = kept = calls + 1
    return kept


def grown(x: Any) -> None:
    log.append((x.shape, max(x, key=len), *(one for one in x)))


def grown_in_a_branch(x: Any) -> None:
    log.append(1 if x else 2)


def grown_by_one_of_two(x: Any) -> None:
    log.append(x and 1)


def grown_and_returned() -> Any:
    return log.append(1)


def popped() -> None:
    log.pop()


def item_counted_up() -> None:
    counts["n"] += 1


def item_read() -> Any:
    return counts["n"] + 1


@pytest.mark.parametrize(
    "function, name, uses",
    [
        (counted_up, "calls", {Use.ADD}),
        (counted_up_in_full, "calls", {Use.ADD}),
        (used_after_counting, "calls", {Use.ADD, Use.READ}),
        (counted_by_a_variable, "calls", {Use.READ}),
        (copied_while_counting, "calls", {Use.READ}),
        (grown, "log", {Use.GROW}),
        (grown_in_a_branch, "log", {Use.READ}),
        (grown_by_one_of_two, "log", {Use.READ}),
        (grown_and_returned, "log", {Use.READ}),
        (popped, "log", {Use.READ}),
        (item_counted_up, "counts", {Use.GROW}),
        (item_read, "counts", {Use.READ}),
    ],
)
def test_a_global_is_counted_with_or_read(
    function: Callable[..., Any], name: str, uses: set[Use]
) -> None:
    assert uses_of(function.__code__).globals[name] == uses


class Counter:
    def attributes(self) -> Any:
        self.calls += 1
        self.log.append(1)
        self.counts["n"] += 1
        return self.scale


def test_attributes_are_counted_with_or_read() -> None:
    found = uses_of(Counter.attributes.__code__).attributes
    assert found["calls"] == {Use.ADD}
    assert found["log"] == {Use.GROW}
    assert found["counts"] == {Use.GROW}
    assert found["scale"] == {Use.READ}


def test_free_variables_are_counted_with_or_read() -> None:
    n, m = 0, 0

    def inner() -> Any:
        nonlocal n
        n += 1
        return lambda: m

    assert uses_of(inner.__code__).cells == {"n": {Use.ADD}, "m": {Use.READ}}


def test_a_variable_of_the_function_itself_is_not_free() -> None:
    def outer() -> Any:
        mine = 3
        return lambda: mine

    assert uses_of(outer.__code__).cells == {}


def test_code_inside_is_read_too() -> None:
    def outer() -> Any:
        class Inner:
            size = scale

        return [lambda: calls for _ in range(3)], Inner

    assert {"scale", "calls", "range"} <= uses_of(outer.__code__).globals.keys()


def test_imports_are_found_with_their_level() -> None:
    def imports() -> Any:
        import json.decoder

        from . import sibling

        return json, sibling

    assert uses_of(imports.__code__).imports == {(0, "json.decoder"), (1, "")}


def test_what_is_written_is_known_without_what_is_counted() -> None:
    def writes(x: Any) -> None:
        global scale
        x.calls += 1
        x.last = scale = 3

    assert uses_of(writes.__code__).stored == {"last", "scale"}


def test_reading_attributes_without_naming_them_is_noticed() -> None:
    assert uses_of((lambda x: getattr(x, "scale")).__code__).is_dynamic  # noqa: B009
    assert uses_of((lambda x: x.__dict__).__code__).is_dynamic
    assert not uses_of((lambda x: x.scale).__code__).is_dynamic
