"""Capacity models: mathematics of closed queueing networks and of scaling. No bundle in it."""
