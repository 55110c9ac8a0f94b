"""Checks of a task folder that need no database: files agree with each other, names exist.

In: a `TaskFolder`. Out: problems. Messages about gold give the kind of error and the line and quote nothing
of the file: they are stored in the database, which must not contain gold.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from django.core.exceptions import ValidationError
from django.core.validators import validate_email

import evaluation
from airlock.contract import CONSTRAINTS
from evaluation.ranking.results import is_reserved
from evaluation.scoring.given_tokens import compare_tokens
from evaluation.scoring.references import FIRST
from evaluation.scoring.validate import decode_text
from sharedtask.competition.downloads import is_web_address
from sharedtask.core.limits import reading_limits
from sharedtask.folders import leaked_annotation, raw_texts, surface
from sharedtask.folders.files import Files
from sharedtask.folders.parse import YamlEntry
from sharedtask.folders.phase_checks import check_phases
from sharedtask.folders.problems import BadTaskFolder, Problem
from sharedtask.folders.read import FolderGold, FolderInput, FolderTestSet, TaskFolder, read_parts
from sharedtask.folders.track_checks import check_annotation, check_tracks

LANGUAGE_TAG = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")


def read_folder(files: Files) -> TaskFolder:
    """Read and check a folder. All callers use this function."""
    folder = read_parts(files)
    problems = check_entries(folder)
    for test_set in folder.test_sets:
        problems += raw_texts.check_present(test_set)
        problems += check_files(test_set, folder.task["profile"])
        for gold in test_set.gold:
            problems += check_references(gold, test_set.format)
    if not problems:
        # Only files that are otherwise correct can be compared.
        for test_set in folder.test_sets:
            sealed = leaked_annotation.sealed_versions(test_set)
            problems += leaked_annotation.check_trees(test_set, sealed)
            problems += check_annotation(folder, test_set)
    if problems:
        raise BadTaskFolder(problems)
    return folder


def check_entries(folder: TaskFolder) -> list[Problem]:
    """What can be checked without the contents of files."""
    return [*check_names(folder), *check_phases(folder), *check_tracks(folder)]


def check_names(folder: TaskFolder) -> Iterator[Problem]:
    task = folder.task
    if task["contact"]:
        try:
            validate_email(task["contact"])
        except ValidationError:
            yield task.problem("contact", f"found {task['contact']!r}, expected an e-mail address")
    for download in task["downloads"]:
        url = download.values.get("url", "")
        if url and not is_web_address(url):
            yield download.problem("url", f"found {url[:80]!r}, expected an address with https:// or http://")
    for group in task["groups"]:
        if is_reserved(group):
            yield task.problem("groups", f"{group!r} is reserved and cannot be the name of a group")
    if not folder.test_sets:
        yield task.problem("test_sets", "a task needs at least one test set")
    for test_set in folder.test_sets:
        yield from check_names_in_set(test_set, task)
    yield from check_unique("code", [test_set.entry for test_set in folder.test_sets])
    yield from check_unique("code", folder.phases)
    yield from check_unique("code", task["tracks"])
    codes = {test_set.code for test_set in folder.test_sets}
    for phase in folder.phases:
        for code in phase["test_sets"] or []:
            if code not in codes:
                yield phase.problem("test_sets", f"there is no test set {code}")


def check_names_in_set(test_set: FolderTestSet, task: YamlEntry) -> Iterator[Problem]:
    entry = test_set.entry
    if not LANGUAGE_TAG.fullmatch(entry["tag"]):
        yield entry.problem("tag", f"found {entry['tag']!r}, expected a language tag such as de or pt-BR")
    for group in entry["groups"]:
        if group not in task["groups"]:
            yield entry.problem("groups", f"the task has no group {group}")
    if entry["gold"] is not None and entry.is_set("public_gold"):
        yield entry.problem("public_gold", "use `public` in each entry of `gold` instead")
    if entry["gold_in_force"] is not None and entry["gold_in_force"] > len(test_set.gold):
        yield entry.problem("gold_in_force", f"there is no version {entry['gold_in_force']}")
    for input_file in test_set.inputs:
        if input_file.variant == CONSTRAINTS:
            message = f"“{CONSTRAINTS}” is reserved: only experiments give constraints, on public gold"
            yield input_file.entry.problem("variant", message)
        if input_file.is_raw_text and input_file.sample:
            yield input_file.entry.problem("sample", "the raw text cannot be a sample")
        if input_file.is_training_data and input_file.suffix != ".conllu":
            yield input_file.entry.problem("file", "training data is a file that ends in .conllu")


def check_unique(field: str, entries: Iterable[YamlEntry]) -> Iterator[Problem]:
    first_lines: dict[str, int] = {}
    for entry in entries:
        # On some file systems, two names that differ only in case are the same file.
        key = str(entry[field]).lower()
        if key in first_lines:
            yield entry.problem(field, f"{entry[field]} is already used in line {first_lines[key]}")
        first_lines.setdefault(key, entry.lines.get(field, entry.line))


def check_files(test_set: FolderTestSet, profile: str) -> Iterator[Problem]:
    if test_set.gives_tokens:
        yield from check_token_files(test_set)
        return
    texts = []
    for raw_text in test_set.raw_texts:
        try:
            texts.append(decode_text(raw_text.content))
        except UnicodeDecodeError:
            yield in_file(raw_text.file, None, "the file is not UTF-8")
    for gold in test_set.gold:
        # An older version may belong to an older text; the newest must agree with the newest text.
        older = gold is not test_set.gold[-1]
        yield from check_gold(gold, texts if older else texts[-1:], profile, test_set.format)
    for newest in {input_file.variant: input_file for input_file in test_set.inputs}.values():
        yield from check_input(newest, texts[-1] if texts else None, test_set.format)


def check_token_files(test_set: FolderTestSet) -> Iterator[Problem]:
    """Gold and all variants have the tokens of the input, so that outputs need no other check."""
    format = test_set.format
    given = None
    if test_set.token_files:
        newest = test_set.token_files[-1]
        try:
            given = evaluation.read(newest.content, limits=reading_limits(), format=format.without_trees)
        except evaluation.InvalidFile as error:
            yield from problems_from_incidents(newest.file, error.report)
    for gold in test_set.gold:
        yield from check_tokens(gold.file, gold.content, format, given)
    for variant in {file.variant: file for file in test_set.inputs}.values():
        if variant.suffix == ".conllu" and not variant.is_given:
            expected = None if variant.sample else given
            own = format if variant.is_training_data else format.without_trees
            yield from check_tokens(variant.file, variant.content, own, expected)


def check_references(gold: FolderGold, format: evaluation.Format) -> Iterator[Problem]:
    """Further references have the tokens of the gold file in the same sentences."""
    yield from check_unique("name", [reference.entry for reference in gold.references])
    for reference in gold.references:
        if reference.name == FIRST:
            message = f"{FIRST} is the name of the first reference, {gold.file}"
            yield reference.entry.problem("name", message)
    if not gold.references:
        return
    try:
        first = evaluation.read(gold.content, limits=reading_limits(), format=format)
    except evaluation.InvalidFile:
        # That has been reported.
        return
    for reference in gold.references:
        yield from check_tokens(reference.file, reference.content, format, first)


def check_tokens(
    file: str, content: bytes, format: evaluation.Format, given: evaluation.Treebank | None
) -> Iterator[Problem]:
    try:
        treebank = evaluation.read(content, name=file, limits=reading_limits(), format=format)
    except evaluation.InvalidFile as error:
        yield from problems_from_incidents(file, error.report)
        return
    if given is not None:
        yield from problems_from_incidents(file, compare_tokens(given, treebank))


def check_gold(
    gold: FolderGold, texts: list[str], profile: str, format: evaluation.Format
) -> Iterator[Problem]:
    try:
        treebank = evaluation.read(gold.content, name=gold.file, limits=reading_limits(), format=format)
        # Under the profile's white-space rule the surface may be empty where another rule leaves characters.
        reports = [evaluation.check_test_set(treebank, text, profile) for text in texts]
    except evaluation.InvalidFile as error:
        yield from problems_from_incidents(gold.file, error.report)
        return
    if reports and not any(report.valid for report in reports):
        yield from problems_from_incidents(gold.file, reports[-1])


def problems_from_incidents(file: str, report: evaluation.Report) -> Iterator[Problem]:
    for incident in report.incidents:
        if incident.fatal:
            yield in_file(file, incident.line, f"{incident.kind.title} ({incident.id})")


def check_input(source: FolderInput, text: str | None, format: evaluation.Format) -> Iterator[Problem]:
    """The raw text itself is checked with gold. A sample is another text and must be valid on its own.

    Without a raw text there is nothing to compare with; that problem has been reported already.
    """
    try:
        if source.is_raw_text:
            return
        if source.sample:
            if source.suffix == ".conllu":
                yield from check_tokens(source.file, source.content, format, None)
        elif text is not None:
            check = surface.check_conllu if source.suffix == ".conllu" else surface.check_text
            check(source.content, text)
    except surface.SurfaceMismatch as error:
        yield in_file(source.file, error.line, str(error))


def in_file(file: str, line: int | None, message: str) -> Problem:
    return Problem(file=file, line=line, field="", message=message)
