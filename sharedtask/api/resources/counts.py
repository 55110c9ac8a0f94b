"""Counts of a run on a test set whose gold is released: in total, and the errors in each sentence."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest
from ninja import Router, Schema
from pydantic import Field

from sharedtask.analysis import sentence_cache
from sharedtask.analysis.analysed_set import AnalysedSet, find_analysed_set
from sharedtask.api.pagination import Paging, page_of
from sharedtask.api.viewing import visible_task, without_nul
from sharedtask.competition import task_access
from sharedtask.core import clock
from sharedtask.submissions import run_access

router = Router()


class SentenceCountsOut(Schema):
    number: int = Field(description="From 1.")
    id: str
    words: int = Field(description="In gold.")
    errors: int = Field(
        description="Words with a wrong head, or a wrong relation where the task compares relations."
    )
    segmented_differently: bool


class CountsOut(Schema):
    test_set: str
    run: str
    gold_version: int
    counts: dict[str, dict[str, int | None]] = Field(description="By metric: gold, system, correct, aligned.")
    items: list[SentenceCountsOut]
    next: str | None


@router.get(
    "/tasks/{task}/counts/{test_set}/{run}",
    response=CountsOut,
    auth=None,
    summary="Released counts per sentence",
)
def show_counts(request: HttpRequest, task: str, test_set: str, run: str, paging: Paging) -> dict[str, Any]:
    at = clock.database_now()
    row = visible_task(request, task)
    visible = task_access.test_sets(request.user, row, at=at).select_related("gold_in_force")
    test_set_row = visible.filter(code=without_nul(test_set)).first()
    analysed = (
        find_analysed_set(request.user, test_set_row, at=at, named=[without_nul(run)])
        if test_set_row
        else None
    )
    named = analysed.named([run]) if analysed else None
    if analysed is None or not named:
        raise Http404("there are no such counts for this viewer")
    (system,) = named
    scores = run_access.scores_with_breakdowns(request.user, system.run, at=at)
    score = scores.filter(file__test_set=analysed.test_set, gold=analysed.gold).first()
    page = page_of(range(len(analysed.sentences.words)), paging, lambda index: str(index + 1))
    return {
        "test_set": analysed.test_set.code,
        "run": system.id,
        "gold_version": analysed.gold.number,
        "counts": score.counts if score else {},
        "items": sentences_out(analysed, system.analysis, page["items"]),
        "next": page["next"],
    }


def sentences_out(analysed: AnalysedSet, analysis: str, indexes: list[int]) -> list[dict[str, Any]]:
    gold = analysed.sentences
    system = sentence_cache.system_sentences([analysis])[analysis]
    return [
        {
            "number": index + 1,
            "id": gold.ids[index],
            "words": int(gold.words[index]),
            "errors": int(system.errors[index]),
            "segmented_differently": bool(system.words_differ[index] or system.sentence_differs[index]),
        }
        for index in indexes
    ]
