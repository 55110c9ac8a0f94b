"""Experiments with constraints: which errors of a system cause others."""
