"""The data package `results.zip`.

`contents` says what a visitor may see of a publication, `tables` and `explain` write the small files, `write`
puts all of them into a zip whose bytes depend on the contents alone, `make` is the workers' part, `page` the
reader's.
"""
