"""Cascades: which errors cause others, found by parsing with some of the gold arcs given (Ng and Curran 2015)."""
