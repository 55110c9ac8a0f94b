"""Results for a paper: its tables in the formats of papers and spreadsheets, and how to cite them."""
