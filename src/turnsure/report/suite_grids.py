"""The numbers of a suite as tables of text, the same for terminal, Markdown and page."""

from __future__ import annotations

from turnsure.core.grid import Grid
from turnsure.core.results import MetricResult
from turnsure.core.suite import RoleCost, SuiteCost
from turnsure.core.suite_confidence import AskingCost, MethodOfSuite, SuiteConfidence
from turnsure.core.suite_report import FidelityCounts, SuiteReport
from turnsure.core.tested import LEAST_DIALOGUES, Found
from turnsure.report.suite_words import (
    bounded,
    broke_first,
    is_number,
    plain_words,
    runs_named,
    turn_name,
    undecided,
)
from turnsure.report.text import MISSING, count, kinds, p_value
from turnsure.report.text_grid import gap_text, shown, text_grid

COST_COLUMNS = (
    "calls", "from store", "again", "failed", "prompt tokens", "completion tokens", "seconds",
)  # fmt: skip


def scenario_grid(report: SuiteReport) -> Grid:
    """One line a scenario, and one for all where there are several."""
    counts = report.counts
    k = counts.repeats[0].k
    rows = [
        (
            one.scenario,
            f"{one.runs.n_runs:,}",
            f"{one.runs.n_pass:,}",
            bounded(one.rate, "percent"),
            bounded(one.repeats[0].all_of_k, "percent"),
            broke_first(result.verdicts),
            undecided(one.runs),
        )
        for one, result in zip(counts.scenarios, report.result.scenarios, strict=True)
    ]
    if len(rows) > 1:
        rows.append(
            (
                "all",
                f"{counts.runs.n_runs:,}",
                f"{counts.runs.n_pass:,}",
                bounded(counts.mean_rate, "percent"),
                bounded(counts.repeats[0].all_of_k, "percent"),
                broke_first(report.result.verdicts),
                undecided(counts.runs),
            )
        )
    headings = ("runs", "passed", "pass rate %", f"pass^{k} %", "broke first", "undecided")
    any_undecided = counts.runs.n_undecided > 0
    return text_grid(
        "scenarios",
        "Scenarios",
        ("Scenario",),
        headings if any_undecided else headings[:-1],
        rows if any_undecided else [row[:-1] for row in rows],
    )


def failure_grid(report: SuiteReport) -> Grid | None:
    """Failed runs by failure type and first failing turn; None where no run failed."""
    if not report.failures:
        return None
    return text_grid(
        "failures",
        "What broke first",
        ("Failure",),
        ("turn", "runs", "for example", "runs by name"),
        [
            (
                plain_words(one.failure),
                turn_name(one.turn),
                f"{len(one.runs):,}",
                one.example,
                runs_named(one.runs),
            )
            for one in report.failures
        ],
    )


def undecided_grid(report: SuiteReport) -> Grid | None:
    """Runs that neither passed nor failed, by reason; None where every run was decided."""
    if not report.undecided:
        return None
    return text_grid(
        "undecided",
        "Runs that say nothing either way",
        ("Verdict",),
        ("runs", "because", "runs by name"),
        [
            (one.verdict, f"{len(one.runs):,}", one.reason, runs_named(one.runs))
            for one in report.undecided
        ],
    )


def cost_grid(cost: SuiteCost, asking: AskingCost | None = None) -> Grid | None:
    """What this call cost, by role; None where nothing was called."""
    rows = [(one.role, *_cost_cells(one)) for one in cost.roles if one.n_calls]
    if asking is not None:
        rows.append(("confidence", *_asking_cells(asking)))
    if not rows:
        return None
    return text_grid("cost", "Cost", ("Role",), COST_COLUMNS, rows)


def cost_sentence(cost: SuiteCost) -> str:
    """How the runs came about."""
    return (
        f"{count(cost.n_conversations, 'conversation')} held now, {cost.n_replayed:,} kept from "
        f"before, {cost.n_restarted:,} started anew after a fault of the infrastructure, "
        f"{count(cost.n_retries, 'request')} sent again."
    )


def _cost_cells(one: RoleCost) -> tuple[str, ...]:
    return (
        f"{one.n_calls:,}",
        f"{one.n_from_store:,}",
        f"{one.n_again:,}",
        f"{one.n_failed:,}",
        *_tokens(one),
        f"{one.seconds:,.1f}",
    )


def _asking_cells(one: AskingCost) -> tuple[str, ...]:
    return (
        f"{one.n_requests:,}",
        f"{one.n_from_store:,}",
        f"{one.n_retries:,}",
        f"{one.n_failed:,}",
        *_tokens(one),
        f"{one.seconds:,.1f}",
    )


def _tokens(one: RoleCost | AskingCost) -> tuple[str, str]:
    """Of prompts and replies; a plus where some replies told none, a dash where no reply did."""
    if one.n_uncounted and not one.prompt_tokens and not one.completion_tokens:
        return MISSING, MISSING
    more = "+" if one.n_uncounted else ""
    return f"{one.prompt_tokens:,}{more}", f"{one.completion_tokens:,}{more}"


def confidence_grid(confidence: SuiteConfidence) -> Grid:
    """One line a method."""
    return text_grid(
        "confidence",
        "Confidence at the turns",
        ("Method",),
        (
            "turns", "mean %", "change at a twist", "p (Holm)", "change otherwise",
            "AUROC of turns in order", "shown at low confidence", "no confidence",
        ),
        [
            (
                one.method,
                f"{one.n_turns:,}",
                shown(one.mean, "percent"),
                gap_text(one.twist.change),
                p_value(one.twist.p_holm),
                gap_text(one.otherwise),
                shown(one.auroc, "fraction"),
                _early(one),
                kinds(one.failures) or MISSING,
            )
            for one in confidence.methods
        ],
    )  # fmt: skip


def _early(one: MethodOfSuite) -> str:
    early = one.early
    if not is_number(early.rate):
        return MISSING
    return f"{early.n_early:,} of {early.n_shown:,}"


def confidence_sentences(confidence: SuiteConfidence) -> tuple[str, ...]:
    """What can be said of each method, and what cannot."""
    return tuple(
        f"{one.method} {_twist_words(one)}; {_auroc_words(one.auroc)}; {_early_words(one)}."
        for one in confidence.methods
    )


def _twist_words(one: MethodOfSuite) -> str:
    change = one.twist.change
    if not isinstance(change, MetricResult):
        return f"says nothing about twists ({change.reason})"
    if one.twist.falls:
        return f"falls at a twist ({gap_text(change)} points)"
    if one.twist.rises:
        return f"rises at a twist ({gap_text(change)} points)"
    return f"does not clearly move at a twist ({gap_text(change)} points)"


def _auroc_words(auroc: Found) -> str:
    if not isinstance(auroc, MetricResult):
        return f"whether it tells wrong turns is not known ({auroc.reason})"
    text = f"AUROC {shown(auroc, 'fraction')}"
    enough = (auroc.n_dialogues or 0) >= LEAST_DIALOGUES
    bounds = auroc.interval if enough else None
    if bounds is not None and bounds.low > 0.5:
        return f"turns that go wrong have less of it ({text})"
    if bounds is not None and bounds.high < 0.5:
        return f"turns that go wrong have more of it ({text})"
    return f"it does not clearly tell turns that go wrong ({text})"


def _early_words(one: MethodOfSuite) -> str:
    early = one.early
    if not is_number(early.rate):
        return "no turn shows an item"
    return (
        f"items are shown below {early.threshold:g} at {early.n_early:,} of "
        f"{count(early.n_shown, 'turn')} that show any, in {count(early.n_runs, 'run')}"
    )


def fidelity_grid(found: FidelityCounts) -> Grid:
    """How far the user kept to its card."""
    return text_grid(
        "fidelity",
        "The user",
        ("What",),
        ("number",),
        [
            ("conversations", f"{found.n_runs:,}"),
            ("messages", f"{found.n_messages:,}"),
            ("wordings not taken", f"{found.n_retries:,}"),
            ("… by guard", kinds(found.refused) or MISSING),
            ("messages taken after another try", f"{found.n_mended:,}"),
            ("runs without a usable user", f"{found.n_invalid:,}"),
            ("turns with a note", f"{found.n_notes:,}"),
        ],
    )


def released_grid(found: FidelityCounts) -> Grid | None:
    """At which turn each reveal was made, and in how many runs."""
    if not found.released:
        return None
    return text_grid(
        "released",
        "When what was made known",
        ("Scenario", "Reveal"),
        ("turn (runs)",),
        [
            (scenario, reveal, ", ".join(f"{turn} ({n:,}×)" for turn, n in turns.items()))
            for (scenario, reveal), turns in found.released.items()
        ],
    )
