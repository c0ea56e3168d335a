"""A Python function as the assistant under test.

It is called once a turn as ``assistant(messages, context=context)``, or with the messages alone
where it takes no ``context``.  ``messages`` is a fresh list of objects with role and content, as in
OpenAI's interfaces; :class:`AssistantContext` says the rest.  It may be asynchronous.  A class is
made anew for every run, without arguments, and its instance is called.  What may be returned says
:func:`turnsure.scenarios.assistants.reading.read_reply`.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import CodeType
from typing import Any, cast

from turnsure.core.dialogue import Message, ToolCall
from turnsure.core.digest import digest
from turnsure.core.errors import InputError
from turnsure.core.scenario import Scenario
from turnsure.scenarios.assistants.messages import message_object
from turnsure.scenarios.assistants.reading import read_reply
from turnsure.scenarios.assistants.threads import (
    Blocked,
    Raised,
    SideLoop,
    SideThreads,
    TooLong,
)
from turnsure.scenarios.functions import error_line, function_of
from turnsure.scenarios.seams import AssistantReply, Fault, RunContext

_INSTANCE = "turnsure.instance"


@dataclass(frozen=True, slots=True, kw_only=True)
class AssistantContext:
    """What an assistant may know of the run it is in.

    Attributes
    ----------
    scenario
        The scenario's id.
    replicate, turn
        Which run, from 0, and which turn of it, from 1.
    seed
        Another one for every run; the same when a run is repeated.
    meta
        Of the scenario.
    fixtures
        This run's own copy of the scenario's fixtures.  What is changed here stays for the later
        turns of this run, and is the end state that checks see.
    memory
        A dictionary to keep things between the turns of this run.
    """

    scenario: str
    replicate: int
    turn: int
    seed: int
    meta: Mapping[str, str]
    fixtures: dict[str, Any]
    memory: dict[str, Any]
    _run: RunContext
    _called: list[Message]

    def call(self, tool: str, **arguments: Any) -> Any:
        """Call one of the scenario's frozen tools; the transcript shows the call and its result.

        Returns
        -------
        The result as a JSON value, or as text where it is none.
        """
        written = json.dumps(arguments, ensure_ascii=False)
        result = self._run.tools.serve(tool, written)
        id_ = f"call_{len(self._called) // 2}"
        made = ToolCall(id=id_, name=tool, arguments=written)
        self._called.append(Message(role="assistant", content="", tool_calls=(made,)))
        self._called.append(Message(role="tool", content=result, tool_call_id=id_))
        try:
            return json.loads(result)
        except ValueError:
            return result


class PythonAssistant:
    """A function, or a class whose instances are functions.

    Parameters
    ----------
    function
        What is called.
    name
        ``module:function``, or any other name for one that has none.
    """

    def __init__(self, function: Callable[..., Any], *, name: str) -> None:
        self._function = function
        self._name = name
        self._threads = SideThreads()
        self._loop = SideLoop()
        self._takes_context: bool | None = None

    @classmethod
    def named(cls, name: str) -> PythonAssistant:
        """The assistant that ``module:function`` names.

        Raises
        ------
        InputError
            It cannot be imported.
        """
        here = str(Path.cwd())
        if here not in sys.path:
            sys.path.insert(0, here)
        return cls(function_of(name), name=name)

    @property
    def name(self) -> str:
        return self._name

    @property
    def fingerprint(self) -> Mapping[str, str]:
        """Its name, and a digest of the Python files beside it.

        Of a function without a file, as in a notebook, it is a digest of its own code.  What it
        imports from elsewhere, and what it asks over the network, is not seen.
        """
        return {"assistant": "python", "name": self._name, "source": _source(self._function)}

    @property
    def backend(self) -> None:
        """It asks whom it likes."""
        return None

    async def start(self) -> None:
        """There is nothing to load."""

    async def close(self) -> None:
        self._threads.close()
        self._loop.close()

    def check(self, scenario: Scenario) -> None:
        """It can be tested with any scenario."""

    async def reply(
        self, messages: Sequence[Message], *, turn: int, run: RunContext
    ) -> AssistantReply | Fault:
        seconds = run.scenario.limits.seconds
        called: list[Message] = []
        context = AssistantContext(
            scenario=run.scenario.id,
            replicate=run.replicate,
            turn=turn,
            seed=run.seed,
            meta=dict(run.scenario.meta),
            fixtures=run.tables,
            memory=run.memory,
            _run=run,
            _called=called,
        )
        given = await self._call([message_object(one) for one in messages], context, seconds, run)
        before = tuple(called)
        match given:
            case TooLong(blocks_loop=True):
                problem = f"it gave no reply in {seconds:g} s and blocks its event loop"
            case TooLong():
                problem = f"it gave no reply in {seconds:g} s"
            case Blocked():
                return Fault(
                    problem=f"{self._name}: another run's call blocks the event loop",
                    is_infrastructure=True,
                    messages=before,
                )
            case Raised(error=error):
                problem = f"it raised {_told(error)}"
            case _:
                try:
                    reply = read_reply(given)
                except InputError as error:
                    problem = f"its return value cannot be used: {error}"
                else:
                    return AssistantReply(messages=(*before, *reply.messages), items=reply.items)
        return Fault(problem=f"{self._name}: {problem}", messages=before)

    async def _call(
        self,
        messages: list[dict[str, Any]],
        context: AssistantContext,
        seconds: float,
        run: RunContext,
    ) -> Any:
        function = await self._of_run(run, seconds)
        if isinstance(function, Raised | TooLong):
            return function
        keywords = {"context": context} if self._wants_context(function) else {}
        if _is_async(function):
            return await self._loop.call(lambda: function(messages, **keywords), seconds=seconds)
        given = await self._threads.call(lambda: function(messages, **keywords), seconds=seconds)
        if inspect.isawaitable(given):
            awaitable = given
            return await self._loop.call(lambda: awaitable, seconds=seconds)
        return given

    async def _of_run(self, run: RunContext, seconds: float) -> Any:
        """The function, or this run's own instance of the class, or what its making raised."""
        if not isinstance(self._function, type):
            return self._function
        if _INSTANCE not in run.memory:
            run.memory[_INSTANCE] = await self._threads.call(self._function, seconds=seconds)
        return run.memory[_INSTANCE]

    def _wants_context(self, function: Callable[..., Any]) -> bool:
        if self._takes_context is None:
            self._takes_context = _takes(function, "context")
        return self._takes_context


def _is_async(function: Callable[..., Any]) -> bool:
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
        type(function).__call__
    )


def _takes(function: Callable[..., Any], name: str) -> bool:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return False
    return any(one.name == name or one.kind is one.VAR_KEYWORD for one in parameters)


def _told(error: BaseException) -> str:
    """The error, and the line of the user's code that it comes from."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
    return f"{error_line(error)}{place}"


def _source(function: Callable[..., Any]) -> str:
    """A digest of the file that the function stands in, of its package's files, or of its code."""
    module = sys.modules.get(getattr(function, "__module__", None) or type(function).__module__)
    file = getattr(module, "__file__", None)
    path = None if file is None else Path(file)
    if module is None or path is None or not path.is_file():
        called = function if hasattr(function, "__code__") else type(function).__call__
        code = getattr(called, "__code__", None)
        return digest(_compiled(code)) if isinstance(code, CodeType) else "unknown"
    files = sorted(path.parent.rglob("*.py")) if module.__package__ else [path]
    return digest(
        [
            [str(one.relative_to(path.parent)), hashlib.sha256(one.read_bytes()).hexdigest()]
            for one in files
        ]
    )


def _compiled(code: CodeType) -> list[Any]:
    """What a function does, without the place where it stands."""
    return [code.co_code.hex(), list(code.co_names), [_constant(one) for one in code.co_consts]]


def _constant(value: object) -> Any:
    """What stands for a constant; the order of a set differs from one process to the next."""
    if isinstance(value, CodeType):
        return _compiled(value)
    if isinstance(value, frozenset):
        return sorted(map(repr, cast("frozenset[object]", value)))
    return repr(value)
