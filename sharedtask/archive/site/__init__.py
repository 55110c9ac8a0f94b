"""A finished task as plain files: the pages that a visitor sees, with links that work from a disk.

`visit` asks the site for a page, `addresses` says which pages come along and under which file names, `survey`
reads what a page links to, `rewrite` makes a page of the archive of it, `write` goes from page to page.
"""
