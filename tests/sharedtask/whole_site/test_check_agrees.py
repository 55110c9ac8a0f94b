"""`check` and the server give the same verdict, word for word, on whatever is submitted."""

from __future__ import annotations

import os
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from evaluation import read
from evaluation.client.client import Client
from evaluation.reading.raw_text import raw_text
from sharedtask.accounts import tokens
from sharedtask.accounts.models import User
from sharedtask.core import clock
from sharedtask.folders.load_task import load_task
from sharedtask.teams.register import register
from tests.machinery.site import ROOT
from tests.sharedtask.support.agreement import folder_of_sets, verdicts
from tests.sharedtask.support.archives import CODES
from tests.sharedtask.support.building import FIRST, SECOND
from tests.sharedtask.support.in_process import client_with

pytestmark = pytest.mark.django_db(transaction=True)
ALL = bool(os.environ.get("AGREEMENT"))
SAMPLE_SETS = ("gl_treegal", "hsb")
SAMPLE_TEAMS = ("Stanford", "UParse", "MetaRomance")
INVALID = ROOT / "tests" / "evaluation" / "reading" / "invalid"


@pytest.fixture
def make_client(
    member: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, as_worker: None
) -> Callable[[dict[str, tuple[bytes, bytes]]], Client]:
    monkeypatch.setenv("ARBORETUM_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def make(sets: dict[str, tuple[bytes, bytes]]) -> Client:
        task = load_task(folder_of_sets(tmp_path / "agreement", sets))
        register(task=task, name="Alder", members=[member], confirmed=True)
        new = tokens.create_token(
            user=member, name="tests", scopes=["read", "submit"], days=1, at=clock.database_now()
        )
        return client_with(new.secret)

    return make


def test_every_invalid_file_of_the_suite_gets_the_same_words(
    make_client: Callable[[dict[str, tuple[bytes, bytes]]], Client], work: Callable[[], None], tmp_path: Path
) -> None:
    files = sorted(path for path in INVALID.iterdir() if path.is_file())
    codes = {f"en_f{number:03}": path for number, path in enumerate(files)}
    client = make_client({code: (SECOND.encode(), b"Birds sing loudly\n") for code in codes})
    outputs = tmp_path / "outputs"
    outputs.mkdir()
    for code, path in codes.items():
        (outputs / f"{code}.conllu").write_bytes(path.read_bytes())
    at_home, at_the_site = verdicts(client, outputs, work)
    assert len(at_home["files"]) == len(files) > 90
    assert {file["state"] for file in at_home["files"]} >= {"invalid"}
    for file, other in zip(at_home["files"], at_the_site["files"], strict=True):
        assert file == other, codes[file["test_set"]].name
    assert at_home == at_the_site


@pytest.mark.parametrize(
    "files",
    [
        {"de_one.conllu": FIRST, "README": "x"},
        {"de-one.conllu": FIRST},
        {"a/de_one.conllu": FIRST, "b/de_one.conllu": FIRST},
        {"nothing": ""},
        {"de_one.conllu": FIRST.replace("Hund", "Bär")},
        {"de_one.conllu": "", "en_two.conllu": SECOND},
    ],
)
def test_folders_get_the_same_verdict(
    make_client: Callable[[dict[str, tuple[bytes, bytes]]], Client],
    work: Callable[[], None],
    tmp_path: Path,
    files: dict[str, str],
) -> None:
    texts = {"de_one": (FIRST, "Der Hund schläft.\n"), "en_two": (SECOND, "Birds sing loudly\n")}
    client = make_client({code: (texts[code][0].encode(), texts[code][1].encode()) for code in sorted(CODES)})
    for name, text in files.items():
        (tmp_path / "outputs" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "outputs" / name).write_text(text, encoding="utf-8")
    at_home, at_the_site = verdicts(client, tmp_path / "outputs", work)
    assert at_home == at_the_site and not at_home["valid"]


def test_real_outputs_get_the_same_verdict(
    make_client: Callable[[dict[str, tuple[bytes, bytes]]], Client],
    work: Callable[[], None],
    tmp_path: Path,
    shared_data: Path,
) -> None:
    """A sample of CoNLL 2017; `make agreement` compares every file."""
    outputs: dict[str, dict[str, bytes]] = {}
    gold = {}
    for archive in sorted((shared_data / "conll17").glob("*.tar.xz")):
        code = archive.name.removesuffix(".tar.xz")
        if ALL or code in SAMPLE_SETS:
            gold[code] = unpack(archive, code, outputs)
    client = make_client({code: (data, raw_text(read(data)).encode()) for code, data in gold.items()})
    compared, valid = 0, 0
    for team, files in outputs.items():
        folder = tmp_path / team
        folder.mkdir()
        for code, content in files.items():
            (folder / f"{code}.conllu").write_bytes(content)
        at_home, at_the_site = verdicts(client, folder, work)
        assert at_home == at_the_site, team
        compared += len(files)
        valid += sum(file["state"] == "valid" for file in at_home["files"])
    print(f"{compared} files of {len(outputs)} teams on {len(gold)} test sets; {valid} are valid")
    assert compared == sum(map(len, outputs.values())) >= len(SAMPLE_SETS) * len(SAMPLE_TEAMS)


def unpack(archive: Path, code: str, outputs: dict[str, dict[str, bytes]]) -> bytes:
    """Add the outputs by team, and return gold."""
    gold = b""
    with tarfile.open(archive) as packed:
        for member in packed:
            name = member.name.removeprefix(f"{code}/")
            content = packed.extractfile(member)
            if content is None:
                continue
            if name == "gold.conllu":
                gold = content.read()
            elif ALL or Path(name).stem in SAMPLE_TEAMS:
                outputs.setdefault(Path(name).stem, {})[code] = content.read()
    return gold
