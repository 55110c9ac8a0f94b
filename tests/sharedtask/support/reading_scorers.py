"""What the pages of the task with a scorer show."""

from __future__ import annotations

import csv
import io
import re

from django.test import Client

SCORER, PROFILE = "/tasks/conll18/organise/scorer/", "/tasks/conll18/organise/profile/"


def page(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200, address
    return " ".join(re.sub("<[^>]+>", " ", response.content.decode()).split())


def figures(client: Client, metric: str) -> dict[str, str]:
    """By team: the beginning of the leaderboard's cell for a metric."""
    rows = csv.DictReader(io.StringIO(client.get("/tasks/conll18/leaderboard.csv").content.decode()))
    return {
        row["Team"]: next(row[name] for name in row if name.startswith(metric)).split(" ")[0] for row in rows
    }
