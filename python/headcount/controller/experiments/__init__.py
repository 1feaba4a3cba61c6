"""Experiments on a server, which tell apart what a diagnosis names: how they are played."""
