"""How many prompt tokens had to be evaluated at least: the nodes of the tree of all prompts.  Pure.

Two prompts that begin alike share their first nodes, so a back-end with a perfect cache evaluates
each node once, and the number of nodes is the least that any schedule can reach.
"""

from __future__ import annotations

from collections.abc import Iterable


class PromptTree:
    """The tree, one number a node: whether a token was seen *after all that stood before it*.

    A node is known by a 64-bit hash of its path, so two paths are taken for one with a chance of
    about n²/2⁶⁵ among n nodes: under one in a thousand millions at a hundred thousand nodes.
    """

    __slots__ = ("_nodes",)

    def __init__(self) -> None:
        self._nodes: set[int] = set()

    def add(self, tokens: Iterable[int | str]) -> int:
        """Add a prompt; the number of nodes that are new."""
        before = len(self._nodes)
        path = 0
        for token in tokens:
            path = hash((path, token))
            self._nodes.add(path)
        return len(self._nodes) - before

    def __len__(self) -> int:
        return len(self._nodes)
