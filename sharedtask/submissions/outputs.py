"""Step 3, obtain outputs: where the files of a run come from. Chosen by how the run came into being.

In: a claimed run. Out: `Output` by the code of its test set, each a file that lies in storage. A team's
archive is unpacked. A run whose outputs a container writes would get its own function here, and every later
step stays as it is.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping

from sharedtask.core import storage
from sharedtask.core.limits import upload_limits
from sharedtask.submissions.models import Run
from sharedtask.submissions.record import Output, sets_to_submit
from sharedtask.submissions.unpack import SUFFIX, unpack

Outputs = Mapping[str, Output]


def obtain_outputs(run: Run) -> Outputs:
    match run.origin:
        case Run.Origin.NEW | Run.Origin.AMENDED:
            # What the archive of an amended run does not have is inherited when the files are recorded.
            return unpack_run(run)
        case _:
            raise ValueError(f"a {run.origin} run brings no outputs of its own")


def unpack_run(run: Run) -> Outputs:
    """Unpack into a folder that appears under its name only when it is complete."""
    name = f"outputs/{run.public_id}"
    folder = storage.new_folder()
    try:
        with storage.fetched(run.archive) as archive:
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
