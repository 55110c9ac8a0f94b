"""The fields of task.yaml as a table: kind, default, whether it is required, and its model attribute.

The parser and the export follow this table, and a test compares docs/tasks.md with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from evaluation import FORMATS
from sharedtask.competition.downloads import DownloadKind
from sharedtask.competition.models import Phase, Task

Kind = Literal["line", "text", "code", "number", "flag", "moment", "choice", "names", "entries"]


@dataclass(frozen=True, kw_only=True)
class FieldSpec:
    name: str
    kind: Kind
    required: bool = False
    default: Any = None
    attribute: str = ""
    """Name of the model's attribute: empty if it is the field's name, `-` if there is none."""
    longest: int | None = None
    choices: tuple[str, ...] = ()
    least: int = 0
    entries: tuple[FieldSpec, ...] = ()
    """The fields of each entry of a list."""

    @property
    def target(self) -> str | None:
        return None if self.attribute == "-" else self.attribute or self.name


def line(name: str, longest: int, **more: Any) -> FieldSpec:
    return FieldSpec(name=name, kind="line", longest=longest, **({"default": ""} | more))


def text(name: str, **more: Any) -> FieldSpec:
    return FieldSpec(name=name, kind="text", **({"default": ""} | more))


def choice(name: str, choices: Any, **more: Any) -> FieldSpec:
    return FieldSpec(name=name, kind="choice", choices=tuple(map(str, choices)), **more)


VERSION = FieldSpec(name="version", kind="number", required=True, least=1, attribute="-")
FILE = line("file", 200, required=True, attribute="-")

REFERENCE = (
    FieldSpec(name="name", kind="code", required=True, longest=40, attribute="-"),
    FILE,
)
GOLD = (
    VERSION,
    FILE,
    FieldSpec(name="references", kind="entries", default=[], entries=REFERENCE, attribute="-"),
    text("note", attribute="-"),
    FieldSpec(name="public", kind="flag", default=False, attribute="-"),
)
INPUT = (
    FieldSpec(name="variant", kind="code", required=True, longest=40, attribute="-"),
    VERSION,
    FILE,
    FieldSpec(name="sample", kind="flag", default=False, attribute="-"),
)
TEST_SET = (
    FieldSpec(name="code", kind="code", required=True, longest=40),
    line("language", 60, required=True),
    line("tag", 20, required=True, attribute="language_tag"),
    FieldSpec(name="groups", kind="names", default=[]),
    line("note", 200),
    line("licence", 120),
    FieldSpec(name="revealed_at", kind="moment"),
    FieldSpec(name="inputs_released_at", kind="moment"),
    FieldSpec(name="public_gold", kind="flag", default=False, attribute="-"),
    FieldSpec(name="gold", kind="entries", entries=GOLD, attribute="-"),
    FieldSpec(name="gold_in_force", kind="number", least=1, attribute="-"),
    FieldSpec(name="inputs", kind="entries", entries=INPUT, attribute="-"),
)
PHASE = (
    FieldSpec(name="code", kind="code", required=True, longest=40),
    choice("kind", Phase.Kind.values, required=True),
    line("title", 80, required=True),
    choice("feedback", Phase.Feedback.values, required=True),
    FieldSpec(name="opens_at", kind="moment", required=True),
    FieldSpec(name="closes_at", kind="moment"),
    FieldSpec(name="runs_per_day", kind="number", least=1),
    FieldSpec(name="runs_total", kind="number", least=1),
    FieldSpec(name="software", kind="flag", default=False),
    FieldSpec(name="software_runs_per_day", kind="number", least=1),
    FieldSpec(name="software_runs_total", kind="number", least=1),
    FieldSpec(name="test_sets", kind="names", attribute="-"),
)
DOWNLOAD = (
    choice("kind", DownloadKind.values, required=True, attribute="-"),
    line("title", 120, required=True, attribute="-"),
    line("url", 500, required=True, attribute="-"),
    line("licence", 120, attribute="-"),
    line("note", 200, attribute="-"),
)
TRACK = (
    FieldSpec(name="code", kind="code", required=True, longest=40, attribute="-"),
    line("title", 80, required=True, attribute="-"),
    FieldSpec(name="main_metrics", kind="names", default=[], attribute="-"),
    FieldSpec(name="other_metrics", kind="names", default=[], attribute="-"),
    FieldSpec(name="input", kind="code", default="", longest=40, attribute="-"),
    FieldSpec(name="given_columns", kind="names", default=[], attribute="-"),
    choice("reader", FORMATS, default="", attribute="-"),
    FieldSpec(name="phases", kind="names", default=[], attribute="-"),
)
TASK = (
    FieldSpec(name="slug", kind="code", required=True, longest=50),
    line("title", 120, required=True),
    line("summary", 300, required=True),
    text("description", required=True),
    text("rules"),
    FieldSpec(name="rules_version", kind="number", default=1, least=1),
    text("data_licence"),
    text("faq"),
    FieldSpec(name="downloads", kind="entries", default=[], entries=DOWNLOAD),
    text("citation"),
    line("contact", 254),
    # Which profiles there are depends on the installed packages: see `scoring_checks.py`.
    line("profile", 40, required=True),
    choice("reader", FORMATS),
    FieldSpec(name="extra_metrics", kind="names", default=[]),
    FieldSpec(name="verbs", kind="names", default=[]),
    FieldSpec(name="given_columns", kind="names", default=[]),
    FieldSpec(name="main_metrics", kind="names", default=[]),
    text("error_classes"),
    choice("missing", Task.MissingPolicy.values, default="zero", attribute="missing_policy"),
    choice("withdrawn", Task.WithdrawnPolicy.values, default="unranked", attribute="withdrawn_policy"),
    choice("open_runs", Task.OpenPolicy.values, default="latest", attribute="open_policy"),
    FieldSpec(name="baselines_ranked", kind="flag", default=True),
    FieldSpec(name="server_baselines", kind="names", default=[]),
    FieldSpec(name="pseudonymous", kind="flag", default=False),
    FieldSpec(name="reveals_above_zero", kind="flag", default=False),
    choice("resampling_unit", Task.Unit.values, default="document"),
    choice("significance_test", Task.SignificanceTest.values, default="two-sided"),
    FieldSpec(name="replicates", kind="number", default=1000, least=1),
    FieldSpec(name="seed", kind="number", default=2017),
    choice("training_samples", Task.Sampling.values, default="nested"),
    FieldSpec(name="software_cpus", kind="number", default=1, least=1),
    FieldSpec(name="software_memory_megabytes", kind="number", default=4096, least=64),
    FieldSpec(name="software_minutes", kind="number", default=120, least=1),
    FieldSpec(name="software_output_megabytes", kind="number", default=512, least=1),
    FieldSpec(name="software_storage_megabytes", kind="number", default=20_480, least=1),
    FieldSpec(name="software_experiments_per_day", kind="number", default=4, least=0),
    FieldSpec(name="software_per_test_set", kind="flag", default=False),
    FieldSpec(name="groups", kind="names", default=[]),
    FieldSpec(name="tracks", kind="entries", default=[], entries=TRACK),
    FieldSpec(name="test_sets_total", kind="number", least=1),
    FieldSpec(name="test_sets", kind="entries", required=True, entries=TEST_SET, attribute="-"),
    FieldSpec(name="phases", kind="entries", required=True, entries=PHASE, attribute="-"),
)
