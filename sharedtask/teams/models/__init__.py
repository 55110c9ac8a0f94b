"""Teams and the people in them, what they are told, and the extensions that they were granted."""

from sharedtask.teams.models.extension import Extension
from sharedtask.teams.models.notice import Notice, SwitchedOff
from sharedtask.teams.models.team import Invitation, Membership, System, Team

__all__ = ["Extension", "Invitation", "Membership", "Notice", "SwitchedOff", "System", "Team"]
