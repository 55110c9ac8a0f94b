"""What a task tells its participants: news, phases to come, data, questions, and that it is over."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from datetime import timedelta
from pathlib import Path

import pytest
import yaml
from django.test import Client
from django.utils import timezone

from sharedtask.competition.models import Announcement, Phase, Task
from sharedtask.folders.export import export
from sharedtask.folders.load_task import load_task
from sharedtask.folders.problems import BadTaskFolder
from sharedtask.teams.models import Team
from tests.sharedtask.support.building import task_folder
from tests.sharedtask.support.people import person

pytestmark = pytest.mark.django_db
ATOM = "{http://www.w3.org/2005/Atom}"
DOWNLOADS = [
    {"kind": "baseline", "title": "Models", "url": "https://example.org/models"},
    {
        "kind": "training",
        "title": "Trees",
        "url": "https://example.org/trees",
        "licence": "CC0",
        "note": "2 GB",
    },
]


def page(client: Client, address: str = "") -> str:
    response = client.get(f"/tasks/tiny/{address}")
    assert response.status_code == 200
    return response.content.decode()


def test_announcements_are_on_top_and_a_feed(client: Client, task: Task) -> None:
    Announcement.objects.create(task=task, subject="A change & more", text="*Read* this.")
    Announcement.objects.create(task=task, subject="Not yet", text="x", at=timezone.now() + timedelta(days=1))
    body = page(client)
    assert body.index("A change &amp; more") < body.index("About the task")
    assert 'type="application/atom+xml"' in body and "/tasks/tiny/announcements/feed.atom" in body
    feed = client.get("/tasks/tiny/announcements/feed.atom")
    assert feed["Content-Type"].startswith("application/atom+xml")
    root = ElementTree.fromstring(feed.content)
    (entry,) = root.findall(f"{ATOM}entry")
    assert entry.findtext(f"{ATOM}title") == "A change & more"
    assert "<em>Read</em>" in (entry.findtext(f"{ATOM}summary") or "")
    (link,) = entry.findall(f"{ATOM}link")
    address = link.get("href", "")
    assert address.startswith("http") and f'id="{address.split("#")[1]}"' in page(client, "announcements/")


def test_a_phase_to_come_opens_in_some_time_and_is_not_closed(client: Client, task: Task) -> None:
    Phase.objects.update(opens_at=timezone.now() + timedelta(days=3), closes_at=None)
    tags = " ".join(re.findall(r'<span class="tag">(.*?)</span>', page(client), re.DOTALL))
    assert "opens in" in tags and "open in" in tags and "closed" not in tags
    Phase.objects.update(
        opens_at=timezone.now() - timedelta(days=3), closes_at=timezone.now() - timedelta(days=2)
    )
    tags = " ".join(re.findall(r'<span class="tag">(.*?)</span>', page(client), re.DOTALL))
    assert "closed" in tags and "opens in" not in tags


def test_a_finished_task_registers_nobody(client: Client, task: Task) -> None:
    client.force_login(person("late"))
    fields = {"name": "Late", "affiliation": "", "accepted": "on", "rules_version": task.rules_version}
    assert 'name="accepted"' in page(client, "team/new/")
    Phase.objects.update(
        opens_at=timezone.now() - timedelta(days=3), closes_at=timezone.now() - timedelta(days=2)
    )
    for address in ("team/", "team/new/"):
        body = page(client, address)
        assert "teams can no longer register" in body
        assert 'name="accepted"' not in body and "Register a team</a>" not in body
    response = client.post("/tasks/tiny/team/new/", fields)
    assert response.status_code == 400 and "This task is over" in response.content.decode()
    assert not Team.objects.filter(name="Late").exists()
    Phase.objects.update(closes_at=None)
    assert client.post("/tasks/tiny/team/new/", fields).status_code == 302


def with_fields(folder: Path, **fields: object) -> Path:
    task_folder(folder)
    values = yaml.safe_load((folder / "task.yaml").read_text()) | fields
    (folder / "task.yaml").write_text(yaml.safe_dump(values), encoding="utf-8")
    return folder


def test_data_and_questions_are_fields_with_pages(client: Client, tmp_path: Path) -> None:
    fields = {"faq": "**Why?** Because.", "downloads": DOWNLOADS, "data_licence": "Free."}
    task = load_task(with_fields(tmp_path / "first", **fields))
    assert 'href="/tasks/tiny/data/"' in page(client) and 'href="/tasks/tiny/faq/"' in page(client)
    assert "<strong>Why?</strong> Because." in page(client, "faq/")
    body = page(client, "data/")
    in_order = ["Training data", "https://example.org/trees", "CC0", "Baseline models", "Free."]
    places = [body.index(text) for text in in_order]
    assert places == sorted(places)
    exported = yaml.safe_load(export(Task.objects.get(pk=task.pk))["task.yaml"])
    assert exported["downloads"] == DOWNLOADS and exported["faq"] == "**Why?** Because."
    # The same folder again is no change.
    assert load_task(tmp_path / "first").downloads == DOWNLOADS


def test_a_task_without_them_has_no_links_to_them(client: Client, task: Task) -> None:
    Task.objects.update(faq="", downloads=[], data_licence="")
    assert "/tasks/tiny/data/" not in page(client) and "/tasks/tiny/faq/" not in page(client)
    assert client.get("/tasks/tiny/faq/").status_code == 404


def test_only_addresses_of_the_web_become_links(tmp_path: Path, db: None) -> None:
    bad = [{"kind": "other", "title": "x", "url": "javascript:alert(1)"}]
    with pytest.raises(BadTaskFolder) as refused:
        load_task(with_fields(tmp_path / "bad", downloads=bad))
    assert "downloads[1].url" in str(refused.value) and "https://" in str(refused.value)
