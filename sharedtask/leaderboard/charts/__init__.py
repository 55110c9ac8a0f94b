"""Charts as SVG, drawn on the server: `scatter` and `distributions` say what, `draw` makes the picture.

A chart is part of the page: its colours are the page's own variables, so that it is dark where the page is
dark, and it has neither script nor style of its own. Beside every chart stands a table of its values.
"""

from __future__ import annotations

from sharedtask.leaderboard.charts.distributions import Column, distributions
from sharedtask.leaderboard.charts.draw import draw
from sharedtask.leaderboard.charts.scatter import Dot, scatter

__all__ = ["Column", "Dot", "distributions", "draw", "scatter"]
