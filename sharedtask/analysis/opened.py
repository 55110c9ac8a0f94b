"""What every page of the sentence browser needs: the field, the chosen systems, the sentences wished for.

In: a request. Out: `Opened`, or Http404, the same for a test set that does not exist, for gold that is not
released, and for a system that this reader may not see.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404

from evaluation.showing.system_sentences import SystemSentences
from sharedtask.analysis import memory
from sharedtask.analysis.field import Entrant, Field, field_of
from sharedtask.analysis.find import Found, Systems, find
from sharedtask.analysis.query import Wishes, wishes_of
from sharedtask.competition import task_access
from sharedtask.core import clock


@dataclass(frozen=True, kw_only=True)
class Opened:
    at: datetime
    field: Field
    wishes: Wishes
    chosen: Sequence[Entrant]
    sentences: Mapping[str, SystemSentences]
    """Of the chosen and of all ranked systems, by their analyses."""

    @cached_property
    def others(self) -> list[Entrant]:
        return [one for one in self.field.ranked if one not in self.chosen]

    @cached_property
    def found(self) -> Found:
        systems = Systems(
            chosen=[self.sentences[one.analysis] for one in self.chosen],
            others=[self.sentences[one.analysis] for one in self.others],
        )
        return find(self.wishes, self.field.sentences, systems)


def opened(request: HttpRequest, slug: str, code: str) -> Opened:
    at = clock.database_now()
    task = get_object_or_404(task_access.tasks(request.user), slug=slug)
    known = task_access.test_sets(request.user, task, at=at).select_related("gold_in_force__test_set__task")
    test_set = get_object_or_404(known, code=code)
    test_set.task = task
    wishes = wishes_of(request.GET)
    field = field_of(
        request.user, test_set, at=at, named=wishes.system, phase=wishes.phase, ranking=wishes.ranking
    )
    chosen = field.named(wishes.system) if field else None
    if field is None or chosen is None:
        raise Http404("there is nothing here for this reader")
    analyses = dict.fromkeys(one.analysis for one in [*chosen, *field.ranked])
    return Opened(
        at=at,
        field=field,
        wishes=wishes,
        chosen=chosen,
        sentences=memory.system_sentences(list(analyses)),
    )
