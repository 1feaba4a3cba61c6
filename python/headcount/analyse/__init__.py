"""Statistics, capacity, verdicts: pure functions of what was measured."""
