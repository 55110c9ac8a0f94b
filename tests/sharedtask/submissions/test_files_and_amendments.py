"""Single files instead of an archive, and runs that amend others."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from evaluation import KINDS
from sharedtask.accounts.models import User
from sharedtask.competition.models import Task
from sharedtask.core import storage
from sharedtask.submissions.models import Run
from sharedtask.submissions.reject import reject
from sharedtask.submissions.withdraw import withdraw_run
from sharedtask.teams.models import System, Team
from tests.sharedtask.support.building import FIRST, GOLD, SECOND, TWO_ROOTS, WRONG_HEAD, good_archive

pytestmark = pytest.mark.django_db
# Messages are sent after a commit, so these tests need commits.
with_a_worker = pytest.mark.django_db(transaction=True)
Upload = Callable[..., Run]
Work = Callable[[], None]
Stored = Callable[[str], list[str]]
ADDRESS = "/tasks/tiny/upload/"


@pytest.fixture
def signed_in(client: Client, member: User, team: Team, dispatched: list[Any]) -> Client:
    client.force_login(member)
    return client


def file(name: str, content: str | bytes) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content.encode() if isinstance(content, str) else content)


def states(run: Run) -> dict[str, str]:
    return dict(run.files.values_list("test_set__code", "state"))


def sources(run: Run) -> dict[str, int | None]:
    """For each file, the number of the run that it was taken from."""
    return dict(run.files.values_list("test_set__code", "taken_from__run__number"))


@with_a_worker
def test_several_files_are_accepted_like_an_archive(signed_in: Client, work: Work, stored: Stored) -> None:
    files = [file(f"{code}.conllu", text) for code, text in GOLD.items()]
    response = signed_in.post(ADDRESS, {"archive": files}, follow=True)
    run = Run.objects.get()
    assert run.filename == "2 files"
    page = response.content.decode()
    for text in GOLD.values():
        assert hashlib.sha256(text.encode()).hexdigest() in page
    archive = storage.read(run.archive)
    assert run.sha256 == hashlib.sha256(archive).hexdigest()
    assert run.sha256 in page
    work()
    run.refresh_from_db()
    assert run.state == "scored"
    assert states(run) == {"de_one": "valid", "en_two": "valid"}
    assert stored("incoming") == []


def test_the_same_files_make_the_same_archive(signed_in: Client) -> None:
    for _ in range(2):
        signed_in.post(ADDRESS, {"archive": [file("de_one.conllu", FIRST), file("en_two.conllu", SECOND)]})
    first, second = Run.objects.order_by("number")
    assert first.sha256 == second.sha256


@with_a_worker
def test_a_single_file_keeps_its_name(signed_in: Client, work: Work) -> None:
    signed_in.post(ADDRESS, {"archive": file("de_one.conllu", FIRST)})
    work()
    run = Run.objects.get()
    assert run.filename == "de_one.conllu"
    assert run.single_files[0]["sha256"] == hashlib.sha256(FIRST.encode()).hexdigest()
    assert states(run) == {"de_one": "valid", "en_two": "missing"}
    with storage.local_copy(run.files.get(test_set__code="de_one").output) as path:
        assert path.read_text() == FIRST


@pytest.mark.parametrize(
    ("files", "id"),
    [
        ([("de_one.conllu", FIRST), ("run.zip", good_archive())], "upload-mixed"),
        ([("run.zip", good_archive()), ("de_one.conllu", FIRST)], "upload-mixed"),
        ([("run.zip", good_archive()), ("other.zip", good_archive())], "upload-mixed"),
        ([("de_one.conllu", "x" * 70_000), ("en_two.conllu", "x" * 70_000)], "upload-too-large"),
        ([("de_one.conllu", "x" * 90_001)], "upload-too-large"),
        ([(f"{n}.conllu", "x") for n in range(4)], "upload-too-many-files"),
    ],
)
def test_an_unacceptable_upload_is_stopped_while_it_is_read(
    signed_in: Client, stored: Stored, settings: Any, files: list[tuple[str, str | bytes]], id: str
) -> None:
    small = {"archive_bytes": 100_000, "member_bytes": 90_000, "members": 3}
    settings.UPLOAD_LIMITS = settings.UPLOAD_LIMITS | small
    response = signed_in.post(ADDRESS, {"archive": [file(*item) for item in files]})
    assert response.status_code == (413 if id == "upload-too-large" else 400)
    assert f"<code>{id}</code>" in response.content.decode()
    assert not Run.objects.exists()
    assert stored("uploads") == stored("incoming") == []


@with_a_worker
def test_a_file_of_no_test_set_is_refused_as_in_an_archive(signed_in: Client, work: Work) -> None:
    signed_in.post(ADDRESS, {"archive": [file("xx_none.conllu", FIRST)]})
    work()
    run = Run.objects.get()
    assert (run.state, run.refusal["id"], run.uses_quota) == ("refused", "unknown-test-set", False)


def test_the_archive_built_from_single_files_is_an_ordinary_zip(signed_in: Client) -> None:
    signed_in.post(ADDRESS, {"archive": [file("a/b/de_one.conllu", FIRST)]})
    with storage.local_copy(Run.objects.get().archive) as path, zipfile.ZipFile(path) as archive:
        assert archive.namelist() == ["de_one.conllu"]
        assert archive.testzip() is None


@with_a_worker
def test_an_amended_run_inherits_missing_files(signed_in: Client, upload: Upload, work: Work) -> None:
    first = upload(good_archive(en_two=TWO_ROOTS))
    work()
    page = signed_in.get(ADDRESS).content.decode()
    assert f'<option value="{first.public_id}">Amend run 1' in page
    signed_in.post(ADDRESS, {"archive": file("en_two.conllu", SECOND), "amends": first.public_id})
    work()
    second = Run.objects.get(number=2)
    assert (second.origin, second.amends) == ("amended", first)
    assert states(second) == {"de_one": "valid", "en_two": "valid"}
    assert sources(second) == {"de_one": 1, "en_two": None}
    page = " ".join(signed_in.get(second.get_absolute_url()).content.decode().split())
    assert f'inherited from <a href="{first.get_absolute_url()}">run 1</a>' in page
    assert page.count("inherited from") == 1


@with_a_worker
def test_the_page_polls_until_a_run_is_checked_and_then_offers_to_amend_it(
    signed_in: Client, upload: Upload, work: Work
) -> None:
    first = upload(good_archive(en_two=TWO_ROOTS))
    waiting = " ".join(signed_in.get(ADDRESS).content.decode().split())
    assert "Run 1 is being checked and can be amended afterwards" in waiting
    assert "Amend run" not in waiting
    polled = f'hx-get="{ADDRESS}?version=1"'
    assert polled in waiting
    asked = {"path": f"{ADDRESS}?version=1", "headers": {"HX-Request": "true"}}
    assert signed_in.get(**asked).status_code == 204
    form = {"archive": file("en_two.conllu", SECOND), "amends": first.public_id}
    response = signed_in.post(ADDRESS, form)
    assert response.status_code == 400
    assert "<code>cannot-amend-unchecked-run</code>" in response.content.decode()
    assert "Run 1 is still being checked, which usually takes seconds." in response.content.decode()
    assert Run.objects.count() == 1, "nothing was stored, no quota was spent"
    work()
    part = signed_in.get(**asked).content.decode()
    assert part.startswith('<div id="amending">'), "it asks no more"
    assert "Amend run 1" in part
    run_page = signed_in.get(first.get_absolute_url()).content.decode()
    assert f'href="{ADDRESS}?amends={first.public_id}">Amend this run</a>' in run_page
    page = signed_in.get(f"{ADDRESS}?amends={first.public_id}").content.decode()
    assert f'<option value="{first.public_id}" selected>Amend run 1' in page
    form["archive"] = file("en_two.conllu", SECOND)
    assert signed_in.post(ADDRESS, form).status_code == 302


@with_a_worker
def test_a_chain_of_amendments_refers_to_the_run_in_which_a_file_was_uploaded(
    upload: Upload, work: Work
) -> None:
    runs = [upload(good_archive(en_two=TWO_ROOTS))]
    work()
    for files in ({"de_one": ""}, {"de_one": "", "en_two": WRONG_HEAD}, {"en_two": ""}):
        runs.append(upload(good_archive(**files), amends=Run.objects.get(pk=runs[-1].pk)))
        work()
    assert [sources(run) for run in runs] == [
        {"de_one": None, "en_two": None},
        {"de_one": 1, "en_two": None},
        {"de_one": 1, "en_two": None},
        {"de_one": None, "en_two": 3},
    ]
    last = runs[-1].files.get(test_set__code="en_two")
    assert last.sha256 == hashlib.sha256(WRONG_HEAD.encode()).hexdigest()
    assert last.scores.get().state == "scored"


@with_a_worker
def test_an_invalid_file_is_inherited_with_its_incidents(upload: Upload, work: Work) -> None:
    first = upload(good_archive(en_two=TWO_ROOTS))
    work()
    second = upload(good_archive(en_two=""), amends=Run.objects.get(pk=first.pk))
    work()
    inherited = second.files.get(test_set__code="en_two")
    assert (inherited.state, inherited.incident_counts) == ("invalid", {"several-roots": 1})


@with_a_worker
def test_nothing_is_inherited_from_a_run_that_no_longer_counts(
    signed_in: Client, upload: Upload, work: Work, member: User
) -> None:
    rejected, withdrawn = upload(good_archive()), upload(good_archive())
    work()
    reject(run=rejected, by=member, reason="it was copied")
    withdraw_run(run=withdrawn, by=member)
    assert "Amend run" not in signed_in.get(ADDRESS).content.decode()
    for run in (rejected, withdrawn):
        response = signed_in.post(
            ADDRESS, {"archive": file("en_two.conllu", SECOND), "amends": run.public_id}
        )
        assert "<code>cannot-amend-run</code>" in response.content.decode()
    assert Run.objects.count() == 2


@with_a_worker
def test_an_amended_run_has_the_system_of_the_run_it_amends(
    signed_in: Client, upload: Upload, work: Work, team: Team, task: Task
) -> None:
    first = upload(good_archive())
    work()
    other = System.objects.create(team=team, name="sapling")
    form = {"archive": file("en_two.conllu", SECOND), "amends": first.public_id, "system": other.public_id}
    signed_in.post(ADDRESS, form)
    assert Run.objects.get(number=2).system == first.system


def test_a_withdrawn_system_accepts_no_more_runs(signed_in: Client, team: Team) -> None:
    other = System.objects.create(team=team, name="sapling", withdrawn_at="2026-01-01T00:00Z")
    assert "sapling" not in signed_in.get(ADDRESS).content.decode()
    response = signed_in.post(ADDRESS, {"archive": file("de_one.conllu", FIRST), "system": other.public_id})
    assert "<code>system-withdrawn</code>" in response.content.decode()


@pytest.mark.parametrize("value", ["nobodys", "no\0bodys"])
def test_a_run_that_does_not_exist_cannot_be_amended(signed_in: Client, value: str) -> None:
    response = signed_in.post(ADDRESS, {"archive": file("de_one.conllu", FIRST), "amends": value})
    assert "<code>cannot-amend-run</code>" in response.content.decode()


@with_a_worker
def test_the_page_shows_how_to_fix_each_kind_of_incident_and_lists_the_lines(
    signed_in: Client, upload: Upload, work: Work
) -> None:
    run = upload(good_archive(de_one=TWO_ROOTS, en_two="1\tword\n" * 15 + "\n"))
    work()
    page = signed_in.get(run.get_absolute_url()).content.decode()
    assert KINDS["several-roots"].remedy.split(":")[0] in page.replace("&#x27;", "'")
    assert page.count("2 columns") == 1, "equal incidents are folded into one row"
    assert '<code>wrong-columns</code> <span class="small">15×</span>' in page
    assert [line for line in range(1, 16) if f">{line}</a>" in page] == list(range(1, 16))
