"""A task folder as a zip is read like the folder itself, within limits."""

from __future__ import annotations

from pathlib import Path

import pytest

from sharedtask.folders.checks import read_folder
from sharedtask.folders.files import from_zip, to_zip
from sharedtask.folders.problems import BadTaskFolder
from tests.sharedtask.support.building import zip_of
from tests.sharedtask.support.folders import write_folder


def test_a_zip_is_read_like_a_folder_and_a_bad_one_is_refused(tmp_path: Path) -> None:
    folder = write_folder(tmp_path)
    files = {f"some/where/{path.relative_to(folder)}": path.read_bytes() for path in folder.rglob("*.*")}
    packed = to_zip(files)
    assert packed == to_zip(dict(reversed(files.items())))
    assert read_folder(from_zip(packed)).slug == "full"
    for bad, words in (
        (b"no zip", "it is not a zip file"),
        (zip_of({"a.txt": "a"}), "it has no task.yaml"),
    ):
        with pytest.raises(BadTaskFolder, match=words):
            from_zip(bad)


def test_a_zip_that_unpacks_to_too_much_is_refused(settings: object, tmp_path: Path) -> None:
    settings.UPLOAD_LIMITS = settings.UPLOAD_LIMITS | {"total_bytes": 1000}  # type: ignore[attr-defined]
    with pytest.raises(BadTaskFolder, match="more than 1000 bytes"):
        from_zip(zip_of({"task.yaml": "a", "zeros": "0" * 1001}))
