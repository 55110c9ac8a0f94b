"""The site's processes with a clock and a chance that a test sets: two of them can be compared byte by byte.

The site itself has no door for this. `web.py` wraps its WSGI application and `worker.py` its Celery
application, each in a process of its own; what they are told lies in the folder `TWIN_FOLDER`.
"""
