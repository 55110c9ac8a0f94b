"""The actions of the audit log as text. Entries store the short names, which never change."""

from __future__ import annotations

LABELS = {
    "add-organiser": "Organiser added",
    "announce": "Announcement published",
    "change-times": "Times of a phase changed",
    "close-alarm": "Alarm closed automatically",
    "combine-runs": "Runs combined",
    "confirm-team": "Team confirmed",
    "decline-team": "Team declined",
    "edit-task": "Task edited",
    "enter-baseline": "Baseline entered",
    "export-folder": "Task folder exported",
    "extend-phase": "Phase extended",
    "grant-quota": "Extra runs granted",
    "grant-resources": "Resources granted to software",
    "import-folder": "Task folder imported",
    "mark-official": "Official run chosen by the team",
    "mark-official-by-organiser": "Official run chosen by an organiser",
    "notify-team-of-alarm": "Team notified of an alarm",
    "publish-results": "Results published",
    "put-gold-in-force": "Corrected gold put in force",
    "put-profile-in-force": "New version of the profile put in force",
    "reject-run": "Run rejected",
    "release-gold": "Gold released",
    "release-log": "Log of software released to a team",
    "release-message": "Message released to a team",
    "remove-organiser": "Organiser removed",
    "reopen-alarm": "Alarm reopened automatically",
    "resolve-alarm": "Alarm resolved",
    "replicate-software": "Execution repeated",
    "restart-software": "Execution restarted",
    "restore-run": "Run restored",
    "retry-analyses": "Analyses retried",
    "retry-package": "Data package retried",
    "retry-run": "Failed run retried",
    "run-software": "Software run on behalf of a team",
    "stop-software": "Execution stopped",
    "unmark-official": "Official run unmarked by the team",
    "unmark-official-by-organiser": "Official run unmarked by an organiser",
    "upload-gold": "Corrected gold uploaded",
    "upload-on-behalf": "Run uploaded on behalf of a team",
    "withdraw-run": "Run withdrawn by the team",
    "withdraw-run-for-team": "Run withdrawn for a team",
    "withdraw-system": "System withdrawn",
}


def action_label(action: str) -> str:
    """An action without a label is still readable: an old entry may have one that is no longer used."""
    return LABELS.get(action, action.replace("-", " ").capitalize())
