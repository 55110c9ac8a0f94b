"""Cascades: which errors cause others, by parsing with some gold arcs given (Ng and Curran 2015)."""
