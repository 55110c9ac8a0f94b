"""The page of a system as it is requested and read."""

from __future__ import annotations

import re

from django.test import Client

from sharedtask.submissions.models import Run


def address(run: Run, query: str = "") -> str:
    return f"/tasks/{run.task.slug}/systems/{run.system.public_id}/{query}"


def text_of(html: str) -> str:
    """What is read: no tags, no white space that is not seen."""
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def page(client: Client, run: Run, query: str = "") -> str:
    response = client.get(address(run, query))
    assert response.status_code == 200
    return response.content.decode()


def rows_of(html: str, section: str) -> list[str]:
    """The rows of the table in the section with this id, as they are read."""
    body = html.split(f'id="{section}"', 1)[1].split("<tbody>", 1)[1].split("</tbody>", 1)[0]
    return [text_of(row) for row in body.split("</tr>") if row.strip()]


def compared(*runs: Run) -> str:
    return "/tasks/tiny/compare/?" + "&".join(f"with={run.public_id}" for run in runs)
