"""Text that a chat template would take for its own control tokens."""

from __future__ import annotations

import re

_CONTROL = re.compile(
    r"<(?=\|[^|<>\s]{1,64}\|>|/?s>|(?:start|end)_of_turn>|(?:bos|eos|pad|unk)>)|\[(?=/?INST\])"
)


def without_control_tokens(text: str) -> str:
    """The text with a space inside whatever looks like a control token.

    Local engines read such text in a message as the token itself, which would let a dialogue end
    its own turn or speak as the system.
    """
    # Two looks for a letter cost a tenth of the expression, and most texts hold neither.
    if "<" not in text and "[" not in text:
        return text
    return _CONTROL.sub(r"\g<0> ", text)
