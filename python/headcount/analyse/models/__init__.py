"""Capacity models: the mathematics of closed queueing networks and of scaling, without bundles."""
