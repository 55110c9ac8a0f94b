"""Series that the server makes: a system is trained on samples of growing size and run on released data.

`request.py` → `proceed.py`, with `files.py` → executions in the airlock → runs, which are analysed like
declared ones. `describe.py` says how far it has come.
"""
