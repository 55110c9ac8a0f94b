"""The data package `results.zip`.

`contents` collects what a visitor may see of a publication, `tables` and `explain` write the small files,
`write` puts all of them into a reproducible zip, `make` is the work of the workers, `page` the view.
"""
