"""Correcting gold, in the order in which it happens.

A folder with a newer gold file is imported (`folders`), and its version waits (`corrections`). Workers score
the stored outputs against it (`submissions/rescore.py`) and compute the standings that would follow
(`preview`). The organiser reads both sides (`compare`, `pages`) and puts the versions in force
(`put_in_force`), which is kept as a `GoldFix`.
"""
