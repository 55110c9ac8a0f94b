"""The nouns of a submission: a run, its files, their scores, and what is said about it."""

from sharedtask.submissions.models.file import RunFile
from sharedtask.submissions.models.moderation import Alarm, Message
from sharedtask.submissions.models.run import CombinedPart, Run
from sharedtask.submissions.models.score import Score

__all__ = ["Alarm", "CombinedPart", "Message", "Run", "RunFile", "Score"]
