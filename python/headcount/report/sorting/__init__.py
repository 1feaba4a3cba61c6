"""The sort experiment for people: on the terminal, and as one HTML page."""
