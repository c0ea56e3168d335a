"""A dialogue as a person writes it: what pydantic checks before a Dialogue is made."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field


def _writable(text: str) -> str:
    """Refuse half a surrogate pair: no file and no model could hold it."""
    text.encode("utf-8")
    return text


Text = Annotated[str, AfterValidator(_writable)]


class HintRecord(BaseModel):
    """One hint."""

    model_config = ConfigDict(strict=True, extra="forbid")

    question: Text | None = None
    answer: Text


class DialogueRecord(BaseModel):
    """One line of a file."""

    model_config = ConfigDict(strict=True, extra="forbid")

    id: Text
    task: Text | None = None
    gold: Annotated[list[Text], Field(min_length=1)]
    hints: Annotated[list[HintRecord], Field(min_length=1)]
    meta: dict[Text, Text] = Field(default_factory=dict[str, str])
