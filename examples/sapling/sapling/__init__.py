"""Sapling: a small dependency parser in Python and numpy, with two decoders and constraints."""
