"""Check: a file is validated against the raw text or the tokens that the team was given.

In: a file of a run. Out: the evaluator's report, not yet stored. Gold is not opened here, so that nothing the
team sees about its files can depend on it.
"""

from __future__ import annotations

from pathlib import Path

import evaluation
from evaluation.archives.unpack import SUFFIX
from evaluation.reading.kinds import TOO_MUCH_MEMORY
from sharedtask.competition.metrics import options_of
from sharedtask.competition.models import InputFile
from sharedtask.core import storage
from sharedtask.core.errors import ServerFailure
from sharedtask.core.limits import reading_limits
from sharedtask.submissions import gold_cache
from sharedtask.submissions.models import RunFile


def check_file(file: RunFile) -> evaluation.Report:
    given = file.test_set.given_input
    if given is None:
        raise ServerFailure(f"{file.test_set.code} has no input to check against")
    with storage.local_copy(file.output) as output, storage.local_copy(given.stored) as path:
        report = validate(file, output, given, path)
        if TOO_MUCH_MEMORY in report.counts:
            # The gold cached by this worker must not be the reason why a file is invalid.
            gold_cache.clear()
            report = validate(file, output, given, path)
    return report


def validate(file: RunFile, output: Path, given: InputFile, path: Path) -> evaluation.Report:
    task = file.run.task
    return evaluation.validate(
        output,
        text=path if given.is_raw_text else None,
        tokens=None if given.is_raw_text else path,
        profile=task.profile,
        reader=options_of(task, file.run.track).reader,
        name=f"{file.test_set.code}{SUFFIX}",
        limits=reading_limits(),
    )
