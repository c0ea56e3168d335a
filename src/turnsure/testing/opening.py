"""From names on the command line to assistant, user and judge."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from turnsure.core.errors import InputError
from turnsure.core.protocols import Backend
from turnsure.core.spec import RunSpec
from turnsure.models.weights import DEFAULT_MODEL
from turnsure.scenarios.seams import Assistant, Judge, User

SCRIPTED = "scripted"
BEARER_VARIABLE = "TURNSURE_ASSISTANT_TOKEN"
"""Environment variable with what a webhook is sent as a bearer token."""

FORMS = (
    f"module:function, http://HOST/PATH, {DEFAULT_MODEL}, local:FILE.gguf, or openai:NAME with "
    "--base-url"
)

_WEB = ("http://", "https://")
_MODELS = ("local:", "openai:")


def is_model(name: str) -> bool:
    """Whether a name is that of a model, rather than of a function or a server."""
    return name == DEFAULT_MODEL or name.startswith(_MODELS)


@dataclass(slots=True)
class Opener:
    """Opens models; equal ones once, so that they are loaded once.

    Attributes
    ----------
    open_model
        Makes a back-end for a spec.
    """

    open_model: Callable[[RunSpec], Backend]
    _opened: list[tuple[RunSpec, Backend]] = field(default_factory=list[tuple[RunSpec, Backend]])

    def backend(self, spec: RunSpec) -> Backend:
        """The back-end for a spec."""
        for known, backend in self._opened:
            if known == spec:
                return backend
        backend = self.open_model(spec)
        self._opened.append((spec, backend))
        return backend


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What a model under test is told.

    Attributes
    ----------
    system
        A file with the system message; None for none.
    temperature
        Of its replies.
    max_tokens
        Limit of one reply.
    """

    system: Path | None = None
    temperature: float = 1.0
    max_tokens: int = 1024


def open_assistant(name: str, spec: RunSpec, opener: Opener, told: Told) -> Assistant:
    """What a name stands for.

    Parameters
    ----------
    name
        One of :data:`FORMS`.
    spec
        How to reach a model; its own model is not used.
    opener, told
        For a model.

    Raises
    ------
    InputError
        The name has none of the forms, the function cannot be imported, or the file with the
        system message cannot be read.
    """
    if name.startswith(_WEB):
        from turnsure.scenarios.assistants.webhook import WebhookAssistant

        return WebhookAssistant(name, token=os.environ.get(BEARER_VARIABLE) or None)
    if is_model(name):
        from turnsure.scenarios.assistants.model import ModelAssistant

        return ModelAssistant(
            backend=opener.backend(spec),
            system=None if told.system is None else _text(told.system),
            temperature=told.temperature,
            max_tokens=told.max_tokens,
        )
    if ":" not in name or " " in name:
        raise InputError(f"{name!r} names no assistant", field="assistant", expected=FORMS)
    from turnsure.scenarios.assistants.python_callable import PythonAssistant

    return PythonAssistant.named(name)


def given_assistant(given: Any) -> Assistant:
    """An assistant that is given in code: a name, a function, a class of functions, or itself.

    Raises
    ------
    InputError
        It is none of these, or its name is that of a model, which needs settings.
    """
    if isinstance(given, str):
        if is_model(given):
            raise InputError(
                f"{given!r} is a model",
                field="assistant",
                expected="a function, an address, or an object that opens the model",
            )
        return open_assistant(given, RunSpec(), Opener(_no_model), Told())
    if hasattr(given, "reply") and hasattr(given, "fingerprint"):
        return given
    if not callable(given):
        raise InputError(f"{given!r:.60} is no assistant", expected="a function or a name")
    from turnsure.scenarios.assistants.python_callable import PythonAssistant

    named = getattr(given, "__qualname__", type(given).__qualname__)
    return PythonAssistant(given, name=f"{given.__module__}:{named}")


def open_user(name: str, spec: RunSpec, opener: Opener, wording: Path | None) -> User:
    """The user of the cards' script, or one in the words of a model.

    Raises
    ------
    InputError
        The name is neither ``scripted`` nor a model's, or the file of wordings is wrong.
    """
    if name == SCRIPTED:
        from turnsure.scenarios.users.scripted import ScriptedUser

        return ScriptedUser()
    from turnsure.scenarios.users.simulated import SimulatedUser
    from turnsure.scenarios.users.wording import load_wording

    return SimulatedUser(backend=opener.backend(spec), wording=load_wording(wording))


def open_judge(spec: RunSpec, opener: Opener, wording: Path | None) -> Judge:
    """A model as the judge of rubrics.

    Raises
    ------
    InputError
        The file of wordings is wrong.
    """
    from turnsure.scenarios.judge.rubric import RubricJudge
    from turnsure.scenarios.judge.wording import load_judge_wording

    return RubricJudge(backend=opener.backend(spec), wording=load_judge_wording(wording))


def _no_model(spec: RunSpec) -> Backend:
    raise InputError(f"{spec.model!r} is a model", field="assistant", expected="a function")


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"cannot be read ({error})", file=file, expected="the system message, a text"
        ) from error
