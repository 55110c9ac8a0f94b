"""Pages about software: of a team, of an execution, and for organisers."""
