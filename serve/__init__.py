"""``make serve``: the whole site on one machine, as children of one foreground process.

``__main__`` runs the steps in order, ``preflight`` checks the environment, ``redis`` configures the broker,
``processes`` starts and stops a child process, ``output`` writes the log and to the terminal, ``supervisor``
runs all of them until Ctrl-C.
"""
