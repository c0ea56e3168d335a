"""``turnsure report``."""

from __future__ import annotations

from pathlib import Path

import click

from turnsure.cli.paths import NamedPath
from turnsure.core.errors import InputError

_FORMATS = ("png", "svg")


def _formats(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[str, ...]:
    del ctx, param
    chosen = tuple(name.strip() for name in (value or "").split(",") if name.strip())
    for name in chosen:
        if name not in _FORMATS:
            raise InputError(f"{name!r} is no chart format", field="charts", expected="png, svg")
    return chosen


@click.command(
    epilog="""\b
Examples:
  turnsure report runs/demo
  turnsure report runs/demo --charts png,svg --csv turns.csv
  turnsure report runs/test-rental
"""
)
@click.argument("run", type=NamedPath())
@click.option(
    "--out",
    "-o",
    type=NamedPath(),
    metavar="FILE",
    help="Where the page goes.  [RUN/report.html]",
)
@click.option(
    "--charts",
    callback=_formats,
    metavar="png,svg",
    help="Also write every chart as a file, into a folder 'charts' beside the page.",
)
@click.option(
    "--csv",
    "csv_file",
    type=NamedPath(),
    metavar="FILE.csv",
    help="Also write the turns table as CSV.",
)
def report(run: Path, out: Path | None, charts: tuple[str, ...], csv_file: Path | None) -> None:
    """Evaluate a finished run anew and draw its page.

    RUN is the folder of a run, or of a suite of tests.
    """
    from turnsure.scenarios.suite_file import SuiteFolder

    if SuiteFolder(run).suite_json.exists():
        _report_suite(run, out, charts=charts, csv_file=csv_file)
    else:
        _report_run(run, out, charts=charts, csv_file=csv_file)


def _report_suite(
    folder: Path, out: Path | None, *, charts: tuple[str, ...], csv_file: Path | None
) -> None:
    from turnsure.cli.execute import print_rich
    from turnsure.report.suite_page import write_suite_page
    from turnsure.report.suite_text import suite_terminal
    from turnsure.testing.redrawing import load_suite_report

    for field, asked in (("charts", charts), ("csv", csv_file)):
        if asked:
            raise InputError(
                f"{folder} holds a suite of tests, of which only the page is drawn",
                field=field,
                expected="the folder of a run",
            )
    report = load_suite_report(folder)
    print_rich(suite_terminal(report))
    page = write_suite_page(report, out or folder / "report.html")
    click.echo(f"Report: {page}")


def _report_run(
    run: Path, out: Path | None, *, charts: tuple[str, ...], csv_file: Path | None
) -> None:
    from turnsure import pipeline
    from turnsure.cli.execute import print_rich
    from turnsure.core.turns import TurnsTable
    from turnsure.report.export import write_charts
    from turnsure.report.page import write_report
    from turnsure.report.terminal import summary_table
    from turnsure.report.terminal_controls import controls_table
    from turnsure.store.turns_file import write_turns

    if csv_file is not None and csv_file.suffix != ".csv":
        raise InputError(f"{csv_file} does not end in .csv", field="csv", expected="FILE.csv")
    data = pipeline.load_run(run)
    print_rich(summary_table(data.evaluation))
    if data.evaluation.controls.any:
        print_rich(controls_table(data.evaluation))
    page = write_report(data, out or run / "report.html")
    click.echo(f"Report: {page}")
    if charts:
        files = write_charts(data, page.parent / "charts", charts)
        click.echo(f"Charts: {len(files)} files in {page.parent / 'charts'}")
    if csv_file is not None:
        table = TurnsTable(data.table.packed.joined(data.controlled.packed))
        write_turns(table, csv_file, protocol=data.evaluation.protocol)
        click.echo(f"Turns: {csv_file}")
