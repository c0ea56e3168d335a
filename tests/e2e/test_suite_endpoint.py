"""A suite against an endpoint with frozen tools, and a simulated user on the same server."""

from __future__ import annotations

from typing import Any

from aiohttp import web

from tests.support.answering_server import AnsweringServer
from tests.support.suites import scenario, verdicts
from turnsure.core.scenario import CheckSpec
from turnsure.models.openai_endpoint import OpenAIEndpoint
from turnsure.models.openai_probe import DeclaredCapabilities
from turnsure.scenarios.assistants.model import ModelAssistant
from turnsure.scenarios.running import run_suite
from turnsure.scenarios.suite_file import read_suite
from turnsure.scenarios.users.fidelity import fidelity
from turnsure.scenarios.users.simulated import SimulatedUser

KNOWN = DeclaredCapabilities(
    label_probabilities="none", max_top_logprobs=0, max_n=1, seed=True, prefill=False
)
GIVEN = scenario(
    fixtures={"flats": [{"id": "B1", "area": "Baner"}, {"id": "W1", "area": "Wakad"}]},
    tools={"find": {"description": "Finds flats.", "table": "flats"}},
    checks=(
        CheckSpec(name="tools", kind="tool_use", failure="wrong_tool_use"),
        CheckSpec(name="b1", kind="must_say", failure="other", options={"values": ["B1"]}),
    ),
)
CALL = {"id": "c1", "type": "function", "function": {"name": "find", "arguments": "{}"}}


def choose(body: dict[str, Any], time: int) -> Any:
    """Play both roles, told apart by the prompt alone."""

    async def say(server: Any, request: web.Request, body: dict[str, Any]) -> web.Response:
        choice = {"index": 0, "finish_reason": "stop", "message": message(body)}
        usage = {"prompt_tokens": 10, "completion_tokens": 2}
        return web.json_response({"choices": [choice], "usage": usage})

    return say


def message(body: dict[str, Any]) -> dict[str, Any]:
    last = body["messages"][-1]
    if "tools" in body and last["role"] == "user":
        return {"role": "assistant", "content": None, "tool_calls": [CALL]}
    if last["role"] == "tool":
        return {"role": "assistant", "content": f"I have B1: {last['content']}"}
    text = last["content"]
    if "Reply with the letter" in text:
        return {"role": "assistant", "content": "A"}
    fact = text.partition("nothing beyond it:\n")[2].partition("\n")[0]
    is_first_try = "You wrote before" not in text
    leak = " I have a dog." if "rupees" in fact and is_first_try else ""
    return {"role": "assistant", "content": f"{fact}{leak}"}


def endpoint(server: AnsweringServer) -> OpenAIEndpoint:
    return OpenAIEndpoint("tiny", server.base_url, declared=KNOWN)


def test_tools_are_frozen_leaks_are_mended_and_nothing_is_asked_twice(tmp_path):
    with AnsweringServer() as server:
        server.behave = choose

        def run():
            user = SimulatedUser(backend=endpoint(server))
            assistant = ModelAssistant(backend=endpoint(server), system="You let flats.")
            return run_suite([GIVEN], assistant, user=user, folder=tmp_path, concurrency=2)

        made = run()
        n_asked = server.asked.total()
        assert verdicts(made) == ["pass", "pass"]
        seen = fidelity(made.scenarios[0].transcripts)
        assert (seen.refused, seen.n_mended) == ({"leaked_reveal": 2}, 2)
        first = made.scenarios[0].transcripts[0].exchanges[0]
        assert [one.role for one in first.replies] == ["assistant", "tool", "assistant"]
        assert made.cost is not None
        assert made.cost.of("assistant").n_calls == 2 * 3 * 2
        assert made.cost.of("user").n_calls == 2 * (3 + 1 + 1)
        assert made.cost.of("assistant").prompt_tokens == 120
        assert read_suite(tmp_path) == made

        again = run()
        assert again.scenarios == made.scenarios
        assert server.asked.total() - n_asked <= 4  # finding out what the servers can do

        (tmp_path / "suite.json").unlink()
        forgotten = forget(tmp_path, run)
        assert forgotten.scenarios == made.scenarios
        assert forgotten.cost is not None
        assert forgotten.cost.of("user").n_from_store == 10
        assert forgotten.cost.of("assistant").n_from_store == 12


def forget(folder: Any, run: Any) -> Any:
    """Run again as if no conversation had come to its end."""
    import sqlite3

    raw = sqlite3.connect(folder / "store.sqlite")
    raw.execute("DELETE FROM transcripts")
    raw.commit()
    raw.close()
    return run()
