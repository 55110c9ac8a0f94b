"""Cascades: which errors cause others, found by parsing with some gold arcs given."""
