"""Which versions of the files of a test set are new: a version is written once and never again.

In: the test set as it is, or None, and as the folder has it. Out: a `FilePlan`. A first version of gold is
in force at once; a later one waits until an organiser has compared old and new scores and puts it in force.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from evaluation.scoring.validate import decode_text
from sharedtask.competition.models import GoldVersion, InputFile, TestSet
from sharedtask.core import storage
from sharedtask.folders import raw_texts, surface
from sharedtask.folders.problems import Problem
from sharedtask.folders.read import GivenFile, GoldFile, SetInFolder


@dataclass(kw_only=True)
class FilePlan:
    gold: list[GoldFile] = field(default_factory=list)
    """New versions, numbered."""
    inputs: list[GivenFile] = field(default_factory=list)
    renoted: dict[int, str] = field(default_factory=dict)
    in_force: int | None = None
    notes: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def plan_files(test_set: TestSet | None, told: SetInFolder) -> FilePlan:
    plan = FilePlan()
    plan_gold(plan, test_set, told)
    for variant in dict.fromkeys(given.variant for given in told.inputs):
        existing = (
            [] if test_set is None else list(test_set.inputs.filter(variant=variant).order_by("version"))
        )
        versions = [given for given in told.inputs if given.variant == variant]
        new = new_versions(versions, [file.sha256 for file in existing], plan)
        plan.inputs += [one for one in new if isinstance(one, GivenFile)]
        plan.problems += same_kind(versions, existing)
        if variant == InputFile.RAW and existing and has_runs(test_set):
            plan.problems += same_characters(versions[-1], existing[-1])
    plan.problems += raw_texts.made_from_sealed_gold(test_set, told)
    plan.notes += raw_texts.warnings(told)
    if test_set is not None:
        told_variants = {given.variant for given in told.inputs}
        for variant in sorted(set(test_set.inputs.values_list("variant", flat=True)) - told_variants):
            plan.notes.append(f"the {variant} input of {told.code} is not in the folder and stays")
    return plan


def plan_gold(plan: FilePlan, test_set: TestSet | None, told: SetInFolder) -> None:
    existing = [] if test_set is None else list(test_set.gold_versions.order_by("number"))
    new = new_versions(told.gold, [version.sha256 for version in existing], plan)
    plan.gold = [one for one in new if isinstance(one, GoldFile)]
    plan.problems += published_by_import(plan.gold, existing)
    for gold in told.gold:
        if gold.number is not None and gold.number <= len(existing):
            compare_version(plan, gold, existing[gold.number - 1], told.code)
    if any(gold.number for gold in told.gold) and len(told.gold) < len(existing):
        plan.notes.append(
            f"gold of {told.code} has {len(existing)} versions here; those not in the folder stay"
        )
    wanted = told.entry["gold_in_force"]
    in_force = test_set.gold_in_force if test_set is not None else None
    newest = len(existing) + len(plan.gold)
    if in_force is None or not has_runs(test_set):
        # Nothing has been scored that could change.
        chosen = wanted or newest
        if chosen and (in_force is None or chosen != in_force.number):
            plan.in_force = chosen
    elif wanted not in (None, in_force.number):
        plan.notes.append(
            f"gold version {in_force.number} of {told.code} stays in force; another is put in force on the "
            "page of gold, after old and new scores were compared"
        )


def published_by_import(new: Sequence[GoldFile], existing: Sequence[GoldVersion]) -> Iterator[Problem]:
    """Releasing gold is an organiser's act with checks of its own; a correction does not go around it."""
    sealed = [version for version in existing if not version.is_released]
    for gold in new if sealed else ():
        if gold.public:
            message = (
                f"version {gold.number} would be public at once, but version {sealed[-1].number} is sealed. "
                "Import it as not public; gold is released on the page Gold"
            )
            yield gold.entry.problem("gold", message)


def has_runs(test_set: TestSet | None) -> bool:
    return test_set is not None and test_set.run_files.exists()


def compare_version(plan: FilePlan, gold: GoldFile, version: GoldVersion, code: str) -> None:
    if gold.note != version.note:
        plan.renoted[version.number] = gold.note
    if gold.public != version.is_released:
        plan.notes.append(
            f"gold version {version.number} of {code} is {'public' if version.is_released else 'not public'} "
            "here and stays so; releasing gold is an act of its own"
        )


def new_versions(
    told: Sequence[GoldFile | GivenFile], hashes: Sequence[str], plan: FilePlan
) -> Iterator[GoldFile | GivenFile]:
    last = len(hashes)
    before = ""
    for version in told:
        if version.sha256 == before:
            message = f"version {version.number} is the same as the version before"
            plan.problems.append(version.entry.problem("version", message))
        before = version.sha256
        if version.number is None:
            if not hashes or hashes[-1] != version.sha256:
                yield replace(version, number=last + 1)
        elif version.number > last:
            yield version
        elif hashes[version.number - 1] != version.sha256:
            message = (
                f"version {version.number} is here already with other content; a version is written once, "
                f"so that this has to be version {last + 1}"
            )
            plan.problems.append(version.entry.problem("version", message))


def same_kind(versions: Sequence[GivenFile], existing: Sequence[InputFile]) -> Iterator[Problem]:
    """A sample is out earlier than an input: the one cannot become the other."""
    kinds = {file.is_sample for file in existing} | {given.sample for given in versions}
    if len(kinds) > 1:
        message = f"the variant {versions[0].variant} is a sample in one version and not in another"
        yield versions[0].entry.problem("sample", message)


def same_characters(given: GivenFile, existing: InputFile) -> Iterator[Problem]:
    """Spaces and line ends may change under runs that were submitted, characters may not."""
    if given.sha256 == existing.sha256:
        return
    try:
        surface.check_text(given.content, decode_text(storage.read(existing.stored)))
    except surface.Leaves:
        message = (
            "runs were submitted for the raw text as it is; another text needs a test set of its own, "
            "with another code"
        )
        yield given.entry.problem("inputs", message)
