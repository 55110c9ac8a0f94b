"""Alarms that follow from the upload and the released inputs alone; the team may read them at once.

`unchanged`: files with the same bytes as in an earlier run of the same team, sent again as if they were new.

`one_language`: one model for all languages. A word's XPOS, FEATS and full DEPREL together are the labels of
one treebank's guidelines; how often each of them occurs is therefore different for any two languages. For two
files the *overlap* is the share of words that have the same label when as many as possible are paired off: 1
for the same distribution, 0 for nothing in common. The alarm is raised when the median overlap over all
pairs of files of different languages is at least 0.7. Of the systems of CoNLL 2017, measured on 16 test sets,
nearly all are at 0 and none is above 0.6, not even those that predict relations alone; a tagger that has
learnt one language's labels from their outputs and is put to the texts of all comes to between 0.75 and 0.9.
It does not find a parser that is moved to another language by giving it that language's own tags: only the
relations come from one model then, and how often each occurs hardly differs from what is right.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from statistics import median

from sharedtask.core import storage
from sharedtask.submissions.alarms.finding import Finding
from sharedtask.submissions.models import Alarm, Run, RunFile

Labels = Counter[tuple[bytes, ...]]

XPOS, FEATS, DEPREL = 4, 5, 7
WORDS_ENOUGH = 20_000
FEWEST_WORDS = 50
FEWEST_LANGUAGES = 3
SUSPICIOUS_OVERLAP = 0.7


def unchanged(run: Run) -> Iterator[Finding]:
    """Inherited files are not sent again, and a file that is corrected back to an older state is news."""
    files = run.files.filter(taken_from=None).exclude(sha256="").select_related("test_set")
    mine = {file.test_set_id: file for file in files}
    earlier = RunFile.objects.filter(
        run__team=run.team_id, run__phase=run.phase_id, run__number__lt=run.number, taken_from=None
    )
    same: dict[int, list[str]] = {}
    for file in earlier.filter(test_set__in=mine).select_related("run").order_by("run__number"):
        own = mine[file.test_set_id]
        if file.sha256 == own.sha256:
            same.setdefault(file.run.number, []).append(own.test_set.code)
    if same and run.origin != Run.Origin.COMBINED:
        told = "; ".join(f"run {number}: {listing(codes)}" for number, codes in sorted(same.items()))
        text = f"Sent again without any change. The same bytes as in {told}."
        yield Finding(kind=Alarm.Kind.UNCHANGED, run=run, text=text)


def one_language(run: Run) -> Iterator[Finding]:
    labels: dict[int, Labels] = {}
    files = list(run.files.filter(state=RunFile.State.VALID).select_related("test_set"))
    for file in files:
        counted = labels_of(file)
        if counted.total() >= FEWEST_WORDS:
            labels[file.pk] = counted
    usable = [file for file in files if file.pk in labels]
    languages = {file.test_set.language for file in usable}
    typical = typical_overlap([(file.test_set.language, labels[file.pk]) for file in usable])
    if typical >= SUSPICIOUS_OVERLAP:
        text = (
            f"The files of {len(languages)} languages have nearly the same labels: XPOS, FEATS and DEPREL "
            f"overlap by {typical:.0%} between two languages (a system with a model for each language stays "
            f"below {SUSPICIOUS_OVERLAP:.0%}). Did one model parse all of them?"
        )
        yield Finding(kind=Alarm.Kind.ONE_LANGUAGE, run=run, text=text)


def typical_overlap(files: Sequence[tuple[str, Labels]]) -> float:
    """The median over all pairs of files of different languages; 0 where there are too few languages."""
    if len({language for language, _ in files}) < FEWEST_LANGUAGES:
        return 0.0
    return median(
        overlap(labels, others)
        for (language, labels), (another, others) in combinations(files, 2)
        if language != another
    )


def labels_of(file: RunFile) -> Labels:
    with storage.open_stream(file.output) as stream:
        return labels_in(stream)


def labels_in(lines: Iterable[bytes]) -> Labels:
    """Of the first words; a file that is itself compressed gives none and is left out."""
    labels: Labels = Counter()
    words = 0
    for line in lines:
        columns = line.rstrip(b"\r\n").split(b"\t")
        if len(columns) == 10 and columns[0].isdigit():
            labels[columns[XPOS], columns[FEATS], columns[DEPREL]] += 1
            words += 1
            if words >= WORDS_ENOUGH:
                break
    return labels


def overlap(one: Labels, other: Labels) -> float:
    ours, theirs = one.total(), other.total()
    return sum(min(one[label] / ours, other[label] / theirs) for label in one.keys() & other.keys())


def listing(codes: list[str], most: int = 10) -> str:
    shown = ", ".join(sorted(codes)[:most])
    return shown if len(codes) <= most else f"{shown} and {len(codes) - most} more"
