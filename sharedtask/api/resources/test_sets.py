"""Test sets of a task that the viewer may know of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from ninja import Router, Schema
from pydantic import Field

from sharedtask.api.pagination import Page, Paging, page_of
from sharedtask.api.viewing import absolute, visible_task
from sharedtask.competition.models import GoldReference
from sharedtask.core import clock
from sharedtask.overview.task_overview import SetRow, set_rows

router = Router()


class ReferenceOut(Schema):
    name: str
    url: str


class TestSetOut(Schema):
    __test__ = False  # Keeps pytest from collecting it as a test class.

    code: str
    language: str
    language_tag: str
    groups: list[str]
    note: str
    licence: str
    is_sealed: bool = Field(description="Not revealed yet; only organisers see such a set.")
    inputs_released: bool
    characters: int | None = Field(description="Of the raw text without white space.")
    gold_url: str | None = Field(description="Once gold is released.")
    references: list[ReferenceOut] = Field(description="Further references, once gold is released.")
    statistics: dict[str, Any] | None = Field(description="Of released gold.")


@router.get("/tasks/{task}/test-sets", response=Page[TestSetOut], auth=None, summary="Test sets of a task")
def list_test_sets(request: HttpRequest, task: str, paging: Paging) -> dict[str, Any]:
    row = visible_task(request, task)
    page = page_of(set_rows(request.user, row, at=clock.database_now()), paging, lambda each: each.set.code)
    references = references_of(page["items"])
    return page | {"items": [test_set_out(row.slug, each, references) for each in page["items"]]}


def references_of(rows: Iterable[SetRow]) -> Mapping[int, list[str]]:
    """The names of further references by version of gold, in one query; of released gold only."""
    released = [row.gold.pk for row in rows if row.gold and row.gold.has_references]
    names = defaultdict(list)
    if released:
        for gold, name in GoldReference.objects.filter(gold__in=released).values_list("gold", "name"):
            names[gold].append(name)
    return names


def test_set_out(slug: str, row: SetRow, references: Mapping[int, list[str]]) -> dict[str, Any]:
    test_set = row.set
    names = references.get(row.gold.pk, []) if row.gold else []
    return {
        "code": test_set.code,
        "language": test_set.language,
        "language_tag": test_set.language_tag,
        "groups": test_set.groups,
        "note": test_set.note,
        "licence": test_set.licence,
        "is_sealed": row.sealed,
        "inputs_released": row.text is not None,
        "characters": row.text.characters if row.text else None,
        "gold_url": absolute(reverse("gold-file", args=[slug, test_set.code])) if row.gold else None,
        "references": [
            {"name": name, "url": absolute(reverse("gold-reference", args=[slug, test_set.code, name]))}
            for name in names
        ],
        "statistics": row.gold.statistics if row.gold else None,
    }
