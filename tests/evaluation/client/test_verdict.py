"""The local verdict: files, missing files, invalid ones, and refusals of the whole upload."""

from __future__ import annotations

import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from evaluation.archives.limits import ArchiveLimits
from evaluation.client.verdict import Rules, Verdict, check

LIMITS = ArchiveLimits(
    archive_bytes=100_000, members=20, member_bytes=1_000_000, total_bytes=3_000_000, ratio=100
)
HELLO = "1\tHello\t_\t_\t_\t_\t0\troot\t_\t_\n\n"


@pytest.fixture
def rules(tmp_path: Path) -> Rules:
    texts = {}
    for code in ("de_one", "en_two", "fr_three"):
        texts[code] = tmp_path / f"{code}.txt"
        texts[code].write_text("Hello\n")
    return Rules(profile="conll17", limits=LIMITS, codes=list(texts), raw_texts=texts)


def outputs(tmp_path: Path, **files: str) -> Path:
    folder = tmp_path / "outputs"
    folder.mkdir()
    for code, text in files.items():
        (folder / f"{code}.conllu").write_text(text, encoding="utf-8")
    return folder


def states(verdict: Verdict) -> dict[str, str]:
    return {file["test_set"]: file["state"] for file in verdict.as_dict()["files"]}


def test_every_test_set_has_a_verdict(tmp_path: Path, rules: Rules) -> None:
    folder = outputs(tmp_path, de_one=HELLO, en_two=HELLO.replace("Hello", "Hallo"))
    verdict = check(folder, rules)
    assert states(verdict) == {"de_one": "valid", "en_two": "invalid", "fr_three": "missing"}
    assert (verdict.is_valid, verdict.missing, verdict.refusal) == (False, ["fr_three"], None)
    (group,) = verdict.as_dict()["files"][1]["incidents"]
    assert group["id"] == "text-differs" and group["count"] == 1 and group["remedy"]
    assert group["shown"][0]["line"] == 1


def test_an_archive_and_its_folder_get_the_same_verdict(tmp_path: Path, rules: Rules) -> None:
    folder = outputs(tmp_path, de_one=HELLO, en_two="1\tx\n")
    with zipfile.ZipFile(tmp_path / "run.zip", "w") as archive:
        for file in folder.iterdir():
            archive.write(file, file.name)
    assert check(folder, rules).as_dict() == check(tmp_path / "run.zip", rules).as_dict()


def test_missing_files_alone_are_no_error(tmp_path: Path, rules: Rules) -> None:
    assert check(outputs(tmp_path, de_one=HELLO), rules).is_valid


def test_a_refusal_comes_alone(tmp_path: Path, rules: Rules) -> None:
    folder = outputs(tmp_path, de_one=HELLO, de_onee=HELLO)
    document = check(folder, rules).as_dict()
    assert document["valid"] is False and document["files"] == []
    assert document["refusal"]["id"] == "unknown-test-set"
    assert "did you mean de_one.conllu?" in document["refusal"]["message"]


def test_a_text_file_is_no_archive(tmp_path: Path, rules: Rules) -> None:
    (tmp_path / "run.txt").write_text("Hello")
    refusal = check(tmp_path / "run.txt", rules).refusal
    assert refusal is not None and refusal.id == "archive-format-unknown"


def test_an_archive_larger_than_the_limit_is_refused_before_it_is_read(tmp_path: Path, rules: Rules) -> None:
    (tmp_path / "run.zip").write_bytes(bytes(100_001))
    refusal = check(tmp_path / "run.zip", rules).refusal
    assert refusal is not None and refusal.id == "upload-too-large"


def test_a_folder_is_measured_after_compression(tmp_path: Path, rules: Rules) -> None:
    lines = "".join(f"1\tHello{number}\t_\t_\t_\t_\t0\troot\t_\t_\n\n" for number in range(5000))
    folder = outputs(tmp_path, de_one=lines)
    assert (folder / "de_one.conllu").stat().st_size > rules.limits.archive_bytes
    assert check(folder, rules).refusal is None
    smaller = replace(rules, limits=replace(LIMITS, archive_bytes=1_000))
    refusal = check(folder, smaller).refusal
    assert refusal is not None and refusal.id == "upload-too-large"
