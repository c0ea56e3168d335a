"""``turnsure models``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from turnsure.cli.options import MODEL_OPTIONS, VERBOSE, given, options
from turnsure.core.confidence import LOW_LABEL_MASS
from turnsure.core.outcome import Failure
from turnsure.core.spec import RunSpec

if TYPE_CHECKING:
    from turnsure.experiment.check import ModelCheck, ProbeCheck


_LEAST_SHOWN = 0.0005
"""Smaller shares would read 0.000."""

_LABELS: Mapping[str, str] = {
    "exact": "yes, exact",
    "top_k": "yes, among the top tokens",
    "none": "no: probes need --label-reading sampled",
}
_SEED: Mapping[bool | None, str] = {
    True: "yes, and equal seeds gave equal texts",
    False: "accepted, but equal seeds gave different texts",
    None: "no",
}


@click.group()
def models() -> None:
    """List models, and see what one can do."""


@models.command("list", epilog="Example: turnsure models list")
def list_models() -> None:
    """Say which models can be named, and whether they are ready."""
    import importlib.util

    from rich.table import Table

    from turnsure.cli.execute import print_rich
    from turnsure.models.weights import DEFAULT_MODEL, is_fetched

    engine = importlib.util.find_spec("xllamacpp") is not None
    install = "" if engine else "; first: pip install 'turnsure[local]'"
    ready = "ready" if is_fetched() else "fetched at first use (93 MB)"
    table = Table(show_edge=False)
    for heading in ("--model", "what it is", "state"):
        table.add_column(heading)
    table.add_row(
        DEFAULT_MODEL, "SmolLM2-135M-Instruct, Q4_1, embedded (the default)", ready + install
    )
    table.add_row(
        "local:FILE.gguf",
        "any GGUF file, embedded",
        "ready" if engine else install.removeprefix("; "),
    )
    table.add_row(
        "openai:NAME",
        "an OpenAI-compatible endpoint: vLLM, SGLang, llama.cpp, Ollama, hosted",
        "needs --base-url",
    )
    print_rich(table)


@models.command(
    epilog="""\b
Examples:
  turnsure models check smollm2-135m
  turnsure models check openai:my-model --base-url http://127.0.0.1:8000/v1
"""
)
@click.argument("model")
@options(MODEL_OPTIONS[1:])
@VERBOSE
def check(model: str, verbose: bool, **flags: Any) -> None:
    """Say what a model can do, and how well it keeps to the probes' labels.

    Asks a handful of short questions about a built-in dialogue, at its first and its last turn.
    """
    import asyncio

    from turnsure import pipeline
    from turnsure.cli.execute import open_with_progress
    from turnsure.experiment.config import make_spec

    spec = make_spec({**given(flags), "model": model, "data": "countries", "limit": 1})
    backend = open_with_progress(spec, verbose=verbose)
    checked = asyncio.run(pipeline.check_model(pipeline.prepare(spec), backend))
    _show(spec, checked)


def _show(spec: RunSpec, checked: ModelCheck) -> None:
    from rich.table import Table
    from rich.text import Text

    from turnsure.cli.execute import print_rich

    can = checked.capabilities
    table = Table(title=spec.model, title_justify="left", show_header=False, show_edge=False)
    table.add_column()
    table.add_column(overflow="fold")
    for name, value in (
        ("log-probabilities of labels", _LABELS[can.label_probabilities]),
        ("top log-probabilities", str(can.max_top_logprobs or "none")),
        ("samples in one request", str(can.max_n)),
        ("seeded sampling", _SEED[checked.repeatable]),
        ("reply can be begun (prefill)", "yes" if can.prefill else "no"),
        ("context", f"{can.max_context} tokens" if can.max_context else "unknown"),
        *checked.fingerprint.items(),
        ("greedy reply", checked.reply.strip() or "(empty)"),
        ("answer read from it", _answer(checked.answer)),
    ):
        table.add_row(name, Text(value))
    print_rich(table)
    for method, lack in checked.methods.items():
        click.echo(f"{'works' if lack is None else 'LACKS'}  {method}{f': {lack}' if lack else ''}")
    if checked.probes:
        print_rich(_probe_table(checked.probes))


def _probe_table(probes: Sequence[ProbeCheck]) -> object:
    from rich.table import Table
    from rich.text import Text

    table = Table(title="Probes, about the right answer", title_justify="left", show_edge=False)
    for heading in (
        "probe",
        "turn",
        "P(yes label)",
        "mass on labels",
        "label variants",
        "elsewhere",
    ):
        table.add_column(heading)
    for probe in probes:
        reading = probe.reading
        if isinstance(reading, str):
            table.add_row(probe.method, str(probe.turn), "—", "—", Text(reading), "")
            continue
        first = next(iter(reading.mass))
        flag = "  LOW: the model does not keep to the format" * (reading.total < LOW_LABEL_MASS)
        table.add_row(
            probe.method,
            str(probe.turn),
            f"{reading.probability(first):.3f}" if reading.total > 0 else "—",
            f"{reading.total:.3f}{flag}",
            Text(_shares(reading.variants)),
            Text(_shares(reading.outside)),
        )
    return table


def _shares(shares: Mapping[str, float]) -> str:
    shown = (f"{name!r} {share:.3f}" for name, share in shares.items() if share >= _LEAST_SHOWN)
    return ", ".join(shown)


def _answer(answer: str | Failure) -> str:
    return f"none: {answer.message}" if isinstance(answer, Failure) else answer
