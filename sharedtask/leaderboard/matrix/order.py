"""The order of the matrix: test sets by group or from hard to easy; systems by rank, name or one column."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, isnan

from sharedtask.competition.models import TestSet
from sharedtask.leaderboard.matrix.query import BY_DIFFICULTY, BY_NAME, MatrixQuery
from sharedtask.leaderboard.test_set.difficulty import difficulties
from sharedtask.standings.standing_view import Entrant, StandingView


def ordered_columns(view: StandingView, query: MatrixQuery) -> list[TestSet]:
    groups = view.task.groups
    test_sets = [view.test_sets[code] for code in view.codes_of(query.scope)]
    by_group = sorted(test_sets, key=lambda test_set: (group_index(test_set, groups), test_set.code))
    if query.columns != BY_DIFFICULTY:
        return by_group
    # A test set without any figure is neither hard nor easy and comes last.
    by_code = difficulties(view, query.metric)
    places = {code: difficulty.place for code, difficulty in by_code.items()}
    return sorted(by_group, key=lambda test_set: places.get(test_set.code, len(places) + 1))


def columns_by_group(test_sets: Sequence[TestSet], groups: Sequence[str]) -> list[tuple[str, list[TestSet]]]:
    """Each test set in all its groups, whose averages all count it; those in no group last."""
    by_group = [(group, [each for each in test_sets if group in each.groups]) for group in groups]
    by_group.append(("", [each for each in test_sets if not set(groups) & set(each.groups)]))
    return [(group, members) for group, members in by_group if members]


def first_group(test_set: TestSet, groups: Sequence[str]) -> str:
    """For a test set in several groups, the one that the task lists first."""
    return next((group for group in groups if group in test_set.groups), "")


def group_index(test_set: TestSet, groups: Sequence[str]) -> int:
    group = first_group(test_set, groups)
    return groups.index(group) if group else len(groups)


def ordered_rows(view: StandingView, query: MatrixQuery) -> list[Entrant]:
    """Withdrawn systems come last, whatever the order; equal figures are ordered by name."""
    if query.rows == BY_NAME:
        return sorted(
            view.entrants, key=lambda entrant: (entrant.withdrawn, entrant.name.casefold(), entrant.id)
        )
    figures = view.figures
    metric_index = view.metric_index(query.metric)
    if query.rows:
        column = figures.set_f1[:, view.set_index(query.rows), metric_index]
    else:
        column = figures.f1[:, view.scope_index(query.scope), metric_index]
    sort_key = view.presentation(query.metric).sort_key

    def key(entrant: Entrant) -> tuple[bool, float, str]:
        figure = float(column[entrant.index])
        return entrant.withdrawn, inf if isnan(figure) else sort_key(figure), entrant.name.casefold()

    return sorted(view.entrants, key=key)
