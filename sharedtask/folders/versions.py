"""Find the new file versions of a test set: a stored version is never overwritten.

In: the test set in the database, or None, and in the folder. Out: a `FilePlan`. A first version of gold is in
force at once; a later one only after an organiser has compared old and new scores.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import evaluation
from evaluation.scoring.given_tokens import compare_tokens
from evaluation.scoring.validate import decode_text
from sharedtask.competition.models import GoldVersion, InputFile, TestSet
from sharedtask.core import storage
from sharedtask.folders import leaked_annotation, raw_texts, surface
from sharedtask.folders.problems import Problem
from sharedtask.folders.read import FolderGold, FolderInput, FolderTestSet


@dataclass(kw_only=True)
class FilePlan:
    gold: list[FolderGold] = field(default_factory=list)
    """New versions, numbered."""
    inputs: list[FolderInput] = field(default_factory=list)
    changed_notes: dict[int, str] = field(default_factory=dict)
    in_force: int | None = None
    notes: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def plan_files(test_set: TestSet | None, source: FolderTestSet) -> FilePlan:
    plan = FilePlan()
    plan_gold(plan, test_set, source)
    for variant in dict.fromkeys(file.variant for file in source.inputs):
        existing = (
            [] if test_set is None else list(test_set.inputs.filter(variant=variant).order_by("version"))
        )
        versions = [file for file in source.inputs if file.variant == variant]
        new = new_versions(versions, [file.sha256 for file in existing], plan)
        plan.inputs += [version for version in new if isinstance(version, FolderInput)]
        plan.problems += check_same_kind(versions, existing)
        if versions[-1].is_given and existing and has_runs(test_set):
            plan.problems += check_same_text(versions[-1], existing[-1], source)
    plan.problems += raw_texts.check_not_from_sealed_gold(test_set, source)
    plan.problems += leaked_annotation.check_trees(source, sealed_here(test_set, source))
    plan.notes += [*raw_texts.warnings(source), *leaked_annotation.warnings(source)]
    if test_set is not None:
        variants = {file.variant for file in source.inputs}
        for variant in sorted(set(test_set.inputs.values_list("variant", flat=True)) - variants):
            plan.notes.append(f"the {variant} input of {source.code} is not in the folder and is kept")
    return plan


def sealed_here(test_set: TestSet | None, source: FolderTestSet) -> list[FolderGold]:
    """Versions that the folder declares public and that are sealed here; importing does not release gold."""
    if test_set is None:
        return []
    sealed = {version.combined_sha256 for version in test_set.gold_versions.filter(released_at=None)}
    return [gold for gold in source.gold if gold.public and gold.sha256 in sealed]


def plan_gold(plan: FilePlan, test_set: TestSet | None, source: FolderTestSet) -> None:
    existing = [] if test_set is None else list(test_set.gold_versions.order_by("number"))
    new = new_versions(source.gold, [version.combined_sha256 for version in existing], plan)
    plan.gold = [version for version in new if isinstance(version, FolderGold)]
    plan.problems += check_not_published(plan.gold, existing)
    for gold in source.gold:
        if gold.number is not None and gold.number <= len(existing):
            compare_version(plan, gold, existing[gold.number - 1], source.code)
    if any(gold.number for gold in source.gold) and len(source.gold) < len(existing):
        plan.notes.append(
            f"gold of {source.code} has {len(existing)} versions here; those not in the folder are kept"
        )
    requested = source.entry["gold_in_force"]
    in_force = test_set.gold_in_force if test_set is not None else None
    newest = len(existing) + len(plan.gold)
    if in_force is None or not has_runs(test_set):
        # Nothing has been scored that could change.
        chosen = requested or newest
        if chosen and (in_force is None or chosen != in_force.number):
            plan.in_force = chosen
    elif requested not in (None, in_force.number):
        plan.notes.append(
            f"gold version {in_force.number} of {source.code} stays in force; use the page Gold to put "
            "another version in force after comparing old and new scores"
        )


def check_not_published(new: Sequence[FolderGold], existing: Sequence[GoldVersion]) -> Iterator[Problem]:
    """Releasing gold is an organiser's act with its own checks; a correction must not bypass it."""
    sealed = [version for version in existing if not version.is_released]
    for gold in new if sealed else ():
        if gold.public:
            message = (
                f"version {gold.number} would be public at once, but version {sealed[-1].number} is sealed. "
                "Import it as not public, and release it on the page Gold"
            )
            yield gold.entry.problem("gold", message)


def has_runs(test_set: TestSet | None) -> bool:
    return test_set is not None and test_set.run_files.exists()


def compare_version(plan: FilePlan, gold: FolderGold, version: GoldVersion, code: str) -> None:
    if gold.note != version.note:
        plan.changed_notes[version.number] = gold.note
    if gold.public != version.is_released:
        plan.notes.append(
            f"gold version {version.number} of {code} is {'public' if version.is_released else 'not public'} "
            "here and remains so; release gold on the page Gold"
        )


def new_versions(
    versions: Sequence[FolderGold | FolderInput], hashes: Sequence[str], plan: FilePlan
) -> Iterator[FolderGold | FolderInput]:
    last = len(hashes)
    previous = ""
    for version in versions:
        if version.sha256 == previous:
            message = f"version {version.number} is the same as the previous version"
            plan.problems.append(version.entry.problem("version", message))
        previous = version.sha256
        if version.number is None:
            if not hashes or hashes[-1] != version.sha256:
                yield replace(version, number=last + 1)
        elif version.number > last:
            yield version
        elif hashes[version.number - 1] != version.sha256:
            message = (
                f"version {version.number} already exists with different content; versions cannot be "
                f"changed, so number this one {last + 1}"
            )
            plan.problems.append(version.entry.problem("version", message))


def check_same_kind(versions: Sequence[FolderInput], existing: Sequence[InputFile]) -> Iterator[Problem]:
    """A sample is released earlier than an input, so one cannot become the other."""
    kinds = {file.is_sample for file in existing} | {version.sample for version in versions}
    if len(kinds) > 1:
        message = f"the variant {versions[0].variant} is a sample in one version and not in another"
        yield versions[0].entry.problem("sample", message)


def check_same_text(given: FolderInput, existing: InputFile, source: FolderTestSet) -> Iterator[Problem]:
    """Once runs have been submitted, spaces and line breaks may change, but neither characters nor tokens."""
    if given.sha256 == existing.sha256:
        return
    if not is_same_text(given, storage.read(existing.stored), source):
        what = "raw text" if given.is_raw_text else "tokens"
        message = (
            f"runs have been submitted for the existing {what}; a different text needs a new test set "
            "with its own code"
        )
        yield given.entry.problem("inputs", message)


def is_same_text(given: FolderInput, stored: bytes, source: FolderTestSet) -> bool:
    if given.is_raw_text:
        try:
            surface.check_text(given.content, decode_text(stored))
        except surface.SurfaceMismatch:
            return False
        return True
    format = source.format.without_trees
    before, after = (evaluation.read(content, format=format) for content in (stored, given.content))
    return compare_tokens(before, after).valid
