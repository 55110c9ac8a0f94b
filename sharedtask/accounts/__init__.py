"""Accounts: users, sign-in, second factor, account e-mails, and roles in a task."""
