"""Parse task.yaml into a tree of YAML nodes, with a limit on their number: a node takes hundreds of bytes.

In: the bytes of the file. Out: its root node, or a `ValueError` or YAML error. An alias is the same node in
several places and nothing is copied here; the parser, which follows aliases, counts them with `Allowance`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import Any

import yaml

MAX_BYTES = 1024 * 1024
MAX_VALUES = 50_000
"""Including field names. A task with a hundred test sets, each with several inputs, has about 10,000."""


UNSTORABLE = re.compile("[\\0\\ud800-\\udfff]")
"""PostgreSQL stores neither; both can be written as escapes in YAML."""
SEPARATORS = re.compile("[\\x85\\u2028\\u2029]")
"""They end a line in YAML 1.1, but in no editor, so that the lines of problems do not count them."""


class TooLarge(ValueError):
    """The file is larger than that of any real task."""


class Allowance:
    """Counts values and characters as if aliases were expanded, and refuses too many of them."""

    def __init__(self) -> None:
        self.values = 0
        self.characters = 0

    def spend(self, *, values: int = 1, text: str = "") -> None:
        self.values += values
        self.characters += len(text)
        if self.values > MAX_VALUES:
            raise TooLarge(f"more than {MAX_VALUES:,} values with its aliases expanded")
        if self.characters > MAX_BYTES:
            raise TooLarge(f"more than {MAX_BYTES:,} characters with its aliases expanded")


class BoundedLoader(yaml.SafeLoader):
    def __init__(self, text: str) -> None:
        self.separators = [match.start() for match in SEPARATORS.finditer(text)]
        self.nodes = 0
        super().__init__(text)

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        self.nodes += 1
        if self.nodes > MAX_VALUES:
            raise TooLarge(f"more than {MAX_VALUES:,} values")
        node = super().compose_node(parent, index)
        if node is not None:
            # Problems name the line on which a value begins; end marks would take as much memory again.
            node.end_mark = None
        return node

    def get_mark(self) -> yaml.Mark:
        mark = super().get_mark()
        mark.line -= bisect_left(self.separators, mark.index)
        return mark

    def compose_scalar_node(self, anchor: Any) -> yaml.ScalarNode:
        node = super().compose_scalar_node(anchor)
        if UNSTORABLE.search(node.value):
            problem = "NUL characters and lone surrogates are not allowed"
            raise yaml.MarkedYAMLError(problem=problem, problem_mark=node.start_mark)
        return node


def compose(content: bytes) -> yaml.Node | None:
    if len(content) > MAX_BYTES:
        raise TooLarge(f"{len(content):,} bytes, expected at most {MAX_BYTES:,}")
    loader = BoundedLoader(content.decode("utf-8"))
    try:
        return loader.get_single_node()
    finally:
        loader.dispose()
