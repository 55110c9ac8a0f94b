"""Background work: what kinds there are, who holds a piece of it, what happens when it fails or is lost.

This package knows no model of the site. Each app declares its kinds of work, and `operations/kinds.py` lists
them.
"""
