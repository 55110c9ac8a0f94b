"""A folder gets the verdict that its archive gets, whichever way it is sent."""

from __future__ import annotations

import io
import os
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from evaluation.archives.folder import folder_files, pack
from evaluation.archives.refusal import Refusal
from evaluation.archives.unpack import Budget, accepted_members
from tests.sharedtask.support.archives import CODES, LIMITS, refusal, unpacked

GOOD = "1\tHello\t_\t_\t_\t_\t0\troot\t_\t_\n\n"


def written(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def packed(path: Path, ratio: int = LIMITS.ratio) -> bytes:
    output = io.BytesIO()
    pack(path, output, ratio=ratio)
    return output.getvalue()


def judged(path: Path) -> list[str]:
    entries = folder_files(path)
    budget = Budget(LIMITS, archive_bytes=sum(entry.size for entry in entries))
    return [code for code, _ in accepted_members(entries, codes=CODES, budget=budget)]


def test_a_folder_becomes_an_archive_with_the_same_files(tmp_path: Path) -> None:
    files = {"de_one.conllu": GOOD, "v1/en_two.conllu": GOOD * 2, ".DS_Store": "x", "v1/._en_two.conllu": "x"}
    folder = written(tmp_path / "outputs", files)
    assert judged(folder) == ["de_one", "en_two"]
    assert unpacked(tmp_path, packed(folder)) == {"de_one": GOOD, "en_two": GOOD * 2}


def test_a_single_file_is_a_folder_of_one(tmp_path: Path) -> None:
    folder = written(tmp_path / "outputs", {"de_one.conllu": GOOD, "README": "not sent"})
    assert judged(folder / "de_one.conllu") == ["de_one"]


def test_the_same_files_give_the_same_bytes(tmp_path: Path) -> None:
    files = {f"{code}.conllu": GOOD for code in CODES}
    first, second = (
        written(tmp_path / name, dict(items))
        for name, items in (("a", files.items()), ("b", reversed(files.items())))
    )
    os.utime(second / "de_one.conllu", (1, 1))
    assert packed(first) == packed(second)


@pytest.mark.parametrize(
    ("files", "id"),
    [
        ({"README.md": "x", "de_one.conllu": GOOD}, "unknown-test-set"),
        ({"de-one.conllu": GOOD}, "unknown-test-set"),
        ({"a/de_one.conllu": GOOD, "b/de_one.conllu": GOOD}, "duplicate-test-set"),
        ({".DS_Store": "x"}, "archive-empty"),
        ({"de_one.conllu": "x" * 1_000_001}, "member-too-large"),
        ({f"{number}/note": "x" for number in range(21)}, "archive-too-many-members"),
    ],
)
def test_folder_and_archive_are_refused_in_the_same_words(
    tmp_path: Path, files: dict[str, str], id: str
) -> None:
    folder = written(tmp_path / "outputs", files)
    with pytest.raises(Refusal) as caught:
        judged(folder)
    of_archive = refusal(tmp_path, packed(folder))
    assert caught.value.id == of_archive.id == id
    assert (caught.value.message, caught.value.found) == (of_archive.message, of_archive.found)


def test_what_compresses_too_well_is_stored(tmp_path: Path) -> None:
    folder = written(tmp_path / "outputs", {"de_one.conllu": "x" * 1_000_000, "en_two.conllu": GOOD})
    with zipfile.ZipFile(io.BytesIO(packed(folder))) as archive:
        kinds = {info.filename: info.compress_type for info in archive.infolist()}
    assert kinds == {"de_one.conllu": zipfile.ZIP_STORED, "en_two.conllu": zipfile.ZIP_DEFLATED}
    limits = replace(LIMITS, archive_bytes=2_000_000)
    assert set(unpacked(tmp_path, packed(folder), limits)) == CODES


def test_a_link_to_a_file_is_followed(tmp_path: Path) -> None:
    elsewhere = written(tmp_path / "elsewhere", {"parsed.conllu": GOOD})
    (tmp_path / "outputs").mkdir()
    (tmp_path / "outputs" / "de_one.conllu").symlink_to(elsewhere / "parsed.conllu")
    assert unpacked(tmp_path, packed(tmp_path / "outputs")) == {"de_one": GOOD}
