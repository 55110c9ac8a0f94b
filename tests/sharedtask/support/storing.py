"""Files of test sets, without a task folder."""

from __future__ import annotations

from sharedtask.competition.models import InputFile, TestSet
from sharedtask.competition.store_files import store_input


def store_raw_text(test_set: TestSet, text: str) -> InputFile:
    return store_input(test_set, text.encode(), variant=InputFile.RAW)
