"""Step 3, obtain outputs: where the files of a run come from. Chosen by how the run came into being.

In: a claimed run. Out: `Output` by the code of its test set, each a file that lies in storage. A team's
archive is unpacked. A run whose outputs a container writes would get its own function here, and every later
step stays as it is.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass

from sharedtask.competition.models import TestSet
from sharedtask.core import storage
from sharedtask.core.limits import upload_limits
from sharedtask.submissions.models import Run
from sharedtask.submissions.unpack import SUFFIX, unpack


@dataclass(frozen=True, kw_only=True)
class Output:
    """A file of a run, as it lies in storage."""

    name: str
    size_bytes: int
    sha256: str


Outputs = Mapping[str, Output]
"""By the code of the test set."""


def obtain_outputs(run: Run) -> Outputs:
    match run.origin:
        case Run.Origin.NEW | Run.Origin.AMENDED:
            # What the archive of an amended run does not have is inherited when the files are recorded.
            return unpack_run(run)
        case _:
            raise ValueError(f"a {run.origin} run brings no outputs of its own")


def sets_to_submit(run: Run) -> list[TestSet]:
    """Those of the phase whose input was out when the run arrived; no other name is known to the team."""
    return list(run.phase.test_sets.with_released_inputs(at=run.received_at))


def unpack_run(run: Run) -> Outputs:
    """Unpack into a folder that appears under its name only when it is complete."""
    name = f"outputs/{run.public_id}"
    folder = storage.new_folder()
    try:
        with storage.local_copy(run.archive) as archive:
            files = unpack(
                archive=archive,
                folder=folder,
                codes={test_set.code for test_set in sets_to_submit(run)},
                limits=upload_limits(),
            )
        storage.keep_folder(folder, name)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return {
        file.code: Output(name=f"{name}/{file.code}{SUFFIX}", size_bytes=file.size_bytes, sha256=file.sha256)
        for file in files
    }
