"""Files of a task are read, checked and compared as its profile and its options say.

In: a task and a file, or what was read. Out: a treebank, a report or a comparison. All code of the site that
reads gold or outputs goes through here, so that no page knows a format.
"""

from __future__ import annotations

from dataclasses import replace

import evaluation
from evaluation import Comparison, Format, Treebank
from evaluation.reading.source import Source
from evaluation.scoring.profiles import format_of as format_of_profile
from sharedtask.competition.metrics import options_of, profile_of
from sharedtask.competition.models import Task
from sharedtask.competition.tracks import NO_TRACK
from sharedtask.core.limits import reading_limits


def format_of(task: Task, track: str = NO_TRACK) -> Format:
    return format_of_profile(profile_of(task), options_of(task, track))


def read_file(task: Task, source: Source, *, name: str | None = None, track: str = NO_TRACK) -> Treebank:
    """Gold, or an output of a track. Raises `evaluation.InvalidFile`."""
    return evaluation.read(source, name=name, limits=reading_limits(), format=format_of(task, track))


def read_lines(task: Task, source: Source) -> Treebank:
    """Lines of a file that was read before, as the evaluator holds them: always with ten columns."""
    return evaluation.read(source, limits=reading_limits(), format=arranged(format_of(task)))


def compare_files(
    task: Task, gold: Treebank | Source, system: Treebank | Source, track: str = NO_TRACK
) -> Comparison:
    return evaluation.compare(gold, system, task.profile, options=options_of(task, track))


def compare_lines(task: Task, gold: bytes, system: bytes) -> Comparison:
    """Of two files that were read before; see `read_lines`."""
    return compare_files(task, read_lines(task, gold), read_lines(task, system))


def arranged(format: Format) -> Format:
    """The format of lines whose columns the reader has arranged as those of CoNLL-U, and has checked."""
    return replace(evaluation.FORMATS["conllu"], several_roots=format.several_roots)
