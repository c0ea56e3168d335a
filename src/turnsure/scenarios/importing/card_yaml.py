"""A card written as YAML that a person can read on."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from turnsure.scenarios.card_text import scalar

_WIDTH = 100

_BREAKS = re.compile("[\r\x85\u2028\u2029]")
"""Line ends that YAML would read as others, unless they are written as escapes."""


def card_yaml(card: Mapping[str, Any], *, heading: str = "") -> str:
    """The text of a card.

    Parameters
    ----------
    card
        Plain JSON values; fields keep their order.
    heading
        Put above as comments.
    """
    import yaml

    class Dumper(yaml.SafeDumper):
        """Writes several lines as several lines, and no aliases, which cards refuse."""

        def ignore_aliases(self, data: Any) -> bool:
            del data
            return True

    def text(dumper: Any, value: str) -> Any:
        style = "|" if "\n" in value else None
        if _BREAKS.search(value):
            style = '"'
        elif scalar(value, plain=True) != value:
            style = "'"  # the cards' reader would take the bare word for another value
        return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)

    Dumper.add_representer(str, text)
    body = yaml.dump(dict(card), Dumper=Dumper, sort_keys=False, allow_unicode=True, width=_WIDTH)
    comments = "".join(f"# {line}\n" for line in heading.splitlines())
    return comments + body
