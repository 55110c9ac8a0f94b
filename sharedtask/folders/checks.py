"""What has to hold inside a task folder, whatever the database says: files that agree and names that exist.

In: a `TaskFolder`. Out: problems. Messages about gold tell the kind of a fault and its line and quote
nothing of the file: they are kept in the database, where gold is not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from django.core.exceptions import ValidationError
from django.core.validators import validate_email

import evaluation
from evaluation.scoring.validate import decode_text
from sharedtask.core.limits import reading_limits
from sharedtask.folders import calendar, raw_texts, surface
from sharedtask.folders.files import Files
from sharedtask.folders.parse import Entry
from sharedtask.folders.problems import BadTaskFolder, Problem
from sharedtask.folders.read import GivenFile, GoldFile, SetInFolder, TaskFolder, read_parts

LANGUAGE_TAG = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")


def read_folder(files: Files) -> TaskFolder:
    """Read and check; this is the door for everybody."""
    folder = read_parts(files)
    problems = [*names_exist(folder), *calendar.problems(folder)]
    for test_set in folder.test_sets:
        problems += raw_texts.missing(test_set)
        problems += check_files(test_set, folder.task["profile"])
    if problems:
        raise BadTaskFolder(problems)
    return folder


def names_exist(folder: TaskFolder) -> Iterator[Problem]:
    task = folder.task
    if task["contact"]:
        try:
            validate_email(task["contact"])
        except ValidationError:
            yield task.problem("contact", f"found {task['contact']!r}, expected a mail address")
    metrics = evaluation.PROFILES[task["profile"]].metrics
    for metric in task["main_metrics"]:
        if metric not in metrics:
            known = ", ".join(metrics)
            yield task.problem("main_metrics", f"{task['profile']} has no {metric}; it has {known}")
    if not folder.test_sets:
        yield task.problem("test_sets", "a task has at least one test set")
    for test_set in folder.test_sets:
        yield from names_of_set(test_set, task)
    yield from each_once("code", [test_set.entry for test_set in folder.test_sets])
    yield from each_once("code", folder.phases)
    codes = {test_set.code for test_set in folder.test_sets}
    for phase in folder.phases:
        for code in phase["test_sets"] or []:
            if code not in codes:
                yield phase.problem("test_sets", f"there is no test set {code}")


def names_of_set(test_set: SetInFolder, task: Entry) -> Iterator[Problem]:
    entry = test_set.entry
    if not LANGUAGE_TAG.fullmatch(entry["tag"]):
        yield entry.problem("tag", f"found {entry['tag']!r}, expected a language tag such as de or pt-BR")
    for group in entry["groups"]:
        if group not in task["groups"]:
            yield entry.problem("groups", f"the task has no group {group}")
    if entry["gold"] is not None and entry.told("public_gold"):
        yield entry.problem("public_gold", "where gold is listed, each version says `public` for itself")
    if entry["gold_in_force"] is not None and entry["gold_in_force"] > len(test_set.gold):
        yield entry.problem("gold_in_force", f"there is no version {entry['gold_in_force']}")
    for given in test_set.inputs:
        if given.is_raw_text and given.sample:
            yield given.entry.problem("sample", "the raw text is no sample")


def each_once(field: str, entries: Iterable[Entry]) -> Iterator[Problem]:
    seen: dict[str, int] = {}
    for entry in entries:
        # Two names that differ only in case would be one file on some computers of participants.
        key = str(entry[field]).lower()
        if key in seen:
            yield entry.problem(field, f"{entry[field]} is used already, in line {seen[key]}")
        seen.setdefault(key, entry.lines.get(field, entry.line))


def check_files(test_set: SetInFolder, profile: str) -> Iterator[Problem]:
    texts = []
    for given in test_set.raw_texts:
        try:
            texts.append(decode_text(given.content))
        except UnicodeDecodeError:
            yield in_file(given.file, None, "it is not UTF-8")
    for gold in test_set.gold:
        # An older version may belong to an older text; the newest has to agree with the newest.
        older = gold is not test_set.gold[-1]
        yield from check_gold(gold, texts if older else texts[-1:], profile)
    for newest in {given.variant: given for given in test_set.inputs}.values():
        yield from check_input(newest, texts[-1] if texts else None)


def check_gold(gold: GoldFile, texts: list[str], profile: str) -> Iterator[Problem]:
    try:
        treebank = evaluation.read(gold.content, name=gold.file, limits=reading_limits())
        # The surface under the profile's own rule may be empty where another rule leaves something.
        reports = [evaluation.check_test_set(treebank, text, profile) for text in texts]
    except evaluation.InvalidFile as error:
        yield from faults(gold.file, error.report)
        return
    if reports and not any(report.valid for report in reports):
        yield from faults(gold.file, reports[-1])


def faults(file: str, report: evaluation.Report) -> Iterator[Problem]:
    for incident in report.incidents:
        if incident.fatal:
            yield in_file(file, incident.line, f"{incident.kind.title} ({incident.id})")


def check_input(given: GivenFile, text: str | None) -> Iterator[Problem]:
    """The raw text itself is checked with gold; a sample is another text, and has to be valid on its own.

    Without a raw text there is nothing to compare with, and that is a problem already.
    """
    try:
        if given.is_raw_text:
            return
        if given.sample:
            if given.suffix == ".conllu":
                yield from faults(given.file, evaluation.validate(given.content, limits=reading_limits()))
        elif text is not None:
            check = surface.check_conllu if given.suffix == ".conllu" else surface.check_text
            check(given.content, text)
    except surface.Leaves as error:
        yield in_file(given.file, error.line, str(error))


def in_file(file: str, line: int | None, message: str) -> Problem:
    return Problem(file=file, line=line, field="", message=message)
