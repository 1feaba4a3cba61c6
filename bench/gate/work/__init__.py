"""The items of work that the gate measures: one module for each kind of work."""
