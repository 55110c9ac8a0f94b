"""Background work: its kinds, leases, retries, and recovery from lost workers and lost messages.

This package knows no model of the site. Each app declares its kinds of work, and `operations/kinds.py` lists
them.
"""
