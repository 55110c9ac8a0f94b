"""Untrusted archives of outputs: one file per test set, or a refusal.

`members.py` reads an archive as a stream of members, `folder.py` a folder in the same form, and `unpack.py`
judges names and sizes. Site and client use the same code, so that both give the same verdict.
"""
