"""What organisers fill in to import or export a task's folder; the zip itself is streamed past the form."""

from __future__ import annotations

from sharedtask.competition.acts import ReasonForm


class ImportForm(ReasonForm):
    """Why the task changes, or begins."""


class ExportForm(ReasonForm):
    """Why gold leaves the site."""
