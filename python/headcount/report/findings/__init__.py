"""The diagnosis of a log of counters for people: terminal, HTML page, JSON."""
