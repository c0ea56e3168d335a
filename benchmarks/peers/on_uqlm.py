"""UQLM through langchain-openai, as its documentation has it, against a llama.cpp server."""

from __future__ import annotations

import asyncio
from importlib.metadata import version
from typing import Any

from lines import serve


class Uqlm:
    """Exact match of samples, and P(True), of one prompt at a time.

    Parameters
    ----------
    settings
        ``url`` and ``key`` of the server, ``samples``, and ``max_tokens`` of an answer.
    """

    def __init__(self, settings: dict[str, Any]) -> None:
        import httpx
        from langchain_openai import ChatOpenAI
        from uqlm import UQEnsemble

        self._usage = {"prompt": 0, "cached": 0, "decoded": 0, "requests": 0}
        self._samples = settings["samples"]
        self._loop = asyncio.new_event_loop()
        limit = settings["max_tokens"]
        llm = ChatOpenAI(
            model="smollm2",
            base_url=settings["url"],
            api_key=settings["key"],
            temperature=0,
            timeout=600,
            max_tokens=limit,
            extra_body={"max_tokens": limit},
            http_async_client=httpx.AsyncClient(
                event_hooks={"response": [self._count]}, timeout=600
            ),
        )
        self._scorer = UQEnsemble(llm=llm, scorers=["exact_match", "p_true"])

    def turn(self, task: dict[str, Any]) -> None:
        scored = self._scorer.generate_and_score(
            prompts=[task["prompt"]], num_responses=self._samples, show_progress_bars=False
        )
        self._loop.run_until_complete(scored)

    def counts(self) -> dict[str, Any]:
        used = self._usage
        return {
            "n_requests": used["requests"],
            "prompt_tokens": used["prompt"],
            "evaluated_tokens": used["prompt"] - used["cached"],
            "decoded_tokens": used["decoded"],
        }

    def versions(self) -> dict[str, str]:
        return {name: version(name) for name in ("uqlm", "langchain-openai")}

    async def _count(self, response: Any) -> None:
        """Add what the server says that a reply took; a refusal is left to the client to report."""
        await response.aread()
        if response.is_error:
            return
        told = response.json()["usage"]
        self._usage["requests"] += 1
        self._usage["prompt"] += told["prompt_tokens"]
        self._usage["cached"] += told["prompt_tokens_details"]["cached_tokens"]
        self._usage["decoded"] += told["completion_tokens"]


if __name__ == "__main__":
    serve(Uqlm)
