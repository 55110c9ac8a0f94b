"""The cache of result pages for visitors: `period` says how long a page is valid, `decorator` serves it."""
