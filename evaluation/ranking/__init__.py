"""Compare many systems: averages, significance, standings, the tables of an overview paper."""
