"""task.yaml as a tree of YAML nodes, whose number is bounded: a node takes hundreds of bytes.

In: the bytes of the file. Out: its nodes, or a `ValueError` or YAML error. An alias is a node that stands in
several places: nothing is copied here, and whoever follows it pays for what it finds (`Expense`).
"""

from __future__ import annotations

from typing import Any

import yaml

LARGEST = 1024 * 1024
MOST_VALUES = 50_000
"""Names of fields included. A hundred test sets, each with several inputs, have about ten thousand."""


class TooMuch(ValueError):
    """The file says more than a task can have."""


class Expense:
    """Counts values, and their characters, as if aliases were written out."""

    def __init__(self) -> None:
        self.values = 0
        self.characters = 0

    def spend(self, *, values: int = 1, text: str = "") -> None:
        self.values += values
        self.characters += len(text)
        if self.values > MOST_VALUES:
            raise TooMuch(f"it has more than {MOST_VALUES:,} values with its aliases written out")
        if self.characters > LARGEST:
            raise TooMuch(f"it has more than {LARGEST:,} characters with its aliases written out")


class BoundedLoader(yaml.SafeLoader):
    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.nodes = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        self.nodes += 1
        if self.nodes > MOST_VALUES:
            raise TooMuch(f"it has more than {MOST_VALUES:,} values")
        node = super().compose_node(parent, index)
        if node is not None:
            # Problems name the line on which a value begins; where it ends would cost as much again.
            node.end_mark = None
        return node


def compose(content: bytes) -> yaml.Node | None:
    if len(content) > LARGEST:
        raise TooMuch(f"the file has {len(content)} bytes; expected at most {LARGEST}")
    loader = BoundedLoader(content.decode("utf-8"))
    try:
        return loader.get_single_node()
    finally:
        loader.dispose()
