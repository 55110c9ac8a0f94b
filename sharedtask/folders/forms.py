"""Forms to import or export a task folder. The zip itself is streamed and not part of the form."""

from __future__ import annotations

from sharedtask.competition.acts import ReasonForm


class ImportForm(ReasonForm):
    """Why the task changes, or begins."""


class ExportForm(ReasonForm):
    """Why gold leaves the site."""
