"""Read CoNLL-U files: from bytes to arrays of words, or to a report of all errors."""
