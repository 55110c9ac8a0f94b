"""Column headings of the table of test sets, which say how it is sorted and link to another order."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

ASCENDING = frozenset({"set", "rank"})
"""Columns that are sorted from the lowest value first, like metrics whose lower figures are better."""


@dataclass(frozen=True, kw_only=True)
class SortHeading:
    name: str
    label: str
    next_sort: str
    """The order that a click on it requests."""
    order: str
    """`ascending`, `descending`, or empty if the table is sorted by another column."""


def sort_headings(
    columns: Sequence[tuple[str, str]], sort: str, ascending: Collection[str] = ASCENDING
) -> list[SortHeading]:
    return [sort_heading(name, label, sort, ascending) for name, label in columns]


def sort_heading(name: str, label: str, sort: str, ascending: Collection[str] = ASCENDING) -> SortHeading:
    """A second click reverses the order."""
    first, second = (name, "-" + name) if name in ascending else ("-" + name, name)
    order = {name: "ascending", "-" + name: "descending"}.get(sort, "")
    return SortHeading(name=name, label=label, next_sort=second if sort == first else first, order=order)
