"""A finished task as static files: the pages that a visitor sees, with relative links.

`fetch` requests a page from the site, `addresses` decides which pages are archived and under which file
names, `scan` finds the links of a page, `rewrite` turns it into an archived page, `write` crawls the pages.
"""
