"""Single requests of the protocol: status codes, headers, and what is stored."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any

import pytest
from django.test import Client

from sharedtask.accounts.models import User
from sharedtask.competition.models import Phase
from sharedtask.submissions.models import Run
from sharedtask.teams.models import Team
from sharedtask.uploads import append
from sharedtask.uploads.models import Part, ResumableUpload
from tests.sharedtask.support.building import GOLD, good_archive
from tests.sharedtask.support.tus import RUN, Tus, checksum, metadata

Stored = Callable[[str], list[str]]
pytestmark = pytest.mark.django_db


def test_options_say_what_the_server_supports(client: Client, settings: Any) -> None:
    response = client.options("/uploads/")
    assert response.status_code == 204
    assert response["Tus-Version"] == response["Tus-Resumable"] == "1.0.0"
    extensions = {"creation", "creation-with-upload", "termination", "checksum", "expiration"}
    assert set(response["Tus-Extension"].split(",")) == extensions
    assert set(response["Tus-Checksum-Algorithm"].split(",")) == {"sha256", "sha1"}
    # Of all purposes: images may be larger than archives.
    largest = max(settings.UPLOAD_LIMITS["archive_bytes"], settings.IMAGE_MAX_BYTES)
    assert response["Tus-Max-Size"] == str(largest)


def test_an_upload_in_three_requests_becomes_a_run(tus: Tus, stored: Stored) -> None:
    archive = good_archive()
    created = tus.create(len(archive), note="third try")
    assert (created.status_code, created["Upload-Offset"]) == (201, "0")
    assert created["Tus-Resumable"] == "1.0.0"
    address = created["Location"]
    for begin, end in ((0, 100), (100, 250)):
        response = tus.patch(address, begin, archive[begin:end])
        assert (response.status_code, response["Upload-Offset"]) == (204, str(end))
        expires = parsedate_to_datetime(response["Upload-Expires"])
        assert timedelta(hours=23) < expires - datetime.now(UTC) < timedelta(hours=25)
        assert "Upload-Receipt" not in response
    head = tus.send("HEAD", address)
    assert (head.status_code, head["Upload-Offset"], head["Upload-Length"]) == (200, "250", str(len(archive)))
    assert head["Upload-Metadata"] == metadata(RUN | {"note": "third try"})
    assert "no-store" in head["Cache-Control"]
    last = tus.patch(address, 250, archive[250:])
    run = Run.objects.get()
    assert (last.status_code, last["Upload-Offset"]) == (204, str(len(archive)))
    assert last["Upload-Receipt"] == run.get_absolute_url()
    assert (run.filename, run.note, run.size_bytes) == ("run.zip", "third try", len(archive))
    upload = ResumableUpload.objects.get()
    assert run.received_at == upload.received_at
    assert stored("uploads") == [run.public_id]
    assert stored("partial") == stored("incoming") == []
    assert not Part.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_the_run_is_the_same_as_by_the_form(
    tus: Tus, upload: Callable[..., Run], work: Callable[[], None]
) -> None:
    archive = good_archive()
    by_form = upload(archive)
    tus.create(len(archive), archive)
    work()
    resumed = Run.objects.exclude(pk=by_form.pk).get()
    by_form.refresh_from_db()
    same = ("phase_id", "team_id", "system_id", "uploaded_by_id", "sha256", "size_bytes", "state", "filename")
    assert [getattr(resumed, name) for name in same] == [getattr(by_form, name) for name in same]
    assert (resumed.state, resumed.number) == ("scored", by_form.number + 1)


def test_the_first_bytes_may_come_with_the_creation(tus: Tus) -> None:
    archive = good_archive()
    created = tus.create(len(archive), archive[:80])
    assert (created.status_code, created["Upload-Offset"]) == (201, "80")
    assert tus.patch(created["Location"], 80, archive[80:]).status_code == 204
    assert Run.objects.count() == 1


def test_single_files_are_packed_as_the_form_packs_them(tus: Tus, client: Client) -> None:
    names = [f"{code}.conllu" for code in GOLD]
    files = "[" + ", ".join(f'["{code}.conllu", {len(text.encode())}]' for code, text in GOLD.items()) + "]"
    body = "".join(GOLD.values()).encode()
    tus.create(len(body), body, files=files)
    tus.create(len(GOLD["de_one"].encode()), GOLD["de_one"].encode(), filename="de_one.conllu")
    both, single = Run.objects.order_by("number")
    assert [file["name"] for file in both.single_files] == names
    assert both.filename == "2 files"
    assert [file["name"] for file in single.single_files] == ["de_one.conllu"]


@pytest.mark.parametrize(
    "files", ["[", "[1]", '[["x.conllu", 3]]', '[["x.conllu", 900]]', '[["x.zip", 5]]', '[["x.conllu", -1]]']
)
def test_a_list_of_files_that_does_not_fit_is_refused(tus: Tus, files: str, stored: Stored) -> None:
    response = tus.create(5, b"12345", files=files)
    assert response.status_code == 403
    assert response.json()["id"] in ("upload-files-invalid", "upload-mixed")
    assert not Run.objects.exists()
    assert stored("uploads") == stored("incoming") == []


def test_an_offset_that_is_not_the_current_one_is_a_conflict(tus: Tus) -> None:
    address = tus.begin(1000)
    tus.patch(address, 0, b"x" * 10)
    for offset in (0, 9, 11):
        response = tus.patch(address, offset, b"y")
        assert (response.status_code, response.json()["id"]) == (409, "upload-offset-conflict")
    assert tus.offset(address) == 10


@pytest.mark.parametrize("algorithm", ["sha256", "sha1"])
def test_a_body_is_dropped_if_its_checksum_is_wrong(
    tus: Tus, algorithm: str, stored: Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(append, "SEGMENT_BYTES", 64 * 1024)
    archive = good_archive() + bytes(200_000)
    address = tus.begin(len(archive))
    damaged = tus.patch(address, 0, archive, Upload_Checksum=checksum(archive[1:], algorithm))
    assert (damaged.status_code, damaged.json()["id"]) == (460, "upload-checksum-mismatch")
    assert tus.offset(address) == 0
    assert stored("incoming") == []
    assert [name for folder in stored("partial") for name in stored(f"partial/{folder}")] == []
    intact = tus.patch(address, 0, archive, Upload_Checksum=checksum(archive, algorithm))
    assert intact.status_code == 204
    assert Run.objects.get().size_bytes == len(archive)


@pytest.mark.parametrize("header", ["md5 1B2M2Y8AsgTpgAmY7PhCfg==", "sha256", "sha256 *", "x"])
def test_a_checksum_that_cannot_be_read_is_refused(tus: Tus, header: str) -> None:
    address = tus.begin(10)
    response = tus.patch(address, 0, b"12345", Upload_Checksum=header)
    assert response.status_code in (400, 460)
    assert tus.offset(address) == 0


def test_a_body_beyond_the_announced_length_is_refused(tus: Tus) -> None:
    address = tus.begin(10)
    assert tus.patch(address, 0, b"x" * 11).status_code == 413
    assert tus.create(10, b"x" * 11).status_code == 413
    assert tus.offset(address) == 0


def test_a_cancelled_upload_is_gone(tus: Tus, stored: Stored) -> None:
    address = tus.begin(100)
    tus.patch(address, 0, b"x" * 50)
    assert len(stored("partial")) == 1
    assert tus.send("DELETE", address).status_code == 204
    assert stored("partial") == []
    for response in (tus.send("HEAD", address), tus.patch(address, 50, b"x"), tus.send("DELETE", address)):
        assert response.status_code == 404


def test_other_versions_of_the_protocol_are_refused(tus: Tus) -> None:
    for version in ("0.2.2", ""):
        response = tus.send("POST", "/uploads/", Tus_Resumable=version, Upload_Length="5")
        assert (response.status_code, response["Tus-Version"]) == (412, "1.0.0")
    assert not ResumableUpload.objects.exists()


@pytest.mark.parametrize(
    ("headers", "status", "id"),
    [
        ({}, 400, "upload-header-invalid"),
        ({"Upload_Length": "-1"}, 400, "upload-header-invalid"),
        ({"Upload_Length": "1e3"}, 400, "upload-header-invalid"),
        ({"Upload_Length": "9" * 30}, 400, "upload-header-invalid"),
        ({"Upload_Defer_Length": "1"}, 400, "upload-header-invalid"),
        ({"Upload_Length": "5"}, 400, "upload-purpose-unknown"),
        ({"Upload_Length": "5", "Upload_Metadata": "purpose Zm9v"}, 400, "upload-purpose-unknown"),
        ({"Upload_Length": "5", "Upload_Metadata": "purpose %%%"}, 400, "upload-metadata-invalid"),
        ({"Upload_Length": "5", "Upload_Metadata": "a Zm9v,a Zm9v"}, 400, "upload-metadata-invalid"),
        ({"Upload_Length": "5", "Upload_Metadata": "ä Zm9v"}, 400, "upload-metadata-invalid"),
        ({"Upload_Length": "5", "Upload_Metadata": "a AAAA"}, 400, "upload-metadata-invalid"),
        ({"Upload_Length": "5", "Upload_Metadata": "a /w=="}, 400, "upload-metadata-invalid"),
        ({"Upload_Length": "5", "Upload_Metadata": "a " + "Zm9v" * 2500}, 400, "upload-metadata-invalid"),
        ({"Upload_Length": "0", "Upload_Metadata": metadata(RUN)}, 400, "upload-empty"),
        ({"Upload_Length": "9" * 12, "Upload_Metadata": metadata(RUN)}, 413, "upload-too-large"),
        (
            {"Upload_Length": "5", "Upload_Metadata": metadata(RUN | {"task": "no"})},
            403,
            "upload-without-task",
        ),
        (
            {"Upload_Length": "5", "Upload_Metadata": metadata(RUN | {"team": "x"})},
            403,
            "upload-without-team",
        ),
        (
            {"Upload_Length": "5", "Upload_Metadata": metadata(RUN | {"phase": "x"})},
            403,
            "upload-without-phase",
        ),
    ],
)
def test_an_upload_that_cannot_be_created_gets_the_reason(
    tus: Tus, headers: dict[str, str], status: int, id: str
) -> None:
    response = tus.send("POST", "/uploads/", **headers)
    assert (response.status_code, response.json()["id"]) == (status, id)
    assert response["Content-Type"] == "application/problem+json"
    assert not ResumableUpload.objects.exists()


def test_hostile_names_are_only_shown(tus: Tus, stored: Stored) -> None:
    archive = good_archive()
    tus.create(len(archive), archive, filename="../../etc/<script>alert(1)</script>\u202e.zip")
    run = Run.objects.get()
    assert "/" not in run.filename
    assert stored("uploads") == [run.public_id]
    page = tus.client.get(run.get_absolute_url()).content.decode()
    assert "<script>alert" not in page


def test_only_the_own_content_type_is_appended(tus: Tus) -> None:
    address = tus.begin(10)
    headers = {"Tus-Resumable": "1.0.0", "Upload-Offset": "0"}
    response = tus.client.generic("PATCH", address, b"12345", "text/plain", headers=headers)
    assert response.status_code == 415
    assert tus.offset(address) == 0


def test_the_method_can_be_overridden_in_a_post_alone(tus: Tus) -> None:
    address = tus.begin(10)
    override = {"X_HTTP_Method_Override": "PATCH", "Upload_Offset": "0"}
    assert tus.send("POST", address, b"12345", **override).status_code == 204
    assert tus.offset(address) == 5
    assert tus.send("GET", address, X_HTTP_Method_Override="DELETE").json()["offset"] == 5
    assert tus.send("PUT", address).status_code == 405


def test_an_upload_belongs_to_one_person(tus: Tus, member: User) -> None:
    address = tus.begin(10)
    stranger = Client()
    assert Tus(stranger).patch(address, 0, b"x").status_code == 401
    assert Tus(stranger).create(10).status_code == 401
    stranger.force_login(User.objects.create_user("stranger"))
    for method in ("HEAD", "GET", "DELETE"):
        assert Tus(stranger).send(method, address).status_code == 404
    assert Tus(stranger).patch(address, 0, b"x").status_code == 404
    assert Tus(stranger).send("GET", "/uploads/").json() == {"uploads": []}
    assert [item["address"] for item in tus.send("GET", "/uploads/").json()["uploads"]] == [address]
    assert tus.offset(address) == 0


def test_a_browser_has_to_prove_that_its_own_page_sends_the_request(member: User, team: Team) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(member)
    assert Tus(client).create(10).json()["id"] == "csrf-failed"
    client.get("/tasks/tiny/upload/")
    headers = {"Upload_Length": "10", "Upload_Metadata": metadata(RUN)}
    token = client.cookies["csrftoken"].value
    response = Tus(client).send("POST", "/uploads/", X_CSRFToken=token, **headers)
    assert response.status_code == 201
    assert Tus(client).send("DELETE", response["Location"]).status_code == 403
    assert Tus(client).send("HEAD", response["Location"]).status_code == 200


def test_an_organiser_uploads_on_behalf_of_a_team(tus: Tus, team: Team, phase: Phase) -> None:
    organiser = User.objects.create_user("organiser")
    phase.task.organisers.add(organiser)
    client = Client()
    client.force_login(organiser)
    archive = good_archive()
    refused = Tus(client).create(len(archive), team=team.public_id)
    assert (refused.status_code, refused.json()["id"]) == (403, "reason-missing")
    assert (
        Tus(client).create(len(archive), archive, team=team.public_id, reason="By e-mail").status_code == 201
    )
    run = Run.objects.get()
    assert (run.team, run.on_behalf, run.uploaded_by) == (team, True, organiser)
    assert phase.task.audit.filter(action="upload-on-behalf").count() == 1
