"""What the tests of the site upload: small trees and the archives around them."""

from __future__ import annotations

import io
import tarfile
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import yaml

FIRST = """\
# text = Der Hund schläft.
1\tDer\tder\tDET\t_\t_\t2\tdet\t_\t_
2\tHund\tHund\tNOUN\t_\t_\t3\tnsubj\t_\t_
3\tschläft\tschlafen\tVERB\t_\t_\t0\troot\t_\tSpaceAfter=No
4\t.\t.\tPUNCT\t_\t_\t3\tpunct\t_\t_

"""
SECOND = """\
# text = Birds sing loudly
1\tBirds\tbird\tNOUN\t_\t_\t2\tnsubj\t_\t_
2\tsing\tsing\tVERB\t_\t_\t0\troot\t_\t_
3\tloudly\tloudly\tADV\t_\t_\t2\tadvmod\t_\t_

"""
GOLD = {"de_one": FIRST, "en_two": SECOND}
TEXTS = {"de_one": "Der Hund schläft.\n", "en_two": "Birds sing loudly\n"}
WRONG_HEAD = SECOND.replace("3\tloudly\tloudly\tADV\t_\t_\t2", "3\tloudly\tloudly\tADV\t_\t_\t1")
LOUDLY = SECOND.replace("advmod", "obl")
TWO_ROOTS = SECOND.replace("3\tloudly\tloudly\tADV\t_\t_\t2", "3\tloudly\tloudly\tADV\t_\t_\t0")


def zip_of(files: dict[str, str | bytes], *, compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content, compression)
    return buffer.getvalue()


def tar_of(files: dict[str, str | bytes], kind: str = "gz") -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=f"w:{kind}") as archive:
        for name, content in files.items():
            data = content.encode() if isinstance(content, str) else content
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return buffer.getvalue()


def tar_with(entry: tarfile.TarInfo) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        archive.addfile(entry)
    return buffer.getvalue()


def good_archive(**replaced: str) -> bytes:
    """A perfect run, or one with some files replaced; an empty text leaves the file out."""
    files = GOLD | replaced
    return zip_of({f"{code}.conllu": text for code, text in files.items() if text})


def task_folder(folder: Path, *, slug: str = "tiny", blind: bool = False) -> Path:
    (folder / "gold").mkdir(parents=True, exist_ok=True)
    for code, text in GOLD.items():
        (folder / "gold" / f"{code}.conllu").write_text(text, encoding="utf-8")
    if blind:
        # Where gold is public, the raw text is made from it.
        (folder / "raw").mkdir(exist_ok=True)
        for code, text in TEXTS.items():
            (folder / "raw" / f"{code}.txt").write_text(text, encoding="utf-8")
    values = {
        "slug": slug,
        "title": f"A {slug} task",
        "summary": "Two sentences.",
        "description": "One paragraph.",
        "profile": "conll17",
        "missing": "zero",
        "baselines_ranked": True,
        "groups": ["big", "small"],
        "phases": [
            {
                "code": "test" if blind else "open",
                "kind": "test" if blind else "development",
                "title": "Test phase" if blind else "Open phase",
                "feedback": "validity" if blind else "scores",
                "opens_at": datetime(2026, 1, 1, tzinfo=UTC),
            }
        ],
        "test_sets": [
            {
                "code": code,
                "language": language,
                "tag": code[:2],
                "groups": [group],
                "public_gold": not blind,
            }
            for code, language, group in (("de_one", "German", "big"), ("en_two", "English", "small"))
        ],
    }
    (folder / "task.yaml").write_text(yaml.safe_dump(values), encoding="utf-8")
    return folder
