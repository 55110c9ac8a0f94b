"""Sites and tokens: by name, readable by their owner alone, and the environment before the file."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from evaluation.client import configuration, submissions
from evaluation.client.configuration import Site
from evaluation.client.connection import Connection
from evaluation.client.errors import BadRequest, NotAuthenticated

A = Site(name="a", url="https://a.example.org", token="arb_a")
B = Site(name="b", url="https://b.example.org", token="arb_b")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ARBORETUM_CONFIG", str(tmp_path / "arboretum"))
    monkeypatch.delenv("ARBORETUM_SITE", raising=False)
    monkeypatch.delenv("ARBORETUM_TOKEN", raising=False)
    return tmp_path / "arboretum"


def test_the_last_site_is_the_default_and_others_have_names(folder: Path) -> None:
    for site in (A, B):
        configuration.load().remember(site)
    known = configuration.load()
    assert known.find() == B
    assert known.find("a") == known.find("https://a.example.org/") == A
    new = known.find("https://c.example.org/")
    assert (new.name, new.url, new.token) == ("c.example.org", "https://c.example.org", "")


def test_only_the_owner_can_read_what_is_stored(folder: Path) -> None:
    configuration.load().remember(A)
    submissions.begin("print")
    for name in ("config.json", "submissions.json"):
        assert stat.S_IMODE((folder / name).stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert sorted(path.name for path in folder.iterdir()) == ["config.json", "submissions.json"]


def test_the_environment_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    configuration.load().remember(A)
    configuration.load().remember(B)
    monkeypatch.setenv("ARBORETUM_SITE", "a")
    assert configuration.load().find() == A
    monkeypatch.setenv("ARBORETUM_TOKEN", "arb_ci")
    assert configuration.load().find().token == "arb_ci"


def test_signing_out_forgets_the_token_and_keeps_the_site() -> None:
    configuration.load().remember(A)
    configuration.load().forget_token("a")
    assert configuration.load().find("a") == Site(name="a", url=A.url)


@pytest.mark.parametrize(
    ("wanted", "id"),
    [
        ("", "site-missing"),
        ("nowhere", "site-unknown"),
        ("ftp://x.org", "site-invalid"),
        ("https://me@x.org", "site-invalid"),
    ],
)
def test_a_site_that_is_not_known_is_an_error_that_says_what_to_do(wanted: str, id: str) -> None:
    with pytest.raises(BadRequest) as caught:
        configuration.load().find(wanted)
    assert caught.value.id == id and "https://" in caught.value.message


@pytest.mark.parametrize("typed", ["a.example.org", "https://a.example.org/tasks/demo/?metric=UAS"])
def test_a_host_or_any_page_of_a_site_names_it(typed: str) -> None:
    configuration.load().remember(A)
    configuration.load().remember(B)
    assert configuration.load().find(typed) == A
    elsewhere = configuration.load().find("tasks.example.org:8443")
    assert (elsewhere.url, elsewhere.token) == ("https://tasks.example.org:8443", "")


def test_an_address_with_two_accounts_means_the_one_that_was_used_last() -> None:
    other = Site(name="other", url=A.url, token="arb_other")
    for site in (A, other, A):
        configuration.load().remember(site)
        assert configuration.load().find(A.url) == site


def test_a_damaged_file_is_named(folder: Path) -> None:
    folder.mkdir()
    (folder / "config.json").write_text("{")
    with pytest.raises(BadRequest, match=r"config\.json cannot be read"):
        configuration.load()


def test_a_token_does_not_leave_its_site() -> None:
    connection = Connection(A)
    assert connection.headers("https://a.example.org/x")["Authorization"] == "Bearer arb_a"
    assert "Authorization" not in connection.headers("https://a.example.org.evil.org/x")
    assert "Authorization" not in connection.headers("http://a.example.org/x")


def test_a_token_is_not_sent_without_encryption_but_to_this_machine() -> None:
    plain = Connection(Site(name="p", url="http://p.example.org", token="arb_p"))
    with pytest.raises(NotAuthenticated, match="without encryption"):
        plain.headers("http://p.example.org/api")
    here = Connection(Site(name="h", url="http://127.0.0.1:8000", token="arb_h"))
    assert here.headers("http://127.0.0.1:8000/api")["Authorization"] == "Bearer arb_h"


def test_a_site_with_a_token_does_not_print_it() -> None:
    assert "arb_a" not in repr(A)


def test_the_same_submission_is_recognised_whatever_its_note() -> None:
    fields = {"task": "demo", "phase": "", "system": "", "note": "first", "filename": "a.zip"}
    print_of = submissions.fingerprint(A, fields, "0" * 64)
    assert submissions.fingerprint(A, {**fields, "note": "other", "filename": "b"}, "0" * 64) == print_of
    others = [
        submissions.fingerprint(B, fields, "0" * 64),
        submissions.fingerprint(A, {**fields, "phase": "test"}, "0" * 64),
        submissions.fingerprint(A, fields, "1" * 64),
    ]
    assert len({print_of, *others}) == 4
    record = submissions.begin(print_of)
    assert submissions.find(print_of) == record and record.key
    assert submissions.find(others[0]) is None
