"""The charts of test sets: segmentation against parsing on one of them, and the difficulty of all.

In: the view, or the difficulties of all test sets. Out: SVG; None if there are too few figures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from django.utils.safestring import SafeString

from evaluation import Presentation
from sharedtask.leaderboard.charts import Distribution, Dot, distributions, draw, scatter
from sharedtask.leaderboard.test_set.difficulty import Difficulty
from sharedtask.standings.standing_view import StandingView

MIN_FIGURES = 2
MIN_FOR_CORRELATION = 3


def segmentation_plot(view: StandingView, code: str, *, segmentation: str, metric: str) -> SafeString | None:
    """One dot for each system with a valid output that was not withdrawn."""
    x, y = (
        view.figures.set_f1[:, view.set_index(code), view.metric_index(name)]
        for name in (segmentation, metric)
    )
    x_style, y_style = view.presentation(segmentation), view.presentation(metric)
    dots = [
        Dot(
            name=entrant.name,
            x=x_style.rounded(float(x[entrant.index])),
            y=y_style.rounded(float(y[entrant.index])),
            is_baseline=entrant.baseline,
        )
        for entrant in view.entrants
        if not entrant.withdrawn and not np.isnan(y[entrant.index])
    ]
    if len(dots) < MIN_FIGURES:
        return None
    return draw(
        scatter(dots, x=segmentation, y=metric, x_style=x_style, y_style=y_style),
        title=f"{segmentation} against {metric} on {code}",
        description=f"{len(dots)} systems, one dot per system. {correlation(dots, segmentation, metric)} "
        "The ranking table shows the same values.",
    )


def correlation(dots: Sequence[Dot], x: str, y: str) -> str:
    """The chart in words; empty if there is no correlation to speak of."""
    x_values, y_values = [dot.x for dot in dots], [dot.y for dot in dots]
    if len(dots) < MIN_FOR_CORRELATION or np.ptp(x_values) == 0 or np.ptp(y_values) == 0:
        return ""
    r = float(np.corrcoef(x_values, y_values)[0, 1])
    return f"The correlation of {x} and {y} is {r:.2f}."


def difficulty_plot(
    difficulties: Mapping[str, Difficulty], highlighted: str, metric: str, presentation: Presentation
) -> SafeString | None:
    """All test sets from hard to easy; one of them can be highlighted by its code."""
    if len(difficulties) < MIN_FIGURES:
        return None
    columns = [
        distribution(difficulty, presentation, is_highlighted=code == highlighted)
        for code, difficulty in difficulties.items()
    ]
    highlight = (
        f" {highlighted} is highlighted, with a dot per system." if highlighted in difficulties else ""
    )
    return draw(
        distributions(columns, y=metric, style=presentation),
        title=f"{metric} of all systems on each test set, from the hardest to the easiest",
        description="A line from the worst to the best system, a box for the middle half, a mark at the "
        f"median.{highlight} The table of test sets shows the same values.",
    )


def distribution(difficulty: Difficulty, presentation: Presentation, *, is_highlighted: bool) -> Distribution:
    """Rounded as printed: figures that print the same give the same chart, which is then drawn once."""
    rounded = presentation.rounded
    return Distribution(
        name=difficulty.test_set.code,
        low=rounded(difficulty.low),
        lower=rounded(difficulty.lower),
        median=rounded(difficulty.median),
        upper=rounded(difficulty.upper),
        high=rounded(difficulty.high),
        points=tuple(rounded(figure) for figure in difficulty.figures) if is_highlighted else (),
    )
