"""What the page of a test set shows: the ranking on it, and how hard it is beside the others."""
