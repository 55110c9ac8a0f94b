"""Correcting gold, in the order in which it happens.

A folder with a newer gold file is imported (`folders`), and its version is a pending correction
(`../corrections.py`). Workers score the stored outputs against it (`submissions/rescore.py`) and compute the
standings that would follow (`../precompute.py`). The organiser reads both sides (`compare`, `pages`) and puts
the versions in force (`put_in_force`), which is kept as a `GoldFix`.
"""
