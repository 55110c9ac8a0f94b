"""Obtain outputs: get the files of a run, depending on its origin.

In: a claimed run. Out: `Output` by the code of its test set, each a file in storage. A team's archive is
unpacked. The files that a container wrote are in storage already.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass

from evaluation.archives.unpack import SUFFIX, unpack
from sharedtask.competition.models import TestSet
from sharedtask.core import storage
from sharedtask.core.limits import upload_limits
from sharedtask.submissions.models import Run


@dataclass(frozen=True, kw_only=True)
class Output:
    """A file of a run in storage."""

    name: str
    size_bytes: int
    sha256: str


Outputs = Mapping[str, Output]
"""By the code of the test set."""


def obtain_outputs(run: Run) -> Outputs:
    match run.origin:
        case Run.Origin.NEW | Run.Origin.AMENDED:
            # Files missing from the archive of an amended run are inherited when the files are recorded.
            return unpack_run(run)
        case Run.Origin.SOFTWARE:
            return {code: Output(**file) for code, file in run.produced.items() if file is not None}
        case _:
            raise ValueError(f"a {run.origin} run has no outputs of its own")


def expected_test_sets(run: Run) -> list[TestSet]:
    """Test sets of the phase whose input had been released when the run arrived; the team knows no others.

    Software also gets inputs that nobody else may see yet.
    """
    if run.origin == Run.Origin.SOFTWARE:
        return list(run.phase.test_sets.filter(code__in=run.produced))
    return list(run.phase.test_sets.with_released_inputs(at=run.received_at))


def unpack_run(run: Run) -> Outputs:
    """Unpack into a temporary folder, which gets its final name only when it is complete."""
    name = f"outputs/{run.public_id}"
    folder = storage.new_folder()
    try:
        with storage.local_copy(run.archive) as archive:
            files = unpack(
                archive=archive,
                folder=folder,
                codes={test_set.code for test_set in expected_test_sets(run)},
                limits=upload_limits(),
            )
        storage.commit_folder(folder, name)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return {
        file.code: Output(name=f"{name}/{file.code}{SUFFIX}", size_bytes=file.size_bytes, sha256=file.sha256)
        for file in files
    }
