"""The verdict that the site would give on a folder or an archive, computed locally.

In: the path, and the rules that the site publishes for a task. Out: a `Verdict`. Names, sizes and contents
are judged by the functions that the site uses. Nothing is sent.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..archives.folder import folder_files, pack
from ..archives.limits import ArchiveLimits, too_large
from ..archives.refusal import Refusal
from ..archives.unpack import SUFFIX, Budget, accepted_members, unpack
from ..reading.incidents import Report
from ..reading.kinds import KINDS
from ..reading.source import Limits
from ..scoring.validate import validate

Progress = Callable[[int, int], None]


@dataclass(frozen=True, kw_only=True)
class Rules:
    """What the verdict depends on beside the files."""

    profile: str
    limits: ArchiveLimits
    codes: Sequence[str]
    raw_texts: Mapping[str, Path]
    reader: str = ""
    tokens: Mapping[str, Path] | None = None
    """Inputs whose words and sentences must be kept, in tasks that give tokens."""


@dataclass(frozen=True, kw_only=True)
class Verdict:
    refusal: Refusal | None
    """Of the whole upload; then no file was checked."""
    reports: Mapping[str, Report | None]
    """By test set; None for a missing file."""

    @property
    def is_valid(self) -> bool:
        """A missing file is no error."""
        return self.refusal is None and all(
            report is None or report.valid for report in self.reports.values()
        )

    @property
    def missing(self) -> list[str]:
        return [code for code, report in self.reports.items() if report is None]

    def as_dict(self) -> dict[str, Any]:
        return {
            "valid": self.is_valid,
            "refusal": None if self.refusal is None else refusal_as_dict(self.refusal),
            "files": [file_as_dict(code, report) for code, report in self.reports.items()],
        }


def refusal_as_dict(refusal: Refusal) -> dict[str, str]:
    return {
        "id": refusal.id,
        "message": refusal.message,
        "found": refusal.found,
        "expected": refusal.expected,
    }


def file_as_dict(code: str, report: Report | None) -> dict[str, Any]:
    """In the form in which the API describes a file of a run."""
    if report is None:
        return {"test_set": code, "state": "missing", "incident_count": 0, "incidents": []}
    return {
        "test_set": code,
        "state": "valid" if report.valid else "invalid",
        "incident_count": sum(report.counts.values()),
        "incidents": [group_as_dict(id, report) for id in dict.fromkeys(i.id for i in report.incidents)],
    }


def group_as_dict(id: str, report: Report) -> dict[str, Any]:
    incidents = [incident for incident in report.incidents if incident.id == id]
    return {
        "id": id,
        "count": report.counts[id],
        "remedy": KINDS[id].remedy,
        "shown": [
            {
                "id": incident.id,
                "title": incident.kind.title,
                "line": incident.line,
                "found": incident.found,
                "expected": incident.expected,
                "fatal": incident.fatal,
            }
            for incident in incidents
        ],
    }


def check(path: Path, rules: Rules, progress: Progress = lambda done, total: None) -> Verdict:
    try:
        with files_of(path, rules) as files:
            return Verdict(refusal=None, reports=reports_on(files, rules, progress))
    except Refusal as refusal:
        return Verdict(refusal=refusal, reports={})


def reports_on(files: Mapping[str, Path], rules: Rules, progress: Progress) -> dict[str, Report | None]:
    reports: dict[str, Report | None] = {}
    for number, code in enumerate(rules.codes):
        progress(number, len(rules.codes))
        file = files.get(code)
        reports[code] = None if file is None else report_on(file, code, rules)
    return reports


def report_on(file: Path, code: str, rules: Rules) -> Report:
    return validate(
        file,
        text=rules.raw_texts.get(code),
        profile=rules.profile,
        name=f"{code}{SUFFIX}",
        limits=Limits(max_bytes=rules.limits.member_bytes),
        reader=rules.reader,
        tokens=None if rules.tokens is None else rules.tokens.get(code),
    )


@contextmanager
def files_of(path: Path, rules: Rules) -> Iterator[dict[str, Path]]:
    """The files by test set, or the refusal of the whole."""
    codes, limits = set(rules.codes), rules.limits
    if is_archive(path):
        if path.stat().st_size > limits.archive_bytes:
            raise too_large(limits.archive_bytes)
        with tempfile.TemporaryDirectory(prefix="arboretum-") as folder:
            unpacked = unpack(archive=path, folder=Path(folder), codes=codes, limits=limits)
            yield {file.code: Path(folder) / f"{file.code}{SUFFIX}" for file in unpacked}
        return
    entries = folder_files(path)
    total = sum(entry.size for entry in entries)
    accepted = accepted_members(entries, codes=codes, budget=Budget(limits, archive_bytes=total))
    files = {code: entry.path for code, entry in accepted}
    if total > limits.archive_bytes:
        refuse_large_folder(path, limits)
    yield files


def is_archive(path: Path) -> bool:
    """Anything but a folder and a single .conllu file is judged as an archive, whatever it is."""
    return path.is_file() and not path.name.endswith(SUFFIX)


def refuse_large_folder(path: Path, limits: ArchiveLimits) -> None:
    """Whether it fits is known only after compression."""
    with tempfile.TemporaryFile() as packed:
        pack(path, packed, ratio=limits.ratio)
        if packed.tell() > limits.archive_bytes:
            raise too_large(limits.archive_bytes)
