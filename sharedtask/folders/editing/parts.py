"""The parts of task.yaml that forms edit: each reads what its form shows, and writes what was filled in.

In: the values of task.yaml. Out: values by the names of the form's fields, or the changed values of
task.yaml. What an organiser has not changed keeps its exact value: a form changes line ends, drops the
newline at the end of a text, and shows a time without fractions of a second.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from sharedtask.folders.editing.description import Values

TEXTS = ("title", "summary", "description", "rules", "data_licence", "faq", "citation", "contact")
ACCEPTED = ("rules", "data_licence")
"""What teams accept under one version number."""
SET_FIELDS = ("language", "tag", "groups", "note", "licence", "revealed_at", "inputs_released_at")
PHASE_FIELDS = (
    *("kind", "title", "feedback", "runs_per_day", "runs_total"),
    *("software", "software_runs_per_day", "software_runs_total"),
)
SOFTWARE_FIELDS = (
    *("software_cpus", "software_memory_megabytes", "software_minutes", "software_output_megabytes"),
    *("software_storage_megabytes", "software_experiments_per_day", "software_per_test_set"),
)
RELEASE_FIELDS = ("revealed_at", "inputs_released_at")
LINE_END = re.compile("\r\n|[\r\x85\u2028\u2029]")


class Part(Protocol):
    @property
    def subject(self) -> str:
        """For the audit log."""

    def path(self, values: Values) -> str:
        """Where the fields of the form are in task.yaml: empty, or an entry such as `test_sets[2]`."""

    def read(self, values: Values) -> dict[str, Any]: ...

    def write(self, values: Values, filled_in: Mapping[str, Any]) -> None: ...


@dataclass(frozen=True)
class Texts:
    subject: str = "texts"

    def path(self, values: Values) -> str:
        return ""

    def read(self, values: Values) -> dict[str, Any]:
        return {name: values.get(name, "") for name in TEXTS}

    def write(self, values: Values, filled_in: Mapping[str, Any]) -> None:
        accepted = [values.get(name, "") for name in ACCEPTED]
        assign(values, filled_in)
        # As for an import: nobody can have accepted rules that were empty.
        if any(accepted) and accepted != [values.get(name, "") for name in ACCEPTED]:
            values["rules_version"] += 1


@dataclass(frozen=True)
class Downloads:
    subject: str = "data downloads"

    def path(self, values: Values) -> str:
        return ""

    def read(self, values: Values) -> dict[str, Any]:
        return {"downloads": values.get("downloads", [])}

    def write(self, values: Values, filled_in: Mapping[str, Any]) -> None:
        assign(values, {"downloads": filled_in["downloads"]})


@dataclass(frozen=True)
class SoftwareLimits:
    subject: str = "limits of software"

    def path(self, values: Values) -> str:
        return ""

    def read(self, values: Values) -> dict[str, Any]:
        return {name: values.get(name) for name in SOFTWARE_FIELDS}

    def write(self, values: Values, filled_in: Mapping[str, Any]) -> None:
        assign(values, {name: filled_in[name] for name in SOFTWARE_FIELDS})


@dataclass(frozen=True)
class Groups:
    subject: str = "groups"

    def path(self, values: Values) -> str:
        return ""

    def read(self, values: Values) -> dict[str, Any]:
        return {"groups": values.get("groups", [])}

    def write(self, values: Values, filled_in: Mapping[str, Any]) -> None:
        """`groups`: pairs of the old name, or None, and the new one, in order; test sets follow."""
        pairs: Sequence[tuple[str | None, str]] = filled_in["groups"]
        renamed = {old: new for old, new in pairs if old is not None}
        values["groups"] = [new for _, new in pairs]
        for entry in values["test_sets"]:
            if "groups" in entry:
                entry["groups"] = [renamed[group] for group in entry["groups"] if group in renamed]


@dataclass(frozen=True)
class TestSetPart:
    __test__ = False  # Keeps pytest from collecting it as a test class.

    code: str

    @property
    def subject(self) -> str:
        return f"test set {self.code}"

    def path(self, values: Values) -> str:
        return f"test_sets[{position_of(values['test_sets'], self.code) + 1}]"

    def read(self, values: Values) -> dict[str, Any]:
        position = position_of(values["test_sets"], self.code)
        entry = values["test_sets"][position]
        return {name: entry.get(name) for name in SET_FIELDS} | {"position": position + 1}

    def write(self, values: Values, filled_in: Mapping[str, Any]) -> None:
        entries = values["test_sets"]
        entry = entries.pop(position_of(entries, self.code))
        assign(entry, {name: filled_in[name] for name in SET_FIELDS})
        # A place beyond the end is the end, as for any list.
        entries.insert(filled_in["position"] - 1, entry)


@dataclass(frozen=True)
class ReleaseTimes:
    """The same time for several test sets."""

    subject: str = "release times"

    def path(self, values: Values) -> str:
        return ""

    def read(self, values: Values) -> dict[str, Any]:
        return {entry["code"]: [entry.get(name) for name in RELEASE_FIELDS] for entry in values["test_sets"]}

    def write(self, values: Values, filled_in: Mapping[str, Any]) -> None:
        for entry in values["test_sets"]:
            if entry["code"] in filled_in["test_sets"]:
                assign(entry, {filled_in["which"]: filled_in["time"]})


@dataclass(frozen=True)
class PhasePart:
    """Without its times, which are changed on the page Calendar."""

    code: str

    @property
    def subject(self) -> str:
        return f"phase {self.code}"

    def path(self, values: Values) -> str:
        return f"phases[{position_of(values['phases'], self.code) + 1}]"

    def read(self, values: Values) -> dict[str, Any]:
        entry = values["phases"][position_of(values["phases"], self.code)]
        chosen = entry.get("test_sets", codes_of(values))
        return {name: entry.get(name) for name in PHASE_FIELDS} | {"test_sets": chosen}

    def write(self, values: Values, filled_in: Mapping[str, Any]) -> None:
        entry = values["phases"][position_of(values["phases"], self.code)]
        assign(entry, {name: filled_in[name] for name in PHASE_FIELDS if name in filled_in})
        choose_test_sets(entry, filled_in["test_sets"], values)


@dataclass(frozen=True)
class NewPhase:
    subject: str = "new phase"

    def path(self, values: Values) -> str:
        return f"phases[{len(values['phases'])}]"

    def read(self, values: Values) -> dict[str, Any]:
        """Another new phase is no conflict, unless it has the same code."""
        return {"test_sets": codes_of(values)}

    def write(self, values: Values, filled_in: Mapping[str, Any]) -> None:
        entry = {name: value for name, value in filled_in.items() if name != "test_sets"}
        choose_test_sets(entry, filled_in["test_sets"], values)
        values["phases"].append(entry)


@dataclass(frozen=True)
class RemovedPhase:
    code: str

    @property
    def subject(self) -> str:
        return f"phase {self.code}"

    def path(self, values: Values) -> str:
        return ""

    def read(self, values: Values) -> dict[str, Any]:
        return {"phases": [entry["code"] for entry in values["phases"]]}

    def write(self, values: Values, filled_in: Mapping[str, Any]) -> None:
        values["phases"].pop(position_of(values["phases"], self.code))


def position_of(entries: Sequence[Values], code: str) -> int:
    return [entry["code"] for entry in entries].index(code)


def codes_of(values: Values) -> list[str]:
    return [entry["code"] for entry in values["test_sets"]]


def choose_test_sets(entry: Values, chosen: Sequence[str], values: Values) -> None:
    """A phase with all test sets names none of them, as in an export."""
    if set(chosen) == set(codes_of(values)):
        entry.pop("test_sets", None)
    else:
        entry["test_sets"] = [code for code in codes_of(values) if code in chosen]


def assign(entry: Values, filled_in: Mapping[str, Any]) -> None:
    for name, value in filled_in.items():
        if normal(entry.get(name)) != normal(value):
            entry[name] = normal(value)


def normal(value: Any) -> Any:
    """As a form shows and returns it."""
    if isinstance(value, str):
        return unify_line_ends(value).strip() or None
    if isinstance(value, datetime):
        return value.replace(microsecond=0)
    if isinstance(value, list):
        return [normal(item) for item in value] or None
    if isinstance(value, dict):
        return {name: normal(item) for name, item in value.items() if normal(item) is not None}
    return value


def unify_line_ends(text: str) -> str:
    """YAML keeps no others in a block of text, so that an export would differ from what was stored."""
    return LINE_END.sub("\n", text)
