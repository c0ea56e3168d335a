"""Token counts that the llama.cpp engine does not give with its replies.

The engine's own tokeniser is asked for them, over the port that it opens on loopback: a
millisecond or two beside a request that takes a hundred.
"""

from __future__ import annotations

import http.client
import json
from collections.abc import Mapping, Sequence
from typing import Any

_SECONDS = 10.0
_NOT_TOLD = (OSError, http.client.HTTPException, ValueError, KeyError, TypeError)


class LlamaLedger:
    """Counts the tokens of prompts and replies.

    Parameters
    ----------
    address
        ``http://host:port`` of the engine.
    key
        Its key.
    """

    def __init__(self, address: str, key: str) -> None:
        host = address.removeprefix("http://")
        self._connection = http.client.HTTPConnection(host, timeout=_SECONDS)
        self._headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}

    def entry(self, request: Mapping[str, Any], reply: Mapping[str, Any]) -> dict[str, Any]:
        """What the reply does not tell: ``prompt``, the tokens; ``reply_tokens`` of n > 1 texts.

        Empty where the engine does not tell, or tells another length of the prompt than the one it
        evaluated: no count is better than a wrong one.
        """
        try:
            prompt = self._post("/apply-template", {"messages": request["messages"]})["prompt"]
            tokens = self._tokens(prompt, special=True)
            if len(tokens) != reply["usage"]["prompt_tokens"]:
                return {}
            entry: dict[str, Any] = {"prompt": tokens}
            choices: Sequence[Mapping[str, Any]] = reply["choices"]
            if len(choices) > 1:
                entry["reply_tokens"] = sum(self._reply_tokens(choice) for choice in choices)
        except _NOT_TOLD:
            return {}
        finally:
            self._connection.close()  # left open, it would be cut during the next long request
        return entry

    def _reply_tokens(self, choice: Mapping[str, Any]) -> int:
        """Those of the text, and the one that ended it."""
        text = choice["message"]["content"] or ""
        return len(self._tokens(text, special=False)) + (choice["finish_reason"] == "stop")

    def _tokens(self, text: str, *, special: bool) -> list[int]:
        body = {"content": text, "add_special": special, "parse_special": special}
        return self._post("/tokenize", body)["tokens"]

    def _post(self, path: str, body: Mapping[str, Any]) -> Any:
        self._connection.request("POST", path, json.dumps(body), self._headers)
        answer = self._connection.getresponse().read()
        return json.loads(answer)
