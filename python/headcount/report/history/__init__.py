"""Runs over time for people: on the terminal, and as a page."""
