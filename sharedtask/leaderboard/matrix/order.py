"""The order of the matrix: test sets by group or from hard to easy; systems by rank, name or one column."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, isnan

from sharedtask.competition.models import TestSet
from sharedtask.leaderboard.matrix.query import BY_DIFFICULTY, BY_NAME, Wishes
from sharedtask.leaderboard.test_set.difficulty import difficulties
from sharedtask.standings.standing_view import Entrant, StandingView


def in_columns(field: StandingView, wishes: Wishes) -> list[TestSet]:
    groups = field.source.phase.task.groups
    sets = [field.test_sets[code] for code in field.codes_of(wishes.scope)]
    by_group = sorted(sets, key=lambda one: (place_of_group(one, groups), one.code))
    if wishes.columns != BY_DIFFICULTY:
        return by_group
    # A test set on which nobody has a figure is neither hard nor easy and comes last.
    places = {code: one.place for code, one in difficulties(field, wishes.metric).items()}
    return sorted(by_group, key=lambda one: places.get(one.code, len(places) + 1))


def first_group(test_set: TestSet, groups: Sequence[str]) -> str:
    """A test set of several groups stands under the one that the task names first."""
    return next((group for group in groups if group in test_set.groups), "")


def place_of_group(test_set: TestSet, groups: Sequence[str]) -> int:
    group = first_group(test_set, groups)
    return groups.index(group) if group else len(groups)


def in_rows(field: StandingView, wishes: Wishes) -> list[Entrant]:
    """Withdrawn systems come last, whatever the order; equal figures are ordered by name."""
    if wishes.rows == BY_NAME:
        return sorted(field.entrants, key=lambda one: (one.withdrawn, one.name.casefold(), one.id))
    figures = field.figures
    measure = figures.metrics.index(wishes.metric)
    if wishes.rows:
        column = figures.set_f1[:, field.column(wishes.rows), measure]
    else:
        column = figures.f1[:, figures.scopes.index(wishes.scope), measure]
    key = field.presentation(wishes.metric).sort_key

    def place(one: Entrant) -> tuple[bool, float, str]:
        figure = float(column[one.index])
        return one.withdrawn, inf if isnan(figure) else key(figure), one.name.casefold()

    return sorted(field.entrants, key=place)
