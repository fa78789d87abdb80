"""The outcomes of foreign suites as tables: passed with NumPy, passed here, failed by cause."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import causes


@dataclass(slots=True)
class Outcome:
    """What became of one test."""

    id: str
    outcome: str = "crashed"
    message: str = "crashed"
    tags: list[str] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        return self.outcome in ("passed", "xpassed")


@dataclass(slots=True)
class Case:
    """One test that NumPy passes, and what became of it on buffers."""

    file: str
    ours: Outcome
    apart: str = ""
    cause: str = ""


def read(path: Path) -> dict[tuple[str, int], Outcome]:
    """The outcomes in one record, by test function and number of the case."""
    found: dict[str, Outcome] = {}
    keys: dict[tuple[str, int], Outcome] = {}
    for text in path.read_text(encoding="utf-8").splitlines():
        line = json.loads(text)
        if line["event"] == "start":
            outcome = Outcome(line["id"], tags=line["source"])
            found[line["id"]] = keys[line["name"], line["number"]] = outcome
        elif line["event"] == "end" and found[line["id"]].outcome in ("crashed", "passed"):
            found[line["id"]].outcome = line["outcome"]
            found[line["id"]].message = line["message"]
        elif line["event"] == "collect":
            keys[line["id"], -1] = Outcome(line["id"], "uncollected", line["message"])
    return keys


def pairs(store: Path, suite: str) -> list[tuple[str, Outcome, Outcome]]:
    """File, outcome with NumPy and outcome with onebuf, of each test that ran with both."""
    result = []
    for path in sorted((store / suite / "onebuf").glob("*.jsonl")):
        ours = read(path)
        control_path = store / suite / "control" / path.name
        if control_path.exists():
            for key, control in read(control_path).items():
                result.append((path.stem, control, ours.get(key) or _without(control.id, ours)))
            continue
        by_id = {outcome.id: outcome for outcome in ours.values()}
        for name, outcome in by_id.items():
            twin = by_id.get(re.sub(r"(?<=[\[-])onebuf(?=[\]-])", "numpy", name))
            if twin is not None and twin is not outcome:
                result.append((path.stem, twin, outcome))
    return result


def _without(name: str, ours: dict[tuple[str, int], Outcome]) -> Outcome:
    """What became of a test that did not run here: its process ended, or it is no case."""
    broken = any(outcome.outcome in ("uncollected", "crashed") for outcome in ours.values())
    return Outcome(name) if broken else Outcome(name, "absent", "absent")


def cases(store: Path, suite: str) -> list[Case]:
    """The tests that NumPy passes, and that onebuf does not skip on the suite's own advice."""
    result = []
    for file, control, ours in pairs(store, suite):
        if not control.passed or ours.outcome in ("skipped", "xfailed"):
            continue
        case = Case(file, ours)
        if suite == "numpy" and control.tags:
            case.apart = control.tags[0]
        if not ours.passed:
            case.cause = causes.of_message(ours.message)
            if suite == "numpy" and not case.apart and case.cause in causes.APART | causes.DECIDED:
                case.apart = case.cause
        result.append(case)
    return result


def report(store: Path) -> str:
    """All tables, in Markdown."""
    lines = [
        "| suite | NumPy passes | buffers pass | apart | of the rest | pass | without decisions |",
        "|---|---|---|---|---|---|---|",
    ]
    details = []
    for suite in ("scipy", "sklearn", "numpy"):
        found = cases(store, suite)
        if not found:
            continue
        rest = [case for case in found if not case.apart]
        strict = [case for case in found if not case.apart or case.apart in causes.DECIDED]
        passed = sum(case.ours.passed for case in rest)
        everything = sum(case.ours.passed for case in found)
        apart = len(found) - len(strict)
        lines.append(
            f"| {suite} | {len(found):,} | {everything:,} | {apart:,} | {len(strict):,} | "
            f"{share(passed, strict)} | {share(passed, rest)} |"
        )
        details += ["", f"## {suite}", "", *by_file(found), "", *by_cause(found)]
        write_failures(store / f"{suite}-failures.txt", rest)
    text = "\n".join([*lines, *details])
    (store / "report.md").write_text(text + "\n", encoding="utf-8")
    return text


def share(passed: int, some: list[Case]) -> str:
    """How many of ``some`` passed, in words."""
    return f"{passed:,} ({passed / len(some):.2%})" if some else "0"


def by_file(found: list[Case]) -> list[str]:
    """A row for each file: tests, passed, apart, failed."""
    rows = ["| file | tests | apart | rest | pass |", "|---|---|---|---|---|"]
    files: dict[str, list[Case]] = defaultdict(list)
    for case in found:
        files[case.file].append(case)
    for file, some in files.items():
        rest = [case for case in some if not case.apart]
        passed = sum(case.ours.passed for case in rest)
        rows.append(f"| {file} | {len(some)} | {len(some) - len(rest)} | {len(rest)} | {passed} |")
    return rows


def by_cause(found: list[Case]) -> list[str]:
    """A row for each cause: what is counted apart, then what failed."""
    explained = causes.EXPLAINED | {name: text for name, _, text in causes.IN_MESSAGE}
    rows = ["| cause | tests | what it is |", "|---|---|---|"]
    for name, count in Counter(case.apart for case in found if case.apart).most_common():
        rows.append(f"| apart: {name} | {count} | {explained.get(name, '')} |")
    failed = Counter(case.cause for case in found if case.cause and not case.apart)
    for name, count in failed.most_common():
        rows.append(f"| {name} | {count} | {explained.get(name, '')} |")
    return rows


def write_failures(path: Path, rest: list[Case]) -> None:
    """Every failed test that counts, with its message: to work through."""
    with path.open("w", encoding="utf-8") as file:
        for case in rest:
            if not case.ours.passed:
                message = " | ".join(case.ours.message.split("\n"))[:600]
                file.write(f"{case.cause}\t{case.file} {case.ours.id}\t{message}\n")
