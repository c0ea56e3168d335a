"""Scenarios as pytest tests: one test a scenario.

Files named ``*.scenario.yaml`` are collected by themselves.  A test that is marked
``@pytest.mark.scenario("cards.yaml")`` and takes the fixture ``scenario_result`` is called once for
each scenario of that file, with a :class:`turnsure.core.suite_report.SuiteReport` of it::

    @pytest.mark.scenario("rental.yaml", runs=5)
    def test_rental(scenario_result):
        assert scenario_result.outcome.ending == "passed"

The assistant comes from the fixture ``turnsure_assistant``: the ini option of that name, unless a
``conftest.py`` has a fixture of its own, which may return a function.  What was run is kept for
this session alone, so that every session tests anew.

Nothing of turnsure but this file is imported before a scenario is met.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

if TYPE_CHECKING:
    from turnsure.core.scenario import Scenario
    from turnsure.core.suite_report import SuiteReport
    from turnsure.scenarios.seams import Judge, User

ENDINGS = (".scenario.yaml", ".scenario.yml")

_MARK, _RESULT = "scenario", "scenario_result"
_MAY_SET = ("runs", "fail_under", "k", "seed")
"""What a mark may set."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Make the ini options known."""
    parser.addini("turnsure_assistant", "assistant under test: module:function or http(s)://…")
    parser.addini("turnsure_runs", "runs of every scenario  [what each card says]")
    parser.addini("turnsure_fail_under", "share of passes that every scenario needs  [1]")


def pytest_configure(config: pytest.Config) -> None:
    """Make the mark known."""
    config.addinivalue_line(
        "markers",
        f"{_MARK}(path, runs=None, fail_under=None, k=None, seed=None): "
        f"call the test, with {_RESULT}, for each scenario of a file of cards",
    )


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> ScenarioFile | None:
    """Collect cards by their name."""
    if not file_path.name.endswith(ENDINGS):
        return None
    return cast("Any", ScenarioFile).from_parent(parent, path=file_path)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Call a marked test once for each scenario."""
    mark = metafunc.definition.get_closest_marker(_MARK)
    if mark is None:
        return
    if _RESULT not in metafunc.fixturenames:
        if any(str(one).endswith((".yaml", ".yml")) for one in mark.args):
            # It would pass without a scenario being run; a mark without cards is someone else's.
            raise pytest.Collector.CollectError(
                f"a test with the mark {_MARK} takes the fixture {_RESULT}"
            )
        return
    if len(mark.args) != 1:
        raise pytest.Collector.CollectError(f"the mark {_MARK} takes a file of cards")
    unknown = [name for name in mark.kwargs if name not in _MAY_SET]
    if unknown:
        raise pytest.Collector.CollectError(
            f"the mark {_MARK} has no {unknown[0]!r} (expected {', '.join(_MAY_SET)})"
        )
    scenarios = _scenarios(metafunc.definition.path.parent / mark.args[0])
    metafunc.parametrize(
        _RESULT,
        [(one, dict(mark.kwargs)) for one in scenarios],
        indirect=True,
        ids=[one.id for one in scenarios],
    )


class ScenarioFile(pytest.File):
    """A file of cards."""

    def collect(self) -> Iterable[pytest.Item]:
        """One test a scenario."""
        for one in _scenarios(self.path):
            yield cast("Any", pytest.Function).from_parent(self, name=one.id, callobj=_test_of(one))


@pytest.fixture(scope="session")
def turnsure_assistant(pytestconfig: pytest.Config) -> Any:
    """The assistant under test: the name in the ini file.

    A ``conftest.py`` may have its own fixture of this name, which returns a function, or any other
    :class:`turnsure.scenarios.seams.Assistant`.
    """
    name = pytestconfig.getini("turnsure_assistant")
    if not name:
        pytest.fail(
            "no assistant is named (expected the ini option turnsure_assistant, or a fixture "
            "turnsure_assistant in conftest.py)",
            pytrace=False,
        )
    return name


@pytest.fixture(scope="session")
def turnsure_user() -> User | None:
    """Who speaks for the user; None for the cards' script."""
    return None


@pytest.fixture(scope="session")
def turnsure_judge() -> Judge | None:
    """Who judges rubrics; None for nobody."""
    return None


@pytest.fixture
def turnsure_run(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    turnsure_assistant: Any,
    turnsure_user: User | None,
    turnsure_judge: Judge | None,
) -> Callable[[Scenario, Mapping[str, Any]], SuiteReport]:
    """Runs one scenario, with settings as the mark has them."""

    def run(scenario: Scenario, settings: Mapping[str, Any]) -> SuiteReport:
        from turnsure.core.errors import TurnsureError
        from turnsure.report.suite_text import suite_markdown
        from turnsure.testing.cards import with_runs
        from turnsure.testing.opening import given_assistant
        from turnsure.testing.suite import TestSettings, run_tests

        said = {**_of_ini(request.config), **settings}
        try:
            report = run_tests(
                with_runs([scenario], said.pop("runs", None), said.get("k")),
                given_assistant(turnsure_assistant),
                TestSettings(folder=tmp_path_factory.mktemp("turnsure"), **said),
                user=turnsure_user,
                judge=turnsure_judge,
            )
        except TurnsureError as error:
            raise pytest.fail.Exception(f"{scenario.id}: {error}", pytrace=False) from None
        request.node.add_report_section("call", "turnsure", suite_markdown(report))
        request.node.user_properties += [
            ("runs", report.counts.runs.n_runs),
            ("passed", report.counts.runs.n_pass),
        ]
        return report

    return run


@pytest.fixture
def scenario_result(
    request: pytest.FixtureRequest,
    turnsure_run: Callable[[Scenario, Mapping[str, Any]], SuiteReport],
) -> SuiteReport:
    """The runs of one scenario, for a test that is marked with a file of cards."""
    if not hasattr(request, "param"):
        pytest.fail(f"a test that takes {_RESULT} needs the mark {_MARK}", pytrace=False)
    scenario, settings = request.param
    return turnsure_run(scenario, settings)


def _test_of(scenario: Scenario) -> Callable[..., None]:
    """A test that passes when its scenario does."""

    def passes(turnsure_run: Callable[[Scenario, Mapping[str, Any]], SuiteReport]) -> None:
        from turnsure.report.suite_words import headline

        report = turnsure_run(scenario, {})
        if report.outcome.ending != "passed":
            found = "\n".join(f"  {one.example}" for one in report.failures)
            undecided = "\n".join(f"  {one.verdict}: {one.reason}" for one in report.undecided)
            lines = (headline(report), found, undecided)
            pytest.fail("\n".join(one for one in lines if one), pytrace=False)

    return passes


def _of_ini(config: pytest.Config) -> dict[str, Any]:
    """The settings of the ini file that are there."""
    said: dict[str, Any] = {}
    for name, kind in (("runs", int), ("fail_under", float)):
        text = config.getini(f"turnsure_{name}")
        if text:
            try:
                said[name] = kind(text)
            except ValueError:
                raise pytest.fail.Exception(
                    f"turnsure_{name} is {text!r} (expected a number)", pytrace=False
                ) from None
    return said


def _scenarios(path: Path) -> list[Scenario]:
    from turnsure.core.errors import TurnsureError
    from turnsure.testing.cards import load_scenarios

    try:
        return load_scenarios([path])
    except TurnsureError as error:
        raise pytest.Collector.CollectError(str(error)) from None
