"""Models of a shared task: tasks, phases, test sets and their files, the audit log, announcements."""

from sharedtask.competition.models.audit import Announcement, AuditEntry
from sharedtask.competition.models.calendar import Phase
from sharedtask.competition.models.standing_request import StandingRequest
from sharedtask.competition.models.task import Task
from sharedtask.competition.models.testset import GoldReference, GoldVersion, InputFile, TestSet

__all__ = [
    "Announcement",
    "AuditEntry",
    "GoldReference",
    "GoldVersion",
    "InputFile",
    "Phase",
    "StandingRequest",
    "Task",
    "TestSet",
]
