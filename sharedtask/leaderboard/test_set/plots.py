"""The two charts of a test set's page: segmentation against parsing, and the test set among the others.

In: the field, or the difficulties of all test sets. Out: SVG; nothing where there are too few figures.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from django.utils.safestring import SafeString

from evaluation import Presentation
from sharedtask.leaderboard.charts import Column, Dot, distributions, draw, scatter
from sharedtask.leaderboard.test_set.difficulty import Difficulty
from sharedtask.standings.standing_view import StandingView

FEWEST = 2


def segmentation_against(
    field: StandingView, code: str, *, segmentation: str, metric: str
) -> SafeString | None:
    """One dot for each system with a valid file that was not withdrawn."""
    names, column = field.figures.metrics, field.column(code)
    x, y = (field.figures.set_f1[:, column, names.index(name)] for name in (segmentation, metric))
    across, upwards = field.presentation(segmentation), field.presentation(metric)
    dots = [
        Dot(
            name=one.name,
            x=across.rounded(float(x[one.index])),
            y=upwards.rounded(float(y[one.index])),
            is_baseline=one.baseline,
        )
        for one in field.entrants
        if not one.withdrawn and not np.isnan(y[one.index])
    ]
    if len(dots) < FEWEST:
        return None
    return draw(
        scatter(dots, x=segmentation, y=metric, digits=(across.digits, upwards.digits)),
        title=f"{segmentation} against {metric} on {code}",
        description=f"{len(dots)} systems, each a dot. {correlation(dots, segmentation, metric)} "
        "The table of the ranking has the same figures.",
    )


def correlation(dots: list[Dot], x: str, y: str) -> str:
    """What the eye sees in the picture, in words."""
    across, upwards = [dot.x for dot in dots], [dot.y for dot in dots]
    if len(dots) < 3 or np.ptp(across) == 0 or np.ptp(upwards) == 0:
        return ""
    r = float(np.corrcoef(across, upwards)[0, 1])
    return f"The correlation of {x} and {y} is {r:.2f}."


def among_others(
    found: Mapping[str, Difficulty], code: str, metric: str, presentation: Presentation
) -> SafeString | None:
    """All test sets from hard to easy; the one that the page is about is marked, if it is about one."""
    if len(found) < FEWEST:
        return None
    columns = [column_of(one, presentation, is_marked=one.test_set.code == code) for one in found.values()]
    marked = f" {code} is marked, with a dot for each system." if code in found else ""
    return draw(
        distributions(columns, y=metric, digits=presentation.digits),
        title=f"{metric} of all systems on each test set, from the hardest to the easiest",
        description="A line from the worst to the best system, a box around the middle half of them, a "
        f"stroke at the median.{marked} The list of test sets has the same figures as a table.",
    )


def column_of(one: Difficulty, presentation: Presentation, *, is_marked: bool) -> Column:
    """As printed: a picture need not be finer, and is then drawn once for figures that print the same."""
    points = presentation.rounded
    return Column(
        name=one.test_set.code,
        low=points(one.low),
        lower=points(one.lower),
        median=points(one.median),
        upper=points(one.upper),
        high=points(one.high),
        points=tuple(points(figure) for figure in one.figures) if is_marked else (),
    )
