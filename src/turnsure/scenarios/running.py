"""Runs every scenario of a suite n times, and keeps what was said.

Runs are independent by construction: each has a seed and a replicate of its own, its own copy of
the fixtures and its own memory, and no request of one is answered by the generation of another.  A
suite that was stopped, however roughly, is finished by running it again: conversations that ended
are read from the folder; those that had not ended start anew, and what their models had answered is
not asked twice.  A conversation that a fault of the infrastructure ended counts as not ended.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from turnsure.core.conversation import Transcript
from turnsure.core.digest import digest
from turnsure.core.errors import BackendError, KeyRefused
from turnsure.core.judged import RubricJudgement
from turnsure.core.protocols import Backend
from turnsure.core.scenario import RunVerdict, Scenario, Verdict
from turnsure.core.suite import ScenarioResult, SuiteProgress, SuiteResult
from turnsure.engine.retry import start_patiently
from turnsure.scenarios.conversation import Talk
from turnsure.scenarios.deciding import verdict_on, wants_judge
from turnsure.scenarios.exits import exits_refused
from turnsure.scenarios.models import Models
from turnsure.scenarios.runs import Plan, new_run, plans_of, run_seed
from turnsure.scenarios.seams import Assistant, Judge, User
from turnsure.scenarios.suite_file import SuiteFolder, with_state, without_same_state
from turnsure.scenarios.users.scripted import ScriptedUser
from turnsure.store.json_files import held_alone, plain
from turnsure.store.sqlite import Store

TRIES = 2
"""How often a conversation is held at most, where a fault of the infrastructure ends it."""

_Done = tuple[Transcript, RunVerdict, RubricJudgement | None]
"""A run that is over, with what the judge said of it where it was asked."""


def quiet(progress: SuiteProgress) -> None:
    """Show no progress."""
    del progress


def run_suite(
    scenarios: Sequence[Scenario],
    assistant: Assistant,
    *,
    folder: str | Path,
    user: User | None = None,
    judge: Judge | None = None,
    runs: int | None = None,
    concurrency: int = 8,
    seed: int = 0,
    progress: Callable[[SuiteProgress], None] = quiet,
) -> SuiteResult:
    """Run every scenario, and write the folder.

    Parameters
    ----------
    scenarios
        One or more, with different ids.
    assistant
        What is tested; it and all models are started and closed here.
    folder
        Where the suite is kept; made when absent.
    user
        Who speaks for the user, None for the script of the card.
    judge
        For the rubrics; without one, a run of a scenario with a rubric is at best inconclusive.
    runs
        Runs of every scenario, None for what each card says.
    concurrency
        Conversations at once; one at a time where a model wants its requests in order.
    seed
        Of users and assistants, beside that of each card.
    progress
        Told after every run.

    Raises
    ------
    InputError
        A scenario or a setting is wrong; nothing was run.
    CapabilityError
        The assistant cannot do what a scenario needs; nothing was run.
    StoreError
        The folder is in use, or holds the finished suite of another assistant, user or seed.
    BackendError
        A model cannot be reached at the start, or a server refuses the key.
    """
    plans = plans_of(scenarios, runs=runs, concurrency=concurrency)
    here = SuiteFolder(Path(folder))
    with held_alone(here.path), exits_refused():
        store = Store(here.store)
        try:
            suite = _Suite(
                plans=plans,
                assistant=assistant,
                user=ScriptedUser() if user is None else user,
                judge=judge,
                folder=here,
                store=store,
                seed=seed,
                concurrency=concurrency,
                progress=progress,
            )
            return asyncio.run(suite.run())
        finally:
            store.close()


@dataclass(slots=True, kw_only=True)
class _Suite:
    """A suite that is going on."""

    plans: Sequence[Plan]
    assistant: Assistant
    user: User
    judge: Judge | None
    folder: SuiteFolder
    store: Store
    seed: int
    concurrency: int
    progress: Callable[[SuiteProgress], None]
    done: dict[tuple[str, int], _Done] = field(default_factory=dict[tuple[str, int], _Done])
    counts: Counter[Verdict] = field(default_factory=Counter[Verdict])

    async def run(self) -> SuiteResult:
        started = _now()
        models = Models.of(
            self.assistant.backend,
            self.user.backend,
            None if self.judge is None else self.judge.backend,
            store=self.store,
        )
        try:
            for backend in models.backends:
                await start_patiently(backend)
            await self.assistant.start()
            for plan in self.plans:
                self.assistant.check(plan.scenario)
            identity = self._identity()
            self.folder.refuse_others(identity)
            self.folder.write_begun(self._result(identity, models, ()), started=started)
            speakers = digest(plain([identity["assistant"], identity["user"]]))
            await self._run_all(models, speakers)
        finally:
            await self.assistant.close()
            for backend in models.backends:
                await backend.close()
        result = self._result(identity, models, [self._of(plan) for plan in self.plans])
        self.folder.write(result, started=started, finished=_now())
        return result

    async def _run_all(self, models: Models, speakers: str) -> None:
        most = max(plan.scenario.runs for plan in self.plans)
        queue = iter(
            [
                (plan, replicate)
                for replicate in range(most)
                for plan in self.plans
                if replicate < plan.scenario.runs
            ]
        )

        async def lane() -> None:
            for plan, replicate in queue:
                transcript = await self._transcript(plan, replicate, models, speakers)
                judged = await self._judged(plan, transcript, models)
                verdict = verdict_on(plan.checker, plan.scenario, transcript, judged)
                self.done[plan.scenario.id, replicate] = transcript, verdict, judged
                self.counts[verdict.verdict] += 1
                self.progress(self._progress(models))

        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(models.lanes(self.concurrency)):
                    group.create_task(lane())
        except ExceptionGroup as failed:
            raise failed.exceptions[0] from None

    async def _transcript(
        self, plan: Plan, replicate: int, models: Models, speakers: str
    ) -> Transcript:
        """A run's conversation, from the folder or held now."""
        scenario = plan.scenario
        seed = run_seed(scenario, replicate, seed=self.seed)
        key = digest([speakers, plan.talk, replicate, seed])
        kept = self.store.get_transcript(key)
        if kept is not None:
            models.tally.n_replayed += 1
            return with_state(kept, scenario)
        attempt = 1
        while True:
            ask = models.asker(scenario.id, replicate)
            run = new_run(plan, replicate=replicate, seed=seed, ask=ask)
            talk = Talk(user=self.user, assistant=self.assistant, run=run)
            transcript = await talk.hold()
            if self.assistant.backend is None:
                n_turns = len(transcript.exchanges)
                models.tally.called(talk.n_calls, talk.usages, talk.seconds, n_turns=n_turns)
            ended = transcript.ending != "infrastructure_error"
            if ended:
                self.store.put_transcript(key, without_same_state(transcript, scenario))
            if ended or attempt == TRIES:
                models.tally.n_conversations += 1
                return transcript
            attempt += 1
            models.tally.n_restarted += 1

    async def _judged(
        self, plan: Plan, transcript: Transcript, models: Models
    ) -> RubricJudgement | None:
        if self.judge is None or not wants_judge(plan.scenario, transcript):
            return None
        seed = run_seed(plan.scenario, transcript.replicate, seed=self.seed)
        flow = self.judge.judge(
            plan.scenario, transcript, seed=seed, replicate=transcript.replicate
        )
        try:
            return await models.asker(plan.scenario.id, transcript.replicate)(flow)
        except KeyRefused:
            raise
        except BackendError:
            return None  # which is inconclusive

    def _identity(self) -> dict[str, Any]:
        assistant, user, judge = self.assistant, self.user, self.judge
        return {
            "assistant": {"name": assistant.name, **assistant.fingerprint},
            "user": _described(user.name, user.definition, user.backend),
            "judge": None
            if judge is None
            else _described(judge.name, judge.definition, judge.backend),
            "seed": self.seed,
        }

    def _of(self, plan: Plan) -> ScenarioResult:
        runs = [self.done[plan.scenario.id, place] for place in range(plan.scenario.runs)]
        return ScenarioResult(
            scenario=plan.scenario,
            transcripts=tuple(transcript for transcript, _, _ in runs),
            verdicts=tuple(verdict for _, verdict, _ in runs),
            judgements={
                verdict.replicate: judged for _, verdict, judged in runs if judged is not None
            },
        )

    def _result(
        self, identity: Mapping[str, Any], models: Models, results: Sequence[ScenarioResult]
    ) -> SuiteResult:
        return SuiteResult(
            **identity,
            scenarios=tuple(results),
            folder=str(self.folder.path),
            cost=models.cost(),
        )

    def _progress(self, models: Models) -> SuiteProgress:
        return SuiteProgress(
            n_runs=sum(plan.scenario.runs for plan in self.plans),
            n_done=len(self.done),
            n_replayed=models.tally.n_replayed,
            verdicts=dict(self.counts),
        )


def _described(name: str, definition: Mapping[str, str], backend: Backend | None) -> dict[str, str]:
    """A user or a judge with its model."""
    described = {"name": name, **definition}
    if backend is not None:
        described |= {f"model.{key}": value for key, value in backend.fingerprint.items()}
    return described


def _now() -> str:
    return datetime.now(tz=UTC).isoformat(timespec="seconds")
