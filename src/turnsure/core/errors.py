"""Every error that turnsure raises on purpose.

::

    TurnsureError
    ├── InputError             a file, range or setting is wrong: says where and what was expected
    ├── CapabilityError        the model cannot do what a method needs; raised before the first call
    ├── BackendError           a model call went wrong (``.retryable``, ``.kind``)
    │   ├── RateLimited            HTTP 429; ``.retry_after`` seconds when the server said so
    │   ├── BackendTimeout         no answer in time
    │   ├── BackendUnavailable     connection refused or cut, HTTP 5xx, the worker process died
    │   ├── ContextOverflow        the prompt does not fit the model's context
    │   ├── MalformedResponse      the reply is not what the protocol promises
    │   └── RequestRejected        the server refuses the request (HTTP 4xx): a repeat will not help
    │       └── KeyRefused             it refuses the key (HTTP 401, 403), and so every request
    ├── UndefinedMetricError   the number does not exist for this data (one class only, no rows …)
    ├── LeakageError           fitting and judging share dialogues
    ├── ProtocolMismatchError  two scores were measured under different protocols
    ├── StoreError             the run folder or its database cannot be used
    └── MissingExtraError      an optional dependency is not installed; names the extra

The command line turns each of them into one clear line and an exit code.  A failure of a single
item is not an exception but a :class:`~turnsure.core.outcome.Failure` row.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar


class TurnsureError(Exception):
    """Root of the tree.  ``exit_code`` is what the command line returns."""

    exit_code: ClassVar[int] = 1


class InputError(TurnsureError, ValueError):
    """Something a person wrote cannot be used.

    Parameters
    ----------
    problem
        What is wrong, in one sentence.
    file, line, column, field
        Where; each may be absent.  Lines and columns count from 1.
    expected
        What would have been right.
    """

    exit_code: ClassVar[int] = 2

    def __init__(
        self,
        problem: str,
        *,
        file: str | Path | None = None,
        line: int | None = None,
        column: int | None = None,
        field: str | None = None,
        expected: str | None = None,
    ) -> None:
        self.problem = problem
        self.file = None if file is None else str(file)
        self.line = line
        self.column = column
        self.field = field
        self.expected = expected
        super().__init__(str(self))

    def __str__(self) -> str:
        place: list[str] = []
        if self.file is not None:
            place.append(self.file)
        if self.line is not None:
            place.append(f"line {self.line}")
        if self.column is not None:
            place.append(f"column {self.column}")
        if self.field is not None:
            place.append(f"field {self.field!r}")
        head = f"{', '.join(place)}: " if place else ""
        tail = f" (expected {self.expected})" if self.expected else ""
        return f"{head}{self.problem}{tail}"

    def at(
        self,
        *,
        file: str | Path | None = None,
        line: int | None = None,
        column: int | None = None,
        field: str | None = None,
    ) -> InputError:
        """The same problem with the missing parts of its place filled in."""
        return InputError(
            self.problem,
            file=self.file if self.file is not None else file,
            line=self.line if self.line is not None else line,
            column=self.column if self.column is not None else column,
            field=self.field if self.field is not None else field,
            expected=self.expected,
        )


class CapabilityError(TurnsureError):
    """A method needs something that this model cannot give.

    Parameters
    ----------
    method
        The estimator (or feature) that asked.
    needs
        What is missing.
    model
        The model, as the user named it.
    alternatives
        What the user can do instead, one suggestion an item.
    """

    exit_code: ClassVar[int] = 3

    def __init__(
        self, *, method: str, needs: str, model: str, alternatives: Sequence[str] = ()
    ) -> None:
        self.method = method
        self.needs = needs
        self.model = model
        self.alternatives = tuple(alternatives)
        ways = f"; instead: {'; or '.join(self.alternatives)}" if self.alternatives else ""
        super().__init__(f"{method} needs {needs}, which {model} does not offer{ways}")


class BackendError(TurnsureError):
    """A model call failed.  ``kind`` is the short name used in failure counts."""

    exit_code: ClassVar[int] = 4
    kind: ClassVar[str] = "backend"
    retryable: ClassVar[bool] = False


class RateLimited(BackendError):
    """The server asked us to slow down (HTTP 429, or 503 with Retry-After)."""

    kind: ClassVar[str] = "rate_limited"
    retryable: ClassVar[bool] = True

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        self.retry_after = retry_after
        super().__init__(message)


class BackendTimeout(BackendError):
    """No answer within the time limit."""

    kind: ClassVar[str] = "timeout"
    retryable: ClassVar[bool] = True


class BackendUnavailable(BackendError):
    """Connection refused or cut, a server error, or the worker process ended."""

    kind: ClassVar[str] = "unavailable"
    retryable: ClassVar[bool] = True


class ContextOverflow(BackendError):
    """The prompt plus the reply do not fit the context.  Nothing is ever cut to make it fit."""

    kind: ClassVar[str] = "context_overflow"


class MalformedResponse(BackendError):
    """The reply cannot be read: broken JSON, missing fields, no log-probabilities though asked."""

    kind: ClassVar[str] = "malformed_response"
    retryable: ClassVar[bool] = True


class RequestRejected(BackendError):
    """The server refuses this request (HTTP 4xx); repeating it will not help."""

    kind: ClassVar[str] = "rejected"


class KeyRefused(RequestRejected):
    """The server refuses the key (HTTP 401 or 403), and so every request: the run stops."""


class UndefinedMetricError(TurnsureError, ValueError):
    """The metric has no value for this data, for example AUROC with one class."""

    exit_code: ClassVar[int] = 5


class LeakageError(TurnsureError):
    """Data used for fitting is also used for judging."""

    exit_code: ClassVar[int] = 6


class ProtocolMismatchError(TurnsureError):
    """Scores measured under different protocols were about to be pooled."""

    exit_code: ClassVar[int] = 7


class StoreError(TurnsureError):
    """The run folder is in use, broken, or of a newer version."""

    exit_code: ClassVar[int] = 8


class MissingExtraError(TurnsureError, ImportError):
    """An optional dependency is needed.

    Parameters
    ----------
    feature
        What was asked for.
    extra
        The name to put in ``pip install 'turnsure[extra]'``.
    """

    exit_code: ClassVar[int] = 9

    def __init__(self, feature: str, *, extra: str) -> None:
        self.feature = feature
        self.extra = extra
        super().__init__(f"{feature} needs an extra: pip install 'turnsure[{extra}]'")
