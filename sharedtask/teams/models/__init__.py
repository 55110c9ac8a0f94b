"""Teams and people; what they are told; the mails and counts that accounts need."""

from sharedtask.accounts.models.attempt import Attempt
from sharedtask.accounts.models.letter import Letter
from sharedtask.teams.models.notice import Notice, SwitchedOff
from sharedtask.teams.models.team import Invitation, Membership, System, Team

__all__ = ["Attempt", "Invitation", "Letter", "Membership", "Notice", "SwitchedOff", "System", "Team"]
