"""What the comparison page shows: pairs of systems, and all of them by scope and by test set."""
