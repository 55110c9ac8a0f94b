"""Notices: `send` writes them, `mail` e-mails them, `task_events` and `closing_events` find the events."""
