"""Standings: computed from the counts of all runs, stored once, published by an organiser."""
