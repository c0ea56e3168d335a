"""READ THIS FIRST of the tests: how scenario cards become a verdict.

::

    cards ─▶ scenarios ─▶ user ⇄ assistant, n runs ─▶ checks at every turn, judge ─▶ verdicts
        ─▶ counts, groups of failures ─▶ outcome ─▶ report
             └ confidence at every turn, joined to what went wrong ┘

Each arrow is one module.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from turnsure.core.errors import InputError
from turnsure.core.protocols import Backend
from turnsure.core.scenario import Scenario
from turnsure.core.spec import RunSpec
from turnsure.core.suite import SuiteProgress, SuiteResult
from turnsure.core.suite_confidence import SuiteConfidence
from turnsure.core.suite_report import LedgerState, RuleState, Run, SuiteReport
from turnsure.core.turns import TurnsTable
from turnsure.engine.counters import Counters
from turnsure.engine.drive import quiet as unshown
from turnsure.experiment.conversations.measuring import confidence_instrument, measure_transcripts
from turnsure.report.suite_page import write_suite_page
from turnsure.scenarios.counting import count_suite
from turnsure.scenarios.ledger import Ledger, ledgers
from turnsure.scenarios.running import quiet, run_suite
from turnsure.scenarios.seams import Assistant, Judge, User
from turnsure.scenarios.suite_file import SuiteFolder
from turnsure.scenarios.users.fidelity import fidelity, sample_to_read
from turnsure.store.json_files import held_alone, plain, write_json
from turnsure.store.turns_file import write_turns
from turnsure.testing.files import ReportFiles
from turnsure.testing.groups import failure_groups, outcome_of, undecided_groups
from turnsure.testing.joining import join, turn_rows, with_early_guesses

N_TO_READ = 5
"""Conversations that a person should read, to judge a simulated user."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TestSettings:
    """How a suite is run and judged.

    Attributes
    ----------
    folder
        Where it is kept.
    k
        For pass^k; None for 3, or for as many runs as there are where they are fewer.
    concurrency, seed
        Conversations at once; of users and assistants.
    fail_under
        Share of passes that every scenario has to reach, in (0, 1].
    resamples
        Of the bootstrap.
    """

    __test__ = False  # its name would make pytest take it for tests

    folder: Path
    k: int | None = None
    concurrency: int = 8
    seed: int = 0
    fail_under: float = 1.0
    resamples: int = 2000

    def __post_init__(self) -> None:
        if not 0.0 < self.fail_under <= 1.0:
            raise InputError(
                f"it is {self.fail_under:g}", field="fail-under", expected="above 0, at most 1"
            )
        for name in ("concurrency", "resamples"):
            value: int = getattr(self, name)
            if value < 1:
                raise InputError(f"it is {value}", field=name, expected="1 or more")
        if self.seed < 0:
            raise InputError(f"it is {self.seed}", field="seed", expected="a whole number from 0")


@dataclass(frozen=True, slots=True, kw_only=True)
class AskConfidence:
    """That a model is asked how sure it is of every reply.

    Attributes
    ----------
    spec
        Methods and how they ask.
    backend
        The model.
    """

    spec: RunSpec
    backend: Backend


def run_tests(
    scenarios: Sequence[Scenario],
    assistant: Assistant,
    settings: TestSettings,
    *,
    user: User | None = None,
    judge: Judge | None = None,
    confidence: AskConfidence | None = None,
    progress: Callable[[SuiteProgress], None] = quiet,
    asking: Callable[[Counters], None] = unshown,
) -> SuiteReport:
    """Run scenarios, check every turn, count, and write the report.

    Parameters
    ----------
    scenarios
        As :func:`turnsure.testing.cards.load_scenarios` gives them.
    assistant
        What is tested.
    settings
        How.
    user, judge
        None for the cards' script, and for no judge.
    confidence
        To measure how sure a model is at every turn.
    progress, asking
        Told after every run, and after every request about a confidence.

    Raises
    ------
    InputError, CapabilityError
        Something is wrong; nothing was run.
    StoreError
        The folder is in use, or holds another suite.
    BackendError
        A model cannot be reached.
    """
    if confidence is not None:
        confidence_instrument(confidence.spec)  # refuses before anything is run
    result = run_suite(
        scenarios,
        assistant,
        folder=settings.folder,
        user=user,
        judge=judge,
        concurrency=settings.concurrency,
        seed=settings.seed,
        progress=progress,
    )
    found = None
    if confidence is not None:
        result, found = _measured(result, confidence, settings, asking)
    files = ReportFiles(settings.folder)
    report = suite_report(result, settings, confidence=found)
    write_json(
        files.settings,
        {
            "format": 1,
            "kind": "test-settings",
            "k": settings.k,
            "seed": settings.seed,
            "fail_under": settings.fail_under,
            "resamples": settings.resamples,
            "confidence": found is not None,
        },
    )
    write_suite_page(report, files.page)
    return report


def suite_report(
    result: SuiteResult, settings: TestSettings, *, confidence: SuiteConfidence | None = None
) -> SuiteReport:
    """Everything that is shown of a suite.

    Raises
    ------
    InputError
        A scenario has fewer runs than k.
    """
    counts = count_suite(
        result,
        ks=(chosen_k(result, settings.k),),
        resamples=settings.resamples,
        seed=settings.seed,
    )
    transcripts = [one for each in result.scenarios for one in each.transcripts]
    read = sample_to_read(transcripts, N_TO_READ, seed=settings.seed)
    return SuiteReport(
        result=result,
        counts=counts,
        outcome=outcome_of(counts, settings.fail_under),
        failures=failure_groups(result.verdicts),
        undecided=undecided_groups(result.verdicts),
        ledgers=_ledgers(result),
        fidelity=fidelity(transcripts),
        to_read=tuple((one.scenario, one.replicate) for one in read),
        confidence=confidence,
        created=_finished(settings.folder),
    )


def chosen_k(result: SuiteResult, k: int | None) -> int:
    """The k of pass^k: as asked, else 3, else as many as there are."""
    return k or min(3, *(one.n_runs for one in result.scenarios))


def _measured(
    result: SuiteResult,
    confidence: AskConfidence,
    settings: TestSettings,
    asking: Callable[[Counters], None],
) -> tuple[SuiteResult, SuiteConfidence]:
    """Ask about every turn; early answers at a low confidence become findings."""
    here, files = SuiteFolder(settings.folder), ReportFiles(settings.folder)
    transcripts = [one for each in result.scenarios for one in each.transcripts]
    with held_alone(here.path):
        measured = asyncio.run(
            measure_transcripts(
                transcripts,
                confidence_instrument(confidence.spec),
                confidence.backend,
                here.store,
                asking,
                concurrency=settings.concurrency,
            )
        )
        spec = replace(confidence.spec, resamples=settings.resamples, seed=settings.seed)
        found = join(result, measured, spec, model=confidence.backend.name)
        checked = with_early_guesses(result, found)
        if checked != result:
            body = json.loads(here.suite_json.read_text(encoding="utf-8"))
            here.write(checked, started=body["started"], finished=body["finished"])
        table = TurnsTable.of(turn_rows(checked, found))
        write_turns(table, files.turns, protocol=measured.protocol)
        write_json(
            files.confidence,
            {"format": 1, "kind": "confidence", **plain(replace(found, turns=()))},
        )
    return checked, found


def _ledgers(result: SuiteResult) -> dict[Run, tuple[LedgerState, ...]]:
    found: dict[Run, tuple[LedgerState, ...]] = {}
    for each in result.scenarios:
        for one in each.transcripts:
            try:
                states = ledgers(each.scenario, one)[1:]
            except InputError:
                continue  # its verdict is an error that says so
            found[one.scenario, one.replicate] = tuple(map(_state, states))
    return found


def _state(ledger: Ledger) -> LedgerState:
    return LedgerState(
        rules=tuple(
            RuleState(
                name=name,
                value=value,
                since=ledger.since[name],
                before=tuple(one.old for one in ledger.replaced if one.rule == name),
            )
            for name, value in ledger.rules.items()
        ),
        withdrawn=ledger.withdrawn,
        rejected=ledger.rejected,
    )


def _finished(folder: Path) -> str:
    body = json.loads(SuiteFolder(folder).suite_json.read_text(encoding="utf-8"))
    return str(body["finished"])
