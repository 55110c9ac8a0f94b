"""Two systems over a scope: how far one is above the other, how sure that is, and what it rests on.

In: the field and two systems. Out: `Pair`, the higher one first. Everything with chance in it was computed by
a worker; only differences of printed figures are taken here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from evaluation import Presentation
from evaluation.ranking.aggregate import Policy
from evaluation.ranking.decisive_sets import DecisiveSets, fewest_decisive_sets, single_decisive_sets
from evaluation.ranking.results import EVERYTHING
from sharedtask.competition.models import Task
from sharedtask.leaderboard.portrait.among import number
from sharedtask.standings.entrants import Entrant, Field


@dataclass(frozen=True, kw_only=True)
class Pair:
    higher: Entrant
    """The better one, whether its figure is higher or lower."""
    lower: Entrant
    presentation: Presentation
    difference: float | None
    """None where one of them has no figure."""
    p: float | None
    """For the claim that the higher one is really above; None for a metric that is not a main one."""
    p_holm: float | None
    """Corrected for all pairs of the ranking; only over everything."""
    wins: int
    ties: int
    losses: int
    alone: Sequence[str]
    """Test sets without any one of which the order would be another."""
    without: DecisiveSets | None
    """The fewest test sets without which it would be."""

    @property
    def sets(self) -> int:
        return self.wins + self.ties + self.losses

    @property
    def behind(self) -> float | None:
        """How far the higher one would be behind without those test sets; None where it would be level."""
        if self.without is None or self.presentation.same(abs(self.without.difference), 0.0):
            return None
        return abs(self.without.difference)

    @property
    def level(self) -> bool:
        """Equal as printed."""
        return self.difference is not None and self.presentation.same(abs(self.difference), 0.0)

    @property
    def advantage(self) -> float | None:
        """How much better the first one is, without a sign."""
        return None if self.difference is None else abs(self.difference)


def pairs(field: Field, chosen: Sequence[Entrant], metric: str, scope: str) -> list[Pair]:
    """Every two of them; the best come first in `chosen`."""
    return [pair(field, higher, lower, metric, scope) for higher, lower in combinations(chosen, 2)]


def pair(field: Field, higher: Entrant, lower: Entrant, metric: str, scope: str) -> Pair:
    first, second = (average(field, who, metric, scope) for who in (higher, lower))
    ours, theirs = (scores(field, who, metric, scope) for who in (higher, lower))
    policy = policy_of(field.on_show.phase.task)
    presentation = field.presentation(metric)
    wins, ties, losses = record(ours, theirs, presentation)
    return Pair(
        higher=higher,
        lower=lower,
        presentation=presentation,
        difference=None if first is None or second is None else first - second,
        p=p_value(field, higher, lower, metric, scope),
        p_holm=p_holm(field, higher, lower, metric) if scope == EVERYTHING else None,
        wins=wins,
        ties=ties,
        losses=losses,
        alone=single_decisive_sets(ours, theirs, policy),
        without=fewest_decisive_sets(ours, theirs, policy),
    )


def best_first(field: Field, chosen: Sequence[Entrant], metric: str, scope: str) -> list[Entrant]:
    """So that the sign of a difference can be read: over the scope as a whole the first is never worse."""
    key = field.presentation(metric).sort_key

    def place(who: Entrant) -> tuple[bool, float]:
        figure = average(field, who, metric, scope)
        return figure is None, key(figure or 0.0)

    return sorted(chosen, key=place)


def average(field: Field, who: Entrant, metric: str, scope: str) -> float | None:
    figures = field.figures
    return number(figures.f1[who.index, figures.scopes.index(scope), figures.metrics.index(metric)])


def scores(field: Field, who: Entrant, metric: str, scope: str) -> dict[str, float | None]:
    """F1 on each test set of the scope."""
    measure = field.figures.metrics.index(metric)
    return {
        code: number(field.figures.set_f1[who.index, field.column(code), measure])
        for code in field.codes_of(scope)
    }


def record(
    ours: dict[str, float | None], theirs: dict[str, float | None], presentation: Presentation
) -> tuple[int, int, int]:
    """Test sets won, level and lost; equal as printed is level, and a file without a score is 0."""
    both = [(ours[code] or 0.0, theirs[code] or 0.0) for code in ours]
    ties = sum(presentation.same(first, second) for first, second in both)
    wins = sum(
        presentation.advantage(first, second) > 0 and not presentation.same(first, second)
        for first, second in both
    )
    return wins, ties, len(both) - wins - ties


def p_value(field: Field, higher: Entrant, lower: Entrant, metric: str, scope: str) -> float | None:
    figures = field.figures
    if metric not in figures.main:
        return None
    at = figures.main.index(metric), figures.scopes.index(scope), higher.index, lower.index
    return number(figures.p[at])


def p_holm(field: Field, higher: Entrant, lower: Entrant, metric: str) -> float | None:
    figures = field.figures
    if metric not in figures.main:
        return None
    return number(figures.p_holm[figures.main.index(metric), higher.index, lower.index])


def policy_of(task: Task) -> Policy:
    return "zero" if task.missing_policy == Task.MissingPolicy.ZERO else "exclude"
