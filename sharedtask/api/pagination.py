"""Lists in pages. A cursor is the id of the last item of the page before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Generic, TypeVar

from ninja import Query, Schema
from pydantic import Field

from sharedtask.core.errors import Refusal

Item = TypeVar("Item")
MAX_LIMIT = 500


class Page(Schema, Generic[Item]):
    items: list[Item]
    next: str | None = Field(description="The cursor of the next page; null on the last one.")


class PageQuery(Schema):
    cursor: str = Field("", max_length=100, description="`next` of the page before.")
    limit: int = Field(100, ge=1, le=MAX_LIMIT)


Paging = Annotated[PageQuery, Query()]


def page_of(items: Sequence[Item], paging: PageQuery, key: Callable[[Item], str]) -> dict[str, Any]:
    """Of a sequence that is in memory anyway. `key` must be unique."""
    begin = 0
    if paging.cursor:
        positions = [index for index, item in enumerate(items) if key(item) == paging.cursor]
        if not positions:
            raise unknown_cursor()
        begin = positions[0] + 1
    chosen = list(items[begin : begin + paging.limit])
    is_last = begin + paging.limit >= len(items)
    return {"items": chosen, "next": None if is_last or not chosen else key(chosen[-1])}


def unknown_cursor() -> Refusal:
    return Refusal("cursor-unknown", "There is no such cursor. Please begin with the first page.")
