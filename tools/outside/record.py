"""A pytest plugin that writes one line of JSON per test to the file ``OUTSIDE_RECORD`` names.

A line is written before a test starts and another one when it ends, so that a test that ends the
whole process is known, too.
"""

from __future__ import annotations

import functools
import inspect
import json
import linecache
import os
import re
from collections import Counter
from typing import Any

import pytest

PREPARING = ("setup_method", "setup_class")
"""Methods of a test's class that run before it."""

_seen: Counter[str] = Counter()
_keys: dict[str, tuple[str, int]] = {}


def _write(**line: Any) -> None:
    with open(os.environ["OUTSIDE_RECORD"], "a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


@functools.cache
def _definition(function: Any) -> str:
    """The text of a function, without its decorators: those hold the parameters of all cases."""
    try:
        source = inspect.getsource(function)
    except (OSError, TypeError):  # none, or a built-in
        return ""
    return re.sub(r"\A.*?(?=^\s*def )", "", source, flags=re.DOTALL | re.MULTILINE)


def _source(item: Any) -> str:
    """The text of a test: its function, this case's parameters and what its class prepares."""
    text = []
    for part in (item.function, *(getattr(item.cls, name, None) for name in PREPARING)):
        text.append(_definition(part))
    parameters = getattr(item, "callspec", None)
    if parameters is not None:
        text += [f"{name}={value!r}"[:200] for name, value in parameters.params.items()]
    return "\n".join(text)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(session: Any, config: Any, items: list[Any]) -> None:
    """Number the cases of each test function: their names may differ from run to run."""
    for item in items:
        name = item.nodeid.partition("[")[0]
        _keys[item.nodeid] = (name, _seen[name])
        _seen[name] += 1


def pytest_collectreport(report: Any) -> None:
    if report.failed:
        message = str(report.longrepr)[-1500:]
        _write(event="collect", id=report.nodeid, message=message)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: Any) -> Any:
    name, number = _keys[item.nodeid]
    _write(event="start", id=item.nodeid, name=name, number=number, source=_tags(_source(item)))
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: Any, call: Any) -> Any:
    report = yield
    outcome = report.outcome
    if hasattr(report, "wasxfail"):
        outcome = "xfailed" if report.skipped else "xpassed"
    if report.when == "call" or outcome in ("failed", "skipped", "xfailed"):
        message = ""
        if outcome in ("failed", "skipped"):
            crash = getattr(report.longrepr, "reprcrash", None)
            message = crash.message if crash is not None else str(report.longrepr)
            if call.excinfo is not None and outcome == "failed":
                message = f"{call.excinfo.typename}: {_line(call.excinfo)}\n{message}"
        _write(
            event="end",
            id=item.nodeid,
            when=report.when,
            outcome=outcome,
            message=message[:1500],
            seconds=round(call.duration, 3),
        )
    return report


def _line(excinfo: Any) -> str:
    """The last line of the test file itself that the error passed through."""
    for entry in reversed(excinfo.traceback):
        if re.search(r"/tests/[^/]+\.py$", str(entry.path)):
            return linecache.getline(str(entry.path), entry.lineno + 1).strip()
    return ""


def _tags(source: str) -> list[str]:
    import causes  # a module of this folder, which pytest finds by its path

    return [name for name, pattern in causes.IN_SOURCE.items() if re.search(pattern, source)]
