"""A suite as JUnit XML, which build servers read.

There is one test case a scenario, since that is what passes or fails: its runs and their share of
passes are its properties, and what broke is its text.  A scenario that passes often enough passes
here too, although some of its runs may have failed; one that does not has a ``failure`` where a run
failed, and else an ``error``: a skipped test would look like no problem.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree as ET

from turnsure.core.scenario import RunVerdict
from turnsure.core.suite import ScenarioResult
from turnsure.core.suite_counts import ScenarioCounts
from turnsure.core.suite_report import SuiteReport
from turnsure.report.suite_words import failure_word, headline, undecided
from turnsure.report.text import MISSING, number, printable

SUITE_NAME = "turnsure"


def junit_xml(report: SuiteReport) -> str:
    """The text of the file."""
    whole = ET.Element("testsuites")
    suite = ET.SubElement(whole, "testsuite", name=SUITE_NAME)
    _properties(suite, _of_suite(report))
    n_failures = n_errors = 0
    for counts, each in zip(report.counts.scenarios, report.result.scenarios, strict=True):
        case = ET.SubElement(suite, "testcase", classname=SUITE_NAME, name=_clean(each.scenario.id))
        _properties(case, _of_scenario(counts, report.counts.repeats[0].k))
        if each.scenario.id in report.outcome.below:
            failed = counts.runs.n_fail > 0
            n_failures += failed
            n_errors += not failed
            _problem(case, each, counts, "failure" if failed else "error")
        lines = [_line(one) for one in each.verdicts]
        ET.SubElement(case, "system-out").text = "\n".join(lines)
    suite.attrib.update(
        tests=str(len(report.counts.scenarios)),
        failures=str(n_failures),
        errors=str(n_errors),
        skipped="0",
    )
    ET.indent(whole)
    text = ET.tostring(whole, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _problem(case: ET.Element, each: ScenarioResult, counts: ScenarioCounts, tag: str) -> None:
    wanted = {"fail"} if tag == "failure" else {"invalid", "error", "inconclusive"}
    bad = [one for one in each.verdicts if one.verdict in wanted]
    first = bad[0]
    kind = failure_word(first) if tag == "failure" else first.verdict
    runs = counts.runs
    problem = ET.SubElement(
        case,
        tag,
        type=_clean(kind),
        message=_clean(f"{runs.n_pass} of {runs.n_runs} runs passed; first: {first.reason}"),
    )
    problem.text = "\n".join(_found(bad))


def _found(verdicts: Sequence[RunVerdict]) -> list[str]:
    """What was found, run by run."""
    lines: list[str] = []
    for one in verdicts:
        lines.append(_line(one))
        lines += [
            _clean(f"  {'whole' if each.turn is None else f'turn {each.turn}'}: {each.message}")
            for each in one.findings
        ]
    return lines


def _line(verdict: RunVerdict) -> str:
    reason = f": {verdict.reason}" if verdict.reason else ""
    return _clean(f"run {verdict.replicate}: {verdict.verdict}{reason}")


def _of_suite(report: SuiteReport) -> list[tuple[str, str]]:
    result = report.result
    return [
        ("verdict", headline(report)),
        ("assistant", result.assistant["name"]),
        ("user", result.user["name"]),
        ("judge", MISSING if result.judge is None else result.judge["name"]),
        ("seed", str(result.seed)),
        ("fail-under", f"{report.outcome.fail_under:g}"),
    ]


def _of_scenario(counts: ScenarioCounts, k: int) -> list[tuple[str, str]]:
    found = [
        ("runs", str(counts.runs.n_runs)),
        ("passed", str(counts.runs.n_pass)),
        ("failed", str(counts.runs.n_fail)),
        ("undecided", undecided(counts.runs)),
        ("pass rate", number(counts.rate.as_failures.value, "fraction")),
        (f"pass^{k}", number(counts.repeats[0].all_of_k.as_failures.value, "fraction")),
    ]
    bounds = counts.rate.as_failures.interval
    if bounds is not None:
        found.append(
            (
                f"pass rate, {100 * bounds.level:g} % interval",
                f"{bounds.low:.3f} to {bounds.high:.3f}",
            )
        )
    return found


def _properties(parent: ET.Element, pairs: Sequence[tuple[str, str]]) -> None:
    holder = ET.SubElement(parent, "properties")
    for name, value in pairs:
        ET.SubElement(holder, "property", name=name, value=_clean(value))


def _clean(text: str) -> str:
    """A line that XML can hold."""
    return printable(text)
