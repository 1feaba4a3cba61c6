"""The load generator: the engine in this process, or agents that play parts of the same users."""
