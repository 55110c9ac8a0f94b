"""Teams, their members and systems, the notices they get, and the extensions they were granted."""

from sharedtask.teams.models.extension import Extension, ExtraRuns
from sharedtask.teams.models.notice import Notice, NoticeChoice
from sharedtask.teams.models.team import Invitation, Membership, System, Team

__all__ = ["Extension", "ExtraRuns", "Invitation", "Membership", "Notice", "NoticeChoice", "System", "Team"]
