"""The matrix of systems and test sets: which figures it shows, in which order, and in which colours."""
