"""How to cite a task and its results, as BibTeX.

In: the task, and the standing that the reader sees. Out: the entries that the organisers gave, and one for
the results on this site, with their signature.
"""

from __future__ import annotations

from django.urls import reverse

from evaluation.ranking.render import latex_text
from sharedtask.competition.citation import citation_of
from sharedtask.competition.models import Task
from sharedtask.core.site_address import absolute
from sharedtask.standings.standing_view import StandingView


def bibtex_of(task: Task, view: StandingView | None) -> str:
    entries = [citation_of(task.citation).bibtex, results_entry(view) if view else ""]
    return "\n\n".join(entry for entry in entries if entry) + "\n"


def results_entry(view: StandingView) -> str:
    task, phase, standing = view.task, view.phase, view.standing
    at = view.source.published_at or standing.computed_at
    address = absolute(reverse("leaderboard", args=[task.slug]))
    part = f", {view.coverage}" if view.coverage else ""
    title = f"{task.title}: {standing.title} ranking{part}"
    fields = {
        "title": f"{{{latex_text(title)}}}",
        "year": f"{at:%Y}",
        "howpublished": rf"\url{{{address}}}",
        "note": latex_text(view.signature()),
    }
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items()]
    return "\n".join(
        [
            "@misc{"
            + "-".join(filter(None, (task.slug, phase.code, standing.track, standing.ranking)))
            + ",",
            *lines,
            "}",
        ]
    )
