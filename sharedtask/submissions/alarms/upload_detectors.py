"""Alarms that depend on the upload and the released inputs only; the team sees them at once.

`find_unchanged_files`: files identical to those of an earlier run of the same team, uploaded again.

`find_single_model`: one model for all languages. The label of a word is its XPOS, FEATS and full DEPREL
together. Labels follow the guidelines of a treebank, so their distribution differs between any two languages.
The *overlap* of two files is the largest share of words that can be paired with a word of the same label: 1
for equal distributions, 0 for nothing in common. The alarm is raised when the median overlap over all pairs
of files of different languages is at least 0.7. Measured on 16 test sets, nearly all systems of CoNLL 2017
are at 0 and none is above 0.6, not even those that predict relations only; a tagger that was trained on one
language's labels from their outputs and applied to all texts is between 0.75 and 0.9. The detector does not
find a parser that is applied to another language with that language's own tags: then only the relations come
from one model, and their frequencies hardly differ from the correct ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from statistics import median

from sharedtask.core import clock, storage
from sharedtask.submissions import run_access
from sharedtask.submissions.alarms.finding import Finding
from sharedtask.submissions.models import Alarm, Run, RunFile

Labels = Counter[tuple[bytes, ...]]

XPOS, FEATS, DEPREL = 4, 5, 7
MAX_WORDS = 20_000
MIN_WORDS = 50
MIN_LANGUAGES = 3
SUSPICIOUS_OVERLAP = 0.7


def find_unchanged_files(run: Run) -> Iterator[Finding]:
    """Ignores inherited files, which are not uploaded again, and runs in other tracks.

    And, for files that the team knows, those that software wrote on secret inputs: the team could guess their
    content and learn from the alarm whether it is right.
    """
    at = clock.database_now()
    is_known = not run_access.is_from_secret_input(run, at=at)
    files = run.files.filter(taken_from=None).exclude(sha256="").select_related("test_set")
    own = {file.test_set_id: file for file in files}
    earlier = RunFile.objects.filter(
        run__team=run.team_id,
        run__phase=run.phase_id,
        run__track=run.track,
        run__number__lt=run.number,
        taken_from=None,
    )
    identical: dict[int, list[str]] = {}
    for file in earlier.filter(test_set__in=own).select_related("run__phase").order_by("run__number"):
        own_file = own[file.test_set_id]
        if is_known and run_access.is_from_secret_input(file.run, at=at):
            continue
        if file.sha256 == own_file.sha256:
            identical.setdefault(file.run.number, []).append(own_file.test_set.code)
    if identical and run.origin != Run.Origin.COMBINED:
        runs = "; ".join(f"run {number}: {format_list(codes)}" for number, codes in sorted(identical.items()))
        text = f"Uploaded again without changes. Files identical to those of {runs}."
        yield Finding(kind=Alarm.Kind.UNCHANGED, run=run, text=text)


def find_single_model(run: Run) -> Iterator[Finding]:
    labels: dict[int, Labels] = {}
    files = list(run.files.filter(state=RunFile.State.VALID).select_related("test_set"))
    for file in files:
        file_labels = labels_of(file)
        if file_labels.total() >= MIN_WORDS:
            labels[file.pk] = file_labels
    usable = [file for file in files if file.pk in labels]
    languages = {file.test_set.language for file in usable}
    typical = median_overlap([(file.test_set.language, labels[file.pk]) for file in usable])
    if typical >= SUSPICIOUS_OVERLAP:
        text = (
            f"The files of {len(languages)} languages have nearly the same labels: the median overlap of "
            f"XPOS, FEATS and DEPREL between two languages is {typical:.0%} (usually below "
            f"{SUSPICIOUS_OVERLAP:.0%} for systems with one model per language). Were all of them parsed "
            "with the same model?"
        )
        yield Finding(kind=Alarm.Kind.ONE_LANGUAGE, run=run, text=text)


def median_overlap(files: Sequence[tuple[str, Labels]]) -> float:
    """The median over all pairs of files of different languages; 0 if there are too few languages."""
    if len({language for language, _ in files}) < MIN_LANGUAGES:
        return 0.0
    return median(
        overlap(labels, other_labels)
        for (language, labels), (other_language, other_labels) in combinations(files, 2)
        if language != other_language
    )


def labels_of(file: RunFile) -> Labels:
    with storage.open_stream(file.output) as stream:
        return labels_in(stream)


def labels_in(lines: Iterable[bytes]) -> Labels:
    """Of the first `MAX_WORDS` words; a file that is itself compressed gives none."""
    labels: Labels = Counter()
    words = 0
    for line in lines:
        columns = line.rstrip(b"\r\n").split(b"\t")
        if len(columns) == 10 and columns[0].isdigit():
            labels[columns[XPOS], columns[FEATS], columns[DEPREL]] += 1
            words += 1
            if words >= MAX_WORDS:
                break
    return labels


def overlap(first: Labels, second: Labels) -> float:
    first_total, second_total = first.total(), second.total()
    return sum(
        min(first[label] / first_total, second[label] / second_total)
        for label in first.keys() & second.keys()
    )


def format_list(codes: list[str], limit: int = 10) -> str:
    listed = ", ".join(sorted(codes)[:limit])
    return listed if len(codes) <= limit else f"{listed} and {len(codes) - limit} more"
