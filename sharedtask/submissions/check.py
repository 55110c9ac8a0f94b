"""Step 4, check: every file of a run is validated against the raw text that the team was given.

In: a claimed run. Out: a verdict recorded for each file, and the run handed on to scoring. Gold is not opened
here, so that nothing a team reads about its files can depend on it.
"""

from __future__ import annotations

import shutil

import evaluation
from evaluation.reading.kinds import TOO_MUCH_MEMORY
from sharedtask import storage
from sharedtask.faults import OurFault
from sharedtask.limits import reading_limits, upload_limits
from sharedtask.submissions import open_gold, record
from sharedtask.submissions.models import Run, RunFile
from sharedtask.submissions.unpack import SUFFIX, unpack


def check_run(run: Run) -> None:
    outputs = unpack_run(run)
    record.record_files(run, outputs)
    waiting = run.files.filter(state=RunFile.State.WAITING).select_related("run__task", "test_set")
    for file in waiting.prefetch_related("test_set__inputs"):
        record.record_verdict(file, check_file(file))
    record.record_checked(run)


def unpack_run(run: Run) -> dict[str, record.Output]:
    """Unpack into a folder that appears under its name only when it is complete."""
    name = f"outputs/{run.public_id}"
    folder = storage.new_folder()
    try:
        with storage.fetched(run.archive) as archive:
            files = unpack(
                archive=archive,
                folder=folder,
                codes={test_set.code for test_set in record.sets_to_submit(run)},
                limits=upload_limits(),
            )
        storage.keep_folder(folder, name)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return {
        file.code: record.Output(
            name=f"{name}/{file.code}{SUFFIX}", size_bytes=file.size_bytes, sha256=file.sha256
        )
        for file in files
    }


def check_file(file: RunFile) -> evaluation.Report:
    text = file.test_set.raw_text
    if text is None:
        raise OurFault(f"{file.test_set.code} has no raw text to check against")
    with storage.fetched(file.output) as output, storage.fetched(text.stored) as given:

        def report() -> evaluation.Report:
            return evaluation.validate(
                output,
                text=given,
                profile=file.run.task.profile,
                name=f"{file.test_set.code}{SUFFIX}",
                limits=reading_limits(),
            )

        found = report()
        if TOO_MUCH_MEMORY in found.counts:
            # Gold that this worker keeps must not be what makes a file invalid.
            open_gold.forget_all()
            found = report()
    return found
