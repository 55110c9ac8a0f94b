"""What operators need: metrics, the sweep, backups."""
