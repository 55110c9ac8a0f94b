"""Pages of organisers: the calendar, gold, the task's folder, announcements, the log. They decide nothing."""
