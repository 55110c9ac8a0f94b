"""Two systems over a scope: their difference, its significance, and the test sets it depends on.

In: the view and two systems. Out: a `Pair`, the better one first. Intervals and p-values were computed by a
worker; only differences of figures are computed here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from evaluation import Presentation
from evaluation.ranking.aggregate import Policy
from evaluation.ranking.analyses import record_of
from evaluation.ranking.decisive_sets import DecisiveSets, fewest_decisive_sets, single_decisive_sets
from evaluation.ranking.details import SET
from evaluation.ranking.pairs import Pairs
from sharedtask.competition.averaging import missing_policy_by
from sharedtask.competition.models import Task
from sharedtask.leaderboard.system.system_stats import none_if_nan
from sharedtask.standings.figures import pairs_among
from sharedtask.standings.standing_view import Entrant, StandingView

StoredPairs = Mapping[str, Pairs]
"""By the name of a scope, or `set:` and a code."""


@dataclass(frozen=True, kw_only=True)
class Pair:
    higher: Entrant
    """The better one, even if lower figures are better."""
    lower: Entrant
    presentation: Presentation
    difference: float | None
    """None if one of them has no figure."""
    p: float | None
    """None for a metric that is not a main one, and where there are too few units."""
    p_holm: float | None
    """Corrected for all pairs of the ranking; only over all test sets."""
    wins: int
    ties: int
    losses: int
    not_compared: Sequence[str]
    """Test sets that one of them has no score for, where these do not count as 0."""
    decisive_alone: Sequence[str]
    """Test sets each of which decides the order: without it the order would be different."""
    fewest_decisive: DecisiveSets | None
    """The smallest set of test sets without which the order would be different."""

    @property
    def sets(self) -> int:
        return self.wins + self.ties + self.losses + len(self.not_compared)

    @property
    def behind(self) -> float | None:
        """How far the better one would be behind without those test sets; None if they would be tied."""
        if self.fewest_decisive is None or self.presentation.same(abs(self.fewest_decisive.difference), 0.0):
            return None
        return abs(self.fewest_decisive.difference)

    @property
    def tied(self) -> bool:
        """Equal as printed."""
        return self.difference is not None and self.presentation.same(abs(self.difference), 0.0)

    @property
    def advantage(self) -> float | None:
        """How much better the first one is, as a positive number."""
        return None if self.difference is None else abs(self.difference)


def stored_pairs(view: StandingView, systems: Sequence[Entrant], scope: str) -> StoredPairs:
    """Of these systems, over all scopes and on the test sets of one scope."""
    columns = [*view.figures.scopes, *(SET + code for code in view.codes_of(scope))]
    return pairs_among(view.standing, {system.id for system in systems}, columns)


def pairs(
    view: StandingView, systems: Sequence[Entrant], metric: str, scope: str, stored: StoredPairs
) -> list[Pair]:
    """All pairs; `systems` are sorted, the best first."""
    return [pair(view, higher, lower, metric, scope, stored) for higher, lower in combinations(systems, 2)]


def pair(
    view: StandingView, higher: Entrant, lower: Entrant, metric: str, scope: str, stored: StoredPairs
) -> Pair:
    first, second = (average(view, system, metric, scope) for system in (higher, lower))
    of_higher, of_lower = (scores(view, system, metric, scope) for system in (higher, lower))
    presentation = view.presentation(metric)
    policy = policy_of(view.task, presentation)
    record = record_of(of_higher, of_lower, presentation, policy)
    return Pair(
        higher=higher,
        lower=lower,
        presentation=presentation,
        difference=None if first is None or second is None else first - second,
        p=stored[scope].p_of(metric, higher.id, lower.id),
        p_holm=stored[scope].p_holm_of(metric, higher.id, lower.id),
        wins=record.wins,
        ties=record.ties,
        losses=record.losses,
        not_compared=record.not_compared,
        decisive_alone=single_decisive_sets(of_higher, of_lower, policy),
        fewest_decisive=fewest_decisive_sets(of_higher, of_lower, policy),
    )


def best_first(view: StandingView, systems: Sequence[Entrant], metric: str, scope: str) -> list[Entrant]:
    """Over the scope the first is never worse, so that the sign of a difference has one meaning."""
    sort_key = view.presentation(metric).sort_key

    def key(system: Entrant) -> tuple[bool, float]:
        figure = average(view, system, metric, scope)
        return figure is None, sort_key(figure or 0.0)

    return sorted(systems, key=key)


def average(view: StandingView, system: Entrant, metric: str, scope: str) -> float | None:
    figures = view.figures
    return none_if_nan(figures.f1[system.index, view.scope_index(scope), view.metric_index(metric)])


def scores(view: StandingView, system: Entrant, metric: str, scope: str) -> dict[str, float | None]:
    """F1 on each test set of the scope."""
    metric_index = view.metric_index(metric)
    return {
        code: none_if_nan(view.figures.set_f1[system.index, view.set_index(code), metric_index])
        for code in view.codes_of(scope)
    }


def policy_of(task: Task, presentation: Presentation) -> Policy:
    policy = missing_policy_by(Task.MissingPolicy(task.missing_policy), presentation)
    return "zero" if policy == Task.MissingPolicy.ZERO else "exclude"
