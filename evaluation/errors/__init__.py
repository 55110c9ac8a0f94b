"""Error classes: groups of words that a linguist would name, and how often a system errs in each."""
