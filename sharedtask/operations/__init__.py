"""For administrators: metrics, the sweep, backups."""
