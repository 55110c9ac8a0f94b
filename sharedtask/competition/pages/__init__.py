"""Pages of organisers: themselves, announcements, the log. They decide nothing."""
