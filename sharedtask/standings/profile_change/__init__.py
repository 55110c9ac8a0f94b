"""A new version of the profile, in the order in which it happens: as corrected gold (`../gold_fix/`).

The operator installs a package. The sweep has stored outputs scored by it (`submissions/rescore.py`), workers
compute the standings that would follow (`../precompute.py`), the organiser reads both sides (`pages`) and
puts the version in force (`put_in_force`), which is kept as a `ProfileChange`. Until then nothing changes.
"""
