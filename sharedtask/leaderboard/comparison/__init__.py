"""What the comparison of systems shows: differences with intervals and p, and what they rest on."""
