"""The experiment with shares, sessions and open files: what to hold, holding it, the capacities."""
