"""The answer of `headcount price` as tables, and as Markdown; the terminal's is in its own room."""
