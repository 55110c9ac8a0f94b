"""``make serve``: the whole site on one machine, as children of one foreground process.

Reads in this order: ``__main__`` (what happens when), ``preflight`` (what can be wrong beforehand),
``redis`` (the broker), ``processes`` (a child and its end), ``supervisor`` (all children, until Ctrl-C).
"""
