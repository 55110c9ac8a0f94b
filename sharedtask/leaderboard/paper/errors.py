"""The table of error classes of all systems of a ranking together, over all test sets with released gold.

In: a standing, as its viewer sees it. Out: the table, or None if no gold is released yet. The pages of
systems, comparisons and test sets have the same table of what they show.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from evaluation.ranking.tables.table import Table
from sharedtask.accounts.roles import Viewer
from sharedtask.leaderboard.system.analyses import analyses_of
from sharedtask.leaderboard.system.breakdown_sums import sum_field_errors
from sharedtask.leaderboard.system.error_classes import as_table, error_class_table
from sharedtask.standings.standing_view import StandingView

NAME = "errors"


def errors_table(viewer: Viewer, view: StandingView, *, at: datetime) -> Table | None:
    ranked = [entrant for entrant in view.entrants if not entrant.withdrawn]
    of_systems = [by_code for by_code in analyses_of(viewer, view, ranked, at=at) if by_code]
    codes = {code for by_code in of_systems for code in by_code}
    analyses = tuple(id for by_code in of_systems for id in by_code.values())
    errors = error_class_table([sum_field_errors(analyses)], []) if analyses else None
    if errors is None:
        return None
    table = as_table(errors, [f"all {len(of_systems)} systems combined"])
    sets = f"{len(codes)} test set{'' if len(codes) == 1 else 's'} with released gold"
    return replace(table, caption=f"{table.caption} Words of {sets}, counted once for each system.")
