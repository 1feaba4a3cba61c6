"""The answer of `headcount price`, on the terminal and as Markdown."""
