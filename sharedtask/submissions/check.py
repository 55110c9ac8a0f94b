"""Check: a file is validated against the raw text that the team was given.

In: a file of a run. Out: the evaluator's report, not yet stored. Gold is not opened here, so that nothing the
team sees about its files can depend on it.
"""

from __future__ import annotations

from pathlib import Path

import evaluation
from evaluation.archives.unpack import SUFFIX
from evaluation.reading.kinds import TOO_MUCH_MEMORY
from sharedtask.core import storage
from sharedtask.core.errors import ServerFailure
from sharedtask.core.limits import reading_limits
from sharedtask.submissions import gold_cache
from sharedtask.submissions.models import RunFile


def check_file(file: RunFile) -> evaluation.Report:
    text = file.test_set.raw_text
    if text is None:
        raise ServerFailure(f"{file.test_set.code} has no raw text to check against")
    with storage.local_copy(file.output) as output, storage.local_copy(text.stored) as raw_text:
        report = validate(file, output, raw_text)
        if TOO_MUCH_MEMORY in report.counts:
            # The gold cached by this worker must not be the reason why a file is invalid.
            gold_cache.clear()
            report = validate(file, output, raw_text)
    return report


def validate(file: RunFile, output: Path, raw_text: Path) -> evaluation.Report:
    return evaluation.validate(
        output,
        text=raw_text,
        profile=file.run.task.profile,
        name=f"{file.test_set.code}{SUFFIX}",
        limits=reading_limits(),
    )
