"""What somebody needs to write a first task: the format as a page, and a folder to start from."""

from __future__ import annotations

import io
import zipfile

import pytest
from django.test import Client

from sharedtask.accounts.models import User
from sharedtask.folders.apply import apply
from sharedtask.folders.checks import read_folder
from sharedtask.folders.fields import PHASE, TASK, TEST_SET
from sharedtask.folders.files import from_zip
from sharedtask.folders.plan import make_plan

pytestmark = pytest.mark.django_db
FORMAT = "/task-folders/"
STARTER = "/task-folders/starter.zip"


def test_the_format_is_a_page_of_the_site(client: Client) -> None:
    page = client.get(FORMAT).content.decode()
    assert '<h1 id="task-folders">Task folders</h1>' in page and "<table" in page
    for field in (*TASK, *TEST_SET, *PHASE):
        assert f"<code>{field.name}</code>" in page, field.name
    assert 'href="/definitions/"' in page and 'href="metrics.md"' not in page
    assert f'href="{STARTER}"' in page


def test_the_starter_folder_can_be_imported_without_a_warning(client: Client) -> None:
    response = client.get(STARTER)
    assert response.headers["Content-Type"] == "application/zip"
    with zipfile.ZipFile(io.BytesIO(response.content)) as archive:
        assert all(name.startswith("my-task/") for name in archive.namelist())
    folder = read_folder(from_zip(response.content))
    plan = make_plan(folder)
    assert (plan.problems, plan.notes) == ([], [])
    assert {test_set.code: test_set.gold[0].public for test_set in folder.test_sets} == {
        "en_practice": True,
        "en_test": False,
    }
    assert apply(folder=folder, by=None).task.slug == "my-task"


def test_the_page_for_a_new_task_leads_to_both(client: Client) -> None:
    client.force_login(User.objects.create_superuser("root", password="a long password"))
    page = client.get("/organise/new/").content.decode()
    assert f'href="{FORMAT}"' in page and f'href="{STARTER}"' in page
