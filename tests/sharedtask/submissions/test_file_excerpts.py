"""A team sees the lines with errors in its own files; nobody else does."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from django.test import Client

from sharedtask.accounts.models import User
from sharedtask.competition.models import GoldVersion
from sharedtask.submissions.excerpt import CONTEXT_LINES, MAX_CHARACTERS, excerpt
from sharedtask.submissions.models import Run
from sharedtask.teams.models import Team
from sharedtask.teams.register import register
from tests.sharedtask.support.building import TWO_ROOTS, good_archive
from tests.sharedtask.support.people import person

INCIDENT = {"id": "several-roots", "line": 40, "title": "Several", "found": "2", "expected": "1"}


def excerpt_of(content: bytes, around: int) -> list[tuple[int, str, bool]]:
    lines = excerpt(io.BytesIO(content), around, [INCIDENT])
    return [(line.number, line.text, bool(line.incidents)) for line in lines]


def test_an_excerpt_has_the_surrounding_lines_and_the_incident_at_its_line() -> None:
    content = b"".join(b"line %d\n" % number for number in range(1, 101))
    lines = excerpt_of(content, 40)
    assert [number for number, _, _ in lines] == list(range(40 - CONTEXT_LINES, 40 + CONTEXT_LINES + 1))
    assert [number for number, _, faulty in lines if faulty] == [40]
    assert lines[CONTEXT_LINES][1] == "line 40"
    assert [number for number, _, _ in excerpt_of(content, 1)] == list(range(1, 2 + CONTEXT_LINES))
    assert excerpt_of(content, 100)[-1] == (100, "line 100", False)
    assert excerpt_of(content, 1000) == []


def test_an_excerpt_truncates_long_lines_and_escapes_unprintable_characters() -> None:
    long = b"x" * (MAX_CHARACTERS * 9) + b"\nsecond\tline\n"
    lines = excerpt(io.BytesIO(long), 1, [])
    assert lines[0].text == "x" * MAX_CHARACTERS + "…"
    assert lines[1].number == 2
    assert lines[1].columns == ("second", "line")
    assert excerpt(io.BytesIO("a\u202eb\x07\xff".encode()), 1, [])[0].text == "a\\u202eb\\u0007ÿ"
    assert "\ufffd" in excerpt(io.BytesIO(b"\xff\xfe"), 1, [])[0].text
    assert excerpt(io.BytesIO(b"\x1f\x8b\x08packed\n"), 1, []) == []


@pytest.mark.django_db(transaction=True)
def test_a_team_sees_the_lines_of_its_own_file_and_can_download_it(
    client: Client, member: User, upload: Callable[..., Run], blind_team: Team, work: Callable[[], None]
) -> None:
    run = upload(good_archive(en_two=TWO_ROOTS, de_one=""), team=blind_team)
    work()
    client.force_login(member)
    page = client.get(run.get_absolute_url()).content.decode()
    address = f"/runs/{run.public_id}/files/en_two/"
    assert f'href="{address}?line=4#line-4"' in page
    lines = " ".join(client.get(f"{address}?line=4").content.decode().split())
    assert "several-roots" in lines
    assert "How to fix it" in lines
    assert 'id="line-4" class="wrong-line here"' in lines
    assert client.get(f"{address}?line=99999999999999").status_code == 200
    beyond = " ".join(client.get(f"{address}?line=5000").content.decode().split())
    assert "Line 5000 cannot be shown" in beyond
    download = client.get(f"/runs/{run.public_id}/files/en_two.conllu")
    assert b"".join(download.streaming_content).decode() == TWO_ROOTS  # type: ignore[attr-defined]
    assert "en_two.conllu" in download.headers["Content-Disposition"]
    assert client.get(f"/runs/{run.public_id}/files/de_one/").status_code == 404, (
        "a missing file has no lines"
    )


@pytest.mark.django_db(transaction=True)
def test_others_see_no_lines_even_if_the_file_itself_is_public(
    client: Client, upload: Callable[..., Run], team: Team, work: Callable[[], None]
) -> None:
    run = upload(good_archive())
    work()
    register(task=team.task, name="Birch", members=[person("birch")], confirmed=True)
    addresses = [f"/runs/{run.public_id}/files/en_two{ending}" for ending in ("/", ".conllu")]
    for name in ("", "birch"):
        if name:
            client.force_login(User.objects.get(username=name))
        assert [status_of(client, address) for address in addresses] == [404, 404], name
    team.task.results_published_at = run.received_at
    team.task.save()
    assert GoldVersion.objects.filter(released_at__isnull=False).count() == 2
    assert [status_of(client, address) for address in addresses] == [404, 200]


def status_of(client: Client, address: str) -> int:
    answer = client.get(address)
    # A file that is not read to its end has to be closed.
    answer.close()
    return answer.status_code
