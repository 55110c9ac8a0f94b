"""Error classes as rules over gold words: relation, subtype, and a condition on children or tags."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

Subject = Literal["child", "upos", "xpos"]
ANYTHING = "*"
"""The relation of a rule that fits every word."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A word has a child with one of the relations, or one of the tags, in `values`."""

    subject: Subject
    values: frozenset[str]


@dataclass(frozen=True, slots=True)
class Rule:
    """Words with one of the relations, if the condition is `expected` to hold or to fail, are in `name`.

    A relation stands for all its subtypes, too: `nmod` fits `nmod:poss`.
    """

    name: str
    relations: tuple[str, ...]
    condition: Condition | None = None
    expected: bool = True


@dataclass(frozen=True)
class ErrorClasses:
    """The classes in the order of tables, and the rules, of which the first that fits decides.

    The last rule fits every word, so every word is in exactly one class.
    """

    names: tuple[str, ...]
    rules: tuple[Rule, ...]

    @cached_property
    def conditions(self) -> tuple[Condition, ...]:
        """Every condition once."""
        return tuple(dict.fromkeys(rule.condition for rule in self.rules if rule.condition))

    def class_of(self, relation: str, fulfilled: Container[Condition]) -> int:
        """The index of the class of words with this relation for which these conditions hold."""
        parts = relation.split(":")
        general = [ANYTHING, *(":".join(parts[:size]) for size in range(1, len(parts) + 1))]
        for number in sorted(n for name in general for n in self._rules_by_relation.get(name, ())):
            rule = self.rules[number]
            if rule.condition is None or (rule.condition in fulfilled) == rule.expected:
                return self.names.index(rule.name)
        raise ValueError(f"no rule fits {relation!r}")

    @cached_property
    def _rules_by_relation(self) -> dict[str, list[int]]:
        rules: dict[str, list[int]] = {}
        for number, rule in enumerate(self.rules):
            for relation in rule.relations:
                rules.setdefault(relation, []).append(number)
        return rules


def covers(general: str, relation: str) -> bool:
    """Whether a relation is another one or a subtype of it."""
    return general in (ANYTHING, relation) or relation.startswith(f"{general}:")
