"""Every field of task.yaml as a table: its kind, whether it must be there, and which attribute it becomes.

The parser obeys it, the export is written by it, and a test holds docs/tasks.md to it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import evaluation
from sharedtask.competition.models import Phase, Task

Kind = Literal["line", "text", "code", "number", "flag", "moment", "choice", "names", "entries"]


@dataclass(frozen=True, kw_only=True)
class Field:
    name: str
    kind: Kind
    required: bool = False
    default: Any = None
    attribute: str = ""
    """Of the model; empty where the name is the same, `-` where it is no attribute."""
    longest: int | None = None
    choices: tuple[str, ...] = ()
    least: int = 0
    entries: tuple[Field, ...] = ()
    """The fields of each entry of a list."""

    @property
    def target(self) -> str | None:
        return None if self.attribute == "-" else self.attribute or self.name


def line(name: str, longest: int, **more: Any) -> Field:
    return Field(name=name, kind="line", longest=longest, **({"default": ""} | more))


def text(name: str, **more: Any) -> Field:
    return Field(name=name, kind="text", **({"default": ""} | more))


def choice(name: str, choices: Any, **more: Any) -> Field:
    return Field(name=name, kind="choice", choices=tuple(map(str, choices)), **more)


VERSION = Field(name="version", kind="number", required=True, least=1, attribute="-")
FILE = line("file", 200, required=True, attribute="-")

GOLD = (
    VERSION,
    FILE,
    text("note", attribute="-"),
    Field(name="public", kind="flag", default=False, attribute="-"),
)
INPUT = (
    Field(name="variant", kind="code", required=True, longest=40, attribute="-"),
    VERSION,
    FILE,
    Field(name="sample", kind="flag", default=False, attribute="-"),
)
TEST_SET = (
    Field(name="code", kind="code", required=True, longest=40),
    line("language", 60, required=True),
    line("tag", 20, required=True, attribute="language_tag"),
    Field(name="groups", kind="names", default=[]),
    line("note", 200),
    line("licence", 120),
    Field(name="revealed_at", kind="moment"),
    Field(name="inputs_released_at", kind="moment"),
    Field(name="public_gold", kind="flag", default=False, attribute="-"),
    Field(name="gold", kind="entries", entries=GOLD, attribute="-"),
    Field(name="gold_in_force", kind="number", least=1, attribute="-"),
    Field(name="inputs", kind="entries", entries=INPUT, attribute="-"),
)
PHASE = (
    Field(name="code", kind="code", required=True, longest=40),
    choice("kind", Phase.Kind.values, required=True),
    line("title", 80, required=True),
    choice("feedback", Phase.Feedback.values, required=True),
    Field(name="opens_at", kind="moment", required=True),
    Field(name="closes_at", kind="moment"),
    Field(name="runs_a_day", kind="number", least=1),
    Field(name="runs_in_all", kind="number", least=1),
    Field(name="test_sets", kind="names", attribute="-"),
)
TASK = (
    Field(name="slug", kind="code", required=True, longest=50),
    line("title", 120, required=True),
    line("summary", 300, required=True),
    text("description", required=True),
    text("rules"),
    Field(name="rules_version", kind="number", default=1, least=1),
    text("data_licence"),
    text("citation"),
    line("contact", 254),
    choice("profile", evaluation.PROFILES, required=True),
    Field(name="main_metrics", kind="names", default=[]),
    choice("missing", Task.MissingPolicy.values, default="zero", attribute="missing_policy"),
    choice("withdrawn", Task.WithdrawnPolicy.values, default="unranked", attribute="withdrawn_policy"),
    Field(name="baselines_ranked", kind="flag", default=True),
    Field(name="pseudonymous", kind="flag", default=False),
    Field(name="tells_above_zero", kind="flag", default=False),
    choice("resampling_unit", Task.Unit.values, default="sentence"),
    Field(name="replicates", kind="number", default=1000, least=1),
    Field(name="seed", kind="number", default=2017),
    Field(name="groups", kind="names", default=[]),
    Field(name="test_sets", kind="entries", required=True, entries=TEST_SET, attribute="-"),
    Field(name="phases", kind="entries", required=True, entries=PHASE, attribute="-"),
)
