"""Accounts, account e-mails, and counts of attempts to sign in."""

from sharedtask.accounts.models.attempt import Attempt
from sharedtask.accounts.models.queued_mail import QueuedMail
from sharedtask.accounts.models.user import User

__all__ = ["Attempt", "QueuedMail", "User"]
