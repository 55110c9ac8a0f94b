"""Pages for organisers: organisers, announcements, the audit log."""
