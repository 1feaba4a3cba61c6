"""Comparisons for people: on the terminal, as a page, and for a pull request."""
