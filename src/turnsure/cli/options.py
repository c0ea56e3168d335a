"""Options that several commands share, each named as in a config file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from turnsure import registry
from turnsure.core.spec import DEFAULT_METHODS, SOURCES, RunSpec

_F = TypeVar("_F", bound=Callable[..., Any])
Decorator = Callable[[_F], _F]

_DEFAULTS = RunSpec()


def _listed(ctx: click.Context, param: click.Parameter, value: str | None) -> list[str] | None:
    del ctx, param
    return None if value is None else [name.strip() for name in value.split(",") if name.strip()]


def _controls(ctx: click.Context, param: click.Parameter, value: str | None) -> list[str] | None:
    listed = _listed(ctx, param, value)
    return list(registry.names("controls")) if listed == ["all"] else listed


def _share(ctx: click.Context, param: click.Parameter, value: str | None) -> str | float | None:
    """A fraction as a number; words stay words."""
    del ctx, param
    try:
        return None if value is None else float(value)
    except ValueError:
        return value


def _several(
    ctx: click.Context, param: click.Parameter, value: tuple[str, ...]
) -> list[str] | None:
    del ctx, param
    return list(value) or None


MODEL_OPTIONS: Sequence[Decorator[Any]] = (
    click.option(
        "--model",
        metavar="MODEL",
        help=f"{_DEFAULTS.model} (embedded, the default), local:FILE.gguf, or openai:NAME.",
    ),
    click.option("--base-url", metavar="URL", help="Address of an OpenAI-compatible endpoint."),
    click.option(
        "--api-key-env",
        metavar="NAME",
        help=f"Environment variable that holds the key.  [{_DEFAULTS.api_key_env}]",
    ),
    click.option(
        "--dialect",
        type=click.Choice(["auto", "openai", "llama.cpp", "vllm", "sglang", "ollama"]),
        help="The endpoint's flavour.  [auto]",
    ),
    click.option("--timeout", type=float, metavar="SECONDS", help="For one request.  [120]"),
    click.option(
        "--concurrency",
        type=int,
        metavar="N",
        help="Endpoint: requests in flight at most; fewer while it cannot keep up.  [8]",
    ),
    click.option(
        "--requests-per-minute", type=int, metavar="N", help="Endpoint: at most.  [no limit]"
    ),
    click.option(
        "--tokens-per-minute",
        type=int,
        metavar="N",
        help="Endpoint: at most, of prompts and replies together.  [no limit]",
    ),
    click.option(
        "--top-logprobs",
        type=int,
        metavar="N",
        help="Endpoint: how many log-probabilities it lists, 0 for none.  [found out]",
    ),
    click.option(
        "--max-n",
        type=int,
        metavar="N",
        help="Endpoint: samples in one request.  [found out]",
    ),
    click.option(
        "--seeding/--no-seeding", default=None, help="Endpoint: takes a seed.  [found out]"
    ),
    click.option(
        "--prefill/--no-prefill",
        default=None,
        help="Endpoint: continues a reply that is begun for it.  [found out]",
    ),
    click.option(
        "--context",
        type=int,
        metavar="TOKENS",
        help="Embedded: room for one prompt and its reply.  [2048]",
    ),
    click.option(
        "--slots",
        type=int,
        metavar="N",
        help="Embedded: samples side by side.  [20, or what fits]",
    ),
    click.option(
        "--lanes",
        type=int,
        metavar="N",
        help="Embedded: dialogues asked at once.  [one a core, as far as memory allows]",
    ),
    click.option("--threads", type=int, metavar="N", help="Embedded: 0 for all cores.  [0]"),
    click.option("--gpu-layers", type=int, metavar="N", help="Embedded: layers on a GPU.  [0]"),
    click.option(
        "--deterministic/--fast",
        "deterministic",
        default=None,
        help="Equal runs give equal bits, or as fast as it goes.  [embedded: deterministic]",
    ),
)

MEASURE_OPTIONS: Sequence[Decorator[Any]] = (
    click.option(
        "--methods",
        metavar="A,B,…",
        callback=_listed,
        help=f"Estimators.  [{','.join(DEFAULT_METHODS)}]",
    ),
    click.option(
        "--gold/--no-gold",
        default=None,
        help="Also estimate the confidence in the gold answer.  [yes]",
    ),
    click.option("--samples", type=int, metavar="M", help="Samples of self-consistency.  [20]"),
    click.option("--temperature", type=float, metavar="T", help="Of these samples.  [1.0]"),
    click.option(
        "--adaptive-batch",
        type=int,
        metavar="N",
        help="Samples that adaptive_self_consistency draws at a time.  [5]",
    ),
    click.option(
        "--adaptive-half-width",
        type=float,
        metavar="W",
        help="It stops when the interval of its share is this narrow.  [0.25]",
    ),
    click.option("--adaptive-level", type=float, metavar="P", help="Of this interval.  [0.95]"),
    click.option(
        "--label-reading",
        type=click.Choice(["logprobs", "sampled"]),
        help="How P(True) and P(Sufficient) are read.  [logprobs]",
    ),
    click.option("--answer-tokens", type=int, metavar="N", help="Limit of an answer.  [64]"),
    click.option(
        "--number-tokens", type=int, metavar="N", help="Limit of a verbalised number.  [48]"
    ),
    click.option(
        "--analysis-tokens", type=int, metavar="N", help="Limit of analysis and number.  [320]"
    ),
    click.option(
        "--guesses", type=int, metavar="K", help="How many guesses top_k_verb asks for.  [4]"
    ),
    click.option(
        "--guesses-tokens", type=int, metavar="N", help="Limit of a list of guesses.  [192]"
    ),
    click.option(
        "--grouping",
        type=click.Choice(["match", "judge", "embedding"]),
        help="How semantic_consistency finds paraphrases.  [match]",
    ),
    click.option(
        "--embedding-model",
        metavar="NAME",
        help="Endpoint: its model for embeddings, for --grouping embedding.",
    ),
    click.option(
        "--embedding-threshold",
        type=float,
        metavar="COSINE",
        help="From which on two embeddings mean the same.  [0.9]",
    ),
    click.option(
        "--render",
        type=click.Choice(["transcript", "chat"]),
        help="The dialogue as one text or as chat messages.  [transcript]",
    ),
    click.option(
        "--templates", metavar="FILE.toml", help="Your own wording for any of the prompts."
    ),
    click.option("--task", metavar="TEXT", help="The task, for dialogues that name none."),
    click.option("--limit", type=int, metavar="N", help="The first N dialogues only."),
    click.option("--seed", type=int, metavar="N", help="Of samples, worlds and bootstrap.  [0]"),
    click.option("--bins", type=int, metavar="B", help="Of InfoECE and ECE.  [10]"),
    click.option("--resamples", type=int, metavar="N", help="Of the bootstrap.  [2000]"),
)

CONTROL_OPTIONS: Sequence[Decorator[Any]] = (
    click.option(
        "--controls",
        metavar="A,B,…|all",
        callback=_controls,
        help=f"Controls beside the plain turns: {', '.join(registry.names('controls'))}.  [none]",
    ),
    click.option(
        "--placebo-pool",
        metavar="NAME|FILE",
        help="Hints that say nothing: a built-in pool or your own.  [what fits each dialogue]",
    ),
    click.option(
        "--placebo-turns",
        metavar="all|one|FRACTION",
        callback=_share,
        help="Which turns get a placebo.  [all]",
    ),
    click.option(
        "--summariser", metavar="MODEL", help="The model that writes summaries.  [the subject]"
    ),
    click.option(
        "--summariser-url", metavar="URL", help="Its address, for an endpoint.  [--base-url]"
    ),
    click.option(
        "--keep-flagged/--drop-flagged",
        default=None,
        help="Measure summaries that fail the guard, too.  [drop]",
    ),
    click.option(
        "--supplied-from",
        metavar="A,B,…",
        callback=_listed,
        help=f"Where wrong answers come from.  [{','.join(SOURCES)}]",
    ),
    click.option(
        "--supplied-answers", type=int, metavar="N", help="A turn, from each of these.  [1]"
    ),
    click.option(
        "--variants",
        metavar="A,B,…",
        callback=_listed,
        help="Other protocols to try: other-rendering, labels-swapped, no-context, reworded, or "
        "the name of a --wordings file.  [all]",
    ),
    click.option(
        "--wordings",
        metavar="FILE.toml",
        multiple=True,
        callback=_several,
        help="Your own wording as a variant; may be given several times.",
    ),
)

VERBOSE = click.option("--verbose", is_flag=True, help="Let the engine's own log through.")


def options(group: Sequence[Decorator[Any]]) -> Decorator[Any]:
    """Apply a group of options, in the order in which they are listed."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(group):
            command = option(command)
        return command

    return decorate


def given(flags: dict[str, Any]) -> dict[str, Any]:
    """The settings that were set on the command line."""
    return {name: value for name, value in flags.items() if value is not None}


def default_folder(spec: RunSpec) -> Path:
    """Where a run goes when no folder is named: the same data and model go to the same place."""
    from turnsure.experiment.model_names import data_label

    file, _, settings = spec.data.partition("?")
    kind, _, rest = spec.model.partition(":")
    model = Path(rest).stem if kind == "local" else (rest or kind)
    parts = (part for part in (data_label(file), settings, model) if part)
    return Path("runs") / "-".join(map(_plain, parts))


def _plain(name: str) -> str:
    """A name as a folder may have it."""
    return "".join(letter if letter.isalnum() or letter in "._-" else "-" for letter in name)
