"""Learning curves: how fast classes of dependencies are learned, and what systems are worth in sentences."""
