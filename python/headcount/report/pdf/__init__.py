"""Documents as PDF, by Typst: tagged, with embedded fonts, the same bytes for the same document."""
