"""Reads a page the way a strict reader would: elements, attributes, texts, balance."""

from __future__ import annotations

from html.parser import HTMLParser

VOID = {"meta", "br", "wbr", "img", "input", "link", "hr", "base"}


class Page(HTMLParser):
    """A parsed page.

    ``elements`` holds (name, attributes) in document order, ``text`` all character data outside
    of style, ``unbalanced`` what was closed without being open or left open at the end.
    """

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.text = ""
        self.styles = ""
        self.unbalanced: list[str] = []
        self._open: list[str] = []
        self.feed(html)
        self.close()
        self.unbalanced += self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._open and self._open[-1] == tag:
            self._open.pop()
        else:
            self.unbalanced.append(f"/{tag}")

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] == "style":
            self.styles += data
        else:
            self.text += data

    @property
    def names(self) -> set[str]:
        """Names of all elements that occur."""
        return {name for name, _ in self.elements}

    def values(self, attribute: str) -> list[str]:
        """Values of an attribute, wherever it occurs."""
        return [attrs[attribute] for _, attrs in self.elements if attribute in attrs]

    def of(self, name: str, **wanted: str) -> list[dict[str, str]]:
        """Attributes of the elements with this name and these attribute values."""
        wanted = {key.rstrip("_"): value for key, value in wanted.items()}
        return [
            attrs
            for found, attrs in self.elements
            if found == name and all(attrs.get(key) == value for key, value in wanted.items())
        ]
