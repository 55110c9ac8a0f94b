"""From the bytes of a CoNLL-U file to arrays of words, or to everything that is wrong with it."""
