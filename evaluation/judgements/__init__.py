"""Human judgements of pairs of trees: agreement, aggregation, and how well metrics agree with people."""
