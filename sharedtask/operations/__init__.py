"""For operators: metrics, the sweep, backups."""
