"""``turnsure gate serve``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from turnsure.cli.paths import NamedPath

if TYPE_CHECKING:
    from turnsure.experiment.gating.gate import Gate
    from turnsure.experiment.gating.service import GateService

_LOOPBACK = ("127.0.0.1", "::1", "localhost")


@click.command(
    epilog="""\b
Example:
  turnsure gate serve --gate gate.json --model openai:my-model \\
      --base-url http://127.0.0.1:8000/v1 --port 8100
  (then give clients http://127.0.0.1:8100/v1 as their base URL)
"""
)
@click.option("--gate", "file", type=NamedPath(), required=True, metavar="FILE.json", help="Which.")
@click.option("--model", required=True, metavar="openai:NAME", help="The model behind it.")
@click.option("--base-url", required=True, metavar="URL", help="Address of the real endpoint.")
@click.option(
    "--api-key-env", metavar="NAME", help="Variable with the key of the gate's own calls."
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen.")
@click.option("--port", type=click.IntRange(0, 65535), default=8100, show_default=True)
@click.option(
    "--templates", type=NamedPath(), metavar="FILE.toml", help="The wording as it is now."
)
@click.option(
    "--on-mismatch",
    type=click.Choice(["raise", "escalate"]),
    default="raise",
    show_default=True,
    help="What another model, wording or package does: refuse to start, or escalate everything.",
)
@click.option("--accept", multiple=True, metavar="PLACE", help="May differ: model.base_url, say.")
@click.option("--most-requests", type=int, default=256, show_default=True, help="At once.")
@click.option("--most-bytes", type=int, default=8 * 2**20, show_default=True, help="Of a request.")
@click.option("--timeout", type=float, default=120.0, show_default=True, help="Seconds of silence.")
@click.option("--grace", type=float, default=30.0, show_default=True, help="Seconds when stopped.")
def serve(
    file: Path,
    model: str,
    base_url: str,
    api_key_env: str | None,
    host: str,
    port: int,
    templates: Path | None,
    on_mismatch: str,
    accept: tuple[str, ...],
    most_requests: int,
    most_bytes: int,
    timeout: float,
    grace: float,
) -> None:
    """Put a gate in front of an OpenAI-compatible endpoint.

    Every reply gets a field "turnsure" with confidence and action.  A client's key is passed on to
    the endpoint and kept nowhere.
    """
    import asyncio

    from turnsure.core.errors import InputError
    from turnsure.experiment.gating.gate import Gate
    from turnsure.experiment.gating.service import GateService, ServiceLimits

    kind, _, name = model.partition(":")
    if kind != "openai" or not name:
        raise InputError(f"{model!r} is behind no endpoint", field="model", expected="openai:NAME")
    limits = ServiceLimits(
        body_bytes=most_bytes, in_flight=most_requests, timeout=timeout, grace=grace
    )
    gate = Gate.load(
        file,
        model,
        base_url=base_url,
        api_key_env=api_key_env,
        templates=templates,
        on_mismatch="escalate" if on_mismatch == "escalate" else "raise",
        accept=accept,
    )
    service = GateService(gate, upstream=base_url, model=name, limits=limits)
    if host not in _LOOPBACK:
        click.echo(
            f"Listening on {host}, which others may reach: the gate itself asks nobody for a key.",
            err=True,
        )
    asyncio.run(_serve(service, gate, host, port))


async def _serve(service: GateService, gate: Gate, host: str, port: int) -> None:
    import asyncio
    import errno
    import os
    import signal

    from turnsure.core.errors import InputError

    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for one in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(one, stop.set)
    try:
        await gate.start()
    except BaseException:
        await gate.close()
        raise
    for difference in gate.mismatch:
        click.echo(f"Everything escalates: {difference}", err=True)
    try:
        await service.run(
            host=host, port=port, stop=stop, ready=lambda address: click.echo(f"Serving {address}")
        )
    except OSError as error:
        # Nothing else reaches this point: what goes wrong in a request ends with that request.
        raise InputError(
            f"cannot listen on {host}, port {port} ({os.strerror(error.errno or 0)})"
            if error.errno in (errno.EADDRINUSE, errno.EADDRNOTAVAIL, errno.EACCES)
            else f"cannot listen on {host}, port {port} ({error.strerror or error})",
            field="port" if error.errno == errno.EADDRINUSE else "host",
            expected="a free port of an address that this computer has",
        ) from error
    click.echo("Stopped.", err=True)
