"""What the embedded model refuses before it is loaded."""

from __future__ import annotations

import pytest

from turnsure.core.dialogue import Message
from turnsure.core.errors import RequestRejected
from turnsure.core.generation import GenerationRequest
from turnsure.models import embedded
from turnsure.models.embedded import EmbeddedModel, EmbeddedSettings


async def test_there_are_no_embeddings(tmp_path, monkeypatch):
    monkeypatch.setattr(embedded, "require_engine", lambda: None)
    monkeypatch.setattr(embedded, "check_gguf", lambda path: None)
    (tmp_path / "m.gguf").write_bytes(b"GGUF")
    model = EmbeddedModel("m", EmbeddedSettings(path=tmp_path / "m.gguf"))
    request = GenerationRequest(
        messages=(Message(role="user", content="Peru"),), max_tokens=1, embed=True
    )
    async with model.session("d1") as session:
        with pytest.raises(RequestRejected, match="no embeddings"):
            await session.generate(request)
