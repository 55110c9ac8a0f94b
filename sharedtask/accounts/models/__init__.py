"""Accounts, account e-mails, access tokens, and counts of attempts to sign in."""

from sharedtask.accounts.models.access_token import AccessToken, Scope
from sharedtask.accounts.models.attempt import Attempt
from sharedtask.accounts.models.device_authorization import DeviceAuthorization
from sharedtask.accounts.models.queued_mail import QueuedMail
from sharedtask.accounts.models.user import User

__all__ = ["AccessToken", "Attempt", "DeviceAuthorization", "QueuedMail", "Scope", "User"]
