"""What every page of the sentence browser needs: the test set, the chosen systems, the matching sentences.

In: a request. Out: `Browser`, or Http404, which is the same for a test set that does not exist, for gold that
is not released, and for a system that this reader may not see.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404

from evaluation.errors.count import ErrorCounts
from evaluation.showing.system_sentences import SystemSentences
from sharedtask.analysis import sentence_cache
from sharedtask.analysis.analysed_set import AnalysedSet, AnalysedSystem, find_analysed_set
from sharedtask.analysis.find import Matches, Systems, find_sentences
from sharedtask.analysis.query import SentenceQuery, parse_query
from sharedtask.competition import task_access
from sharedtask.competition.metrics import presentations_of
from sharedtask.core import clock
from sharedtask.standings.query import ResultsQuery


@dataclass(frozen=True, kw_only=True)
class Browser:
    at: datetime
    analysed: AnalysedSet
    query: SentenceQuery
    chosen: Sequence[AnalysedSystem]
    sentences: Mapping[str, SystemSentences]
    """Of the chosen and of all ranked systems, by their analyses."""

    @cached_property
    def others(self) -> list[AnalysedSystem]:
        return [system for system in self.analysed.ranked if system not in self.chosen]

    @cached_property
    def metrics(self) -> list[str]:
        """Those that the systems have figures of for each sentence."""
        known = (metric for sentences in self.sentences.values() for metric in sentences.metrics)
        return list(dict.fromkeys(known))

    @cached_property
    def class_errors(self) -> list[ErrorCounts]:
        """Of the chosen systems, or of all; read only if an error class is asked for."""
        if not self.query.error:
            return []
        return sentence_cache.class_errors([system.analysis for system in self.chosen or self.others])

    @cached_property
    def matches(self) -> Matches:
        systems = Systems(
            chosen=[self.sentences[system.analysis] for system in self.chosen],
            others=[self.sentences[system.analysis] for system in self.others],
            presentations=presentations_of(self.analysed.test_set.task),
            errors=self.class_errors,
        )
        return find_sentences(self.query, self.analysed.sentences, systems)


def open_browser(request: HttpRequest, slug: str, code: str) -> Browser:
    at = clock.database_now()
    task = get_object_or_404(task_access.tasks(request.user), slug=slug)
    visible = task_access.test_sets(request.user, task, at=at).select_related("gold_in_force__test_set__task")
    test_set = get_object_or_404(visible, code=code)
    test_set.task = task
    query = parse_query(request.GET)
    analysed = find_analysed_set(
        request.user,
        test_set,
        at=at,
        named=query.system,
        chosen=ResultsQuery(phase=query.phase, track=query.track, ranking=query.ranking),
    )
    chosen = analysed.named(query.system) if analysed else None
    if analysed is None or chosen is None:
        raise Http404("there is nothing here for this viewer")
    analyses = dict.fromkeys(system.analysis for system in [*chosen, *analysed.ranked])
    return Browser(
        at=at,
        analysed=analysed,
        query=query,
        chosen=chosen,
        sentences=sentence_cache.system_sentences(list(analyses)),
    )
