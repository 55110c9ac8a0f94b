"""Software of other people, in two steps: images are checked and rewritten, then run in closed containers."""
