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


def bibtex_of(task: Task, field: StandingView | None) -> str:
    entries = [citation_of(task.citation).bibtex, results_entry(field) if field else ""]
    return "\n\n".join(entry for entry in entries if entry) + "\n"


def results_entry(field: StandingView) -> str:
    source = field.source
    task, standing = source.phase.task, source.standing
    at = source.publication.at if source.publication else standing.computed_at
    address = absolute(reverse("leaderboard", args=[task.slug]))
    part = f", {field.coverage}" if field.coverage else ""
    title = f"{task.title}: {source.phase.title}, {standing.ranking} ranking{part}"
    fields = {
        "title": f"{{{latex_text(title)}}}",
        "year": f"{at:%Y}",
        "howpublished": rf"\url{{{address}}}",
        "note": latex_text(standing.signature),
    }
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items()]
    return "\n".join([f"@misc{{{task.slug}-{source.phase.code}-{standing.ranking},", *lines, "}"])
