"""What knows no model: the clock, stored files, sealing, errors, logs, limits, text."""
