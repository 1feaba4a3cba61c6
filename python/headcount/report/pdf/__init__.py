"""Documents as PDF, by Typst: tagged, fonts within, the same bytes for the same document."""
