"""Results that need no server: the data package of published results, and a task as static files.

`package/` writes `results.zip`, from which the published standings can be reproduced; `site/` writes the
pages of a finished task as a visitor sees them, with relative links.
"""
