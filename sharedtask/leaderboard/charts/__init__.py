"""Charts as SVG, drawn on the server: `scatter` and `distributions` specify them, `draw` renders them.

A chart is part of the page: its colours are the page's own variables, so that it is dark where the page is
dark, and it has neither script nor style of its own. Next to every chart is a table of its values.
"""

from __future__ import annotations

from sharedtask.leaderboard.charts.distributions import Distribution, distributions
from sharedtask.leaderboard.charts.draw import draw
from sharedtask.leaderboard.charts.scatter import Dot, scatter

__all__ = ["Distribution", "Dot", "distributions", "draw", "scatter"]
